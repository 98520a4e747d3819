/** inotify's system calls. fanotify, which needs privileges, is refused. */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { AT_FDCWD, O } from '../files/fileConstants.js';
import { resolveHostPath } from '../paths.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { install } from '../syscalls/opening.js';
import { isDirectory, keyOf } from './fileEvents.js';
import { IN, InotifyFile } from './inotifyFile.js';

const MANNERS = (IN.ONLYDIR | IN.DONT_FOLLOW | IN.EXCL_UNLINK | IN.MASK_CREATE | IN.MASK_ADD | IN.ISDIR | IN.ONESHOT) >>> 0;
const KNOWN = (IN.ALL_EVENTS | MANNERS | IN.IGNORED | IN.Q_OVERFLOW | 0x2000) >>> 0;
const R_OK = 4;

function create(p: Process, flags: number): number {
  if ((flags & ~(O.CLOEXEC | O.NONBLOCK)) !== 0) return -E.INVAL;
  return install(p, new InotifyFile(p.world.fileWatching.events, flags & O.NONBLOCK), flags);
}

function instanceOf(p: Process, fd: number): InotifyFile | number {
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  return file instanceof InotifyFile ? file : -E.INVAL;
}

function find(p: Process, pathAt: number, mask: number): { readonly path: BytePath; readonly stat: HostStat } | number {
  const name = p.readPath(pathAt);
  if (typeof name === 'number') return name;
  const follow = (mask & IN.DONT_FOLLOW) === 0;
  const path = resolveHostPath(p, AT_FDCWD, name, follow);
  if (typeof path === 'number') return path === -E.PERM ? -E.NOENT : path;
  const stat = p.host.files.stat(path, follow);
  if (typeof stat === 'number') return stat;
  if ((mask & IN.ONLYDIR) !== 0 && !isDirectory(stat)) return -E.NOTDIR;
  const readable = follow ? p.host.files.access(path, R_OK) : 0;
  return readable < 0 ? readable : { path, stat };
}

function add(p: Process, a: SyscallArgs): number {
  const mask = a.uint(2);
  if ((mask & KNOWN) === 0) return -E.INVAL;
  if (p.files.get(a.int(0)) === undefined) return -E.BADF;
  if ((mask & IN.MASK_ADD) !== 0 && (mask & IN.MASK_CREATE) !== 0) return -E.INVAL;
  const instance = instanceOf(p, a.int(0));
  if (typeof instance === 'number') return instance;
  const found = find(p, a.addr(1), mask);
  if (typeof found === 'number') return found;
  const key = keyOf(found.stat);
  const old = instance.watchOf(key);
  if (old !== undefined) {
    if ((mask & IN.MASK_CREATE) !== 0) return -E.EXIST;
    old.mask = ((mask & IN.MASK_ADD) !== 0 ? old.mask | mask : mask) >>> 0;
    return old.number;
  }
  const { events, outside } = p.world.fileWatching;
  const watch = instance.add(key, mask);
  events.watch(watch);
  outside.watch(found.path, found.stat);
  return watch.number;
}

function remove(p: Process, a: SyscallArgs): number {
  const instance = instanceOf(p, a.int(0));
  return typeof instance === 'number' ? instance : instance.remove(a.int(1));
}

export const inotifyCalls: SyscallFamily = {
  inotify_init: (p) => create(p, 0),
  inotify_init1: (p, a) => create(p, a.uint(0)),
  inotify_add_watch: add,
  inotify_rm_watch: remove,
  fanotify_init: () => -E.PERM,
  fanotify_mark: (p, a) => (p.files.get(a.int(0)) === undefined ? -E.BADF : -E.INVAL),
};
