/** Owners, permissions, times and the file creation mask. */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import type { TimeSpec } from '../../host/host.js';
import { permits, W } from '../../host/permissions.js';
import { AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { hostPathArgument } from '../paths.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';

const UTIME_NOW = 0x3fff_ffff;
const UTIME_OMIT = 0x3fff_fffe;

/** The file that a path argument means, also by AT_EMPTY_PATH: as a path for the host. */
function target(p: Process, dirFd: number, pathAt: number, flags: number): BytePath | number {
  if ((flags & AT_EMPTY_PATH) === 0 || p.space.readU8(pathAt) !== 0) {
    return hostPathArgument(p, dirFd, pathAt, (flags & AT_SYMLINK_NOFOLLOW) === 0);
  }
  const fd = p.files.get(dirFd)?.hostFd;
  return fd === undefined ? -E.BADF : p.host.files.pathOfFd(fd);
}

function chmodAt(p: Process, dirFd: number, pathAt: number, mode: number, flags = 0): number {
  if ((flags & AT_SYMLINK_NOFOLLOW) !== 0) return -E.OPNOTSUPP;
  const path = target(p, dirFd, pathAt, flags);
  return typeof path === 'number' ? path : p.host.files.chmod(path, mode & 0o7777);
}

function chownAt(p: Process, dirFd: number, pathAt: number, ids: readonly [number, number], flags: number): number {
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return -E.INVAL;
  const path = target(p, dirFd, pathAt, flags);
  if (typeof path === 'number') return path;
  return p.host.files.chown(path, ids[0], ids[1], (flags & AT_SYMLINK_NOFOLLOW) === 0);
}

type Time = TimeSpec | 'keep' | 'invalid';

type Times = { readonly accessed: Time; readonly modified: Time; readonly now?: true };

function setTimes(p: Process, where: OpenFile | BytePath, followLinks: boolean, times: Times): number {
  const { accessed, modified } = times;
  const stat = typeof where === 'string' ? p.host.files.stat(where, followLinks) : where.stat();
  if (typeof stat === 'number') return stat;
  // Looked at only now: a file that is not there comes first.
  if (accessed === 'invalid' || modified === 'invalid') return -E.INVAL;
  const first = accessed === 'keep' ? stat.accessed : accessed;
  const second = modified === 'keep' ? stat.modified : modified;
  const set = (): number => (typeof where === 'string' ? p.host.files.setTimes(where, first, second, followLinks) : where.setTimes(first, second));
  const result = set();
  // A user who may write to a file may set its times to now, and only that.
  if (result !== -E.PERM || times.now !== true || !permits(p.credentials.actor, stat, W)) return result;
  const { effectiveUid, effectiveGid, groups } = p.host.identity;
  p.host.identity.actAs({ uid: effectiveUid, gid: effectiveGid, groups });
  return set();
}

function readTime(p: Process, address: number): Time {
  const seconds = p.space.readSigned64(address);
  const nanoseconds = p.space.readNum64(address + 8);
  if (nanoseconds === UTIME_NOW) return nowOfFiles(p);
  if (nanoseconds === UTIME_OMIT) return 'keep';
  return nanoseconds < 1e9 ? { seconds, nanoseconds } : 'invalid';
}

function readTimes(p: Process, address: number): Times {
  if (address === 0) return now(p);
  return { accessed: readTime(p, address), modified: readTime(p, address + 16) };
}

/** The clock that files get their times from is the host's; whole microseconds can be set quickly. */
function nowOfFiles(p: Process): TimeSpec {
  const { seconds, nanoseconds } = p.host.clock.realtime();
  return { seconds, nanoseconds: nanoseconds - (nanoseconds % 1000) };
}

function now(p: Process): Times {
  const time = nowOfFiles(p);
  return { accessed: time, modified: time, now: true };
}

/** struct timeval[2], or now. */
function readTimevals(p: Process, address: number): Times {
  if (address === 0) return now(p);
  const at = (where: number): Time => {
    const microseconds = p.space.readNum64(where + 8);
    return microseconds < 1e6 ? { seconds: p.space.readSigned64(where), nanoseconds: microseconds * 1000 } : 'invalid';
  };
  return { accessed: at(address), modified: at(address + 16) };
}

function setTimesAt(p: Process, dirFd: number, pathAt: number, flags: number, times: Times): number {
  if (times.accessed === 'keep' && times.modified === 'keep') return 0;
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) !== 0) return -E.INVAL;
  if (pathAt === 0) {
    const file = p.files.get(dirFd);
    return file === undefined ? -E.BADF : setTimes(p, file, true, times);
  }
  const path = target(p, dirFd, pathAt, flags);
  return typeof path === 'number' ? path : setTimes(p, path, (flags & AT_SYMLINK_NOFOLLOW) === 0, times);
}

export const permissionCalls: SyscallFamily = {
  umask(p, a) {
    const old = p.umask;
    p.umask = a.uint(0) & 0o777;
    return old;
  },

  chmod: (p, a) => chmodAt(p, AT_FDCWD, a.addr(0), a.uint(1)),
  fchmodat: (p, a) => chmodAt(p, a.int(0), a.addr(1), a.uint(2)),
  fchmodat2: (p, a) => chmodAt(p, a.int(0), a.addr(1), a.uint(2), a.uint(3)),
  fchmod: (p, a) => p.files.get(a.int(0))?.chmod(a.uint(1) & 0o7777) ?? -E.BADF,

  chown: (p, a) => chownAt(p, AT_FDCWD, a.addr(0), [a.int(1), a.int(2)], 0),
  lchown: (p, a) => chownAt(p, AT_FDCWD, a.addr(0), [a.int(1), a.int(2)], AT_SYMLINK_NOFOLLOW),
  fchownat: (p, a) => chownAt(p, a.int(0), a.addr(1), [a.int(2), a.int(3)], a.uint(4)),
  fchown: (p, a) => p.files.get(a.int(0))?.chown(a.int(1), a.int(2)) ?? -E.BADF,

  utimensat: (p, a) => setTimesAt(p, a.int(0), a.addr(1), a.uint(3), readTimes(p, a.addr(2))),
  futimesat: (p, a) => setTimesAt(p, a.int(0), a.addr(1), 0, readTimevals(p, a.addr(2))),
  utimes: (p, a) => setTimesAt(p, AT_FDCWD, a.addr(0), 0, readTimevals(p, a.addr(1))),

  utime(p, a) {
    const address = a.addr(1);
    const at = (where: number): TimeSpec => ({ seconds: p.space.readSigned64(where), nanoseconds: 0 });
    const times = address === 0 ? now(p) : { accessed: at(address), modified: at(address + 8) };
    return setTimesAt(p, AT_FDCWD, a.addr(0), 0, times);
  },
};
