/** stat and its kin, access checks, file systems. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { permits } from '../../host/permissions.js';
import { AT_EACCESS, AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, S_IFLNK, S_IFMT } from '../files/fileConstants.js';
import { mayAccess, mayFollow, statVirtual } from '../files/virtualFile.js';
import { resolvePath } from '../paths.js';
import type { VirtualNode } from '../proc/virtualNode.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import { writeStat, writeStatfs, writeStatx } from './statStructs.js';

const STAT_FLAGS = 0x7900;
const STATX_SYNC_TYPE = 0x6000;
const STATX_FLAGS = STAT_FLAGS | STATX_SYNC_TYPE;
const STATX_RESERVED = 0x8000_0000;
/** Of files that only we have: a stand-in for pipefs and its kin. */
const PIPEFS = { type: 0x5049_5045, blockSize: 4096, blocks: 0, blocksFree: 0, blocksAvailable: 0, files: 0, filesFree: 0 };

function statOfFd(p: Process, fd: number): HostStat | number {
  return p.files.get(fd)?.stat() ?? -E.BADF;
}

function statAt(p: Process, dirFd: number, pathAt: number, flags: number): HostStat | number {
  if ((flags & AT_EMPTY_PATH) !== 0 && (pathAt === 0 || p.space.readU8(pathAt) === 0)) {
    return dirFd === AT_FDCWD ? statPath(p, dirFd, '.', flags) : statOfFd(p, dirFd);
  }
  const path = p.readPath(pathAt);
  return typeof path === 'number' ? path : statPath(p, dirFd, path, flags);
}

function statPath(p: Process, dirFd: number, path: string, flags: number): HostStat | number {
  const name = path as Parameters<typeof resolvePath>[2];
  const follow = (flags & AT_SYMLINK_NOFOLLOW) === 0;
  const first = resolvePath(p, dirFd, name, follow ? 'later' : 'no');
  if (typeof first === 'number') return first;
  if (first.kind === 'virtual') return statVirtual(p, first.node, follow);
  const stat = p.host.files.stat(first.path, false);
  if (!follow || typeof stat === 'number' || (stat.mode & S_IFMT) !== S_IFLNK) return stat;
  const place = resolvePath(p, dirFd, name, 'yes');
  if (typeof place === 'number') return place;
  return place.kind === 'host' ? p.host.files.stat(place.path, true) : statVirtual(p, place.node, true);
}

function putStat(p: Process, stat: HostStat | number, address: number): number {
  if (typeof stat === 'number') return stat;
  writeStat(p, address, stat);
  return 0;
}

function accessAt(p: Process, dirFd: number, pathAt: number, mode: number, flags: number): number {
  if ((mode & ~7) !== 0) return -E.INVAL;
  if ((flags & AT_EMPTY_PATH) !== 0 && p.space.readU8(pathAt) === 0) return p.files.get(dirFd) === undefined ? -E.BADF : 0;
  const path = p.readPath(pathAt);
  if (typeof path === 'number') return path;
  const follow = (flags & AT_SYMLINK_NOFOLLOW) === 0;
  const place = resolvePath(p, dirFd, path, follow ? 'yes' : 'no');
  if (typeof place === 'number') return place;
  return place.kind === 'host' ? accessHost(p, place.path, mode, flags) : accessVirtual(p, place.node, mode, follow);
}

function accessVirtual(p: Process, node: VirtualNode, mode: number, follow: boolean): number {
  if (node.kind !== 'link' || !follow) return mode === 0 || mayAccess(p, node, mode) ? 0 : -E.ACCES;
  if (!mayFollow(p, node)) return -E.ACCES;
  if (node.node !== undefined) return accessVirtual(p, node.node, mode, true);
  if (node.file === undefined) return p.host.files.access(node.leadsTo ?? node.target, mode);
  const { hostFd } = node.file;
  return hostFd === undefined ? 0 : accessHost(p, p.host.files.pathOfFd(hostFd), mode, 0);
}

/**
 * access(2) asks for the real user, AT_EACCESS for the effective one. The host can only tell what its own real
 * user may do: for anybody else it goes by the permission bits.
 */
export function accessHost(p: Process, path: BytePath, mode: number, flags: number): number {
  const { user, group, groups, actor } = p.credentials;
  const asker = (flags & AT_EACCESS) !== 0 ? actor : { uid: user.real, gid: group.real, groups };
  p.host.identity.actAs(asker);
  if (asker.uid === p.host.identity.uid && (flags & AT_SYMLINK_NOFOLLOW) === 0) return p.host.files.access(path, mode);
  const stat = p.host.files.stat(path, (flags & AT_SYMLINK_NOFOLLOW) === 0);
  if (typeof stat === 'number') return stat;
  return permits(asker, stat, mode) ? 0 : -E.ACCES;
}

function statfsOf(p: Process, path: Parameters<typeof p.host.files.statfs>[0], address: number): number {
  const stat = p.host.files.statfs(path);
  if (typeof stat === 'number') return stat;
  writeStatfs(p, address, stat);
  return 0;
}

export const metadataCalls: SyscallFamily = {
  stat: (p, a) => putStat(p, statAt(p, AT_FDCWD, a.addr(0), 0), a.addr(1)),
  lstat: (p, a) => putStat(p, statAt(p, AT_FDCWD, a.addr(0), AT_SYMLINK_NOFOLLOW), a.addr(1)),
  fstat: (p, a) => putStat(p, statOfFd(p, a.int(0)), a.addr(1)),

  newfstatat(p, a) {
    const flags = a.uint(3);
    if ((flags & ~STAT_FLAGS) !== 0) return -E.INVAL;
    return putStat(p, statAt(p, a.int(0), a.addr(1), flags), a.addr(2));
  },

  statx(p, a) {
    const flags = a.uint(2);
    if ((flags & ~STATX_FLAGS) !== 0 || (flags & STATX_SYNC_TYPE) === STATX_SYNC_TYPE || a.uint(3) >= STATX_RESERVED) return -E.INVAL;
    const stat = statAt(p, a.int(0), a.addr(1), a.uint(2));
    if (typeof stat === 'number') return stat;
    writeStatx(p, a.addr(4), stat);
    return 0;
  },

  access: (p, a) => accessAt(p, AT_FDCWD, a.addr(0), a.int(1), 0),
  faccessat: (p, a) => accessAt(p, a.int(0), a.addr(1), a.int(2), 0),
  faccessat2: (p, a) => accessAt(p, a.int(0), a.addr(1), a.int(2), a.uint(3)),

  statfs(p, a) {
    const path = p.readPath(a.addr(0));
    if (typeof path === 'number') return path;
    const place = resolvePath(p, AT_FDCWD, path, 'yes');
    if (typeof place === 'number') return place;
    if (place.kind === 'host') return statfsOf(p, place.path, a.addr(1));
    const { node } = place;
    const behind = node.kind === 'link' && node.node === undefined ? (node.file?.hostFd === undefined ? node.leadsTo ?? node.target : p.host.files.pathOfFd(node.file.hostFd)) : undefined;
    // All that is only ours is in /proc.
    return statfsOf(p, behind?.startsWith('/') === true ? behind : bytePath('/proc'), a.addr(1));
  },

  fstatfs(p, a) {
    const file = p.files.get(a.int(0));
    if (file === undefined) return -E.BADF;
    if (file.hostFd === undefined && !file.path.startsWith('/')) {
      writeStatfs(p, a.addr(1), PIPEFS);
      return 0;
    }
    return statfsOf(p, file.hostFd === undefined ? bytePath('/proc') : p.host.files.pathOfFd(file.hostFd), a.addr(1));
  },
};
