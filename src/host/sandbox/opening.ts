/** open(2) in the sandbox, with the kernel's order of checks. */
import { E } from '../../base/errno.js';
import { O, S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFREG, S_IFSOCK } from '../../base/fileConstants.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostFd } from '../host.js';
import { isAppendOnly, type RealHandle } from './handles.js';
import { isDirectory, isLink, type Ref, typeOf } from './node.js';
import { isOpenDevice } from './outside.js';
import { mayCreate, permits, R, W } from '../permissions.js';
import { descriptorIn, fileAt, fileOf, placeOf, type View } from './view.js';
import type { WalkedPath } from './walk.js';

/** Flags that mean something to a descriptor that only names a place. */
const PATH_FLAGS = O.PATH | O.DIRECTORY | O.NOFOLLOW | O.CLOEXEC;
const TMPFILE_BIT = O.TMPFILE & ~O.DIRECTORY;

export function openInView(view: View, path: BytePath, wanted: number, mode: number): HostFd | number {
  const flags = (wanted & O.PATH) !== 0 ? wanted & PATH_FLAGS : wanted;
  const known = descriptorIn(view, path);
  if (known !== undefined && known.rest === undefined) {
    // The name of a descriptor is a link.
    if ((flags & O.NOFOLLOW) !== 0) return -E.LOOP;
    if (known.handle.kind === 'real') return reopenReal(view, known.handle, flags);
    const file = fileOf(view, known.handle);
    const { parent, name, deleted } = known.handle;
    return typeof file === 'number' ? file : openFile(view, file, { parent, name, deleted }, flags);
  }
  if ((flags & TMPFILE_BIT) !== 0) return openUnnamed(view, path, flags, mode);
  if ((flags & O.CREAT) !== 0 && (flags & O.DIRECTORY) !== 0) return -E.INVAL;
  const exclusive = (flags & O.CREAT) !== 0 && (flags & O.EXCL) !== 0;
  const creates = (flags & O.CREAT) !== 0;
  const place = placeOf(view, path, { follow: !exclusive && (flags & O.NOFOLLOW) === 0, forName: exclusive, creates });
  return typeof place === 'number' ? place : openPlace(view, place, flags, mode);
}

/** How the file was named, for its descriptor. */
interface Naming {
  readonly parent: Ref['key'];
  readonly name: string;
  readonly deleted: boolean;
}

function openPlace(view: View, place: WalkedPath, flags: number, mode: number): HostFd | number {
  const { parent, name, file } = place;
  const naming = { parent: parent.key, name, deleted: false };
  if ((flags & O.CREAT) === 0) {
    if (file === undefined) return -E.NOENT;
    return place.slash && !isDirectory(file) ? -E.NOTDIR : openFile(view, file, naming, flags);
  }
  if (place.slash) return -E.ISDIR;
  if (file === undefined) return createFile(view, place, flags, mode);
  if ((flags & O.EXCL) !== 0) return -E.EXIST;
  return isDirectory(file) ? -E.ISDIR : openFile(view, file, naming, flags);
}

function createFile(view: View, { parent, name }: WalkedPath, flags: number, mode: number): HostFd | number {
  const failure = mayCreate(view.tree.options.actor, parent.stat);
  if (failure < 0) return failure;
  if (!view.tree.hasRoomFor(name)) return -E.NOSPC;
  const node = view.tree.create(parent, { mode: S_IFREG | (mode & 0o7777) });
  view.tree.setEntry(parent, name, node);
  return view.handles.add({
    kind: 'tree', key: node.key, lowerPath: undefined, flags, real: undefined, parent: parent.key, name, deleted: false, offset: 0,
  });
}

/** O_TMPFILE: a file that has no name unless it is given one. */
function openUnnamed(view: View, path: BytePath, flags: number, mode: number): HostFd | number {
  if ((flags & O.DIRECTORY) === 0 || (flags & O.ACCMODE) === O.RDONLY || (flags & O.CREAT) !== 0) return -E.INVAL;
  const directory = fileAt(view, path, true);
  if (typeof directory === 'number') return directory;
  if (!isDirectory(directory)) return -E.NOTDIR;
  const failure = mayCreate(view.tree.options.actor, directory.stat);
  if (failure < 0) return failure;
  if (!view.tree.hasRoomFor('')) return -E.NOSPC;
  const node = view.tree.create(directory, { mode: S_IFREG | (mode & 0o7777), links: 0 });
  return view.handles.add({
    kind: 'tree', key: node.key, lowerPath: undefined, flags, real: undefined,
    parent: directory.key, name: `#${node.inode}`, deleted: true, offset: 0,
  });
}

function openFile(view: View, file: Ref, naming: Naming, flags: number): HostFd | number {
  const base = { kind: 'tree', key: file.key, lowerPath: file.lowerPath, flags, real: undefined, ...naming, offset: 0 } as const;
  if ((flags & O.DIRECTORY) !== 0 && !isDirectory(file)) return -E.NOTDIR;
  if ((flags & O.PATH) !== 0) return view.handles.add(base);
  if (isLink(file)) return -E.LOOP;
  const failure = mayOpen(view, file, flags);
  if (failure < 0) return failure;
  switch (typeOf(file.stat)) {
    case S_IFDIR:
    case S_IFIFO:
      return view.handles.add(base);
    case S_IFCHR:
    case S_IFBLK:
      return openDevice(view, file, flags);
    case S_IFSOCK:
      return -E.NXIO;
    default:
      return isGenerated(file) ? openGenerated(view, file, flags) : openRegular(view, file, base);
  }
}

function mayOpen(view: View, file: Ref, flags: number): number {
  const writes = (flags & O.ACCMODE) !== O.RDONLY || (flags & O.TRUNC) !== 0;
  if (isDirectory(file) && writes) return -E.ISDIR;
  const reads = (flags & O.ACCMODE) !== O.WRONLY;
  return permits(view.tree.options.actor, file.stat, (reads ? R : 0) | (writes ? W : 0)) ? 0 : -E.ACCES;
}

function openRegular(view: View, file: Ref, base: Parameters<View['handles']['add']>[0] & { kind: 'tree' }): HostFd | number {
  const { tree, handles } = view;
  const reads = (base.flags & O.ACCMODE) !== O.WRONLY;
  const untouched = tree.node(file.key) === undefined && file.lowerPath !== undefined;
  // Kept open even if the content may change here: others may remove the real file under its name.
  const real = reads && untouched && file.lowerPath !== undefined ? tree.options.lower.open(file.lowerPath, O.RDONLY) : undefined;
  if (typeof real === 'number') return real;
  if ((base.flags & O.TRUNC) !== 0) truncateFile(view, file, 0);
  return handles.add({ ...base, real });
}

export function truncateFile(view: View, file: Ref, size: number): number {
  const node = view.tree.change(file);
  const result = node.data?.truncate(size, view.tree.budget) ?? -E.INVAL;
  if (result < 0) return result;
  const now = view.tree.options.now();
  node.modified = now;
  node.changed = now;
  return 0;
}

/** Files whose content the kernel makes up when they are read: they cannot be copied, nor changed in private. */
function isGenerated(file: Ref): boolean {
  return file.lowerPath !== undefined && /^\/(proc|sys)\//.test(file.lowerPath);
}

function openGenerated(view: View, file: Ref, flags: number): HostFd | number {
  return (flags & O.ACCMODE) === O.RDONLY ? openReal(view, file, flags) : -E.ACCES;
}

function openDevice(view: View, file: Ref, flags: number): HostFd | number {
  // No terminal becomes ours by being opened.
  return isOpenDevice(view.tree.options.terminals, file) ? openReal(view, file, flags | O.NOCTTY) : -E.PERM;
}

function openReal(view: View, { lowerPath }: Ref, flags: number): HostFd | number {
  if (lowerPath === undefined) return -E.NXIO;
  const real = view.tree.options.lower.open(lowerPath, flags & ~(O.CREAT | O.EXCL | O.TRUNC));
  return typeof real === 'number' ? real : view.handles.add({ kind: 'real', real, flags, inherited: false });
}

/** A descriptor of the real system is opened anew as far as it goes: no more rights than it had. */
function reopenReal(view: View, handle: RealHandle, flags: number): HostFd | number {
  const access = handle.flags & O.ACCMODE;
  const more = (flags & O.PATH) === 0 && access !== O.RDWR && access !== (flags & O.ACCMODE);
  if (more || ((flags & O.TRUNC) !== 0 && access === O.RDONLY)) return -E.ACCES;
  const { files } = view.tree.options.lower;
  // `echo > /dev/stderr` is to work where that is a log: what it writes is added, and nothing is lost.
  const kept = isAppendOnly(handle) ? (flags & ~O.TRUNC) | O.APPEND : flags;
  const real = view.tree.options.lower.open(files.pathOfFd(handle.real.fd), (kept & ~(O.CREAT | O.EXCL | O.NOFOLLOW)) | O.NOCTTY);
  if (typeof real === 'number') return real;
  return view.handles.add({ kind: 'real', real, flags: kept, inherited: handle.inherited });
}

