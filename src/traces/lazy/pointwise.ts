/** Traces that have an item, or none, where another trace has one: the most of them. */
import type { Awaitable, FoundItems, Item, Time } from '../types.js';
import { find, type Definition, type Explored, type Want } from './explored.js';
import { after, isPromise } from './lazyCell.js';
import { Remembered } from './remembered.js';

type Evaluate<T, U> = (item: Item<T>) => Awaitable<Item<U> | undefined>;

export class Pointwise<T, U> implements Definition<U> {
  readonly memory = new Remembered<U>(this);

  constructor(
    private readonly input: Explored<T>,
    private readonly evaluate: Evaluate<T, U>,
  ) {}

  async look(from: Time, to: Time, want: Want): Promise<FoundItems<U>> {
    const found = await find(this.input, from, to, want);
    const items: Item<U>[] = [];
    const learnUpTo = (to: Time): void => this.memory.learn({ from: found.from, to, items });
    let isSlow = false;
    for (const item of found.items) {
      if (isSlow) learnUpTo(item.time);
      const coming = this.at(item);
      // An operator that is at work may ask for what is before it: that has to be known by then.
      if (isPromise(coming) && !isSlow && want === 'all') learnUpTo(item.time);
      isSlow = isPromise(coming);
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

export function mapped<T, U>(input: Explored<T>, f: (value: T, time: Time) => Awaitable<U>): Remembered<U> {
  return new Pointwise<T, U>(input, ({ time, value }) => after(f(value, time), (result) => ({ time, value: result }))).memory;
}

export function filtered<T>(input: Explored<T>, predicate: (value: T, time: Time) => Awaitable<boolean>): Remembered<T> {
  return new Pointwise<T, T>(input, (item) => after(predicate(item.value, item.time), (isIn) => (isIn ? item : undefined))).memory;
}
