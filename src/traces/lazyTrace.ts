/**
 * Traces as scripts see them (types.ts says what each operation does). Here is how they are put together from
 * definitions (lazy/), and that the same operation with the same arguments gives the same trace, so that what is known
 * of it is shared.
 */
import { UserError } from '../base/errors.js';
import { editHamt, type EditHamt } from './editHamt/editHamt.js';
import { plainKeys } from './editHamt/keys.js';
import type { Explored } from './lazy/explored.js';
import { FromSource, itemsSource } from './lazy/fromSource.js';
import { Interned } from './lazy/interned.js';
import { LazyCell } from './lazy/lazyCell.js';
import { Merged, trailing, type WithNeighbour } from './lazy/merging.js';
import { filtered, mapped, Pointwise } from './lazy/pointwise.js';
import { Remembered } from './lazy/remembered.js';
import { scanned, type Operator } from './lazy/scanning.js';
import { BEGINNING, END, timeAfter } from './lazy/time.js';
import { treeScanned, type TreeOperator } from './lazy/treeScanning.js';
import { Slice, UpTo } from './lazy/views.js';
import { tableOf } from './table.js';
import type { Awaitable, Group, Groups, Item, Joined, Lazy, Predicate, Table, TableOptions, Time, Trace, TraceSource } from './types.js';

/** A trace of what a source finds. `traceOf(breakpointSource(execution, address))` */
export function traceOf<T>(source: TraceSource<T>): Trace<T> {
  return new LazyTrace(new Remembered(new FromSource(source)));
}

/** A trace of items that are there already, in order of time. `traceOfItems([{ time: 1, value: 'a' }])` */
export function traceOfItems<T>(items: readonly Item<T>[]): Trace<T> {
  return traceOf(itemsSource(items));
}

type KeyOf<T, K> = (value: T, time: Time) => Awaitable<K>;

class LazyTrace<T> implements Trace<T> {
  private readonly derived = new Interned();

  constructor(readonly explored: Explored<T>) {}

  get length(): Promise<number> {
    return this.count();
  }

  [Symbol.asyncIterator](): AsyncIterator<Item<T>> {
    return this.walk(BEGINNING, 'first');
  }

  forward(after?: Time): AsyncIterable<Item<T>> {
    return this.walk(after === undefined ? BEGINNING : timeAfter(checked(after)), 'first');
  }

  backward(before: Time = END): AsyncIterable<Item<T>> {
    return this.walk(checked(before), 'last');
  }

  private async *walk(start: Time, which: 'first' | 'last'): AsyncGenerator<Item<T>, void, undefined> {
    for (let at = start; ; ) {
      const item = which === 'first' ? await this.explored.first(at, END) : await this.explored.last(BEGINNING, at);
      if (item === undefined) return;
      yield item;
      at = which === 'first' ? timeAfter(item.time) : item.time;
    }
  }

  async getAt(time: Time): Promise<Item<T> | undefined> {
    return this.explored.first(checked(time), timeAfter(time));
  }

  async getBefore(time: Time): Promise<Item<T> | undefined> {
    return this.explored.last(BEGINNING, checked(time));
  }

  async getAfter(time: Time): Promise<Item<T> | undefined> {
    return this.explored.first(timeAfter(checked(time)), END);
  }

  async first(predicate?: Predicate<T>): Promise<Item<T> | undefined> {
    return this.those(predicate).explored.first(BEGINNING, END);
  }

  async last(predicate?: Predicate<T>): Promise<Item<T> | undefined> {
    return this.those(predicate).explored.last(BEGINNING, END);
  }

  async count(predicate?: Predicate<T>): Promise<number> {
    const { explored } = this.those(predicate);
    return explored instanceof Remembered ? explored.count(BEGINNING, END) : (await explored.all(BEGINNING, END)).length;
  }

  async toArray(): Promise<Item<T>[]> {
    return [...(await this.explored.all(BEGINNING, END))];
  }

  async toTable({ limit = Infinity }: TableOptions = {}): Promise<Table> {
    const items: Item<T>[] = [];
    for await (const item of this) {
      if (items.length >= limit) return tableOf(items, true);
      items.push(item);
    }
    return tableOf(items, false);
  }

  filter<U extends T>(predicate: (value: T, time: Time) => value is U): LazyTrace<U>;
  filter(predicate: Predicate<T>): LazyTrace<T>;
  filter(predicate: Predicate<T>): LazyTrace<T> {
    return this.make(['filter', predicate], () => filtered(this.explored, predicate));
  }

  map<U>(f: (value: T, time: Time) => U): LazyTrace<Awaited<U>> {
    return this.make(['map', f], () => mapped(this.explored, f as (value: T, time: Time) => Awaitable<Awaited<U>>));
  }

  slice(from: Time, to: Time): LazyTrace<T> {
    return this.make(['slice', checked(from), checked(to)], () => new Slice(this.explored, from, to));
  }

  takeUntil(predicate: Predicate<T>): LazyTrace<T> {
    return this.make(['takeUntil', predicate], () => new UpTo(this.explored, this.filter(predicate).explored));
  }

  merge<U>(other: Trace<U>): LazyTrace<T | U>;
  merge<U, V>(other: Trace<U>, combine: (left: T, right: U, time: Time) => V): LazyTrace<T | U | Awaited<V>>;
  merge<U, V>(other: Trace<U>, combine?: (left: T, right: U, time: Time) => Awaitable<Awaited<V>>): LazyTrace<T | U | Awaited<V>> {
    return this.make(['merge', other, combine], () => new Merged(this.explored, exploredOf(other), combine).memory);
  }

  trailingMerge<U, V>(other: Trace<U>, f: (value: T, previous: Lazy<U | undefined>, time: Time) => V): LazyTrace<Awaited<V>> {
    return this.make(['trailingMerge', other, f], () => trailing(this.explored, exploredOf(other), f as WithNeighbour<T, U, Awaited<V>>, 'before'));
  }

  revTrailingMerge<U, V>(other: Trace<U>, f: (value: T, next: Lazy<U | undefined>, time: Time) => V): LazyTrace<Awaited<V>> {
    return this.make(['revTrailingMerge', other, f], () => trailing(this.explored, exploredOf(other), f as WithNeighbour<T, U, Awaited<V>>, 'after'));
  }

  join<U, K>(other: Trace<U>, key: KeyOf<T, K>, otherKey: KeyOf<U, K>): LazyTrace<Joined<T, U>> {
    const index = lazyTraceOf(other).index(otherKey);
    const matchOf = async (value: T, time: Time): Promise<Item<U> | undefined> => (await index.getBefore(time))?.value.find(await key(value, time));
    return this.make(['join', other, key, otherKey], () => mapped(this.explored, (value, time) => ({ value, match: new LazyCell(() => matchOf(value, time)) })));
  }

  /** At each item: all items so far, by key. */
  private index<K>(key: KeyOf<T, K>): LazyTrace<EditHamt<K, Item<T>>> {
    const single = async (value: T, time: Time): Promise<EditHamt<K, Item<T>>> => editHamt.addKeyValue(undefined, await key(value, time), { time, value });
    return this.make(['index', key], () => scanned<EditHamt<K, Item<T>>, EditHamt<K, Item<T>>>(mapped(this.explored, single), editHamt.concat, editHamt.empty(), 'before'));
  }

  scan<A>(f: (accumulator: Lazy<A>, value: T, time: Time) => Awaitable<A>, initial: A): LazyTrace<A>;
  scan(f: (accumulator: Lazy<T | undefined>, value: T, time: Time) => Awaitable<T>): LazyTrace<T>;
  scan<A>(f: (accumulator: Lazy<A | undefined>, value: T, time: Time) => Awaitable<A>): LazyTrace<A>;
  scan<A>(f: Operator<T, A>, initial?: A): LazyTrace<A> {
    return this.make(['scan', f, initial], () => scanned(this.explored, f, initial as A, 'before'));
  }

  revScan<A>(f: (accumulator: Lazy<A>, value: T, time: Time) => Awaitable<A>, initial: A): LazyTrace<A>;
  revScan(f: (accumulator: Lazy<T | undefined>, value: T, time: Time) => Awaitable<T>): LazyTrace<T>;
  revScan<A>(f: (accumulator: Lazy<A | undefined>, value: T, time: Time) => Awaitable<A>): LazyTrace<A>;
  revScan<A>(f: Operator<T, A>, initial?: A): LazyTrace<A> {
    return this.make(['revScan', f, initial], () => scanned(this.explored, f, initial as A, 'after'));
  }

  tscan(f: (left: Lazy<T | undefined>, right: Lazy<T>) => Awaitable<T>): LazyTrace<T> {
    return this.make(['tscan', f], () => treeScanned(this.remembered(), f, 'before'));
  }

  revTscan(f: (left: Lazy<T>, right: Lazy<T | undefined>) => Awaitable<T>): LazyTrace<T> {
    const turned: TreeOperator<T> = (far, near) => f(near, far);
    return this.make(['revTscan', f], () => treeScanned(this.remembered(), turned, 'after'));
  }

  window(size: number): LazyTrace<readonly Item<T>[]> {
    if (!Number.isInteger(size) || size < 1) throw new UserError(`window(${size}): the number of items has to be 1 or more`);
    return this.around(['window', size], async (item) => {
      const items = [item];
      for (let before = await this.getBefore(item.time); before !== undefined && items.length < size; before = await this.getBefore(before.time)) items.push(before);
      return items.reverse();
    });
  }

  windowTime(duration: number): LazyTrace<readonly Item<T>[]> {
    if (!(duration > 0)) throw new UserError(`windowTime(${duration}): the duration has to be positive`);
    return this.around(['windowTime', duration], ({ time }) => this.explored.all(timeAfter(time - duration), timeAfter(time)));
  }

  distinct(key: (value: T, time: Time) => unknown = itself): LazyTrace<T> {
    const isFirst = async (value: T, time: Time): Promise<boolean> => (await (await this.index(key).getBefore(time))?.value.contains(await key(value, time))) !== true;
    return this.make(['distinct', key], () => filtered(this.explored, isFirst));
  }

  groupBy<K>(key: KeyOf<T, K>): Groups<K, T> {
    return this.derived.get(['groupBy', key], () => new KeyGroups(this.around(['keyed', key], async (item) => ({ key: await key(item.value, item.time), item }))));
  }

  /** A value for each item, made from the item as a whole. */
  private around<U>(keys: readonly unknown[], f: (item: Item<T>) => Promise<U>): LazyTrace<U> {
    return this.make(keys, () => new Pointwise<T, U>(this.explored, async (item) => ({ time: item.time, value: await f(item) })).memory);
  }

  private those(predicate: Predicate<T> | undefined): LazyTrace<T> {
    return predicate === undefined ? this : this.filter(predicate);
  }

  /** Tree scans need a tree: parts of traces have none. */
  private remembered(): Remembered<T> {
    return this.explored instanceof Remembered ? this.explored : mapped(this.explored, itself<T>);
  }

  private make<U>(keys: readonly unknown[], make: () => Explored<U>): LazyTrace<U> {
    return this.derived.get(keys, () => new LazyTrace(make()));
  }
}

function itself<T>(value: T): T {
  return value;
}

interface Keyed<K, T> {
  readonly key: K;
  readonly item: Item<T>;
}

class KeyGroups<K, T> implements Groups<K, T> {
  private readonly made = new Interned();

  constructor(private readonly keyed: LazyTrace<Keyed<K, T>>) {}

  get(key: K): Trace<T> {
    return this.made.get(['get', key], () => this.keyed.filter((keyed) => plainKeys.equals(keyed.key, key)).map(({ item }) => item.value));
  }

  keys(): Trace<K> {
    return this.made.get(['keys'], () => this.keyed.map(({ key }) => key).distinct());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Group<K, T>, void, undefined> {
    for await (const { value } of this.keys()) yield { key: value, trace: this.get(value) };
  }
}

function lazyTraceOf<T>(trace: Trace<T>): LazyTrace<T> {
  if (trace instanceof LazyTrace) return trace as LazyTrace<T>;
  throw new UserError('traces are made by the execution, by traceOf, or from other traces');
}

function exploredOf<T>(trace: Trace<T>): Explored<T> {
  return lazyTraceOf(trace).explored;
}

function checked(time: Time): Time {
  if (typeof time === 'number' && !Number.isNaN(time)) return time;
  throw new UserError(`${String(time)} is no time: times are numbers of instructions from the start`);
}
