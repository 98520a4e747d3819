/** Who follows shadow (machine/shadow) through the processes of a world, and answers where it is used. */
import type { Stop } from '../machine/stop.js';
import type { Task } from './tasks/task.js';

export interface ShadowGuard {
  /** The task is about to execute an instruction that has to do with shadow; it goes on where its registers say. */
  used(task: Task, stop: Stop & { kind: 'undefined' }): void;
  /** The task has made a system call. The result that it gets without the call being carried out, if it is not. */
  answered(task: Task): number | undefined;
  /** A system call of the task has its result; registers are as when it was made. */
  completed(task: Task, number: number, result: number): void;
  /** The task is about to run. */
  running(task: Task): void;
  /** A signal would end a process by its default action: whether the process goes on as if it had ignored it. */
  outlives(signal: number): boolean;
  /** No task can go on. Whether one of them has been woken. */
  stuck(tasks: readonly Task[]): boolean;
}
