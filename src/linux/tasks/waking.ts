/** Who waits, and when that ends: conditions are tried again, in the order of the tasks; times are looked up. */
import { E } from '../../base/errno.js';
import { orFault } from '../badAddress.js';
import type { Process } from '../process.js';
import type { Task } from './task.js';
import type { VirtualClock } from './virtualClock.js';

/** The world looks after tasks that wait for the outside this often (nanoseconds), or when no task can run. */
const OUTSIDE_INTERVAL = 1_000_000;

export class Waking {
  private nextOutsideLook = 0;
  /** Whether a task waited for the outside at the last look. */
  anyExternal = false;

  constructor(
    private readonly clock: VirtualClock,
    private readonly tasks: readonly Task[],
    private readonly processes: readonly Process[],
  ) {}

  /** Tries again what tasks wait for. Whether one of them can go on. */
  wakeTasks(): boolean {
    const now = this.clock.now();
    const outside = now >= this.nextOutsideLook;
    if (outside) this.nextOutsideLook = now + OUTSIDE_INTERVAL;
    this.anyExternal = false;
    let anyReady = false;
    for (const task of this.tasks) {
      const { wait } = task;
      if (wait?.external === true) this.anyExternal = true;
      if (wait !== undefined && (outside || !wait.external)) this.tryToWake(task);
      if (task.isReady) anyReady = true;
    }
    return anyReady;
  }

  /** The next time, those are tried again as well that wait for the outside. */
  lookOutside(): void {
    this.nextOutsideLook = 0;
  }

  /** The time at which something is due by itself; Infinity if nothing is. */
  nextEvent(idle: boolean): number {
    const now = this.clock.now();
    let next = Infinity;
    for (const { wait } of this.tasks) {
      const at = wait?.wakeAt ?? Infinity;
      if (at > now && at < next) next = at;
    }
    for (const process of this.processes) {
      const due = process.signals.nextTimerDue(idle);
      if (due !== undefined && due > 0 && now + due < next) next = now + due;
    }
    return next;
  }

  private tryToWake(task: Task): void {
    const { wait, process } = task;
    if (wait === undefined) return;
    process.actFor(task);
    const result = orFault(wait.attempt);
    if (result !== -E.AGAIN) task.wake(result);
    else if (wait.interruptible ? process.signals.hasDeliverable() : process.signals.isKilled) task.wake(wait.interrupted());
    else if (wait.deadline <= this.clock.now()) task.wake(wait.onTimeout);
  }
}
