/** How traces ask each other for items. */
import type { Found, Item, Time } from '../types.js';
import { timeAfter } from './time.js';

/** Something with items on the axis that can be looked at part by part. All intervals are [from, to). */
export interface Explored<T> {
  first(from: Time, to: Time): Promise<Item<T> | undefined>;
  last(from: Time, to: Time): Promise<Item<T> | undefined>;
  all(from: Time, to: Time): Promise<readonly Item<T>[]>;
}

/** What is wanted of an interval. */
export type Want = 'first' | 'last' | 'all';

/**
 * What a trace is by definition. The answer to 'first' and 'all' begins at `from`, that to 'last' ends at `to`; it may cover less than the
 * interval if it has what was wanted, or if it has to be asked again.
 */
export interface Definition<T> {
  /** Whoever asks while a question is being answered has to wait, and may then know enough. */
  readonly oneAtATime?: boolean;
  look(from: Time, to: Time, want: Want): Promise<Found<T>>;
}

/** Asks for no more than is wanted, and says for which part of the interval that is the whole truth. */
export async function find<T>(input: Explored<T>, from: Time, to: Time, want: Want): Promise<Found<T>> {
  if (want === 'all') return { from, to, items: await input.all(from, to) };
  const item = want === 'first' ? await input.first(from, to) : await input.last(from, to);
  if (item === undefined) return { from, to, items: [] };
  return want === 'first' ? { from, to: timeAfter(item.time), items: [item] } : { from: item.time, to, items: [item] };
}
