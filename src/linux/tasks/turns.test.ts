import { expect, it } from 'vitest';
import type { Kernel } from '../kernel.js';
import type { Process } from '../process.js';
import { ALONE, RoundRobin } from './scheduler.js';
import { Task } from './task.js';
import { Turns } from './turns.js';
import { VirtualClock } from './virtualClock.js';
import { Waking } from './waking.js';

const MIDNIGHT = { seconds: 0, nanoseconds: 0 };
const never = (): undefined => undefined;

/** A task that makes another one after so many instructions: what it has left of its turn then. */
function leftAfterMaking(instructions: number): unknown {
  const clock = new VirtualClock({ realtime: () => MIDNIGHT, monotonic: () => MIDNIGHT, boottime: () => MIDNIGHT });
  const tasks: Task[] = [];
  const engine = {
    instructions: 0,
    run(budget: number) {
      const isThere = engine.instructions < instructions;
      engine.instructions += isThere ? Math.min(budget, instructions - engine.instructions) : budget;
      return { kind: isThere && engine.instructions === instructions ? 'syscall' : 'budget' };
    },
  };
  const process = { machine: { engine, load: never }, actFor: never, family: { isStopped: false, owesNotice: false }, signals: { nextTimerDue: never }, world: {} } as unknown as Process;
  const turns: Turns = new Turns(clock, new Waking(clock, tasks, []), new RoundRobin(), {
    answer(_task: Task, stop: { kind: string }) {
      if (stop.kind !== 'syscall' || tasks.length > 1) return;
      tasks.push(new Task(2, process, 'second' as never));
      turns.taskAdded();
    },
    deliverSignals: never,
  } as unknown as Kernel);
  tasks.push(new Task(1, process, 'first' as never));
  for (;;) {
    const task = turns.next(tasks) as Task;
    const before = engine.instructions;
    turns.run(task);
    if (engine.instructions > instructions) return { of: task.name, left: engine.instructions - Math.max(before, instructions) };
  }
}

it('when a second task gets its turn does not depend on where turns of the first ended, while it was alone', () => {
  const usual = leftAfterMaking(1000);
  expect(usual).toMatchObject({ of: 'first' });
  for (const instructions of [ALONE - 1, ALONE, ALONE + 1]) expect(leftAfterMaking(instructions)).toEqual(usual);
});
