/** Making and removing names in the sandbox: mkdir, rmdir, unlink, link, symlink, mkfifo. */
import { E } from '../../base/errno.js';
import { O, S_IFDIR, S_IFIFO, S_IFLNK, S_IFSOCK } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import { isDirectory, type Ref, typeOf } from './node.js';
import { mayCreate, mayLink, mayRemove } from '../permissions.js';
import type { NewFile } from './tree.js';
import { descriptorIn, fileAt, forgetIfUnused, placeOf, type View } from './view.js';
import { isName, type WalkedPath } from './walk.js';

const FOR_NAME = { follow: false, forName: true } as const;

/** Where a new name is to be, or why it cannot be there. */
function newPlace(view: View, path: BytePath, slashAllowed: boolean): WalkedPath | number {
  const place = placeOf(view, path, FOR_NAME);
  if (typeof place === 'number') return place;
  if (!isName(place.name) || place.file !== undefined) return -E.EXIST;
  if (place.slash && !slashAllowed) return -E.NOENT;
  const failure = mayCreate(view.tree.options.actor, place.parent.stat);
  return failure < 0 ? failure : place;
}

function make(view: View, path: BytePath, file: NewFile): number {
  const isTree = typeOf(file) === S_IFDIR;
  const place = newPlace(view, path, isTree);
  if (typeof place === 'number') return place;
  if (!view.tree.hasRoomFor(place.name, file.target)) return -E.NOSPC;
  view.tree.setEntry(place.parent, place.name, view.tree.create(place.parent, file));
  if (isTree) countSubdirectory(view, place.parent, 1);
  return 0;
}

/** A directory's link count tells its subdirectories, where the file system counts them at all. */
export function countSubdirectory(view: View, directory: Ref, change: number): void {
  if (directory.stat.links >= 2) view.tree.change(directory).links += change;
}

export function makeDirectory(view: View, path: BytePath, mode: number): number {
  return make(view, path, { mode: S_IFDIR | (mode & 0o1777), links: 2 });
}

export function makeFifo(view: View, path: BytePath, mode: number): number {
  return make(view, path, { mode: S_IFIFO | (mode & 0o7777) });
}

export function makeSocket(view: View, path: BytePath, mode: number): number {
  return make(view, path, { mode: S_IFSOCK | (mode & 0o7777) });
}

export function makeSymlink(view: View, target: BytePath, path: BytePath): number {
  return make(view, path, { mode: S_IFLNK | 0o777, target });
}

export function makeLink(view: View, from: BytePath, to: BytePath): number {
  const file = fileAt(view, from, false);
  if (typeof file === 'number') return file;
  const place = newPlace(view, to, false);
  if (typeof place === 'number') return place;
  if (place.parent.stat.device !== file.stat.device) return -E.XDEV;
  if (isDirectory(file)) return -E.PERM;
  if (file.stat.links === 0 && !isUnnamed(view, from)) return -E.NOENT;
  if (!mayLink(view.tree.options.actor, file.stat)) return -E.PERM;
  if (!view.tree.hasRoomFor(place.name)) return -E.NOSPC;
  const node = view.tree.change(file);
  node.links++;
  node.changed = view.tree.options.now();
  view.tree.setEntry(place.parent, place.name, node);
  return 0;
}

/** Only a file made with O_TMPFILE may get its first name later. */
function isUnnamed(view: View, path: BytePath): boolean {
  const handle = descriptorIn(view, path)?.handle;
  return handle?.kind === 'tree' && handle.deleted && handle.name.startsWith('#') && (handle.flags & O.EXCL) === 0;
}

export function unlink(view: View, path: BytePath): number {
  const place = placeOf(view, path, FOR_NAME);
  if (typeof place === 'number') return place;
  if (!isName(place.name)) return -E.ISDIR;
  const { file } = place;
  if (file === undefined) return -E.NOENT;
  if (place.slash) return isDirectory(file) ? -E.ISDIR : -E.NOTDIR;
  const failure = mayRemove(view.tree.options.actor, place.parent.stat, file.stat);
  if (failure < 0) return failure;
  if (isDirectory(file)) return -E.ISDIR;
  view.tree.setEntry(place.parent, place.name, null);
  dropLink(view, place.parent, place.name, file);
  return 0;
}

export function removeDirectory(view: View, path: BytePath): number {
  const place = placeOf(view, path, FOR_NAME);
  if (typeof place === 'number') return place;
  if (!isName(place.name)) return place.name === '..' ? -E.NOTEMPTY : place.name === '.' ? -E.INVAL : -E.BUSY;
  const { file } = place;
  if (file === undefined) return -E.NOENT;
  const failure = mayRemove(view.tree.options.actor, place.parent.stat, file.stat);
  if (failure < 0) return failure;
  if (!isDirectory(file)) return -E.NOTDIR;
  const full = isFull(view, file);
  if (full < 0) return full;
  view.tree.setEntry(place.parent, place.name, null);
  countSubdirectory(view, place.parent, -1);
  dropDirectory(view, file);
  return 0;
}

/** 0 if the directory is empty. */
export function isFull(view: View, directory: Ref): number {
  const entries = view.tree.list(directory);
  if (typeof entries === 'number') return entries;
  return entries.length > 0 ? -E.NOTEMPTY : 0;
}

/** The file has lost one of its names. */
export function dropLink(view: View, parent: Ref, name: string, file: Ref): void {
  const node = view.tree.change(file);
  node.links--;
  node.changed = view.tree.options.now();
  view.handles.removed({ parent: parent.key, name });
  forgetIfUnused(view, file.key);
}

export function dropDirectory(view: View, file: Ref): void {
  const node = view.tree.change(file);
  node.links = 0;
  node.changed = view.tree.options.now();
  forgetIfUnused(view, file.key);
}
