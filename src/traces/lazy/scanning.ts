/**
 * scan and revScan (thesis, figure 4.3 d and e): each value is made from the item and, if the operator asks for it, the value before it.
 *
 * An operator that always asks leads from item to item back to the first. Each of these waits for the one before it, so a million of them
 * would take gigabytes. Who has waited for many is likely to wait for more: from then on items are fetched in blocks, each twice as large as the last,
 * and evaluated from their far end. At most twice as much is looked at as was needed.
 */
import type { Awaitable, Item, Lazy, Time } from '../types.js';
import type { Explored } from './explored.js';
import { LazyCell } from './lazyCell.js';
import { isRunning } from './nesting.js';
import { after, Pointwise } from './pointwise.js';
import type { Remembered } from './remembered.js';
import { BEGINNING, END, timeAfter } from './time.js';
import { nearestKnown } from './treeQueries.js';

/** So many operators wait for each other before items are fetched in blocks. */
export const DEEPEST_NESTING = 512;

export type Operator<T, A> = (accumulator: Lazy<A>, value: T, time: Time) => Awaitable<A>;

export function scanned<T, A>(input: Explored<T>, f: Operator<T, A>, initial: A, side: 'before' | 'after'): Remembered<A> {
  return new Scan(input, f, initial, side).memory;
}

class Scan<T, A> {
  private readonly definition: Pointwise<T, A>;

  constructor(
    private readonly input: Explored<T>,
    private readonly f: Operator<T, A>,
    private readonly initial: A,
    private readonly side: 'before' | 'after',
  ) {
    this.definition = new Pointwise<T, A>(input, (item) => this.evaluate(item, 0));
  }

  get memory(): Remembered<A> {
    return this.definition.memory;
  }

  private evaluate({ time, value }: Item<T>, depth: number): Awaitable<Item<A>> {
    const running = isRunning();
    const accumulator = new LazyCell(() => this.valueBeside(time, running.now ? depth + 1 : 0));
    return after(running.watch(this.f(accumulator, value, time)), (result) => ({ time, value: result }));
  }

  private async valueBeside(time: Time, depth: number): Promise<A> {
    const item = await this.neighbour(time);
    if (item === undefined) return this.initial;
    if (depth >= DEEPEST_NESTING) return this.valueByBlock(item, depth);
    return this.valueAt(item, depth);
  }

  private neighbour(time: Time): Promise<Item<T> | undefined> {
    return this.side === 'before' ? this.input.last(BEGINNING, time) : this.input.first(timeAfter(time), END);
  }

  private async valueAt(item: Item<T>, depth: number): Promise<A> {
    const { memory } = this;
    const result = (await memory.at(item.time, () => this.evaluate(item, depth)))!;
    memory.learn({ from: item.time, to: timeAfter(item.time), items: [result] });
    return result.value;
  }

  /** The same, after those of the items behind it that it is likely to need. */
  private async valueByBlock(item: Item<T>, depth: number): Promise<A> {
    const size = DEEPEST_NESTING * 2 ** (depth - DEEPEST_NESTING);
    const block = [item];
    while (block.length < size) {
      const next = await this.neighbour(block.at(-1)!.time);
      if (next === undefined) break;
      block.push(next);
      if (this.isKnown(next.time)) break;
    }
    for (let i = block.length - 1; i > 0; i--) await this.valueAt(block[i]!, depth);
    return this.valueAt(item, depth);
  }

  private isKnown(time: Time): boolean {
    return nearestKnown(this.memory.tree, time, timeAfter(time), 'first') !== undefined;
  }
}
