/** What clone and clone3 are asked for, in one form. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallArgs } from '../syscallArgs.js';

export const CLONE = {
  VM: 0x100, FS: 0x200, FILES: 0x400, SIGHAND: 0x800, PIDFD: 0x1000, PTRACE: 0x2000, VFORK: 0x4000, PARENT: 0x8000,
  THREAD: 0x1_0000, NEWNS: 0x2_0000, SYSVSEM: 0x4_0000, SETTLS: 0x8_0000, PARENT_SETTID: 0x10_0000,
  CHILD_CLEARTID: 0x20_0000, DETACHED: 0x40_0000, UNTRACED: 0x80_0000, CHILD_SETTID: 0x100_0000,
  NEWCGROUP: 0x200_0000, NEWUTS: 0x400_0000, NEWIPC: 0x800_0000, NEWUSER: 0x1000_0000, NEWPID: 0x2000_0000,
  NEWNET: 0x4000_0000, IO: 0x8000_0000,
} as const;
const EXIT_SIGNAL_MASK = 0xff;
const NAMESPACES =
  CLONE.NEWNS | CLONE.NEWCGROUP | CLONE.NEWUTS | CLONE.NEWIPC | CLONE.NEWUSER | CLONE.NEWPID | CLONE.NEWNET;

/** Those of clone3 that clone has no room for. */
const CLEAR_SIGHAND = 1;
const CLONE_ARGS_SIZE = 64;
const LARGEST_CLONE_ARGS = 4096;

export interface CloneRequest {
  /** CLONE.*, without the signal. */
  readonly flags: number;
  /** Handlers of the parent are not to be inherited (clone3). */
  readonly clearHandlers: boolean;
  /** Sent to the parent when the child ends; 0 for none. */
  readonly exitSignal: number;
  /** The child's stack pointer; 0: as the parent's. */
  readonly stack: number;
  readonly parentTid: number;
  readonly childTid: number;
  readonly pidFd: number;
  readonly tls: bigint;
}

export function requestOfClone(a: SyscallArgs): CloneRequest {
  const flags = a.uint(0);
  return {
    flags: (flags & ~EXIT_SIGNAL_MASK) >>> 0, exitSignal: flags & EXIT_SIGNAL_MASK, clearHandlers: false,
    stack: a.addr(1), parentTid: a.addr(2), childTid: a.addr(3), pidFd: a.addr(2), tls: a.big(4),
  };
}

/** struct clone_args; a number if it is malformed. */
export function requestOfClone3(p: Process, a: SyscallArgs): CloneRequest | number {
  const [at, size] = [a.addr(0), a.addr(1)];
  if (size > LARGEST_CLONE_ARGS) return -E['2BIG'];
  if (size < CLONE_ARGS_SIZE) return -E.INVAL;
  const view = new DataView(p.space.read(at, size).buffer);
  const field = (index: number): bigint => (index * 8 + 8 <= size ? view.getBigUint64(index * 8, true) : 0n);
  const [low, high] = [view.getUint32(0, true), view.getUint32(4, true)];
  const [pidFd, childTid, parentTid, exitSignal, stack, stackSize] = [1, 2, 3, 4, 5, 6].map((i) => Number(field(i))) as
    [number, number, number, number, number, number];
  if (high > CLEAR_SIGHAND || (low & (EXIT_SIGNAL_MASK | CLONE.DETACHED)) !== 0 || exitSignal > 64) return -E.INVAL;
  if ((low & (CLONE.THREAD | CLONE.PARENT)) !== 0 && exitSignal !== 0) return -E.INVAL;
  if ((stack === 0) !== (stackSize === 0)) return -E.INVAL;
  // A set_tid array: only for who restores processes.
  if (field(8) !== 0n || field(9) !== 0n) return -E.PERM;
  return {
    flags: low, clearHandlers: high === CLEAR_SIGHAND, exitSignal, stack: stack + stackSize, parentTid, childTid, pidFd, tls: field(7),
  };
}

/** 0, or what Linux says to flags that do not go together. */
export function checkCloneFlags({ flags, clearHandlers }: CloneRequest): number {
  const has = (flag: number): boolean => (flags & flag) !== 0;
  if (has(CLONE.SIGHAND) && !has(CLONE.VM)) return -E.INVAL;
  if (has(CLONE.THREAD) && !has(CLONE.SIGHAND)) return -E.INVAL;
  if (has(CLONE.SIGHAND) && clearHandlers) return -E.INVAL;
  if (has(CLONE.THREAD) && has(CLONE.PIDFD)) return -E.INVAL;
  if (has(CLONE.FS) && has(CLONE.NEWNS | CLONE.NEWUSER)) return -E.INVAL;
  return has(NAMESPACES) ? -E.PERM : 0;
}
