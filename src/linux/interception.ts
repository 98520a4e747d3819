/**
 * Who steps in between a program and the machine: stands in for functions of libraries, and is asked before a fault
 * becomes a signal. What it does to registers, memory and mappings counts as done by the kernel; so recordings have it,
 * and replay needs no interceptor.
 */
import type { GuestAddr } from '../base/types.js';
import type { Stop } from '../machine/stop.js';
import type { Process } from './process.js';
import type { SigInfo } from './signals/siginfo.js';
import type { Task } from './tasks/task.js';

export interface Interceptor {
  /**
   * Two with the same one stop at the same places of the same files: what is known of code is shared among their runs.
   */
  readonly codeKey: string;
  /** A program is in its memory and has not run yet: the first one, or after execve. */
  programStarted(process: Process): void;
  /** The child has a copy of its maker's memory, or for a while the same. */
  forked(maker: Process, child: Process): void;
  /** The task is about to execute an instruction at which the engine was told to stop. */
  called(task: Task, at: GuestAddr): void;
  /** The task has executed a `ret` that leads to where no call comes from, and nothing there yet. */
  returnedAstray(task: Task, stop: Stop & { kind: 'astray' }): void;
  /** The task is about to execute an instruction that decides something by an undefined value. */
  usedUndefined(task: Task, stop: Stop & { kind: 'undefined' }): void;
  /** A thread is ending. `memoryLives`: another process uses the memory after it. */
  threadEnded(task: Task, memoryLives: boolean): void;
  /** A processor exception is about to become a signal. True: it has been dealt with. */
  trapped(task: Task, stop: Stop & { kind: 'trap' }): boolean;
  /**
   * The task is about to end its process by a signal, with registers and memory as they were then. `stop`: what raised
   * it; undefined if it was sent.
   */
  killed?(task: Task, info: SigInfo, stop: Stop | undefined): void;
  /** True: it has been dealt with; the instruction is tried again, or the task goes on where its registers say. */
  faulted(task: Task, stop: Stop & { kind: 'pageFault' }): boolean;
}
