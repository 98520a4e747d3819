/** What is kept for the address space of a checked process: its heap, and where the engine stops for what reason. */
import type { Process } from '../linux/process.js';
import type { AddressSpace } from '../machine/addressSpace.js';
import { type Hooks, type Instrumentation, PLAIN } from '../machine/instrumentation.js';
import { type CallRules, isLanding } from './calls/callRules.js';
import type { QuickTest } from './calls/quickTest.js';
import { AllocatingCalls } from './calls/allocatingCalls.js';
import { calledAddress } from './calls/calledAddress.js';
import { CallHistory } from './calls/callHistory.js';
import { CodePlaces } from './calls/codePlaces.js';
import { IndirectFunctions } from './calls/indirectFunctions.js';
import { OpenCalls } from './calls/openCalls.js';
import { ErrnoPlace } from './errnoPlace.js';
import { Heap } from './heap/heap.js';
import type { Pages } from './heap/storage.js';
import { Locals } from './variables/locals.js';
import type { Bound } from './variables/boundedAccesses.js';
import { Bounds } from './variables/bounds.js';
import { Globals } from './variables/globals.js';
import { type FoundFunction, isLibraryCode } from './libraries.js';
import { StackEnds } from './leaks/stackEnds.js';
import { ThreadPlaces } from './leaks/threadPlaces.js';
import { QuickCalls } from './quickCalls.js';

/** What is on the stack when it is called is all that anybody can still use. */
export const EXIT = 'exit';

/** What rules need. */
export interface Needs extends Pick<Instrumentation, 'checksReturns' | 'shadow'> {
  /** Accesses are looked at. */
  readonly views: boolean;
  /** Rules want to be asked whenever memory is freed. */
  readonly everyFree: boolean;
  readonly allocatingCalls: ReadonlySet<string>;
  /** Says at what places of code the engine stops (Interceptor.codeKey). */
  readonly codeKey: string;
  /** Which way blocks follow each other. */
  readonly heapOrder?: 'up' | 'down' | undefined;
}

export class CheckedSpace {
  readonly heap: Heap;
  readonly locals: Locals;
  readonly globals: Globals;
  readonly bounds: Bounds;
  readonly history: CallHistory;
  readonly indirect: IndirectFunctions;
  readonly places: CodePlaces;
  readonly open: OpenCalls;
  readonly allocating: AllocatingCalls;
  readonly errno: ErrnoPlace;
  /** Functions that we stand in for, by address. */
  readonly replaced: Map<number, string>;
  readonly resolvers: Map<number, string>;
  /** Where calls return to, or jumps land, that a rule wants to know of. */
  readonly returns: Set<number>;
  readonly stacks: StackEnds;
  readonly threadPlaces: ThreadPlaces;
  /** Numbers of blocks that libraries have for themselves. */
  readonly librarysOwn: Set<number>;
  /** Calls that need no stop. */
  readonly quick: QuickCalls;
  private readonly watched: Map<number, readonly FoundFunction[]>;
  private readonly tests = new Map<string, QuickTest | undefined>();
  private readonly librarys: Set<string>;

  constructor(process: Process, pages: Pages, private readonly rules: CallRules, private readonly needs: Needs, origin?: CheckedSpace) {
    this.heap = new Heap(process.space, pages, needs.views, origin?.heap, needs.heapOrder);
    this.locals = new Locals(process.space, origin?.locals);
    this.globals = new Globals(origin?.globals);
    this.bounds = new Bounds(origin?.bounds);
    this.quick = new QuickCalls(process, this.heap, { locals: this.locals, globals: this.globals }, needs.everyFree, origin?.quick);
    this.history = new CallHistory(rules.remembered, origin?.history);
    this.places = new CodePlaces(origin?.places);
    this.indirect = new IndirectFunctions(rules, this.quick.looks, this.places, origin?.indirect);
    this.open = new OpenCalls(origin?.open);
    this.allocating = new AllocatingCalls(needs.allocatingCalls, origin?.allocating);
    this.errno = new ErrnoPlace(process);
    this.replaced = new Map(origin?.replaced);
    this.resolvers = new Map(origin?.resolvers);
    this.returns = new Set(origin?.returns);
    this.stacks = new StackEnds(origin?.stacks);
    this.threadPlaces = new ThreadPlaces(process.space);
    this.librarysOwn = new Set(origin?.librarysOwn);
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

  /**
   * Whether a function takes powers of two only: aligned_alloc does since it is another function than memalign (glibc
   * 2.38).
   */
  hasStrictAlignment(name: string): boolean {
    return name === 'aligned_alloc' && [...this.replaced.values()].includes('memalign');
  }

  /** Accesses that have to stay in their variables. Where pointers lead to a view, that says so itself. */
  addBounds(bounds: ReadonlyMap<number, Bound>): void {
    this.bounds.add(new Map([...bounds].filter(([, bound]) => bound.kind === 'frame' || this.globals.viewOf(bound.variable) === undefined)));
  }

  /**
   * Names of the function there. What the C library has is meant where that is called, and not what other code calls
   * by the same name.
   */
  watchedAt(address: number): readonly string[] {
    return this.watched.get(address)?.filter((f) => f.isLibrarys || !this.librarys.has(f.name)).map(({ name }) => name) ?? [];
  }

  /**
   * Whether a function of the C library that the program has called goes on in the one at an address: they return to
   * the same place.
   */
  isJumpedTo(space: AddressSpace, address: number, returnsTo: number): boolean {
    const called = this.watched.has(address) ? calledAddress(space, returnsTo) : undefined;
    if (called === undefined || called === address) return false;
    return isLibraryCode(space.find(called)) || this.watched.get(called)?.some((f) => f.isLibrarys) === true;
  }

  /** Tells the engine what the rules want of it as things are: where to stop, and whom to ask before. */
  instrument({ machine: { engine } }: Process): void {
    const { checksReturns, shadow } = this.needs;
    const variables = { returns: this.locals.returns, bounds: this.bounds.checked, globals: this.globals.all };
    engine.instrument?.({ ...(engine.instrumentation ?? PLAIN), hooks: this.hooks(), variables, checksReturns, shadow });
  }

  private hooks(): Hooks {
    const { indirect, quick } = this;
    const landings = [...this.watched].filter(([, found]) => found.every(({ name }) => isLanding(name))).map(([address]) => address);
    const seesReturns = [...this.watched.values()].some((found) => found.some(({ name }) => this.rules.returns.has(name)));
    const isPassed = seesReturns || this.locals.any ? new Set<number>() : new Set(landings);
    const places = [this.replaced, this.resolvers, this.watched, indirect.entries, indirect.landings, this.returns, this.bounds.left].flatMap((found) => [...found.keys()]);
    const looked = new Set([...this.watched.keys()].filter((address) => this.canLookAt(address)));
    const stops = places.filter((address) => !quick.standsInAt(address) && !quick.looks.has(address) && !isPassed.has(address));
    const changing = new Set([...this.returns, ...this.bounds.left, ...landings]);
    return { addresses: new Set(stops), changing, looks: looked, handler: quick, key: this.needs.codeKey };
  }

  /** Whether a quick look at a call of the watched function is enough, as a rule. */
  private canLookAt(address: number): boolean {
    if (this.replaced.has(address) || this.resolvers.has(address) || this.returns.has(address) || this.bounds.left.has(address)) return false;
    const names = this.watchedAt(address);
    const tests = names.map((name) => this.testFor(name));
    const known = tests.filter((test) => test !== undefined);
    if (known.length < tests.length || names.includes(EXIT)) return false;
    this.quick.looks.set(address, (call) => known.some((test) => test(call)));
    return true;
  }

  /** Whether a rule about calls of the function may be broken by the one that is about to be made. */
  mayBreakRule(name: string): boolean {
    return this.testFor(name)?.(this.quick) !== false;
  }

  private testFor(name: string): QuickTest | undefined {
    const known = this.tests.get(name);
    if (known !== undefined || this.tests.has(name)) return known;
    const made = this.rules.quickTest(name);
    this.tests.set(name, made);
    return made;
  }
}
