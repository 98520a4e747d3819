/** Traces made from two (thesis, figure 4.3 a to c). */
import { UserError } from '../../base/errors.js';
import type { Awaitable, FoundItems, Item, Lazy, Time } from '../types.js';
import { find, type Definition, type Explored, type Want } from './explored.js';
import { after, LazyCell } from './lazyCell.js';
import { Pointwise } from './pointwise.js';
import { Remembered } from './remembered.js';
import { BEGINNING, END, timeAfter } from './time.js';

type Combine<T, U, V> = (left: T, right: U, time: Time) => Awaitable<V>;

export class Merged<T, U, V> implements Definition<T | U | V> {
  readonly memory = new Remembered<T | U | V>(this);

  constructor(
    private readonly left: Explored<T>,
    private readonly right: Explored<U>,
    private readonly combine: Combine<T, U, V> | undefined,
  ) {}

  /** The right trace is looked at only as far as the left one had to be. */
  async look(from: Time, to: Time, want: Want): Promise<FoundItems<T | U | V>> {
    const left = await find(this.left, from, to, want);
    const right = await find(this.right, left.from, left.to, want);
    const lefts = left.items.filter(({ time }) => time >= right.from && time < right.to);
    return { from: right.from, to: right.to, items: await this.mergeItems(lefts, right.items) };
  }

  private async mergeItems(lefts: readonly Item<T>[], rights: readonly Item<U>[]): Promise<Item<T | U | V>[]> {
    const items: Item<T | U | V>[] = [];
    for (let l = 0, r = 0; l < lefts.length || r < rights.length; ) {
      const left = lefts[l];
      const right = rights[r];
      const isLeft = left !== undefined && (right === undefined || left.time <= right.time);
      const isRight = right !== undefined && (left === undefined || right.time <= left.time);
      items.push(isLeft && isRight ? await this.both(left, right) : isLeft ? left : right!);
      if (isLeft) l++;
      if (isRight) r++;
    }
    return items;
  }

  private async both({ time, value }: Item<T>, right: Item<U>): Promise<Item<T | U | V>> {
    const { combine } = this;
    if (combine === undefined) throw new UserError(`both traces have an item at time ${time}: give merge a function that combines them`);
    return (await this.memory.at(time, () => after(combine(value, right.value, time), (result) => ({ time, value: result }))))!;
  }
}

export type WithNeighbour<T, U, V> = (value: T, neighbour: Lazy<U | undefined>, time: Time) => Awaitable<V>;

/** Each item with the last one of the other trace before it, or the first one after it. */
export function trailing<T, U, V>(input: Explored<T>, other: Explored<U>, f: WithNeighbour<T, U, V>, side: 'before' | 'after'): Remembered<V> {
  const neighbour = (time: Time): Promise<Item<U> | undefined> => (side === 'before' ? other.last(BEGINNING, time) : other.first(timeAfter(time), END));
  return new Pointwise<T, V>(input, ({ time, value }) => {
    const lazy = new LazyCell(async () => (await neighbour(time))?.value);
    return after(f(value, lazy, time), (result) => ({ time, value: result }));
  }).memory;
}
