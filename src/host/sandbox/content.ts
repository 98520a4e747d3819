/** Reading and writing through descriptors of the tree. */
import { E } from '../../base/errno.js';
import { O } from '../../base/fileConstants.js';
import type { TreeHandle } from './handles.js';
import { privileges } from './metadata.js';
import { isDirectory, type Ref, type UpperNode } from './node.js';
import { fileOf, type View } from './view.js';

/** The most that ext4 lets a file have. */
const LARGEST_FILE = 2 ** 44 - 4096;
const ROOT = 0;

export function readHandle(view: View, handle: TreeHandle, target: Uint8Array, position?: number): number {
  if ((handle.flags & O.PATH) !== 0 || (handle.flags & O.ACCMODE) === O.WRONLY) return -E.BADF;
  const count = readFrom(view, handle, target, position ?? handle.offset);
  if (position === undefined && count > 0) handle.offset += count;
  return count;
}

function readFrom(view: View, handle: TreeHandle, target: Uint8Array, position: number): number {
  const node = view.tree.node(handle.key);
  if (node?.data !== undefined) return node.data.read(target, position);
  if (handle.real !== undefined) return view.tree.options.lower.files.read(handle.real.fd, target, position);
  const file = fileOf(view, handle);
  return typeof file !== 'number' && isDirectory(file) ? -E.ISDIR : -E.INVAL;
}

export function writeHandle(view: View, handle: TreeHandle, bytes: Uint8Array, position?: number): number {
  if ((handle.flags & O.PATH) !== 0 || (handle.flags & O.ACCMODE) === O.RDONLY) return -E.BADF;
  const file = fileOf(view, handle);
  if (typeof file === 'number') return file;
  const appends = (handle.flags & O.APPEND) !== 0;
  const at = appends ? file.stat.size : (position ?? handle.offset);
  const count = writeTo(view, file, bytes, at);
  if (position === undefined && count > 0) handle.offset = at + count;
  return count;
}

function writeTo(view: View, file: Ref, bytes: Uint8Array, position: number): number {
  if (bytes.length === 0) return 0;
  if (position >= LARGEST_FILE) return -E.FBIG;
  const node = view.tree.change(file);
  if (node.data === undefined) return -E.INVAL;
  const count = node.data.write(bytes.subarray(0, LARGEST_FILE - position), position, view.tree.budget);
  if (count > 0) touch(view, node);
  return count;
}

function touch(view: View, node: UpperNode): void {
  const { actor, now } = view.tree.options;
  const time = now();
  node.modified = time;
  node.changed = time;
  if (actor.uid !== ROOT) node.mode &= ~privileges(node.mode);
}
