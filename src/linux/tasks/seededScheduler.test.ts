import { describe, expect, it } from 'vitest';
import { RandomNumbers } from './randomNumbers.js';
import { ALONE, RoundRobin, type Scheduler } from './scheduler.js';
import { SeededScheduler } from './seededScheduler.js';
import type { Task } from './task.js';

/** As much of a task as schedulers look at. */
function tasks(count: number): Task[] {
  return Array.from({ length: count }, (_, tid) => ({ tid, isReady: true }) as unknown as Task);
}

function turns(scheduler: Scheduler, all: readonly Task[], count: number): [number, number][] {
  return Array.from({ length: count }, () => {
    const { task, quantum } = scheduler.choose(all);
    return [task.tid, quantum];
  });
}

describe('fair turns', () => {
  it('are about equal, in order, and skip who waits', () => {
    const all = tasks(4);
    Object.assign(all[2] as Task, { isReady: false });
    const order = turns(new RoundRobin(), all, 6);
    expect(order.map(([tid]) => tid)).toEqual([0, 1, 3, 0, 1, 3]);
    const quanta = order.map(([, quantum]) => quantum);
    expect(Math.max(...quanta)).toBeLessThan(1.1 * Math.min(...quanta));
  });

  it('do not end at the same instruction of a loop again and again', () => {
    const phases = turns(new RoundRobin(), tasks(2), 40).map(([, quantum]) => quantum % 12);
    expect(new Set(phases).size).toBeGreaterThan(8);
  });

  it('are long if there is only one task', () => {
    expect(new RoundRobin().choose(tasks(1)).quantum).toBe(ALONE);
    expect(new SeededScheduler(3).choose(tasks(1)).quantum).toBe(ALONE);
  });
});

describe('turns by seed', () => {
  it('are the same for the same seed, and others for another', () => {
    const all = tasks(3);
    const one = turns(new SeededScheduler(7), all, 100);
    expect(turns(new SeededScheduler(7), all, 100)).toEqual(one);
    expect(turns(new SeededScheduler(8), all, 100)).not.toEqual(one);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed + 1))('seed %i lets everybody run in the end', (seed) => {
    const order = turns(new SeededScheduler(seed), tasks(4), 2000);
    expect(new Set(order.map(([tid]) => tid))).toEqual(new Set([0, 1, 2, 3]));
    for (const [, quantum] of order) expect(quantum).toBeGreaterThanOrEqual(20);
  });

  it('are unfair for some seeds', () => {
    const longest = Array.from({ length: 20 }, (_, seed) => {
      let [last, run, most] = [-1, 0, 0];
      for (const [tid] of turns(new SeededScheduler(seed + 1), tasks(4), 500)) {
        run = tid === last ? run + 1 : 1;
        last = tid;
        most = Math.max(most, run);
      }
      return most;
    });
    expect(Math.max(...longest)).toBeGreaterThan(40);
    expect(Math.min(...longest)).toBeLessThan(10);
  });
});

describe('random numbers', () => {
  it('are spread evenly, and depend on all of the seed', () => {
    const random = new RandomNumbers(1);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) counts[random.below(10)]!++;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    expect(new RandomNumbers(1).next()).not.toBe(new RandomNumbers(1 + 2 ** 33).next());
    const spread = Array.from({ length: 1000 }, () => random.logarithmic(10, 1000));
    expect(spread.filter((n) => n < 100).length).toBeGreaterThan(400);
    expect(Math.max(...spread)).toBeLessThan(1000);
  });
});
