/**
 * What a trace is, and what it is made from.
 *
 * A trace is a sequence of items in order of time, at most one at a time, of a whole execution. Making one runs
 * nothing. Asking for items looks at as much of the execution as the answer needs, and what was seen once is
 * remembered.
 *
 * What may have to look is a promise (`await foo.getBefore(100)`, `for await (const item of foo)`): a search may take
 * minutes, go on in other threads, or be given up. Functions given to a trace (predicates, operators) return values or
 * promises, as they like, and have to be pure: they are called when an item is asked for, in no particular order, and
 * once.
 */

/**
 * A place on the execution's axis: instructions from its start, as everywhere in Culprit. The item at time 50 shows the
 * state right before instruction 50. A plain number, because that is what people type and compare; Infinity is behind
 * the end. Traces rely on the order of times alone, so a source that has to tell apart several kernel events between
 * two instructions may use fractions (49.5 is after 49 and before 50).
 */
export type Time = number;

/** What functions given to traces may return. */
export type Awaitable<T> = T | Promise<T>;

/** `const { time, value } = (await foo.first())!;` */
export interface Item<T> {
  readonly time: Time;
  readonly value: T;
}

/** A value that is computed when it is first asked for, and once. */
export interface Lazy<T> {
  /** `const before = await accumulator.force();` */
  force(): Promise<T>;
  /** Whether the value is there already: asking for it costs nothing. `if (left.isForced) return left.force();` */
  readonly isForced: boolean;
}

/** What a search found out: all items with from <= time < to, in order of time. */
export interface FoundItems<T> {
  readonly from: Time;
  readonly to: Time;
  readonly items: readonly Item<T>[];
}

/**
 * Where primitive items come from: searches through an execution, for instance. Answers may come at once or as
 * promises, and only one search of a source is under way at a time. A rejected search (Cancelled, say) rejects the
 * query that needed it; all that was known before stays known, and the next query goes on from there.
 */
export interface TraceSource<T> {
  /** There are no items before this. */
  readonly start: Time;
  /** There are no items from here on; Infinity if that is not known. */
  readonly end: Time;
  /**
   * Looks from `from` on, until there is an item, at most up to `to` (exclusive). The answer begins at `from` or
   * before, and ends behind the item, or anywhere between if there was none yet: then it is asked again for the rest.
   * It may tell more than it was asked for.
   */
  searchForward(from: Time, to: Time): Awaitable<FoundItems<T>>;
  /** The same from `to` (exclusive) back to `from`: the answer ends at `to` or behind it. */
  searchBackward(from: Time, to: Time): Awaitable<FoundItems<T>>;
  /**
   * All items from `from` on. The answer may end before `to`: then it is asked again. Without it, searchForward is
   * used.
   */
  searchAll?(from: Time, to: Time): Awaitable<FoundItems<T>>;
}

/** What looking has cost so far: laziness that can be seen. */
export interface Cost {
  readonly searches: number;
  /** Instructions that were replayed. */
  readonly instructions: number;
}

export interface Trace<T> extends AsyncIterable<Item<T>> {
  // Asking

  /** The number of items; looks at everything. `await foo.length` */
  readonly length: Promise<number>;
  /** Items in order of time. `for await (const { time, value } of foo)` */
  [Symbol.asyncIterator](): AsyncIterator<Item<T>>;
  /** Items after a time (all if none is given), in order. `for await (const item of foo.forward(100))` */
  forward(after?: Time): AsyncIterable<Item<T>>;
  /** Items before a time (all if none is given), the last one first. `for await (const item of foo.backward())` */
  backward(before?: Time): AsyncIterable<Item<T>>;
  /** The item at exactly this time. `await foo.getAt(50)` */
  getAt(time: Time): Promise<Item<T> | undefined>;
  /** The last item before this time, looking back no further than that. `await foo.getBefore(Infinity)` */
  getBefore(time: Time): Promise<Item<T> | undefined>;
  /** The first item after this time. `await foo.getAfter(0)` */
  getAfter(time: Time): Promise<Item<T> | undefined>;
  /** The first item, or the first whose value fulfils the predicate. `await mallocs.first((s) => s.size > 4096)` */
  first(predicate?: Predicate<T>): Promise<Item<T> | undefined>;
  /** The last item, or the last whose value fulfils the predicate. `await writes.last()` */
  last(predicate?: Predicate<T>): Promise<Item<T> | undefined>;
  /** How many items there are, or how many fulfil the predicate. `await foo.count((s) => s.x === 0)` */
  count(predicate?: Predicate<T>): Promise<number>;
  /** All items. `const all = await foo.toArray()` */
  toArray(): Promise<Item<T>[]>;
  /**
   * Items as text in rows and columns: the time, and the fields of values that are objects. `console.log(`${await
   * foo.toTable()}`)`
   */
  toTable(options?: TableOptions): Promise<Table>;

  // Item by item

  /** The items whose values fulfil the predicate. `foo.filter((s) => s.x === 0)` */
  filter<U extends T>(predicate: (value: T, time: Time) => value is U): Trace<U>;
  filter(predicate: Predicate<T>): Trace<T>;
  /** The same times with other values. `foo.map((s) => s.x)` */
  map<U>(f: (value: T, time: Time) => U): Trace<Awaited<U>>;
  /** The items with from <= time < to. `foo.slice(100, 200)` */
  slice(from: Time, to: Time): Trace<T>;
  /** The items up to the first whose value fulfils the predicate, that one included. `foo.takeUntil((s) => s.x < 0)` */
  takeUntil(predicate: Predicate<T>): Trace<T>;

  // With another trace

  /**
   * The items of both traces. What they have at the same time is combined; without a function that is an error.
   * `calls.merge(returns)`
   */
  merge<U>(other: Trace<U>): Trace<T | U>;
  merge<U, V>(other: Trace<U>, combine: (left: T, right: U, time: Time) => V): Trace<T | U | Awaited<V>>;
  /**
   * Each item combined with the last one of the other trace before it, undefined if there is none.
   * `frees.trailingMerge(mallocs, async (free, malloc) => (await malloc.force())?.size)`
   */
  trailingMerge<U, V>(other: Trace<U>, f: (value: T, previous: Lazy<U | undefined>, time: Time) => V): Trace<Awaited<V>>;
  /**
   * Each item combined with the first one of the other trace after it. `calls.revTrailingMerge(returns, (call, ret) =>
   * ...)`
   */
  revTrailingMerge<U, V>(other: Trace<U>, f: (value: T, next: Lazy<U | undefined>, time: Time) => V): Trace<Awaited<V>>;
  /**
   * Each item with the last item of the other trace before it that has an equal key: a free with its malloc.
   * `frees.join(mallocs, (free) => free.pointer, (malloc) => malloc.result)`
   */
  join<U, K>(other: Trace<U>, key: (value: T, time: Time) => Awaitable<K>, otherKey: (value: U, time: Time) => Awaitable<K>): Trace<Joined<T, U>>;

  // Over what came before, or after

  /**
   * Each value is f(the value before it, the item's value); the first gets `initial`, or undefined.
   * `foo.scan(async (n, s) => (s.x === 0 ? 0 : (await n.force()) + 1), 0)`
   */
  scan<A>(f: (accumulator: Lazy<A>, value: T, time: Time) => Awaitable<A>, initial: A): Trace<A>;
  scan(f: (accumulator: Lazy<T | undefined>, value: T, time: Time) => Awaitable<T>): Trace<T>;
  scan<A>(f: (accumulator: Lazy<A | undefined>, value: T, time: Time) => Awaitable<A>): Trace<A>;
  /**
   * The same from the end: each value is f(the value after it, the item's value). `foo.revScan(async (n) => (await
   * n.force()) + 1, 0)`
   */
  revScan<A>(f: (accumulator: Lazy<A>, value: T, time: Time) => Awaitable<A>, initial: A): Trace<A>;
  revScan(f: (accumulator: Lazy<T | undefined>, value: T, time: Time) => Awaitable<T>): Trace<T>;
  revScan<A>(f: (accumulator: Lazy<A | undefined>, value: T, time: Time) => Awaitable<A>): Trace<A>;
  /**
   * All values up to the item, the item included, put together by an associative operator in any grouping. Its left
   * side is undefined where there was nothing. `sizes.tscan(async (left, right) => ((await left.force()) ?? 0) + (await
   * right.force()))`
   */
  tscan(f: (left: Lazy<T | undefined>, right: Lazy<T>) => Awaitable<T>): Trace<T>;
  /** All values from the item on. Its right side is undefined where there was nothing. `sizes.revTscan(largest)` */
  revTscan(f: (left: Lazy<T>, right: Lazy<T | undefined>) => Awaitable<T>): Trace<T>;
  /** The last `size` items up to each item, the item included, oldest first; fewer at the start. `foo.window(2)` */
  window(size: number): Trace<readonly Item<T>[]>;
  /**
   * The items of the last `duration` instructions up to each item, the item included, oldest first.
   * `foo.windowTime(1000)`
   */
  windowTime(duration: number): Trace<readonly Item<T>[]>;
  /** The first item of each key, or of each value. `foo.distinct((s) => s.caller)` */
  distinct(key?: (value: T, time: Time) => unknown): Trace<T>;
  /** The trace taken apart by key. `foo.groupBy((s) => s.thread).get(2)` */
  groupBy<K>(key: (value: T, time: Time) => Awaitable<K>): Groups<K, T>;
}

export type Predicate<T> = (value: T, time: Time) => Awaitable<boolean>;

/** An item of one trace with the last earlier one of another that has an equal key. */
export interface Joined<T, U> {
  readonly value: T;
  /** `const malloc = await joined.match.force();` */
  readonly match: Lazy<Item<U> | undefined>;
}

/** A trace for each key. Iterating finds keys in the order in which they first occur. */
export interface Groups<K, T> extends AsyncIterable<Group<K, T>> {
  /** The items with this key; an empty trace if there are none. `byThread.get(2)` */
  get(key: K): Trace<T>;
  /** The first item of each key. `for await (const { value } of byThread.keys())` */
  keys(): Trace<K>;
}

export interface Group<K, T> {
  readonly key: K;
  readonly trace: Trace<T>;
}

export interface TableOptions {
  /** Show no more than so many rows. */
  readonly limit?: number;
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether there is more than `limit` let in. */
  readonly more: boolean;
  /** Lines with aligned columns. */
  toString(): string;
}
