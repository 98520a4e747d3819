import { expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import { guestAddr } from '../../base/types.js';
import { at } from '../../replay/log/position.js';
import type { Hit } from '../../replay/timeline/conditions.js';
import { Habits, type Reading } from './habits.js';
import type { Playing } from './playing.js';
import type { Snapshot } from './snapshot.js';

function hitAt(time: number, access?: Hit['access']): Hit {
  const kind = access === undefined ? 'address' : 'memory';
  const common = { position: at(time), kind, conditions: [0], task: 1, rip: guestAddr(1) } as const;
  return access === undefined ? common : { ...common, access };
}

/** Snapshots are their times here, and what is read of them is noted. */
function makeHabits(): { habits: Habits; playing: { looks: number; foreseen: number; generation: number }; read: number[]; reading: Reading } {
  const playing = { looks: 0, foreseen: 0, generation: 0 };
  const read: number[] = [];
  const timeOf = ({ position }: Hit): { time: number } => ({ time: position.time });
  const habits = new Habits(playing as Playing, (hit) => timeOf(hit) as Snapshot);
  const reading: Reading = ({ time }) => {
    playing.looks++;
    read.push(time);
  };
  return { habits, playing, read, reading };
}

it('what was asked twice is looked at on the way, and that is no look of anybody', () => {
  const { habits, playing, read, reading } = makeHabits();
  habits.asked('x', reading);
  habits.passing(hitAt(1));
  expect(read).toEqual([]);
  habits.asked('x', reading);
  const hit = hitAt(2);
  habits.passing(hit);
  expect(read).toEqual([2]);
  expect(playing).toEqual({ looks: 0, foreseen: 0, generation: 2 });
  expect(habits.snapshotAt(hit)).toBe(habits.snapshotAt(hit));
  // Who asks for it has been foreseen, once.
  habits.wasWanted(habits.snapshotAt(hit));
  habits.wasWanted(habits.snapshotAt(hit));
  expect(playing).toMatchObject({ looks: 0, foreseen: 1 });
});

it('it ends when scripts do not want to know, and goes on as long as they do', () => {
  const { habits, read, reading } = makeHabits();
  for (const _ of [1, 2]) habits.asked('x', reading);
  for (let time = 0; time < 2000; time++) habits.passing(hitAt(time));
  expect(read.length).toBe(256);
  const other = makeHabits();
  for (const _ of [1, 2]) other.habits.asked('x', other.reading);
  for (let time = 0; time < 2000; time++) {
    const hit = hitAt(time);
    other.habits.passing(hit);
    if (time % 3 === 0) other.habits.wasWanted(other.habits.snapshotAt(hit));
  }
  expect(other.read.length).toBe(2000);
});

it('what is not there does not count yet; accesses have been made already', () => {
  const { habits, read, reading } = makeHabits();
  const failing: Reading = () => {
    throw new UserError('No symbol "y" in current context.');
  };
  for (const _ of [1, 2]) for (const [name, read] of [['y', failing], ['x', reading]] as const) habits.asked(name, read);
  habits.passing(hitAt(1));
  habits.passing(hitAt(2, { address: guestAddr(16), bytes: 4, write: true, by: 'program' }));
  expect(read).toEqual([1]);
});
