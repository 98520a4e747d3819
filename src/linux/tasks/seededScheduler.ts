/**
 * Schedules that a seed determines, to find what only some interleavings show. The seed chooses a
 * temper, some of them unfair on purpose: what a program may not rely on, it is not given.
 */
import { assert } from '../../base/assert.js';
import { RandomNumbers } from './randomNumbers.js';
import { ALONE, type Scheduler, type Turn } from './scheduler.js';
import type { Task } from './task.js';

/**
 * even:      anybody next, for anything from a moment to long
 * fine:      short turns mostly, so that switches fall between two instructions that belong together
 * ranked:    the highest in rank runs whenever it can; ranks change now and then
 * starving:  one task runs only when no other can, until another one has that part
 */
const TEMPERS = ['even', 'fine', 'ranked', 'starving'] as const;

const SHORTEST = 20;
const LONGEST = 200_000;
/** Turns after which ranks change, on average: no task waits for ever. */
const TURNS_PER_RANKING = 24;
const FINE_LONGEST = 500;
const FINE_SHARE = 3;

export class SeededScheduler implements Scheduler {
  private readonly random: RandomNumbers;
  private readonly temper: (typeof TEMPERS)[number];
  private ranks = new Map<Task, number>();

  constructor(seed: number) {
    this.random = new RandomNumbers(seed);
    this.temper = TEMPERS[this.random.below(TEMPERS.length)] as (typeof TEMPERS)[number];
  }

  choose(tasks: readonly Task[]): Turn {
    const ready = tasks.filter((task) => task.isReady);
    assert(ready.length > 0, 'a task can run');
    const [only] = tasks as [Task];
    if (tasks.length === 1) return { task: only, quantum: ALONE };
    return { task: this.pick(ready), quantum: this.quantum() };
  }

  private pick(ready: readonly Task[]): Task {
    if (this.random.oneIn(TURNS_PER_RANKING)) this.ranks = new Map();
    switch (this.temper) {
      case 'ranked':
        return ready.reduce((best, task) => (this.rank(task) > this.rank(best) ? task : best));
      case 'starving': {
        const lowest = ready.reduce((worst, task) => (this.rank(task) < this.rank(worst) ? task : worst));
        return this.anyOf(ready.length > 1 ? ready.filter((task) => task !== lowest) : ready);
      }
      default:
        return this.anyOf(ready);
    }
  }

  private anyOf(tasks: readonly Task[]): Task {
    return tasks[this.random.below(tasks.length)] as Task;
  }

  private rank(task: Task): number {
    const known = this.ranks.get(task);
    if (known !== undefined) return known;
    const rank = this.random.next();
    this.ranks.set(task, rank);
    return rank;
  }

  private quantum(): number {
    const fine = this.temper === 'fine' && !this.random.oneIn(FINE_SHARE);
    return this.random.logarithmic(SHORTEST, fine ? FINE_LONGEST : LONGEST);
  }
}
