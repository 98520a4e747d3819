/** What primitive traces are made from: searches through the recording, or through its log. */
import type { Hit } from '../../replay/timeline/conditions.js';
import { after } from '../lazy/lazyCell.js';
import type { Awaitable, FoundItems, Item, TraceSource } from '../types.js';
import type { KnownTrace } from './knownHits.js';
import type { FactKind, LogFacts, LoggedFact } from '../../replay/describe/loggedFacts.js';
import type { LongSearches } from './longSearches.js';
import type { FoundHits, Playing } from './playing.js';

/** More at once, if the script need not go back to look at what was found. */
const MOST_AT_ONCE = 65_536;
/**
 * If the script looks at what was read on the way, a search goes no farther ahead than so many instructions: they may
 * not be needed.
 */
const READ_AHEAD = 65_536;

/** What comes from executing the program again, unless it is known already. */
export class HitSource<T> implements TraceSource<T> {
  private trace: KnownTrace | undefined;
  /**
   * Where the last search forward ended, and whether the script has looked at what it found since: then it is better to
   * go on one by one.
   */
  private reached = { to: -1, looks: -1, foreseen: -1, atOnce: 1 };

  constructor(
    private readonly playing: Playing,
    /** Asked before the first search. */
    private readonly find: () => KnownTrace,
    /** Undefined for what does not belong to the trace. */
    private readonly make: (hit: Hit) => T | undefined,
    private readonly longSearches?: LongSearches,
  ) {}

  get start(): number {
    return this.playing.start.time;
  }

  get end(): number {
    return this.playing.endTime + 1;
  }

  searchForward(from: number, to: number): FoundItems<T> {
    const { known, playing, reached } = this;
    const goesOn = reached.to === Math.ceil(from) && reached.looks === playing.looks;
    const atOnce = goesOn ? Math.min(MOST_AT_ONCE, reached.atOnce * 2) : 1;
    const isAhead = atOnce > 1 && reached.foreseen !== playing.foreseen;
    const found = this.forward(known, from, isAhead ? Math.min(to, reached.to + READ_AHEAD) : to, atOnce);
    this.reached = { to: found.to, looks: playing.looks, foreseen: playing.foreseen, atOnce: found.items.length === 0 ? 1 : atOnce };
    return found;
  }

  searchAll(from: number, to: number): Awaitable<FoundItems<T>> {
    const { known, longSearches } = this;
    if (longSearches === undefined) return this.forward(known, from, to, Infinity);
    return this.next(known, from, to, (first, last) => longSearches.search(known, first, last));
  }

  searchBackward(from: number, to: number): FoundItems<T> {
    const { known, playing } = this;
    if (known.isNowhere) return { from, to, items: [] };
    const [first, last] = [Math.ceil(from), Math.ceil(Math.min(to, this.end))];
    const before = known.before(last, first);
    if ('hits' in before) return this.found(before, before.from === first ? from : before.from, to);
    const found = playing.backward(known, Math.max(first, before.next), last);
    known.learn(found);
    return this.found(found, found.from === first ? from : found.from, to);
  }

  private forward(known: KnownTrace, from: number, to: number, most: number): FoundItems<T> {
    return this.next(known, from, to, (first, last) => this.playing.forward(known, first, last, most)) as FoundItems<T>;
  }

  /**
   * What is known from there on, or what a search finds. There is nothing between two instructions: times that are
   * asked for may be anywhere there.
   */
  private next(known: KnownTrace, from: number, to: number, search: (from: number, to: number) => Awaitable<FoundHits>): Awaitable<FoundItems<T>> {
    if (known.isNowhere) return { from, to, items: [] };
    const [first, last] = [Math.ceil(from), Math.ceil(Math.min(to, this.end))];
    const here = known.from(first);
    if ('hits' in here) return this.found(here, from, here.to);
    return after(search(first, Math.min(last, here.next)), (found) => {
      known.learn(found);
      return this.found(found, from, found.to === last ? to : found.to);
    });
  }

  private get known(): KnownTrace {
    this.trace ??= this.find();
    return this.trace;
  }

  private found({ hits }: FoundHits, from: number, to: number): FoundItems<T> {
    const items: Item<T>[] = [];
    for (const hit of hits) {
      const value = this.make(hit);
      if (value !== undefined) items.push({ time: hit.position.time, value });
    }
    return { from, to, items };
  }
}

/** What the recording says by itself. */
export class FactSource<T> implements TraceSource<T> {
  constructor(
    private readonly facts: LogFacts,
    readonly start: number,
    readonly end: number,
    /** Undefined for what does not belong to the trace. */
    private readonly make: (fact: LoggedFact) => T | undefined,
  ) {}

  searchForward(from: number, to: number): FoundItems<T> {
    for (const item of this.items(this.facts.forward(from, to))) return { from, to: item.time + 1, items: [item] };
    return { from, to, items: [] };
  }

  searchBackward(from: number, to: number): FoundItems<T> {
    for (const { position: { time } } of this.facts.backward(from, to)) {
      // The first of those that are there at the same time.
      const [item] = this.items(this.facts.forward(time, time + 1));
      if (item !== undefined) return { from: time, to, items: [item] };
    }
    return { from, to, items: [] };
  }

  searchAll(from: number, to: number): FoundItems<T> {
    return { from, to, items: [...this.items(this.facts.forward(from, to))] };
  }

  private *items(facts: Iterable<LoggedFact>): Generator<Item<T>> {
    let last = -1;
    for (const fact of facts) {
      const { time } = fact.position;
      const value = time === last ? undefined : this.make(fact);
      if (value === undefined) continue;
      last = time;
      yield { time, value };
    }
  }
}

export function isKind<K extends FactKind>(fact: LoggedFact, kind: K): fact is LoggedFact & { readonly what: Extract<LoggedFact['what'], { readonly kind: K }> } {
  return fact.what.kind === kind;
}
