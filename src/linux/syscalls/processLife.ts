/**
 * The life of a process and its one thread: ending, waiting for children (there are none), and what
 * threads libraries ask for at start.
 */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { waitUntil } from '../waiting.js';
import { deadlineAfter, readTimeout } from './timeouts.js';

const FUTEX = {
  WAIT: 0, WAKE: 1, REQUEUE: 3, CMP_REQUEUE: 4, WAKE_OP: 5, LOCK_PI: 6, UNLOCK_PI: 7, TRYLOCK_PI: 8, WAIT_BITSET: 9,
  WAKE_BITSET: 10,
} as const;
const FUTEX_COMMAND_MASK = 0x7f;
const FUTEX_CLOCK_REALTIME = 0x100;
const ROBUST_LIST_HEAD_SIZE = 24;

function exit(p: Process, a: SyscallArgs): SyscallResult {
  p.exit(a.int(0));
  return 'noreturn';
}

/** Nobody else runs who could wake us: a wait ends by its timeout, a signal, or never. */
function futexWait(p: Process, a: SyscallArgs, command: number): SyscallResult {
  const [address, expected, timeoutAt] = [a.addr(0), a.uint(2), a.addr(3)];
  if (address % 4 !== 0) return -E.INVAL;
  if (p.space.readU32(address) !== expected) return -E.AGAIN;
  const timeout = readTimeout(p, timeoutAt);
  if (typeof timeout === 'number') return timeout;
  const realtime = (a.uint(1) & FUTEX_CLOCK_REALTIME) !== 0;
  const absolute = command === FUTEX.WAIT_BITSET ? (realtime ? 'realtime' : 'monotonic') : undefined;
  return waitUntil(p, () => (p.space.readU32(address) === expected ? -E.AGAIN : 0), {
    deadline: deadlineAfter(p, timeout, absolute),
    onTimeout: -E.TIMEDOUT,
    onSignal: -E.INTR,
  });
}

function futex(p: Process, a: SyscallArgs): SyscallResult {
  const command = a.uint(1) & FUTEX_COMMAND_MASK;
  switch (command) {
    case FUTEX.WAIT:
    case FUTEX.WAIT_BITSET:
      return futexWait(p, a, command);
    case FUTEX.WAKE:
    case FUTEX.WAKE_BITSET:
    case FUTEX.REQUEUE:
    case FUTEX.WAKE_OP:
      p.space.readU32(a.addr(0));
      return 0;
    case FUTEX.CMP_REQUEUE:
      return p.space.readU32(a.addr(0)) === a.uint(5) ? 0 : -E.AGAIN;
    case FUTEX.LOCK_PI:
    case FUTEX.TRYLOCK_PI:
      if (p.space.readU32(a.addr(0)) !== 0) return -E.DEADLK;
      p.space.writeU32(a.addr(0), p.tid);
      return 0;
    case FUTEX.UNLOCK_PI:
      if (p.space.readU32(a.addr(0)) !== p.tid) return -E.PERM;
      p.space.writeU32(a.addr(0), 0);
      return 0;
    default:
      return -E.NOSYS;
  }
}

export const processLifeCalls: SyscallFamily = {
  exit,
  exit_group: exit,
  wait4: () => -E.CHILD,
  waitid: () => -E.CHILD,

  set_tid_address(p, a) {
    p.task.clearChildTid = a.addr(0);
    return p.tid;
  },

  set_robust_list(p, a) {
    if (a.addr(1) !== ROBUST_LIST_HEAD_SIZE) return -E.INVAL;
    p.task.robustList = { head: a.addr(0), length: ROBUST_LIST_HEAD_SIZE };
    return 0;
  },

  get_robust_list(p, a) {
    if (a.int(0) !== 0 && a.int(0) !== p.tid) return -E.SRCH;
    p.space.writeNum64(a.addr(1), p.task.robustList.head);
    p.space.writeNum64(a.addr(2), p.task.robustList.length);
    return 0;
  },

  futex,
  /** Restartable sequences need a kernel that interrupts threads; libraries do without. */
  rseq: () => -E.NOSYS,
  /** One thread has nobody to order its accesses against. */
  membarrier: () => 0,
};
