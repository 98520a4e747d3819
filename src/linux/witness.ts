/** Who wants to know everything that happens to a run from outside it, so that it can be done again: the recorder. */
import type { AddressSpace } from '../machine/addressSpace.js';
import type { Stop } from '../machine/stop.js';
import type { ExitStatus, Process } from './process.js';
import type { SigInfo } from './signals/siginfo.js';
import type { Task } from './tasks/task.js';
import type { World } from './world.js';

export interface Witness {
  /** A new address space: it is empty. */
  spaceMade(space: AddressSpace): void;
  /** The run is about to begin. */
  begin(world: World): void;
  /** A new task, ready to run. */
  taskMade(task: Task): void;
  /** The engine runs on from here: what the kernel did is done. */
  running(task: Task): void;
  /** No task can run; the world says this again and again. */
  idle(): void;
  /** Everything may stop here until something comes from outside. */
  blocked(): void;
  /** `time`: instructions retired so far, by all tasks. */
  stopped(task: Task, stop: Stop, time: number): void;
  /** The call could not be answered at once; the task sleeps. */
  systemCallWaits(task: Task): void;
  /** A futex on which the task waits has been woken for it: its system call will return 0. */
  futexWoken(task: Task): void;
  /** What it waited for has come: the call has its result, which the task will see when it runs next. */
  systemCallWoken(task: Task, number: number, result: number): void;
  systemCallEnded(task: Task, number: number, result: number): void;
  /** It takes effect now. `handled`: by the program itself. */
  signalDelivered(process: Process, info: SigInfo, handled: boolean): void;
  taskEnded(task: Task): void;
  processEnded(process: Process, status: ExitStatus): void;
  /** execve. */
  programStarted(process: Process): void;
  /** Bytes on their way to one of the descriptors that the user gave us. */
  output(fd: number, bytes: Uint8Array): void;
}
