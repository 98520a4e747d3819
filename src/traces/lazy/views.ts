/** Parts of a trace. They remember nothing, because the trace does. */
import type { FoundItems, Item, Time } from '../types.js';
import type { Explored } from './explored.js';
import { BEGINNING, timeAfter } from './time.js';

/** The items in [start, end). */
export class Slice<T> implements Explored<T> {
  constructor(
    private readonly input: Explored<T>,
    private readonly start: Time,
    private readonly end: Time,
  ) {}

  first(from: Time, to: Time): Promise<Item<T> | undefined> {
    return this.input.first(Math.max(from, this.start), Math.min(to, this.end));
  }

  last(from: Time, to: Time): Promise<Item<T> | undefined> {
    return this.input.last(Math.max(from, this.start), Math.min(to, this.end));
  }

  all(from: Time, to: Time): Promise<readonly Item<T>[]> {
    return this.input.all(Math.max(from, this.start), Math.min(to, this.end));
  }

  async step(from: Time, to: Time, want: 'first' | 'last'): Promise<FoundItems<T>> {
    const { start, end } = this;
    if (start >= end || to <= start || from >= end) return { from, to, items: [] };
    if (want === 'first') return from < start ? { from, to: start, items: [] } : this.input.step(from, Math.min(to, end), want);
    return to > end ? { from: end, to, items: [] } : this.input.step(Math.max(from, start), to, want);
  }
}

/** The items up to the first stop. Where that is, is found out only as far as it matters. */
export class UpTo<T> implements Explored<T> {
  constructor(
    private readonly input: Explored<T>,
    private readonly stops: Explored<unknown>,
  ) {}

  async first(from: Time, to: Time): Promise<Item<T> | undefined> {
    const item = await this.input.first(from, to);
    if (item === undefined) return undefined;
    return (await this.stops.first(BEGINNING, item.time)) === undefined ? item : undefined;
  }

  async last(from: Time, to: Time): Promise<Item<T> | undefined> {
    return this.input.last(from, await this.limit(to));
  }

  async all(from: Time, to: Time): Promise<readonly Item<T>[]> {
    return this.input.all(from, await this.limit(to));
  }

  async step(from: Time, to: Time, want: 'first' | 'last'): Promise<FoundItems<T>> {
    if (want === 'last') {
      const limit = await this.limit(to);
      return limit < to ? { from: Math.max(from, limit), to, items: [] } : this.input.step(from, to, want);
    }
    const found = await this.input.step(from, to, want);
    const [item] = found.items;
    return item === undefined || (await this.stops.first(BEGINNING, item.time)) === undefined ? found : { from, to, items: [] };
  }

  private async limit(to: Time): Promise<Time> {
    const stop = await this.stops.first(BEGINNING, to);
    return stop === undefined ? to : Math.min(to, timeAfter(stop.time));
  }
}
