/** What the rest of the kernel asks of signal handling (signals/ implements it). */
import type { Stop } from '../machine/stop.js';
import type { SigInfo } from './signals/siginfo.js';
import type { SyscallResult } from './syscall.js';

/** How the process goes on: it runs (perhaps in a handler now), or a signal has ended it. */
export type SignalOutcome = 'continue' | { readonly killedBy: number; readonly info: SigInfo };

/** A system call that a signal interrupted: rip is behind its instruction, rax not yet written. */
export interface InterruptedCall {
  readonly number: number;
  /** One of -ERESTART.* (signals/restart.ts). */
  readonly result: number;
}

/** Sets of signals as /proc/self/status shows them: bit n - 1 stands for signal n. */
export interface SignalSets {
  readonly pending: bigint;
  readonly sharedPending: bigint;
  readonly blocked: bigint;
  readonly ignored: bigint;
  readonly caught: bigint;
}

export interface Signals {
  sets(): SignalSets;
  /** Whether a signal waits that is not blocked, and that does something. Asked after every system call: cheap. */
  hasDeliverable(): boolean;
  /**
   * Whether a signal could come while a system call waits and then matter to the guest: a handler is
   * installed or a timer runs. If not, waiting may block us altogether.
   */
  mayInterrupt(): boolean;
  /** A signal for the running thread, from the kernel. */
  raise(signal: number): void;
  /** What a fault of the guest's own instruction does to it. */
  fault(stop: Stop): SignalOutcome;
  /**
   * Delivers what waits. With `interrupted`, settles first what that call returns: EINTR, or, if the handler
   * wants restarts or none runs, the call again (rip back on the instruction, rax its number).
   */
  deliverPending(interrupted?: InterruptedCall): SignalOutcome;
  /** Raises the signals of timers that have run out. */
  checkTimers(): void;
  /** Runs `wait` with another set of blocked signals. */
  withMask(mask: bigint, wait: () => SyscallResult): SyscallResult;
}
