/** fcntl, flock, and what changes or secures a file as a whole. */
import { E } from '../../base/errno.js';
import { O, S_IFIFO, S_IFMT } from '../files/fileConstants.js';
import { MemFd } from '../files/memFd.js';
import type { OpenFile } from '../files/openFile.js';
import { PIPE_SIZE, PipeEnd } from '../files/pipe.js';
import { controlLock, isLockCommand } from '../locks/lockCalls.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';

const F = {
  DUPFD: 0, GETFD: 1, SETFD: 2, GETFL: 3, SETFL: 4, SETOWN: 8, GETOWN: 9, SETSIG: 10, GETSIG: 11, SETOWN_EX: 15, GETOWN_EX: 16, SETLEASE: 1024, GETLEASE: 1025, NOTIFY: 1026,
  DUPFD_CLOEXEC: 1030, SETPIPE_SZ: 1031, GETPIPE_SZ: 1032, ADD_SEALS: 1033, GET_SEALS: 1034,
} as const;
/** What can be asked of a descriptor that only names a place. */
const PATH_COMMANDS: ReadonlySet<number> = new Set([F.DUPFD, F.DUPFD_CLOEXEC, F.GETFD, F.SETFD, F.GETFL]);
const FD_CLOEXEC = 1;
const OWNER_PROCESS = 1;
const OWNER_GROUP = 2;
const LAST_SIGNAL = 64;
const F_UNLCK = 2;
const CHANGEABLE_FLAGS = O.APPEND | O.ASYNC | O.DIRECT | O.NOATIME | O.NONBLOCK;
const LAST_ADVICE = 5;

function duplicateFrom(p: Process, file: OpenFile, from: number, closeOnExec: boolean): number {
  if (from < 0 || from >= p.limits.soft(7)) return -E.INVAL;
  return p.files.add(file, closeOnExec, from);
}

function control(p: Process, file: OpenFile, a: SyscallArgs): SyscallResult {
  const [fd, command] = [a.int(0), a.int(1)];
  if ((file.flags & O.PATH) !== 0 && !PATH_COMMANDS.has(command)) return -E.BADF;
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
      p.world.ioSignals.update(file, fd);
      return 0;
    case F.GETOWN:
      return file.owner;
    case F.SETOWN:
      file.setOwner(a.int(2), p.credentials.user);
      return 0;
    case F.SETOWN_EX:
      return setOwner(p, file, a.addr(2));
    case F.GETOWN_EX:
      p.space.writeU32(a.addr(2), file.owner < 0 ? OWNER_GROUP : OWNER_PROCESS);
      p.space.writeU32(a.addr(2) + 4, Math.abs(file.owner));
      return 0;
    case F.SETSIG:
      if (a.addr(2) > LAST_SIGNAL) return -E.INVAL;
      file.ownerSignal = a.int(2);
      return 0;
    case F.GETSIG:
      return file.ownerSignal;
    case F.GETLEASE:
      return F_UNLCK;
    case F.ADD_SEALS:
      return addSeals(p, file, a.uint(2));
    case F.GET_SEALS:
      return file instanceof MemFd ? file.seals : -E.INVAL;
    default:
      if (isLockCommand(command)) return controlLock(p, file, command, a.addr(2));
      if (command === F.SETPIPE_SZ) return file instanceof PipeEnd ? file.pipe.resize(a.uint(2)) : pipeSize(file);
      return command === F.GETPIPE_SZ ? pipeSize(file) : -E.INVAL;
  }
}

function addSeals(p: Process, file: OpenFile, seals: number): number {
  if (!(file instanceof MemFd)) return file.writable ? -E.INVAL : -E.PERM;
  return file.addSeals(seals, () =>
    p.world.processes.some(({ space }) => space.mappings().some((m) => m.shared && file.isWritableMapping(m.file))));
}

/** struct f_owner_ex: what kind of owner, and its number. */
function setOwner(p: Process, file: OpenFile, address: number): number {
  const [kind, id] = [p.space.readI32(address), p.space.readI32(address + 4)];
  if (kind < 0 || kind > OWNER_GROUP) return -E.INVAL;
  file.setOwner(kind === OWNER_GROUP ? -id : id, p.credentials.user);
  return 0;
}

function pipeSize(file: OpenFile): number {
  if (file instanceof PipeEnd) return file.pipe.size;
  return isPipe(file) ? PIPE_SIZE : -E.BADF;
}

function isPipe(file: OpenFile): boolean {
  const stat = file.stat();
  return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFIFO;
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
  fadvise64(p, a) {
    const file = p.files.get(a.int(0));
    if (file === undefined) return -E.BADF;
    if (isPipe(file)) return -E.SPIPE;
    return a.int(3) < 0 || a.int(3) > LAST_ADVICE || a.long(2) < 0 ? -E.INVAL : 0;
  },
  sync: () => 0,
};
