/**
 * A trace's memory: answers questions from what is known, and asks the definition for the rest. Whatever the definition
 * tells stays known, also if the query that asked for it is given up later.
 */
import { assert } from '../../base/assert.js';
import type { Awaitable, FoundItems, Item, Time } from '../types.js';
import { foundItem, type Definition, type Explored, type Want } from './explored.js';
import { learn, unknown, type IntervalTree } from './intervalTree.js';
import { isPromise } from './lazyCell.js';
import { BEGINNING, END, timeAfter } from './time.js';
import { firstSpot, firstUnknown, knownCount, knownItems, lastSpot } from './treeQueries.js';

export class Remembered<T> implements Explored<T> {
  /** What is known. */
  tree: IntervalTree<T> = unknown(BEGINNING, END);
  private readonly pending = new Map<Time, Promise<Item<T> | undefined>>();

  private looking: Promise<void> | undefined;

  constructor(private readonly definition: Definition<T>) {}

  async first(from: Time, to: Time): Promise<Item<T> | undefined> {
    for (;;) {
      const spot = firstSpot(this.tree, from, to);
      if (spot === undefined || 'item' in spot) return spot?.item;
      await this.look(spot.from, spot.to, 'first');
    }
  }

  async last(from: Time, to: Time): Promise<Item<T> | undefined> {
    for (;;) {
      const spot = lastSpot(this.tree, from, to);
      if (spot === undefined || 'item' in spot) return spot?.item;
      await this.look(spot.from, spot.to, 'last');
    }
  }

  async step(from: Time, to: Time, want: 'first' | 'last'): Promise<FoundItems<T>> {
    for (;;) {
      const spot = want === 'first' ? firstSpot(this.tree, from, to) : lastSpot(this.tree, from, to);
      if (spot === undefined) return { from, to, items: [] };
      if ('item' in spot) return foundItem(spot.item, from, to, want);
      // What is known up to there is told before anybody looks.
      if (want === 'first' && spot.from > from) return { from, to: spot.from, items: [] };
      if (want === 'last' && spot.to < to) return { from: spot.to, to, items: [] };
      await this.look(spot.from, spot.to, want);
    }
  }

  async all(from: Time, to: Time): Promise<readonly Item<T>[]> {
    await this.complete(from, to);
    return knownItems(this.tree, from, to);
  }

  async count(from: Time, to: Time): Promise<number> {
    await this.complete(from, to);
    return knownCount(this.tree, from, to);
  }

  learn(found: FoundItems<T>): void {
    this.tree = learn(this.tree, found);
  }

  /**
   * What the trace has at one time, computed once: also if it takes a while and others ask for it meanwhile. What comes
   * at once is not learned here, because it is cheaper to learn many at a time.
   */
  at(time: Time, compute: () => Awaitable<Item<T> | undefined>): Awaitable<Item<T> | undefined> {
    const begun = this.pending.get(time);
    if (begun !== undefined) return begun;
    const spot = firstSpot(this.tree, time, timeAfter(time));
    if (spot === undefined || 'item' in spot) return spot?.item;
    const item = compute();
    if (!isPromise(item)) return item;
    const learned = this.learnLater(time, item);
    this.pending.set(time, learned);
    return learned;
  }

  private async learnLater(time: Time, coming: Promise<Item<T> | undefined>): Promise<Item<T> | undefined> {
    try {
      const item = await coming;
      this.learn({ from: time, to: timeAfter(time), items: item === undefined ? [] : [item] });
      return item;
    } finally {
      this.pending.delete(time);
    }
  }

  private async complete(from: Time, to: Time): Promise<void> {
    for (;;) {
      const gap = firstUnknown(this.tree, from, to);
      if (gap === undefined) return;
      await this.look(gap.from, gap.to, 'all');
    }
  }

  /** A definition that takes one question at a time may have answered ours with the one before. */
  private async look(from: Time, to: Time, want: Want): Promise<void> {
    if (this.definition.oneAtATime !== true) return this.ask(from, to, want);
    if (this.looking !== undefined) return this.looking.catch(() => undefined);
    this.looking = this.ask(from, to, want);
    try {
      await this.looking;
    } finally {
      this.looking = undefined;
    }
  }

  private async ask(from: Time, to: Time, want: Want): Promise<void> {
    const found = await this.definition.look(from, to, want);
    const begins = found.from <= from && found.to > from;
    const ends = found.to >= to && found.from < to;
    assert(want === 'last' ? ends : begins, `asked for the ${want} of [${from}, ${to}), told of [${found.from}, ${found.to})`);
    this.learn(found);
  }
}
