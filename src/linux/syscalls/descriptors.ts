/** fcntl, flock, and what changes or secures a file as a whole. */
import { E } from '../../base/errno.js';
import { AT_FDCWD, O, S_IFIFO, S_IFMT } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { PIPE_SIZE, PipeReader, PipeWriter } from '../files/pipe.js';
import { controlLock, isLockCommand } from '../locks/lockCalls.js';
import { hostPathArgument } from '../paths.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';

const F = {
  DUPFD: 0, GETFD: 1, SETFD: 2, GETFL: 3, SETFL: 4, SETOWN: 8, GETOWN: 9, SETSIG: 10, GETSIG: 11, SETLEASE: 1024, GETLEASE: 1025, NOTIFY: 1026,
  DUPFD_CLOEXEC: 1030, SETPIPE_SZ: 1031, GETPIPE_SZ: 1032, ADD_SEALS: 1033, GET_SEALS: 1034,
} as const;
const FD_CLOEXEC = 1;
const CHANGEABLE_FLAGS = O.APPEND | O.ASYNC | O.DIRECT | O.NOATIME | O.NONBLOCK;
const FALLOC_KEEP_SIZE = 1;

function duplicateFrom(p: Process, file: OpenFile, from: number, closeOnExec: boolean): number {
  if (from < 0 || from >= p.limits.soft(7)) return -E.INVAL;
  return p.files.add(file, closeOnExec, from);
}

function control(p: Process, file: OpenFile, a: SyscallArgs): SyscallResult {
  const [fd, command] = [a.int(0), a.int(1)];
  switch (command) {
    case F.DUPFD:
      return duplicateFrom(p, file, a.int(2), false);
    case F.DUPFD_CLOEXEC:
      return duplicateFrom(p, file, a.int(2), true);
    case F.GETFD:
      return p.files.closeOnExec(fd) ? FD_CLOEXEC : 0;
    case F.SETFD:
      p.files.setCloseOnExec(fd, (a.uint(2) & FD_CLOEXEC) !== 0);
      return 0;
    case F.GETFL:
      return file.flags;
    case F.SETFL:
      file.flags = (file.flags & ~CHANGEABLE_FLAGS) | (a.uint(2) & CHANGEABLE_FLAGS);
      return 0;
    case F.GETOWN:
      return file.owner;
    case F.SETOWN:
      file.owner = a.int(2);
      return 0;
    case F.SETSIG:
    case F.GETSIG:
    case F.GETLEASE:
      return 0;
    default:
      if (isLockCommand(command)) return controlLock(p, file, command, a.addr(2));
      return command >= F.SETPIPE_SZ && command <= F.GETPIPE_SZ ? pipeSize(file) : -E.INVAL;
  }
}

function pipeSize(file: OpenFile): number {
  if (file instanceof PipeReader || file instanceof PipeWriter) return file.pipe.size;
  const stat = file.stat();
  const isPipe = typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFIFO;
  return isPipe ? PIPE_SIZE : -E.BADF;
}

function allocate(file: OpenFile, mode: number, offset: number, length: number): number {
  if (!file.writable) return -E.BADF;
  if (offset < 0 || length <= 0) return -E.INVAL;
  if ((mode & ~FALLOC_KEEP_SIZE) !== 0) return -E.OPNOTSUPP;
  const stat = file.stat();
  if (typeof stat === 'number') return stat;
  const grows = mode === 0 && stat.size < offset + length;
  return grows ? file.truncate(offset + length) : 0;
}

function onFile(action: (file: OpenFile) => number): (p: Process, a: SyscallArgs) => number {
  return (p, a) => {
    const file = p.files.get(a.int(0));
    return file === undefined ? -E.BADF : action(file);
  };
}

export const descriptorCalls: SyscallFamily = {
  fcntl(p, a) {
    const file = p.files.get(a.int(0));
    return file === undefined ? -E.BADF : control(p, file, a);
  },

  fsync: onFile((file) => file.sync()),
  fdatasync: onFile((file) => file.sync()),
  syncfs: onFile(() => 0),
  sync_file_range: onFile(() => 0),
  readahead: onFile((file) => (file.readable ? 0 : -E.BADF)),
  fadvise64: onFile((file) => (file.seek(0, 1) === -E.SPIPE ? -E.SPIPE : 0)),
  sync: () => 0,

  ftruncate(p, a) {
    const file = p.files.get(a.int(0));
    if (file === undefined) return -E.BADF;
    if (a.long(1) < 0) return -E.INVAL;
    p.memory.sharedFiles.beforeWrite(file);
    return file.truncate(a.long(1));
  },

  truncate(p, a) {
    const path = hostPathArgument(p, AT_FDCWD, a.addr(0), true);
    if (typeof path === 'number') return path;
    if (a.long(1) < 0) return -E.INVAL;
    p.memory.sharedFiles.beforeWrite();
    return p.host.files.truncate(path, a.long(1));
  },

  fallocate(p, a) {
    const file = p.files.get(a.int(0));
    return file === undefined ? -E.BADF : allocate(file, a.uint(1), a.long(2), a.long(3));
  },
};
