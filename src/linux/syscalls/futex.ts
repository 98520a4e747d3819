/** The futex call, on which all of a program's locks are built. */
import { E } from '../../base/errno.js';
import { hex } from '../../base/types.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { ANY_BIT, type FutexKey } from '../tasks/futexes.js';
import { futexKey } from '../tasks/futexKey.js';
import { FUTEX_TID_MASK, type FutexWord } from '../tasks/piFutexes.js';
import { type Wait, waitUntil } from '../waiting.js';
import { deadlineAfter, readTimeout } from './timeouts.js';

const FUTEX = {
  WAIT: 0, WAKE: 1, REQUEUE: 3, CMP_REQUEUE: 4, WAKE_OP: 5, LOCK_PI: 6, UNLOCK_PI: 7, TRYLOCK_PI: 8, WAIT_BITSET: 9,
  WAKE_BITSET: 10, LOCK_PI2: 13,
} as const;
const COMMAND_MASK = 0x7f;
const PRIVATE_FLAG = 0x80;
const CLOCK_REALTIME = 0x100;
/** Commands that may be told by which clock their timeout is. */
const WITH_CLOCK: readonly number[] = [FUTEX.WAIT_BITSET, FUTEX.LOCK_PI2];
/** Where glibc's pthread_mutex_t keeps its owner, counted from the futex. */
const MUTEX_OWNER = 8;

function keyOf(p: Process, a: SyscallArgs, argument: number): FutexKey {
  return futexKey(p, a.addr(argument), (a.uint(1) & PRIVATE_FLAG) !== 0);
}

/** For people: the end of which thread, or which futex, and who seems to hold the lock that it is part of. */
function describeFutex(p: Process, address: number): string {
  const joined = p.tasks.find(({ clearChildTid }) => clearChildTid === address);
  if (joined !== undefined) return `the end of thread ${joined.tid}`;
  const words = [address, address + MUTEX_OWNER].flatMap((at) => p.space.peek(at, 4) ?? []);
  const tids = words.map((bytes) => new DataView(bytes.slice().buffer).getUint32(0, true) & FUTEX_TID_MASK);
  const holder = p.tasks.find(({ tid }) => tids.includes(tid));
  return `futex ${hex(address)}${holder === undefined ? '' : `, held by thread ${holder.tid}`}`;
}

interface FutexWait {
  readonly address: number;
  readonly key: FutexKey;
  readonly bitset: number;
  readonly deadline: number;
}

function wait(p: Process, a: SyscallArgs, command: number): SyscallResult {
  const [address, expected] = [a.addr(0), a.uint(2)];
  const bitset = command === FUTEX.WAIT_BITSET ? a.uint(5) : ANY_BIT;
  if (address % 4 !== 0 || bitset === 0) return -E.INVAL;
  const timeout = readTimeout(p, a.addr(3));
  if (typeof timeout === 'number') return timeout;
  const clock = (a.uint(1) & CLOCK_REALTIME) !== 0 ? 'realtime' : 'monotonic';
  const deadline = deadlineAfter(p, timeout, command === FUTEX.WAIT_BITSET ? clock : undefined);
  if (p.space.readU32(address) !== expected) return -E.AGAIN;
  return sleep(p, { address, key: keyOf(p, a, 0), bitset, deadline });
}

function sleep(p: Process, request: FutexWait): Wait {
  const { address, key, bitset, deadline } = request;
  const { futexes } = p.world;
  const waiter = futexes.enqueue(p.task, key, bitset);
  return waitUntil(p, () => (waiter.woken ? 0 : -E.AGAIN), {
    deadline, onTimeout: -E.TIMEDOUT, describe: () => describeFutex(p, address),
    onSignal: deadline === Infinity ? -ERESTART.SYS : -ERESTART.RESTARTBLOCK,
    restart: () => sleep(p, request),
  }).after((result) => {
    futexes.remove(waiter);
    return result;
  });
}

function wake(p: Process, a: SyscallArgs, bitset: number): number {
  if (a.addr(0) % 4 !== 0 || bitset === 0) return -E.INVAL;
  // Even zero wakes one: so it has always been.
  return p.world.futexes.wake(keyOf(p, a, 0), Math.max(1, a.int(2)), bitset);
}

function requeue(p: Process, a: SyscallArgs, compares: boolean): number {
  const [wakeCount, moveCount] = [a.int(2), a.int(3)];
  if (a.addr(0) % 4 !== 0 || a.addr(4) % 4 !== 0 || wakeCount < 0 || moveCount < 0) return -E.INVAL;
  if (compares && p.space.readU32(a.addr(0)) !== a.uint(5)) return -E.AGAIN;
  return p.world.futexes.requeue(keyOf(p, a, 0), keyOf(p, a, 4), wakeCount, moveCount);
}

/** Changes the second word, wakes at the first, and at the second if it was such. */
function wakeOp(p: Process, a: SyscallArgs): number {
  if (a.addr(0) % 4 !== 0 || a.addr(4) % 4 !== 0) return -E.INVAL;
  const encoded = a.int(5);
  const operand = (encoded << 8) >> 20;
  const old = p.space.readI32(a.addr(4));
  const changed = operate((encoded >>> 28) & 7, old, encoded < 0 ? 1 << (operand & 31) : operand);
  const also = compare((encoded >>> 24) & 15, old, (encoded << 20) >> 20);
  if (changed === undefined || also === undefined) return -E.NOSYS;
  p.space.writeU32(a.addr(4), changed >>> 0);
  const { futexes } = p.world;
  const woken = futexes.wake(keyOf(p, a, 0), Math.max(1, a.int(2)));
  return also ? woken + futexes.wake(keyOf(p, a, 4), Math.max(1, a.int(3))) : woken;
}

/** FUTEX_OP_SET, ADD, OR, ANDN, XOR. */
function operate(operation: number, old: number, operand: number): number | undefined {
  return [operand, old + operand, old | operand, old & ~operand, old ^ operand][operation];
}

/** FUTEX_OP_CMP_EQ, NE, LT, LE, GT, GE. */
function compare(comparison: number, old: number, other: number): boolean | undefined {
  return [old === other, old !== other, old < other, old <= other, old > other, old >= other][comparison];
}

function wordAt(p: Process, address: number): FutexWord {
  return { read: () => p.space.readU32(address), write: (value) => p.space.writeU32(address, value) };
}

function lockPi(p: Process, a: SyscallArgs, command: number): SyscallResult {
  const address = a.addr(0);
  if (address % 4 !== 0) return -E.INVAL;
  const timeout = command === FUTEX.TRYLOCK_PI ? undefined : readTimeout(p, a.addr(3));
  if (typeof timeout === 'number') return timeout;
  const monotonic = command === FUTEX.LOCK_PI2 && (a.uint(1) & CLOCK_REALTIME) === 0;
  const deadline = deadlineAfter(p, timeout, monotonic ? 'monotonic' : 'realtime');
  const { piFutexes } = p.world;
  const [key, word] = [keyOf(p, a, 0), wordAt(p, address)];
  const result = piFutexes.tryLock(key, word, p.task);
  if (result !== -E.AGAIN || command === FUTEX.TRYLOCK_PI) return result;
  const waiter = piFutexes.enqueue(key, word, p.task, (tid) => p.world.tasks.some((task) => task.tid === tid));
  if (typeof waiter === 'number') return waiter;
  return waitUntil(p, () => (waiter.granted ? 0 : -E.AGAIN), {
    deadline, onTimeout: -E.TIMEDOUT, onSignal: -ERESTART.NOINTR, describe: () => describeFutex(p, address),
  }).after((value) => {
    piFutexes.remove(waiter);
    return value;
  });
}

function unlockPi(p: Process, a: SyscallArgs): number {
  const address = a.addr(0);
  return address % 4 === 0 ? p.world.piFutexes.unlock(keyOf(p, a, 0), wordAt(p, address), p.task) : -E.INVAL;
}

function futex(p: Process, a: SyscallArgs): SyscallResult {
  const command = a.uint(1) & COMMAND_MASK;
  if ((a.uint(1) & CLOCK_REALTIME) !== 0 && !WITH_CLOCK.includes(command)) return -E.NOSYS;
  switch (command) {
    case FUTEX.WAIT:
    case FUTEX.WAIT_BITSET:
      return wait(p, a, command);
    case FUTEX.WAKE:
      return wake(p, a, ANY_BIT);
    case FUTEX.WAKE_BITSET:
      return wake(p, a, a.uint(5));
    case FUTEX.REQUEUE:
      return requeue(p, a, false);
    case FUTEX.CMP_REQUEUE:
      return requeue(p, a, true);
    case FUTEX.WAKE_OP:
      return wakeOp(p, a);
    case FUTEX.LOCK_PI:
    case FUTEX.LOCK_PI2:
    case FUTEX.TRYLOCK_PI:
      return lockPi(p, a, command);
    case FUTEX.UNLOCK_PI:
      return unlockPi(p, a);
    default:
      return -E.NOSYS;
  }
}

export const futexCalls: SyscallFamily = { futex };
