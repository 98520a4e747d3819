/**
 * scan and revScan (thesis, figure 4.3 d and e): each value is made from the item and, if the operator asks for it, the
 * value before it.
 *
 * An operator that always asks leads from item to item back to the first. Each of these waits for the one before it,
 * and a million of them would take a gigabyte. Who has waited for very many is taken to need them all: these are then
 * computed from the first one on.
 */
import type { Awaitable, Item, Lazy, Time } from '../types.js';
import type { Explored } from './explored.js';
import { after, LazyCell } from './lazyCell.js';
import { isRunning } from './nesting.js';
import { Pointwise } from './pointwise.js';
import { Remembered } from './remembered.js';
import { BEGINNING, END, timeAfter } from './time.js';
import { firstSpot, lastSpot, nearestKnown } from './treeQueries.js';

/** No more operators wait for each other than this. */
export const DEEPEST_NESTING = 8192;

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
    const known = this.knownBeside(time);
    const accumulator = known === undefined ? new LazyCell(() => this.valueBeside(time, running.now ? depth + 1 : 0)) : LazyCell.of(known.value);
    return after(running.watch(this.f(accumulator, value, time)), (result) => ({ time, value: result }));
  }

  /** The result beside, if it is there and nothing can be in between. */
  private knownBeside(time: Time): Item<A> | undefined {
    const { input, memory } = this;
    if (!(input instanceof Remembered)) return undefined;
    const spot = this.side === 'before' ? lastSpot(input.tree, BEGINNING, time) : firstSpot(input.tree, timeAfter(time), END);
    if (spot === undefined || !('item' in spot)) return undefined;
    return nearestKnown(memory.tree, spot.item.time, timeAfter(spot.item.time), 'first');
  }

  private async valueBeside(time: Time, depth: number): Promise<A> {
    const item = await this.neighbour(time);
    if (item === undefined) return this.initial;
    if (depth >= DEEPEST_NESTING) await this.computeAll(item.time);
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

  /** Everything between what is known and the item. */
  private async computeAll(time: Time): Promise<void> {
    const { tree } = this.memory;
    const isBefore = this.side === 'before';
    const done = isBefore ? nearestKnown(tree, BEGINNING, time, 'last') : nearestKnown(tree, timeAfter(time), END, 'first');
    const items = isBefore ? await this.input.all(done?.time ?? BEGINNING, time) : (await this.input.all(timeAfter(time), done?.time ?? END)).toReversed();
    for (const item of items) await this.valueAt(item, 0);
  }
}
