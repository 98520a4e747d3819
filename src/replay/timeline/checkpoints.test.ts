import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_SIZE } from '../../base/types.js';
import { PageStore } from '../../machine/snapshots/pageStore.js';
import { PageTable, TableBuilder, pageState } from '../../machine/snapshots/pageTable.js';
import type { Player, PlayerState } from '../play/player.js';
import { at } from '../log/position.js';
import { Checkpoints, type CheckpointSource } from './checkpoints.js';

const MEGABYTE = 1024 * 1024;

/** As much of a player as checkpoints look at: it has written so many pages since it was saved last. */
class FakePlayer {
  private readonly page = new Uint8Array(PAGE_SIZE).fill(1);
  private table: PageTable;

  constructor(
    store: PageStore,
    private readonly pagesEach: number,
    public time = 0,
  ) {
    this.table = new PageTable(store);
  }

  get position(): { time: number; done: number } {
    return at(this.time);
  }

  save(store: PageStore): PlayerState {
    const builder = new TableBuilder(this.table);
    for (let i = 0; i < this.pagesEach; i++) builder.set(i, pageState(8, 0), store.add(this.page, 0));
    const old = this.table;
    this.table = builder.finish();
    old.release();
    return stateOf(this.time, this.table.retain());
  }

  goTo(time: number): Player {
    this.time = time;
    return this as unknown as Player;
  }
}

function stateOf(time: number, table: PageTable): PlayerState {
  const snapshot = { table, mapped: { mappings: [], peakMapped: 0, reserved: [], views: [] }, stackLimit: 0, peakResidentPages: 0 };
  const world = { current: undefined, clock: { elapsed: 0, lastStamp: 0 }, threads: new Map(), tasks: new Map(), objects: new Map(), spaces: new Map([[1, { snapshot, unpublished: [] }]]) };
  return { time, doneHere: 0, lastEvent: 0, place: { chunk: 0, at: 0, time: 0 }, expected: false, world };
}

function timesOf(checkpoints: Checkpoints): number[] {
  return checkpoints.all.map(({ position }) => position.time);
}

/** Goes through the execution as a timeline does. */
function playTo(checkpoints: Checkpoints, player: FakePlayer, end: number): number {
  let made = 0;
  for (let due = checkpoints.nextDue(player.time); due < end; due = checkpoints.nextDue(player.time)) {
    checkpoints.add(player.goTo(due));
    made++;
  }
  return made;
}

describe('checkpoints', () => {
  it('are all there as long as there is memory for them', () => {
    const store = new PageStore();
    const checkpoints = new Checkpoints(store, { budget: 100 * MEGABYTE, interval: 1000 });
    const player = new FakePlayer(store, 10);
    checkpoints.add(player.goTo(0));
    playTo(checkpoints, player, 100_001);
    expect(timesOf(checkpoints)).toEqual(Array.from({ length: 101 }, (_, i) => i * 1000));
    expect(checkpoints.before(at(5999))?.position.time).toBe(5000);
    expect(checkpoints.before(at(6000))?.position.time).toBe(6000);
    expect(checkpoints.strictlyBefore(at(6000))?.position.time).toBe(5000);
    expect(checkpoints.strictlyBefore(at(0))).toBeUndefined();
  });

  it('stay within their budget, begin at the beginning, and are made less often when they have no place', () => {
    const store = new PageStore();
    const checkpoints = new Checkpoints(store, { budget: 4 * MEGABYTE, interval: 1000 });
    const player = new FakePlayer(store, 64);
    checkpoints.add(player.goTo(0));
    const made = playTo(checkpoints, player, 10_000_000);
    expect(checkpoints.bytes).toBeLessThanOrEqual(4 * MEGABYTE);
    // The player itself keeps what it saved last.
    expect(store.bytes).toBeGreaterThan(2 * MEGABYTE);
    expect(made).toBeLessThan(500);
    const times = timesOf(checkpoints);
    expect(times[0]).toBe(0);
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number));
    expect(Math.max(...gaps)).toBeLessThan(10 * (10_000_000 / times.length));
  });

  it('are closer together where the user is', () => {
    const store = new PageStore();
    const checkpoints = new Checkpoints(store, { budget: 8 * MEGABYTE, interval: 1_000_000 });
    const player = new FakePlayer(store, 64);
    checkpoints.add(player.goTo(0));
    for (const place of [900_000_000, 300_000_000]) {
      checkpoints.visit(at(place));
      player.goTo(0);
      playTo(checkpoints, player, place);
      for (const distance of [4_000_000, 400_000, 20_000]) checkpoints.add(player.goTo(place - distance), 'near');
    }
    const between = (from: number, to: number): number => timesOf(checkpoints).filter((time) => time >= from && time < to).length;
    expect(between(290_000_000, 301_000_000)).toBeGreaterThan(between(590_000_000, 601_000_000));
    expect(timesOf(checkpoints)).toContain(300_000_000 - 20_000);
    expect(checkpoints.bytes).toBeLessThanOrEqual(8 * MEGABYTE);
  });

  it('stay where a user wants them, until that is over', () => {
    const store = new PageStore();
    const checkpoints = new Checkpoints(store, { budget: 2 * MEGABYTE, interval: 1000 });
    const player = new FakePlayer(store, 64);
    checkpoints.add(player.goTo(0));
    const [first, second] = [checkpoints.keep(player.goTo(5123)), checkpoints.keep(player.goTo(5123))];
    playTo(checkpoints, player, 10_000_000);
    expect(timesOf(checkpoints)).toContain(5123);
    first();
    first();
    playTo(checkpoints, player, 20_000_000);
    expect(timesOf(checkpoints)).toContain(5123);
    second();
    playTo(checkpoints, player, 40_000_000);
    expect(timesOf(checkpoints)).not.toContain(5123);
  });

  it('keep their budget whatever is done', () => {
    const step = fc.record({ time: fc.nat(1_000_000), why: fc.constantFrom('due' as const, 'near' as const), visit: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (steps, pagesEach) => {
        const store = new PageStore();
        const checkpoints = new Checkpoints(store, { budget: MEGABYTE, interval: 1000 });
        const player = new FakePlayer(store, pagesEach);
        checkpoints.add(player.goTo(0));
        for (const { time, why, visit } of steps) {
          if (visit) checkpoints.visit(at(time));
          checkpoints.add(player.goTo(time), why);
          expect(checkpoints.bytes).toBeLessThanOrEqual(MEGABYTE);
          const times = timesOf(checkpoints);
          expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
          expect(times[0]).toBe(0);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are loaded from elsewhere where that saves time', () => {
    const store = new PageStore();
    const loaded: number[] = [];
    const source: CheckpointSource = {
      times: [100_000_000, 200_000_000, 300_000_000],
      load: (index) => {
        loaded.push(index);
        return index === 1 ? undefined : stateOf(source.times[index] as number, new PageTable(store));
      },
      trim: () => undefined,
    };
    const checkpoints = new Checkpoints(store, { source });
    const player = new FakePlayer(store, 1);
    checkpoints.add(player.goTo(0));
    expect(checkpoints.before(at(100_000_000), 99_000_000)?.position.time).toBe(0);
    expect(loaded).toEqual([]);
    expect(checkpoints.before(at(350_000_000))?.position.time).toBe(300_000_000);
    expect(checkpoints.before(at(350_000_000))?.position.time).toBe(300_000_000);
    expect(loaded).toEqual([2]);
    // One that cannot be used is as if it were not there.
    expect(checkpoints.strictlyBefore(at(300_000_000))?.position.time).toBe(100_000_000);
    expect(loaded).toEqual([2, 1, 0]);
    expect(timesOf(checkpoints)).toEqual([0, 100_000_000, 300_000_000]);
  });
});
