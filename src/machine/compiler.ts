/**
 * Decides what to compile and when. Hot blocks are collected and compiled many at a time, because
 * a WebAssembly module costs a hundred times what a function in it costs; the batches grow with
 * what is already compiled, so that the number of modules stays small.
 *
 * First a region takes in what has no region yet, so that nothing is compiled twice. Samples of where
 * the program is, taken whenever a slice of time ends, then show which regions matter most. Those are
 * compiled again, together, larger, and with the calls they make inside them.
 */
import { type GuestAddr, guestAddr, PAGE_SIZE, pageFloor } from '../base/types.js';
import { collectRegion, DEFAULT_REGION_LIMITS, HOTTEST_REGION_LIMITS, type Region } from '../jit/region.js';
import { REGION_TICKS } from '../layout/memoryMap.js';
import { FIRST_REGION_INDEX } from '../jit/coreModule.js';
import { NEVER_ENTERED } from '../jit/regionCompiler.js';
import { buildRegionModule, type RegionContext } from '../jit/regionModule.js';
import type { Site } from '../jit/sites.js';
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
/** The hottest regions are compiled together after so many samples, and again after so many times as many. */
const FIRST_CONSOLIDATION = 1500;
const CONSOLIDATION_GROWTH = 8;
const LARGEST_CONSOLIDATION = 500;
/** Share of the slices that end at the entry of a region, above which it is worth having regions close together. */
const JUMPY_SHARE = 0.8;
/** Share of the samples that makes a region one of the hottest. */
const SMALLEST_SHARE = 0.0005;
/** A block is taken into a region if it has run at least one in so many times of what made the entry hot. */
const WARM_SHARE = 16;

interface CompiledRegion {
  readonly entry: GuestAddr;
  readonly index: number;
  /** The code it contains. */
  readonly ranges: readonly { readonly start: number; readonly next: number }[];
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
  private readonly samples = new Map<number, number>();
  private sampleCount = 0;
  private nextConsolidation = FIRST_CONSOLIDATION;
  private slices = 0;
  private nextCompilation = 1;
  /** Instructions that had to be interpreted, and how often. */
  private readonly slowInstructions = new Map<number, number>();
  private readonly context: RegionContext = {
    site: (site) => this.sites.push(site) - 1,
    standsAlone: (address) => (this.slowInstructions.get(address) ?? 0) >= OFTEN_SLOW,
  };

  constructor(
    private readonly linear: LinearMemory,
    private readonly table: WebAssembly.Table,
    private readonly translator: Translator,
    private readonly cache: CodeCache,
    origin?: Compiler,
  ) {
    if (origin !== undefined) this.copyFrom(origin);
  }

  get tableSize(): number {
    return this.table.length;
  }

  /** The region is about to be entered: from now on it can be. */
  prepare(index: number): void {
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
   * A slice of time is over, and the program was about to enter the code at `address`. What waits is
   * compiled after a while, which gets longer with every module there is: code in many modules lies
   * on many pages, and jumping between them is slow.
   */
  sliceEnded(address: GuestAddr): void {
    if (++this.slices >= this.nextCompilation) this.compileQueue();
    const block = this.cache.get(address);
    if (block === undefined || block.compiled === 0) return;
    this.samples.set(address, (this.samples.get(address) ?? 0) + 1);
    if (++this.sampleCount < this.nextConsolidation) return;
    this.nextConsolidation = this.sampleCount * CONSOLIDATION_GROWTH;
    // Slices that end inside of loops say that there is little jumping from region to region.
    if (this.sampleCount > this.slices * JUMPY_SHARE) this.consolidate();
  }

  /** Compiles what has been asked for. */
  compileQueue(): void {
    const queue = this.queue;
    if (queue.size === 0) return;
    this.queue = new Map();
    const regions: Region[] = [];
    const inside = new Set<number>();
    for (const address of queue.keys()) {
      const block = this.cache.get(address);
      if (block === undefined || block.compiled !== 0) continue;
      // Part of a region of this batch. Should it be entered from outside often, it will ask again.
      if (inside.has(address) && block.reports <= 1) continue;
      const region = collectRegion(address, (at) => this.blockFor(at, address), DEFAULT_REGION_LIMITS);
      if (region === null) continue;
      for (const node of region.nodes) inside.add(node.block.start);
      regions.push(region);
    }
    if (regions.length > 0) this.compile(regions);
  }

  /** Compiles the hottest regions again, in one module. */
  private consolidate(): void {
    const least = Math.max(2, this.sampleCount * SMALLEST_SHARE);
    const hottest = [...this.samples].filter(([, count]) => count >= least).sort((a, b) => b[1] - a[1]);
    this.samples.clear();
    const regions = hottest.slice(0, LARGEST_CONSOLIDATION).flatMap(([address]) => {
      const region = collectRegion(guestAddr(address), (at) => this.warmBlock(at), HOTTEST_REGION_LIMITS);
      return region === null ? [] : [region];
    });
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
    const count = (this.slowInstructions.get(address) ?? 0) + 1;
    this.slowInstructions.set(address, count);
    if (count !== OFTEN_SLOW) return;
    for (const region of [...(this.byPage.get(pageFloor(address)) ?? [])]) {
      if (region.ranges.some(({ start, next }) => address >= start && address < next)) this.drop(region);
    }
  }

  /** Drops the regions that contain code of a page. */
  invalidatePage(page: number): void {
    for (const region of [...(this.byPage.get(page) ?? [])]) this.drop(region);
  }

  flush(): void {
    this.queue.clear();
    this.byPage.clear();
    for (let i = FIRST_REGION_INDEX; i < this.nextIndex; i++) this.table.set(i, null);
    this.nextIndex = FIRST_REGION_INDEX;
    this.sites = [];
    this.built = [];
    this.samples.clear();
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
    const { entry, index } = region;
    for (const { start, next } of region.ranges) {
      const cached = this.cache.get(start);
      if (cached !== undefined) cached.copies--;
      for (let page = pageFloor(start); page < next; page += PAGE_SIZE) this.byPage.get(page)?.delete(region);
    }
    this.table.set(index, null);
    this.linear.u32[REGION_TICKS / 4 + index] = NEVER_ENTERED >>> 0;
    const block = this.cache.get(entry);
    if (block?.compiled === index) this.cache.setCompiled(block, 0);
  }

  /** What has a region of its own is left to it; what is cold is left to the interpreter. */
  private blockFor(address: GuestAddr, entry: GuestAddr): ReturnType<Translator['translate']> {
    const cached = this.cache.get(address);
    if (cached === undefined || (address !== entry && (cached.compiled !== 0 || cached.copies >= MOST_COPIES))) return null;
    return this.warmBlock(address);
  }

  private warmBlock(address: GuestAddr): ReturnType<Translator['translate']> {
    const cached = this.cache.get(address);
    if (cached === undefined || !this.cache.isWarm(cached, WARM_SHARE)) return null;
    return this.translator.translate(address);
  }

  private compile(regions: readonly Region[]): void {
    const first = this.nextIndex;
    this.nextIndex += regions.length;
    if (this.nextIndex > this.table.length) this.table.grow(Math.max(this.table.length, regions.length));
    const bytes = buildRegionModule(regions, first, this.context);
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

  private install(region: Region, index: number): void {
    const entry = this.cache.get(region.entry);
    if (entry === undefined) return;
    this.linear.u32[REGION_TICKS / 4 + index] = region.instructions;
    this.cache.setCompiled(entry, index);
    const compiled: CompiledRegion = { entry: region.entry, index, ranges: region.nodes.map(({ block }) => ({ start: block.start, next: block.next })) };
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
