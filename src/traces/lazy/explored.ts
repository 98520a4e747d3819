/** How traces ask each other for items. */
import type { FoundItems, Item, Time } from '../types.js';
import { timeAfter } from './time.js';

/** What is wanted of an interval. */
export type Want = 'first' | 'last' | 'all';

/** Something with items on the axis that can be looked at part by part. All intervals are [from, to). */
export interface Explored<T> {
  first(from: Time, to: Time): Promise<Item<T> | undefined>;
  last(from: Time, to: Time): Promise<Item<T> | undefined>;
  all(from: Time, to: Time): Promise<readonly Item<T>[]>;
  /**
   * A step on the way to the first or the last item: looks at some of the interval, from its beginning or its end on,
   * and says what is there: at most one item, which is at the border. So a reader of several traces can go through them
   * side by side.
   */
  step(from: Time, to: Time, want: 'first' | 'last'): Promise<FoundItems<T>>;
}

/**
 * What a trace is by definition. The answer to 'first' and 'all' begins at `from`, that to 'last' ends at `to`; it may
 * cover less than the interval if it has what was wanted, or if it has to be asked again.
 */
export interface Definition<T> {
  /** A second question has to wait while one is being answered, and may then know enough. */
  readonly oneAtATime?: boolean;
  look(from: Time, to: Time, want: Want): Promise<FoundItems<T>>;
}

/** All, or the next step. */
export async function find<T>(input: Explored<T>, from: Time, to: Time, want: Want): Promise<FoundItems<T>> {
  return want === 'all' ? { from, to, items: await input.all(from, to) } : input.step(from, to, want);
}

/** An item as the answer: the part of the interval that ends, or begins, with it. */
export function foundItem<T>(item: Item<T>, from: Time, to: Time, want: 'first' | 'last'): FoundItems<T> {
  return want === 'first' ? { from, to: timeAfter(item.time), items: [item] } : { from: item.time, to, items: [item] };
}
