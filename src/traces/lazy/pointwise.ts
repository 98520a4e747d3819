/** Traces that have an item, or none, where another trace has one: the most of them. */
import type { Awaitable, Found, Item, Time } from '../types.js';
import { find, type Definition, type Explored, type Want } from './explored.js';
import { isPromise } from './lazyCell.js';
import { Remembered } from './remembered.js';

export type Evaluate<T, U> = (item: Item<T>) => Awaitable<Item<U> | undefined>;

export class Pointwise<T, U> implements Definition<U> {
  readonly memory = new Remembered<U>(this);

  constructor(
    private readonly input: Explored<T>,
    private readonly evaluate: Evaluate<T, U>,
  ) {}

  async look(from: Time, to: Time, want: Want): Promise<Found<U>> {
    const found = await find(this.input, from, to, want);
    const items: Item<U>[] = [];
    for (const item of found.items) {
      const coming = this.at(item);
      // An operator that is at work may ask for what is before it: that has to be known by then.
      if (isPromise(coming) && items.length > 0) this.memory.learn({ from: found.from, to: item.time, items });
      const result = isPromise(coming) ? await coming : coming;
      if (result !== undefined) items.push(result);
    }
    return { from: found.from, to: found.to, items };
  }

  /** What the trace has where its input has this item. */
  at(item: Item<T>): Awaitable<Item<U> | undefined> {
    return this.memory.at(item.time, () => this.evaluate(item));
  }
}

/** Goes on when the value is there: at once, if it is there already. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => U): Awaitable<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

export function mapped<T, U>(input: Explored<T>, f: (value: T, time: Time) => Awaitable<U>): Remembered<U> {
  return new Pointwise<T, U>(input, ({ time, value }) => after(f(value, time), (result) => ({ time, value: result }))).memory;
}

export function filtered<T>(input: Explored<T>, predicate: (value: T, time: Time) => Awaitable<boolean>): Remembered<T> {
  return new Pointwise<T, T>(input, (item) => after(predicate(item.value, item.time), (isIn) => (isIn ? item : undefined))).memory;
}
