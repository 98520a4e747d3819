/** semget, semop, semtimedop, semctl. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { deadlineAfter, readTimeout } from '../syscalls/timeouts.js';
import { ACCESS, IPC, PERMISSIONS_SIZE } from './ipcObjects.js';
import { LARGEST_VALUE, type SemaphoreOperation, SemaphoreSet } from './semaphoreSet.js';

const COMMAND = {
  GETPID: 11, GETVAL: 12, GETALL: 13, GETNCNT: 14, GETZCNT: 15, SETVAL: 16, SETALL: 17, STAT_PLACE: 18, INFO: 19, STAT_ANY: 20,
} as const;
/** /proc/sys/kernel/sem: the most semaphores in a set, in all, operations in a call, sets. */
const MOST = { perSet: 32_000, total: 1_024_000_000, operations: 500, sets: 32_000 } as const;
/** struct semid64_ds, and where its parts are behind the permissions. */
const STATUS_SIZE = 104;
const OPERATION_SIZE = 6;
const INFO_SIZE = 40;

function semget(p: Process, a: SyscallArgs): number {
  const [key, size, flags] = [a.int(0), a.int(1), a.int(2)];
  if (size < 0 || size > MOST.perSet) return -E.INVAL;
  const make = (): SemaphoreSet | number => {
    if (size === 0) return -E.INVAL;
    const set = new SemaphoreSet(p, key, flags & 0o777, size);
    set.changed = p.clock.realtime().seconds;
    return set;
  };
  return p.world.ipc.semaphores.get(p, key, flags, make, (found) => (size > found.values.length ? -E.INVAL : 0));
}

function readOperations(p: Process, address: number, count: number): SemaphoreOperation[] {
  const view = new DataView(p.space.read(address, count * OPERATION_SIZE).buffer);
  return Array.from({ length: count }, (_, i) => ({
    index: view.getUint16(i * OPERATION_SIZE, true),
    change: view.getInt16(i * OPERATION_SIZE + 2, true),
    flags: view.getUint16(i * OPERATION_SIZE + 4, true),
  }));
}

function operate(p: Process, a: SyscallArgs, timeoutAt: number): SyscallResult {
  const timeout = readTimeout(p, timeoutAt);
  const count = a.uint(2);
  if (count < 1 || a.int(0) < 0) return -E.INVAL;
  if (count > MOST.operations) return -E['2BIG'];
  const operations = readOperations(p, a.addr(1), count);
  if (typeof timeout === 'number') return timeout;
  const set = p.world.ipc.semaphores.find(a.int(0));
  if (typeof set === 'number') return set;
  if (operations.some(({ index }) => index >= set.values.length)) return -E.FBIG;
  const alters = operations.some(({ change }) => change !== 0);
  if (!set.allows(p, alters ? ACCESS.WRITE : ACCESS.READ)) return -E.ACCES;
  return performOrWait(p, set, operations, deadlineAfter(p, timeout));
}

function performOrWait(p: Process, set: SemaphoreSet, operations: readonly SemaphoreOperation[], deadline: number): SyscallResult {
  const request = { operations, pid: p.pid, undo: p.world.ipc.undoListOf(p) };
  const done = set.perform(request);
  if (done === 0) {
    set.operated = p.clock.realtime().seconds;
    set.serve();
  }
  if (typeof done === 'number') return done;
  const describe = (): string => `semaphore ${done.blocking.index} of the set with key ${set.key}`;
  return set.line.wait(p, request, { deadline, onTimeout: -E.AGAIN, onSignal: -E.INTR, describe }, (result) => {
    if (result === 0) set.operated = p.clock.realtime().seconds;
    return result;
  });
}

function writeStatus(p: Process, set: SemaphoreSet, id: number, at: number): void {
  p.space.fillBytes(at, STATUS_SIZE, 0);
  set.writePermissions(p.space, at, id);
  p.space.writeNum64(at + PERMISSIONS_SIZE, set.operated);
  p.space.writeNum64(at + PERMISSIONS_SIZE + 16, set.changed);
  p.space.writeNum64(at + PERMISSIONS_SIZE + 32, set.values.length);
}

/** IPC_INFO and SEM_INFO. */
function information(p: Process, command: number, at: number): number {
  const { semaphores } = p.world.ipc;
  const used = command === COMMAND.INFO;
  const inUse = semaphores.all().reduce((sum, set) => sum + set.values.length, 0);
  p.space.fillBytes(at, INFO_SIZE, 0);
  const fields = [MOST.total, MOST.sets, MOST.total, MOST.total, MOST.perSet, MOST.operations, 500, used ? semaphores.count : 20, LARGEST_VALUE, used ? inUse : LARGEST_VALUE];
  fields.forEach((value, i) => p.space.writeU32(at + i * 4, value));
  return semaphores.highestPlace;
}

function manage(p: Process, id: number, set: SemaphoreSet, command: number, at: number): number {
  if (command === IPC.STAT) {
    if (!set.allows(p, ACCESS.READ)) return -E.ACCES;
    writeStatus(p, set, id, at);
    return 0;
  }
  if (!set.ownedBy(p)) return -E.PERM;
  if (command === IPC.SET) {
    set.setPermissions(p.space, at);
    set.changed = p.clock.realtime().seconds;
  } else {
    p.world.ipc.semaphores.remove(id);
    set.remove();
  }
  return 0;
}

function all(p: Process, set: SemaphoreSet, command: number, at: number): number {
  if (!set.allows(p, command === COMMAND.SETALL ? ACCESS.WRITE : ACCESS.READ)) return -E.ACCES;
  if (command === COMMAND.GETALL) {
    p.space.view(at, set.values.length * 2, 'write');
    set.values.forEach((value, i) => p.space.writeU16(at + i * 2, value));
    return 0;
  }
  const values = set.values.map((_, i) => p.space.readU16(at + i * 2));
  if (values.some((value) => value > LARGEST_VALUE)) return -E.RANGE;
  set.setValues(0, values, p.pid);
  set.changed = p.clock.realtime().seconds;
  return 0;
}

function one(p: Process, set: SemaphoreSet, index: number, command: number, argument: number): number {
  if (command === COMMAND.SETVAL && (argument < 0 || argument > LARGEST_VALUE)) return -E.RANGE;
  const inSet = index >= 0 && index < set.values.length;
  if (command === COMMAND.SETVAL) {
    if (!inSet) return -E.INVAL;
    if (!set.allows(p, ACCESS.WRITE)) return -E.ACCES;
    set.setValues(index, [argument], p.pid);
    set.changed = p.clock.realtime().seconds;
    return 0;
  }
  if (!set.allows(p, ACCESS.READ)) return -E.ACCES;
  if (!inSet) return -E.INVAL;
  switch (command) {
    case COMMAND.GETVAL:
      return set.values[index] as number;
    case COMMAND.GETPID:
      return set.pids[index] as number;
    default:
      return set.waitersFor(index, command === COMMAND.GETNCNT ? 'growth' : 'zero');
  }
}

/** SEM_STAT, SEM_STAT_ANY: the set at a place; returns its number. */
function statusAtPlace(p: Process, index: number, any: boolean, at: number): number {
  const place = p.world.ipc.semaphores.atPlace(index);
  if (place === undefined) return -E.INVAL;
  if (!any && !place.object.allows(p, ACCESS.READ)) return -E.ACCES;
  writeStatus(p, place.object, place.id, at);
  return place.id;
}

function semctl(p: Process, a: SyscallArgs): number {
  const [id, index, command, at] = [a.int(0), a.int(1), a.int(2), a.addr(3)];
  if (id < 0) return -E.INVAL;
  if (command === IPC.INFO || command === COMMAND.INFO) return information(p, command, at);
  if (command === COMMAND.STAT_PLACE || command === COMMAND.STAT_ANY) return statusAtPlace(p, id, command === COMMAND.STAT_ANY, at);
  if (command > COMMAND.STAT_ANY || (command > IPC.INFO && command < COMMAND.GETPID) || command < 0) return -E.INVAL;
  const set = p.world.ipc.semaphores.find(id);
  if (typeof set === 'number') return set;
  if (command <= IPC.STAT) return manage(p, id, set, command, at);
  if (command === COMMAND.GETALL || command === COMMAND.SETALL) return all(p, set, command, at);
  return one(p, set, index, command, a.int(3));
}

export const semaphoreCalls: SyscallFamily = {
  semget,
  semctl,
  semop: (p, a) => operate(p, a, 0),
  semtimedop: (p, a) => operate(p, a, a.addr(3)),
};
