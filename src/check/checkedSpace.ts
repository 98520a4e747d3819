/** What is kept for the address space of a checked process: its heap, and where the engine stops for what reason. */
import type { Process } from '../linux/process.js';
import type { CallRules } from './calls/callRules.js';
import { CallHistory } from './calls/callHistory.js';
import { IndirectFunctions } from './calls/indirectFunctions.js';
import { OpenCalls } from './calls/openCalls.js';
import { Heap } from './heap/heap.js';
import type { Pages } from './heap/storage.js';
import type { FoundFunction } from './libraries.js';
import { QuickCalls } from './quickCalls.js';

export class CheckedSpace {
  readonly heap: Heap;
  readonly history: CallHistory;
  readonly indirect: IndirectFunctions;
  readonly open: OpenCalls;
  /** Functions that we stand in for, by address. */
  readonly replaced: Map<number, string>;
  readonly resolvers: Map<number, string>;
  /** Where calls return to, or jumps land, that somebody wants to know of. */
  readonly returns: Set<number>;
  /** Calls that need no stop. */
  readonly quick: QuickCalls;
  private readonly watched: Map<number, readonly FoundFunction[]>;
  private readonly librarys: Set<string>;

  constructor(process: Process, pages: Pages, rules: CallRules, asksAtEveryFree: boolean, origin?: CheckedSpace) {
    this.heap = new Heap(process.space, pages, origin?.heap);
    this.quick = new QuickCalls(process, this.heap, asksAtEveryFree, origin?.quick);
    this.history = new CallHistory(rules.remembered, origin?.history);
    this.indirect = new IndirectFunctions(rules, this.quick.looks, origin?.indirect);
    this.open = new OpenCalls(origin?.open);
    this.replaced = new Map(origin?.replaced);
    this.resolvers = new Map(origin?.resolvers);
    this.returns = new Set(origin?.returns);
    this.watched = new Map(origin?.watched);
    this.librarys = new Set(origin?.librarys);
  }

  add(found: readonly FoundFunction[]): void {
    for (const f of found) {
      if (f.isLibrarys) this.librarys.add(f.name);
      // The first name of several is the usual one.
      if (f.role === 'replaced' && !this.replaced.has(f.address)) this.replaced.set(f.address, f.name);
      if (f.role === 'resolver') this.resolvers.set(f.address, f.name);
      if (f.role === 'watched') this.watched.set(f.address, [...(this.watched.get(f.address) ?? []), f]);
    }
  }

  /** Names of the function there. What the C library has is meant where that is called, and not what somebody else calls by the same name. */
  watchedAt(address: number): readonly string[] {
    return this.watched.get(address)?.filter((f) => f.isLibrarys || !this.librarys.has(f.name)).map(({ name }) => name) ?? [];
  }

  /** Tells the engine where to stop, and whom to ask before. */
  setHooks({ machine: { engine } }: Process): void {
    const { indirect, quick } = this;
    engine.hooks = quick;
    const places = [this.replaced, this.resolvers, this.watched, indirect.entries, indirect.landings, this.returns].flatMap((found) => [...found.keys()]);
    engine.setHooks?.(new Set(places.filter((address) => !quick.standIns.has(address) && !quick.looks.has(address))), this.returns);
  }
}
