/** Names: making, removing, renaming and reading links, and making nodes. */
import { E } from '../../base/errno.js';
import { bytesOfBytePath, type BytePath } from '../../base/bytePath.js';
import {
  AT_EMPTY_PATH, AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, O, S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, S_IFSOCK,
} from '../files/fileConstants.js';
import { targetOfOpened, mayFollow } from '../files/virtualFile.js';
import { hostPathArgument, resolvePath } from '../paths.js';
import { isOfDescriptor } from '../pathWalk.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { HostFd } from '../../host/host.js';

const RENAME_NOREPLACE = 1;
const RENAME_EXCHANGE = 2;

function linkTarget(p: Process, dirFd: number, path: BytePath): BytePath | number {
  if (path === '') {
    return targetOfOpenLink(p, dirFd);
  }
  const place = resolvePath(p, dirFd, path);
  if (typeof place === 'number') return place;
  if (place.kind === 'host') return p.host.files.readLink(place.path);
  if (place.node.kind !== 'link') return -E.INVAL;
  return mayFollow(p, place.node) ? shownTarget(p, place.node.target) : -E.ACCES;
}

/** Of a link that was opened itself (O_PATH | O_NOFOLLOW). */
function targetOfOpenLink(p: Process, fd: number): BytePath | number {
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  const target = targetOfOpened(file);
  if (target !== undefined) return shownTarget(p, target);
  const stat = file.stat();
  const isLink = typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFLNK;
  return isLink ? p.host.files.readLink(file.path) : -E.NOENT;
}

/** A target that is the host's name for a descriptor is shown as what it stands for. */
function shownTarget(p: Process, target: BytePath): BytePath | number {
  return isOfDescriptor(target) ? p.host.files.readLink(target) : target;
}

function readLinkAt(p: Process, dirFd: number, pathAt: number, bufferAt: number, size: number): number {
  if (size <= 0) return -E.INVAL;
  const path = p.readPath(pathAt);
  if (typeof path === 'number') return path;
  const target = linkTarget(p, dirFd, path);
  if (typeof target === 'number') return target;
  const bytes = bytesOfBytePath(target).subarray(0, size);
  p.space.write(bufferAt, bytes);
  return bytes.length;
}

function renameAt(p: Process, fromFd: number, fromAt: number, toFd: number, toAt: number, flags: number): number {
  if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE)) !== 0 || flags === (RENAME_NOREPLACE | RENAME_EXCHANGE)) return -E.INVAL;
  const from = hostPathArgument(p, fromFd, fromAt);
  if (typeof from === 'number') return from;
  const to = hostPathArgument(p, toFd, toAt);
  if (typeof to === 'number') return to;
  p.world.plainDirectories.forget();
  if (flags === RENAME_EXCHANGE) return p.host.files.exchange(from, to);
  if (flags !== 0 && typeof p.host.files.stat(to, false) !== 'number') return -E.EXIST;
  return p.host.files.rename(from, to);
}

function linkAt(p: Process, fromFd: number, fromAt: number, toFd: number, toAt: number, flags: number): number {
  if ((flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) !== 0) return -E.INVAL;
  let from: BytePath | number;
  if ((flags & AT_EMPTY_PATH) !== 0 && p.space.readU8(fromAt) === 0) {
    const fd = p.files.get(fromFd)?.hostFd;
    from = fd === undefined ? -E.BADF : p.host.files.pathOfFd(fd);
  } else {
    from = hostPathArgument(p, fromFd, fromAt, (flags & AT_SYMLINK_FOLLOW) !== 0);
    // A name of /proc itself: another file system.
    if (from === -E.PERM) return -E.XDEV;
  }
  if (typeof from === 'number') return from;
  if ((flags & AT_SYMLINK_FOLLOW) !== 0 && !isOfDescriptor(from)) from = followed(p, from);
  if (typeof from === 'number') return from;
  const to = hostPathArgument(p, toFd, toAt);
  if (typeof to === 'number') return to;
  p.world.plainDirectories.forget();
  return p.host.files.link(from, to);
}

/** The host's link(2) does not follow a link in the last place, so that is done by hand. */
function followed(p: Process, path: BytePath): BytePath | number {
  const { files } = p.host;
  const fd = files.open(path, O.PATH | O.CLOEXEC, 0);
  if (fd < 0) return fd;
  const target = files.readLink(files.pathOfFd(fd as HostFd));
  files.close(fd as HostFd);
  return typeof target === 'number' ? path : target;
}

function unlinkAt(p: Process, dirFd: number, pathAt: number, flags: number): number {
  if ((flags & ~AT_REMOVEDIR) !== 0) return -E.INVAL;
  const path = hostPathArgument(p, dirFd, pathAt);
  if (typeof path === 'number') return path;
  return flags !== 0 ? p.host.files.removeDirectory(path) : p.host.files.unlink(path);
}

function symlinkAt(p: Process, targetAt: number, dirFd: number, pathAt: number): number {
  const target = p.readPath(targetAt);
  if (typeof target === 'number') return target;
  if (target === '') return -E.NOENT;
  const path = hostPathArgument(p, dirFd, pathAt);
  if (typeof path === 'number') return path;
  p.world.plainDirectories.forget();
  return p.host.files.symlink(target, path);
}

function makeFifo(p: Process, path: BytePath, permissions: number): number {
  const result = p.host.files.makeFifo(path, permissions);
  if (result === 0) p.world.fifos.note(p.host, path);
  return result;
}

function makeNode(p: Process, dirFd: number, pathAt: number, mode: number): number {
  const path = hostPathArgument(p, dirFd, pathAt);
  if (typeof path === 'number') return path;
  const permissions = mode & 0o7777 & ~p.umask;
  switch (mode & S_IFMT) {
    case 0:
    case S_IFREG: {
      const fd = p.host.files.open(path, O.CREAT | O.EXCL | O.WRONLY | O.CLOEXEC, permissions);
      return fd < 0 ? fd : p.host.files.close(fd as HostFd);
    }
    case S_IFIFO:
      return makeFifo(p, path, permissions);
    case S_IFSOCK:
      return p.host.files.makeSocket(path, permissions);
    case S_IFCHR:
    case S_IFBLK:
    case S_IFDIR:
      return -E.PERM;
    default:
      return -E.INVAL;
  }
}

function makeDirectory(p: Process, dirFd: number, pathAt: number, mode: number): number {
  const path = hostPathArgument(p, dirFd, pathAt);
  return typeof path === 'number' ? path : p.host.files.makeDirectory(path, mode & 0o1777 & ~p.umask);
}

export const linkCalls: SyscallFamily = {
  readlink: (p, a) => readLinkAt(p, AT_FDCWD, a.addr(0), a.addr(1), a.int(2)),
  readlinkat: (p, a) => readLinkAt(p, a.int(0), a.addr(1), a.addr(2), a.int(3)),
  rename: (p, a) => renameAt(p, AT_FDCWD, a.addr(0), AT_FDCWD, a.addr(1), 0),
  renameat: (p, a) => renameAt(p, a.int(0), a.addr(1), a.int(2), a.addr(3), 0),
  renameat2: (p, a) => renameAt(p, a.int(0), a.addr(1), a.int(2), a.addr(3), a.uint(4)),
  link: (p, a) => linkAt(p, AT_FDCWD, a.addr(0), AT_FDCWD, a.addr(1), 0),
  linkat: (p, a) => linkAt(p, a.int(0), a.addr(1), a.int(2), a.addr(3), a.uint(4)),
  unlink: (p, a) => unlinkAt(p, AT_FDCWD, a.addr(0), 0),
  unlinkat: (p, a) => unlinkAt(p, a.int(0), a.addr(1), a.uint(2)),
  rmdir: (p, a) => unlinkAt(p, AT_FDCWD, a.addr(0), AT_REMOVEDIR),
  symlink: (p, a) => symlinkAt(p, a.addr(0), AT_FDCWD, a.addr(1)),
  symlinkat: (p, a) => symlinkAt(p, a.addr(0), a.int(1), a.addr(2)),
  mkdir: (p, a) => makeDirectory(p, AT_FDCWD, a.addr(0), a.uint(1)),
  mkdirat: (p, a) => makeDirectory(p, a.int(0), a.addr(1), a.uint(2)),
  mknod: (p, a) => makeNode(p, AT_FDCWD, a.addr(0), a.uint(1)),
  mknodat: (p, a) => makeNode(p, a.int(0), a.addr(1), a.uint(2)),
};
