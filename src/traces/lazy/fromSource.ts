/** Traces whose items come from outside. */
import { assert } from '../../base/assert.js';
import type { Awaitable, FoundItems, Item, Time, TraceSource } from '../types.js';
import type { Definition, Want } from './explored.js';

export class FromSource<T> implements Definition<T> {
  readonly oneAtATime = true;

  constructor(private readonly source: TraceSource<T>) {}

  async look(from: Time, to: Time, want: Want): Promise<FoundItems<T>> {
    const { start, end } = this.source;
    if (to <= start || from >= end) return { from, to, items: [] };
    if (want === 'last' && to > end) return { from: end, to, items: [] };
    if (want !== 'last' && from < start) return { from, to: start, items: [] };
    return checked(await this.search(Math.max(from, start), Math.min(to, end), want));
  }

  private search(from: Time, to: Time, want: Want): Awaitable<FoundItems<T>> {
    const { source } = this;
    if (want === 'last') return source.searchBackward(from, to);
    return want === 'all' && source.searchAll !== undefined ? source.searchAll(from, to) : source.searchForward(from, to);
  }
}

function checked<T>(found: FoundItems<T>): FoundItems<T> {
  let before = -Infinity;
  for (const { time } of found.items) {
    assert(time > before && time >= found.from && time < found.to, `a source has an item at ${time} after ${before}, in [${found.from}, ${found.to})`);
    before = time;
  }
  return found;
}

/** A source of items that are there already. `traceOf(itemsSource([{ time: 1, value: 'a' }]))` */
export function itemsSource<T>(items: readonly Item<T>[]): TraceSource<T> {
  const everything = (): FoundItems<T> => ({ from: -Infinity, to: Infinity, items });
  return { start: -Infinity, end: Infinity, searchForward: everything, searchBackward: everything, searchAll: everything };
}
