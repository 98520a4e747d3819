/**
 * A source over an array that notes exactly which parts it was asked to look at, as a debugger would have to run
 * through them.
 */
import { timeAfter } from '../lazy/time.js';
import type { Awaitable, FoundItems, Item, Time, TraceSource } from '../types.js';

export interface CountingOptions {
  /**
   * How many items a search tells of beyond the one that it was to find, as a search from checkpoint to checkpoint
   * does.
   */
  readonly generous?: number;
  /** Answers by promises. */
  readonly slow?: boolean;
  /** A search looks at no more than so much at a time. */
  readonly stride?: number;
}

export class CountingSource<T> implements TraceSource<T> {
  readonly start = 0;
  /** What was looked at: [from, to) of each search. */
  readonly looked: (readonly [Time, Time])[] = [];
  underWay = 0;
  mostUnderWay = 0;
  /** The next search fails with this. */
  failure: Error | undefined;

  constructor(
    readonly items: readonly Item<T>[],
    private readonly options: CountingOptions = {},
    readonly end: Time = Infinity,
  ) {}

  searchForward(from: Time, to: Time): Awaitable<FoundItems<T>> {
    const { generous = 0, stride = Infinity } = this.options;
    const limit = Math.min(to, from + stride);
    const ahead = this.items.filter(({ time }) => time >= from);
    const last = ahead.slice(0, generous + 1).at(-1);
    const found = ahead[0] !== undefined && ahead[0].time < limit;
    return this.answer(from, found && last !== undefined ? timeAfter(last.time) : limit);
  }

  searchBackward(from: Time, to: Time): Awaitable<FoundItems<T>> {
    const { generous = 0, stride = Infinity } = this.options;
    const limit = stride === Infinity ? from : Math.max(from, to - stride);
    const behind = this.items.filter(({ time }) => time < to).reverse();
    const last = behind.slice(0, generous + 1).at(-1);
    const found = behind[0] !== undefined && behind[0].time >= limit;
    return this.answer(found && last !== undefined ? last.time : limit, to);
  }

  searchAll(from: Time, to: Time): Awaitable<FoundItems<T>> {
    return this.answer(from, Math.min(to, from + (this.options.stride ?? Infinity)));
  }

  private answer(from: Time, to: Time): Awaitable<FoundItems<T>> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    this.looked.push([from, to]);
    const found = { from, to, items: this.items.filter(({ time }) => time >= from && time < to) };
    return this.options.slow === true ? this.later(found) : found;
  }

  private async later(found: FoundItems<T>): Promise<FoundItems<T>> {
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    await new Promise((done) => setImmediate(done));
    this.underWay--;
    return found;
  }
}

/** Items at these times; their values are made from the times. */
export function itemsAt<T>(times: readonly Time[], value: (time: Time, index: number) => T): Item<T>[] {
  return times.map((time, index) => ({ time, value: value(time, index) }));
}
