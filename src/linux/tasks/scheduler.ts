/** Who runs next, and for how long. Never a question of the host's time. */
import { assert } from '../../base/assert.js';
import { RandomNumbers } from './randomNumbers.js';
import type { Task } from './task.js';

export interface Turn {
  readonly task: Task;
  /** Instructions. */
  readonly quantum: number;
}

export interface Scheduler {
  /** `tasks` are all there are; at least one of them can run. */
  choose(tasks: readonly Task[]): Turn;
}

/** No other task to run: stop only to let the host in now and then. */
export const ALONE = 4_000_000;
/** Long enough that the exact end of a turn, which is interpreted, costs little. */
const QUANTUM = 300_000;
/**
 * A loop whose length divides the quantum would be interrupted at the same instruction for ever: say, with a lock in
 * its hands.
 */
const QUANTUM_SPREAD = 20_000;
const SEED = 1;

/** One after the other, all for about the same time. */
export class RoundRobin implements Scheduler {
  private last: Task | undefined;
  private readonly random = new RandomNumbers(SEED);

  choose(tasks: readonly Task[]): Turn {
    const start = this.last === undefined ? -1 : tasks.indexOf(this.last);
    for (let i = 1; i <= tasks.length; i++) {
      const task = tasks[(start + i) % tasks.length] as Task;
      if (!task.isReady) continue;
      this.last = task;
      return { task, quantum: tasks.length === 1 ? ALONE : QUANTUM + this.random.below(QUANTUM_SPREAD) };
    }
    assert(false, 'a task can run');
  }
}
