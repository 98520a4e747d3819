/** One view of the file system: its tree, its descriptors, and where relative paths start. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostFd } from '../host.js';
import type { Handle, Handles, TreeHandle } from './handles.js';
import type { NodeKey, Ref } from './node.js';
import type { Tree } from './tree.js';
import { lookUp, type WalkedPath, walk, type WalkOptions } from './walk.js';

export interface View {
  readonly tree: Tree;
  readonly handles: Handles;
  readonly workingDirectory: NodeKey;
}

const FD_PATH = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/s;

export function pathOfFd(fd: HostFd): BytePath {
  return bytePath(`/proc/self/fd/${fd}`);
}

/** What a path means if it is our name for a descriptor: the descriptor, and what follows it. */
export function descriptorIn(view: View, path: BytePath): { handle: Handle; rest: BytePath | undefined } | undefined {
  const match = FD_PATH.exec(path);
  const handle = match === null ? undefined : view.handles.get(Number(match[1]) as HostFd);
  if (handle === undefined) return undefined;
  const rest = match?.[2] === undefined ? undefined : bytePath(`.${match[2]}`);
  return { handle, rest };
}

export function fileOf(view: View, handle: TreeHandle): Ref | number {
  return view.tree.find(handle.key, handle.lowerPath);
}

/** Where a path ends, for calls that make or remove names or may do so. */
export function placeOf(view: View, path: BytePath, options: WalkOptions): WalkedPath | number {
  const start = startOf(view, path);
  return typeof start === 'number' ? start : walk(view.tree, start.at, start.path, options);
}

/** The file at a path. */
export function fileAt(view: View, path: BytePath, follow: boolean): Ref | number {
  const known = descriptorIn(view, path);
  if (known?.rest === undefined && known?.handle.kind === 'tree') return fileOf(view, known.handle);
  const start = startOf(view, path);
  return typeof start === 'number' ? start : lookUp(view.tree, start.at, start.path, follow);
}

function startOf(view: View, path: BytePath): { at: Ref; path: BytePath } | number {
  const known = descriptorIn(view, path);
  if (known?.rest !== undefined) {
    const at = known.handle.kind === 'tree' ? fileOf(view, known.handle) : -E.NOTDIR;
    return typeof at === 'number' ? at : { at, path: known.rest };
  }
  const at = path.startsWith('/') ? view.tree.root : view.tree.directory(view.workingDirectory);
  return typeof at === 'number' ? at : { at, path };
}

/** As readlink shows a descriptor's file. */
export function shownPath(view: View, handle: TreeHandle): BytePath {
  const file = fileOf(view, handle);
  const node = view.tree.node(handle.key);
  const isTree = node?.entries !== undefined || (typeof file !== 'number' && (file.stat.mode & 0o170000) === 0o040000);
  if (isTree) return directoryPath(view, handle.key);
  const path = `${withSlash(view.tree.pathOf(handle.parent))}${handle.name}`;
  return bytePath(handle.deleted ? `${path} (deleted)` : path);
}

export function directoryPath(view: View, key: NodeKey): BytePath {
  const path = view.tree.pathOf(key);
  return view.tree.node(key)?.links === 0 ? bytePath(`${path} (deleted)`) : path;
}

function withSlash(path: BytePath): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** A file that lost a name or a descriptor goes away with the last of them. */
export function forgetIfUnused(view: View, key: NodeKey): void {
  if (view.tree.node(key)?.links === 0 && !view.handles.isOpen(key) && view.workingDirectory !== key) view.tree.forget(key);
}
