/**
 * Decides what to compile and when. Hot blocks are collected and compiled many at a time, because
 * a WebAssembly module costs a hundred times what a function in it costs; the batches grow with
 * what is already compiled, so that the number of modules stays small.
 *
 * A region takes in what can be reached from a hot block and is warm, up to where other regions can
 * be entered.
 */
import { type GuestAddr, PAGE_SIZE, pageFloor } from '../base/types.js';
import type { Watchfulness } from '../jit/accessChecks.js';
import { OP_BY_NAME } from '../ir/ops.js';
import { compiledWord, functionIndexOf } from '../jit/blockTable.js';
import { FIRST_REGION_INDEX } from '../jit/coreModule.js';
import { collectRegion, DEFAULT_REGION_LIMITS, entryAddresses, type Region } from '../jit/region.js';
import { NEVER_ENTERED } from '../jit/regionExits.js';
import { buildRegionModule, type RegionContext } from '../jit/regionModule.js';
import type { Site } from '../jit/sites.js';
import { REGION_TICKS } from '../layout/memoryMap.js';
import type { Translator } from '../x86/translate.js';
import type { CodeCache } from './codeCache.js';
import type { LinearMemory } from './linearMemory.js';

const LARGEST_BATCH = 256;
/** Requests for a block that make the queue be compiled at once. */
const PATIENCE = 4;
/** Slices of time that the queue waits at most. */
const LONGEST_WAIT = 100;
/** Regions that may have a copy of the same block; after that it gets a region of its own. */
const MOST_COPIES = 3;
/** How often an instruction may leave compiled code before the compiler is to mind. */
const OFTEN_SLOW = 500;
/** How often if it looks at lines of watched memory already. */
const VERY_OFTEN_SLOW = 2 * OFTEN_SLOW;
/** A block is taken into a region if it has run at least one in so many times of what makes it hot. */
const WARM_SHARE = 16;

const INSN = OP_BY_NAME.get('insn')?.id;

interface CompiledRegion {
  readonly entries: readonly GuestAddr[];
  readonly index: number;
  /** The code it contains. */
  readonly ranges: readonly { readonly start: number; readonly next: number }[];
  /** More than usual if it came near to what was watched when it was made. */
  readonly watchfulness: Watchfulness;
}

/** A module of compiled regions. Processes share it; each has an instance of its own if it needs it. */
interface BuiltModule {
  readonly module: WebAssembly.Module;
  readonly firstIndex: number;
  readonly endIndex: number;
  instantiated: boolean;
}

export class Compiler {
  modules = 0;
  regions = 0;
  wasmBytes = 0;
  /** What is to be compiled, and how often it has been asked for. */
  private queue = new Map<GuestAddr, number>();
  private nextIndex = FIRST_REGION_INDEX;
  /** The regions that contain code of a page. */
  private readonly byPage = new Map<number, Set<CompiledRegion>>();
  private sites: Site[] = [];
  private built: BuiltModule[] = [];
  private slices = 0;
  private nextCompilation = 1;
  /** Instructions that had to be interpreted, and how often. */
  private readonly slowInstructions = new Map<number, number>();
  /** Instructions that had to be interpreted because watched bytes are near what they access, and how often. */
  private readonly nearInstructions = new Map<number, number>();
  private readonly context: RegionContext;

  constructor(
    private readonly linear: LinearMemory,
    private readonly table: WebAssembly.Table,
    private readonly translator: Translator,
    private readonly cache: CodeCache,
    origin?: Compiler,
  ) {
    this.context = {
      site: (site) => this.sites.push(site) - 1,
      standsAlone: (address) => (this.slowInstructions.get(address) ?? 0) >= OFTEN_SLOW,
      watchfulness: (region) => this.watchfulness(region),
    };
    if (origin !== undefined) this.copyFrom(origin);
  }

  get tableSize(): number {
    return this.table.length;
  }

  /** A block that says `word` is about to be entered: from now on it can be. */
  prepare(word: number): void {
    const index = functionIndexOf(word);
    const built = this.built.find(({ firstIndex, endIndex }) => index >= firstIndex && index < endIndex);
    if (built !== undefined) this.instantiate(built);
  }

  /** The block at `address` is hot. If it says so again and again it has waited too long. */
  request(address: GuestAddr): void {
    const requests = (this.queue.get(address) ?? 0) + 1;
    this.queue.set(address, requests);
    if (requests >= PATIENCE || this.queue.size >= LARGEST_BATCH) this.compileQueue();
  }

  /**
   * A slice of time is over. What waits is compiled after a while, which gets longer with every module
   * there is: code in many modules lies on many pages, and jumping between them is slow.
   */
  sliceEnded(): void {
    if (++this.slices >= this.nextCompilation) this.compileQueue();
  }

  /** Compiles what has been asked for. */
  compileQueue(): void {
    if (this.queue.size === 0) return;
    // Functions begin at low addresses: a region that starts there has the rest of the function as entries.
    const queue = [...this.queue.keys()].sort((a, b) => a - b);
    const hot = new Set(queue);
    this.queue.clear();
    const regions: Region[] = [];
    const inside = new Set<number>();
    const entries = new Set<number>();
    for (const address of queue) {
      const block = this.cache.get(address);
      if (block === undefined || block.compiled !== 0 || entries.has(address)) continue;
      // Part of a region of this batch. Should it be entered from outside often, it will ask again.
      if (inside.has(address) && block.copies === 0) continue;
      const region = collectRegion(address, {
        block: (at) => (at === address || !entries.has(at) ? this.blockFor(at, address) : null),
        isWanted: (at) => hot.has(at) && (this.cache.get(at)?.copies ?? 0) > 0,
      }, DEFAULT_REGION_LIMITS);
      if (region === null) continue;
      for (const node of region.nodes) inside.add(node.block.start);
      for (const entry of entryAddresses(region)) entries.add(entry);
      regions.push(region);
    }
    if (regions.length > 0) this.compile(regions);
  }

  site(number: number): Site {
    return this.sites[number] as Site;
  }

  /**
   * An instruction of compiled code had to be interpreted. If that happens again and again, the check
   * it shares with others probably reaches over the end of a mapping; the region is compiled anew with
   * one for it alone.
   */
  noteSlow(address: GuestAddr): void {
    if (count(address, this.slowInstructions) === OFTEN_SLOW) this.dropWith(address, () => true);
  }

  /**
   * The same while memory is watched: probably because of that. The region is compiled anew so that it looks at lines, later at every
   * access by itself. False: it does, so that is not the reason.
   */
  noteNear(address: GuestAddr): boolean {
    if ((this.nearInstructions.get(address) ?? 0) >= VERY_OFTEN_SLOW) return false;
    const times = count(address, this.nearInstructions);
    if (times === OFTEN_SLOW) this.dropWith(address, ({ watchfulness }) => watchfulness === 'pages');
    if (times === VERY_OFTEN_SLOW) this.dropWith(address, ({ watchfulness }) => watchfulness !== 'bytes');
    return true;
  }

  /** Something else is watched now. Looking at lines costs little, and whoever came near to one thing may come near to others. */
  forgetNear(): void {
    for (const [address, times] of this.nearInstructions) if (times > OFTEN_SLOW) this.nearInstructions.set(address, OFTEN_SLOW);
    const regions = new Set([...this.byPage.values()].flatMap((onPage) => [...onPage]));
    for (const region of regions) if (region.watchfulness === 'bytes') this.drop(region);
  }

  /** Drops the regions that contain code of a page. */
  invalidatePage(page: number): void {
    for (const region of [...(this.byPage.get(page) ?? [])]) this.drop(region);
  }

  /** Drops the regions with a block that contains an address, begins or ends there. */
  dropAround(address: number): void {
    for (const region of [...(this.byPage.get(pageFloor(address)) ?? [])]) {
      if (region.ranges.some(({ start, next }) => start <= address && address <= next)) this.drop(region);
    }
  }

  flush(): void {
    this.queue.clear();
    this.byPage.clear();
    for (let i = FIRST_REGION_INDEX; i < this.nextIndex; i++) this.table.set(i, null);
    this.nextIndex = FIRST_REGION_INDEX;
    this.sites = [];
    this.built = [];
  }

  /** Drops regions that contain an instruction. */
  private dropWith(address: GuestAddr, isUnfit: (region: CompiledRegion) => boolean): void {
    for (const region of [...(this.byPage.get(pageFloor(address)) ?? [])]) {
      if (isUnfit(region) && region.ranges.some(({ start, next }) => address >= start && address < next)) this.drop(region);
    }
  }

  /** Takes over what has been compiled for another memory; `cache` has the blocks already. */
  private copyFrom(origin: Compiler): void {
    this.queue = new Map(origin.queue);
    this.sites = origin.sites.slice();
    this.nextIndex = origin.nextIndex;
    this.modules = origin.built.length;
    this.nextCompilation = this.modules;
    this.built = origin.built.map((built) => ({ ...built, instantiated: false }));
    const [first, end] = [REGION_TICKS / 4 + FIRST_REGION_INDEX, REGION_TICKS / 4 + this.nextIndex];
    this.linear.u32.set(origin.linear.u32.subarray(first, end), first);
    for (const [address, count] of origin.slowInstructions) this.slowInstructions.set(address, count);
    for (const [page, regions] of origin.byPage) this.byPage.set(page, new Set(regions));
  }

  private instantiate(built: BuiltModule): void {
    if (built.instantiated) return;
    built.instantiated = true;
    new WebAssembly.Instance(built.module, { env: { memory: this.linear.memory, functions: this.table } });
  }

  private drop(region: CompiledRegion): void {
    const { entries, index } = region;
    for (const { start, next } of region.ranges) {
      const cached = this.cache.get(start);
      if (cached !== undefined) cached.copies--;
      for (let page = pageFloor(start); page < next; page += PAGE_SIZE) this.byPage.get(page)?.delete(region);
    }
    this.table.set(index, null);
    this.linear.u32[REGION_TICKS / 4 + index] = NEVER_ENTERED >>> 0;
    for (const entry of entries) {
      const block = this.cache.get(entry);
      if (block !== undefined && functionIndexOf(block.compiled) === index) this.cache.setCompiled(block, 0);
    }
  }

  /** What has a region of its own is left to it; what is cold is left to the interpreter. */
  private blockFor(address: GuestAddr, entry: GuestAddr): ReturnType<Translator['translate']> {
    const cached = this.cache.get(address);
    if (cached === undefined || !this.cache.isWarm(cached, WARM_SHARE)) return null;
    if (address !== entry && (cached.compiled !== 0 || cached.copies >= MOST_COPIES)) return null;
    return this.translator.translate(address, cached.instructions);
  }

  private compile(regions: readonly Region[]): void {
    const first = this.nextIndex;
    this.nextIndex += regions.length;
    if (this.nextIndex > this.table.length) this.table.grow(Math.max(this.table.length, regions.length));
    const bytes = buildRegionModule(regions, first, this.context, true);
    const module = new WebAssembly.Module(bytes);
    const built = { module, firstIndex: first, endIndex: this.nextIndex, instantiated: false };
    this.built.push(built);
    this.instantiate(built);
    this.modules++;
    this.nextCompilation = this.slices + Math.min(this.modules, LONGEST_WAIT);
    this.regions += regions.length;
    this.wasmBytes += bytes.length;
    regions.forEach((region, i) => this.install(region, first + i));
  }

  /** As much as the instruction needs that has been near to watched memory most often. */
  private watchfulness({ nodes }: Region): Watchfulness {
    if (this.nearInstructions.size === 0) return 'pages';
    let most = 0;
    for (const { block } of nodes) for (const { op, imm } of block.nodes) if (op === INSN) most = Math.max(most, this.nearInstructions.get(imm) ?? 0);
    return most >= VERY_OFTEN_SLOW ? 'bytes' : most >= OFTEN_SLOW ? 'lines' : 'pages';
  }

  private install(region: Region, index: number): void {
    this.linear.u32[REGION_TICKS / 4 + index] = region.instructions;
    const entries = entryAddresses(region);
    entries.forEach((address, which) => {
      const cached = this.cache.get(address);
      if (cached !== undefined) this.cache.setCompiled(cached, compiledWord(index, which));
    });
    const watchfulness = this.watchfulness(region);
    const compiled: CompiledRegion = { entries, index, watchfulness, ranges: region.nodes.map(({ block }) => ({ start: block.start, next: block.next })) };
    for (const { block } of region.nodes) {
      const cached = this.cache.get(block.start);
      if (cached !== undefined) cached.copies++;
      for (let page = pageFloor(block.start); page < block.next; page += PAGE_SIZE) {
        const set = this.byPage.get(page) ?? new Set();
        this.byPage.set(page, set.add(compiled));
      }
    }
  }
}

function count(address: GuestAddr, instructions: Map<number, number>): number {
  const times = (instructions.get(address) ?? 0) + 1;
  instructions.set(address, times);
  return times;
}
