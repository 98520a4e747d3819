/**
 * Decides what to compile and when. Hot blocks are collected and compiled many at a time, because
 * a WebAssembly module costs a hundred times what a function in it costs; the batches grow with
 * what is already compiled, so that the number of modules stays small.
 *
 * A region takes in what can be reached from a hot block and is warm, up to where other regions can
 * be entered.
 */
import { type GuestAddr, guestAddr, PAGE_SIZE, pageFloor } from '../base/types.js';
import type { Block, Value } from '../ir/ir.js';
import { OP_BY_NAME } from '../ir/ops.js';
import type { Watchfulness } from '../jit/accessChecks.js';
import { compiledWord, functionIndexOf } from '../jit/blockTable.js';
import { collectRegion, DEFAULT_REGION_LIMITS, entryAddresses, isCode, type Region, type Stub } from '../jit/region.js';
import { NEVER_ENTERED } from '../jit/regionExits.js';
import { buildRegionModule, type RegionContext } from '../jit/regionModule.js';
import type { Site } from '../jit/sites.js';
import { REGION_TICKS } from '../layout/memoryMap.js';
import type { Translator } from '../x86/translate.js';
import type { CachedBlock, CodeCache } from './codeCache.js';
import type { CodeRange, KnownModule, KnownRegion, RegionLibrary } from './knownCode/regionLibrary.js';
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
/** Instructions of what a call of another library's function goes by. */
const LONGEST_STUB = 3;
const NO_BYTES = new Uint8Array(0);
/** Different things watched of which we know what comes near to them. */
const MOST_WATCHED_SETS = 32;

interface CompiledRegion {
  readonly entries: readonly GuestAddr[];
  readonly index: number;
  /** The code it contains. */
  readonly ranges: readonly CodeRange[];
  /** More than usual if it came near to what was watched when it was made. */
  readonly watchfulness: Watchfulness;
}

/** What the compiler needs to know of the engine it works for. */
interface CompilerSurroundings {
  /** As many bytes of executable memory as there are, up to a length. */
  fetch(address: number, length: number): Uint8Array;
  /** Whether code can be fetched without loading anything. */
  isLoaded(range: CodeRange): boolean;
  /** What the code of a block depends on that neither its bytes nor the library say. */
  variantAt(address: number): string;
  /** Whether there are breakpoints: anywhere, or in a range. */
  hasBreakpoints(range?: CodeRange): boolean;
  /** How code has to look out for views: not at all if there are none. */
  viewsFor(range: CodeRange): 'pages' | 'views' | 'loose views';
  /** The address that a pointer in memory contains, if it is there and is one. */
  pointerAt(address: number): GuestAddr | undefined;
  /** Writes to this code must be noticed from now on. */
  markTranslated(range: CodeRange): void;
}

export class Compiler {
  modules = 0;
  regions = 0;
  wasmBytes = 0;
  /** What is to be compiled, and how often it has been asked for. */
  private queue = new Map<GuestAddr, number>();
  /** The regions that contain code of a page. */
  private readonly byPage = new Map<number, Set<CompiledRegion>>();
  /** Those that can be entered, by index. */
  private readonly installed = new Map<number, CompiledRegion>();
  /** Blocks for which there are regions, which could not be adopted yet. */
  private readonly postponed = new Set<GuestAddr>();
  /** Modules that blocks of ours may be compiled in. */
  private readonly built = new Set<KnownModule>();
  /** Those of them that we have an instance of. */
  private readonly instances = new Set<KnownModule>();
  private slices = 0;
  private nextCompilation = 1;
  /** Instructions that had to be interpreted, and how often. */
  private readonly slowInstructions = new Map<number, number>();
  /** Instructions that had to be interpreted because watched bytes are near what they access, and how often. */
  private nearInstructions = new Map<number, number>();
  /** The same for what else has been watched. */
  private readonly nearBySet = new Map<string, Map<number, number>>();
  private readonly context: RegionContext;

  constructor(
    private readonly linear: LinearMemory,
    private readonly table: WebAssembly.Table,
    private readonly translator: Translator,
    private readonly cache: CodeCache,
    private library: RegionLibrary,
    private readonly surroundings: CompilerSurroundings,
    origin?: Compiler,
  ) {
    this.context = {
      site: (site) => this.library.addSite(site),
      standsAlone: (address) => this.library.standAlone.has(guestAddr(address)),
      watchfulness: (region) => this.needed({ ranges: rangesOf(region) }),
    };
    if (origin !== undefined) this.copyFrom(origin);
  }

  /** Code is another one from now on, which is kept elsewhere. There must be none, as after `flush`. */
  use(library: RegionLibrary): void {
    this.library = library;
  }

  get tableSize(): number {
    return this.table.length;
  }

  /** A block that says `word` is about to be entered: from now on it can be. */
  prepare(word: number): void {
    const index = functionIndexOf(word);
    const built = [...this.built].find(({ firstIndex, endIndex }) => index >= firstIndex && index < endIndex);
    if (built !== undefined) this.instantiate(built);
  }

  /** If another process has compiled a region that can be entered at this block, it is ours now. True if so. */
  adopt(block: CachedBlock): boolean {
    const entry = block.start as GuestAddr;
    this.postponed.delete(entry);
    for (const { module, region } of this.library.at(entry)) {
      const isThere = this.installed.has(region.index);
      const usable = isThere ? 'yes' : this.isUsable(region);
      if (usable === 'later') this.postponed.add(entry);
      if (usable !== 'yes') continue;
      if (!isThere) this.installKnown(module, region);
      this.postponed.delete(entry);
      this.cache.setCompiled(block, compiledWord(region.index, region.entries.indexOf(entry)));
      return true;
    }
    return false;
  }

  giveUp(address: GuestAddr): void {
    this.postponed.delete(address);
  }

  /** Whether it may be worth while to try to adopt a region for it in a moment: not all of its code was there. */
  isPostponed(address: GuestAddr): boolean {
    return this.postponed.has(address);
  }

  /** The block at `address` is hot. If it says so again and again it has waited too long. */
  request(address: GuestAddr): void {
    const block = this.cache.get(address);
    if (block !== undefined && block.compiled === 0 && this.adopt(block)) return;
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
      const blockAt = (at: GuestAddr): Block | null => (at === address || !entries.has(at) ? this.blockFor(at, address) : null);
      const region = collectRegion(address, {
        block: blockAt, calleeBlock: blockAt, stub: (at) => this.stubAt(at), jumpTargets: [], entersLoops: true,
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
    return this.library.site(number);
  }

  /**
   * An instruction of compiled code had to be interpreted. If that happens again and again, the check
   * it shares with others probably reaches over the end of a mapping; the region is compiled anew with
   * one for it alone.
   */
  noteSlow(address: GuestAddr): void {
    if (count(address, this.slowInstructions) !== OFTEN_SLOW) return;
    this.library.standAlone.add(address);
    for (const { index } of this.dropWith(address, () => true)) this.library.forget(index);
  }

  /**
   * The same while memory is watched: probably because of that. The region is compiled anew so that it looks at lines,
   * later at every access by itself. False: it does, so that is not the reason.
   */
  noteNear(address: GuestAddr): boolean {
    if ((this.nearInstructions.get(address) ?? 0) >= VERY_OFTEN_SLOW) return false;
    const times = count(address, this.nearInstructions);
    if (times === OFTEN_SLOW) this.dropWith(address, ({ watchfulness }) => watchfulness !== 'lines' && watchfulness !== 'bytes');
    if (times === VERY_OFTEN_SLOW) this.dropWith(address, ({ watchfulness }) => watchfulness !== 'bytes');
    return true;
  }

  /**
   * Something else is watched now, which `name` stands for. Regions that look at too little for it, or at more than is
   * needed, are exchanged for those that were made for it when it was watched last.
   */
  watchedChanged(name: string): void {
    if (this.nearBySet.size > MOST_WATCHED_SETS) this.nearBySet.clear();
    this.nearInstructions = this.nearBySet.get(name) ?? new Map();
    this.nearBySet.set(name, this.nearInstructions);
    for (const region of [...this.installed.values()]) {
      if (region.watchfulness === this.needed(region)) continue;
      this.drop(region);
      for (const entry of region.entries) {
        const block = this.cache.get(entry);
        if (block !== undefined && block.compiled === 0) this.adopt(block);
      }
    }
  }

  /** There are views from now on: what does not look out for them is no good. */
  viewsAppeared(): void {
    for (const region of [...this.installed.values()]) if (region.watchfulness === 'pages') this.drop(region);
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
    this.postponed.clear();
    this.installed.clear();
    for (const { firstIndex, endIndex } of this.instances) for (let i = firstIndex; i < endIndex; i++) this.table.set(i, null);
    this.instances.clear();
    this.built.clear();
  }

  /** Drops regions that contain an instruction; says which. */
  private dropWith(address: GuestAddr, isUnfit: (region: CompiledRegion) => boolean): CompiledRegion[] {
    const unfit = [...(this.byPage.get(pageFloor(address)) ?? [])].filter((region) => isUnfit(region) && contains(region, address));
    for (const region of unfit) this.drop(region);
    return unfit;
  }

  /** Takes over what has been compiled for another memory; `cache` has the blocks already. */
  private copyFrom(origin: Compiler): void {
    this.queue = new Map(origin.queue);
    this.modules = origin.built.size;
    this.nextCompilation = this.modules;
    for (const module of origin.built) {
      this.built.add(module);
      const { firstIndex, endIndex } = module;
      const [first, end] = [REGION_TICKS / 4 + firstIndex, REGION_TICKS / 4 + endIndex];
      this.linear.u32.set(origin.linear.u32.subarray(first, end), first);
    }
    for (const [index, region] of origin.installed) this.installed.set(index, region);
    for (const [address, count] of origin.slowInstructions) this.slowInstructions.set(address, count);
    for (const [page, regions] of origin.byPage) this.byPage.set(page, new Set(regions));
  }

  private instantiate(module: KnownModule): void {
    if (this.instances.has(module)) return;
    this.instances.add(module);
    if (module.endIndex > this.table.length) this.table.grow(Math.max(this.table.length, module.endIndex - this.table.length));
    this.library.instantiate(module, this.linear.memory, this.table);
  }

  private drop(region: CompiledRegion): void {
    const { entries, index } = region;
    for (const { start, next } of region.ranges) {
      const cached = this.cache.get(start);
      if (cached !== undefined && cached.copies > 0) cached.copies--;
      for (let page = pageFloor(start); page < next; page += PAGE_SIZE) this.byPage.get(page)?.delete(region);
    }
    this.installed.delete(index);
    this.linear.u32[REGION_TICKS / 4 + index] = NEVER_ENTERED >>> 0;
    for (const entry of entries) {
      const block = this.cache.get(entry);
      if (block !== undefined && functionIndexOf(block.compiled) === index) this.cache.setCompiled(block, 0);
    }
  }

  /** What has a region of its own is left to it; what is cold is left to the interpreter. */
  private blockFor(address: GuestAddr, entry: GuestAddr): Block | null {
    const cached = this.cache.get(address);
    if (cached === undefined || !this.cache.isWarm(cached, WARM_SHARE)) return null;
    if (address !== entry && (cached.compiled !== 0 || cached.copies >= MOST_COPIES)) return null;
    return this.translator.translate(address, cached.instructions);
  }

  private stubAt(address: GuestAddr): Stub | null {
    const cached = this.cache.get(address);
    if (cached === undefined || cached.instructions > LONGEST_STUB) return null;
    const block = this.translator.translate(address, cached.instructions);
    if (block === null || block.end.kind !== 'indirect' || block.end.via !== 'jump') return null;
    const pointer = pointerOf(block, block.end.target);
    const target = pointer === undefined ? undefined : this.surroundings.pointerAt(pointer);
    if (target !== undefined) this.library.stubs.set(address, target);
    return { block, target };
  }

  private compile(regions: readonly Region[]): void {
    if (!this.library.hasRoomFor(regions.length)) return;
    const firstIndex = this.library.endIndex;
    const { bytes, ticks } = buildRegionModule(regions, firstIndex, this.context, true);
    const known = regions.map((region, i) => this.toKnown(region, firstIndex + i, ticks[i] as number));
    const module: KnownModule = { bytes, isGathered: false, firstIndex, endIndex: firstIndex + regions.length, regions: known };
    const isShared = !this.surroundings.hasBreakpoints() && !known.some(({ ranges }) => ranges.some((range) => this.surroundings.hasBreakpoints(range)));
    this.library.add(module, isShared);
    this.built.add(module);
    this.instantiate(module);
    this.modules++;
    this.nextCompilation = this.slices + Math.min(this.modules, LONGEST_WAIT);
    this.regions += regions.length;
    this.wasmBytes += bytes.length;
    for (const region of known) this.install(region);
  }

  /**
   * How watchful a region with this code has to be: as much as its instruction needs that has been near to watched
   * memory most often.
   */
  private needed(region: { readonly ranges: readonly CodeRange[] }): Watchfulness {
    let most = 0;
    for (const [address, times] of this.nearInstructions) if (times > most && contains(region, address)) most = times;
    return most >= VERY_OFTEN_SLOW ? 'bytes' : most >= OFTEN_SLOW ? 'lines' : this.surroundings.viewsFor(region.ranges[0] as CodeRange);
  }

  private toKnown(region: Region, index: number, ticks: number): KnownRegion {
    const ranges = rangesOf(region);
    return { index, watchfulness: this.needed({ ranges }), entries: entryAddresses(region), ranges, ticks, source: this.sourceOf(ranges) };
  }

  private sourceOf(ranges: readonly CodeRange[]): Uint8Array {
    const variants = this.variantsOf(ranges);
    const source = new Uint8Array(ranges.reduce((sum, { start, next }) => sum + next - start, variants.length));
    source.set(variants, source.length - variants.length);
    let at = 0;
    for (const { start, next } of ranges) {
      source.set(this.surroundings.fetch(start, next - start), at);
      at += next - start;
    }
    return source;
  }

  /** What is compared besides bytes: nothing, as a rule. */
  private variantsOf(ranges: readonly CodeRange[]): Uint8Array {
    const variants = ranges.map(({ start }) => this.surroundings.variantAt(start));
    return variants.every((variant) => variant === '') ? NO_BYTES : new TextEncoder().encode(variants.join());
  }

  /**
   * Whether the same code is there. Nothing is loaded to find out: how much memory a program uses must not depend on
   * what is known.
   */
  private isUsable(region: KnownRegion): 'yes' | 'no' | 'later' {
    const { ranges, source } = region;
    if (region.watchfulness !== this.needed(region)) return 'no';
    if (!ranges.every((range) => this.surroundings.isLoaded(range))) return 'later';
    let at = 0;
    for (const range of ranges) {
      const length = range.next - range.start;
      const code = this.surroundings.fetch(range.start, length);
      if (code.length < length || this.surroundings.hasBreakpoints(range)) return 'no';
      for (let i = 0; i < length; i++) if (code[i] !== source[at + i]) return 'no';
      at += length;
    }
    const variants = this.variantsOf(ranges);
    return variants.length === source.length - at && variants.every((byte, i) => byte === source[at + i]) ? 'yes' : 'no';
  }

  private installKnown(module: KnownModule, region: KnownRegion): void {
    if (!this.built.has(module)) {
      this.linear.u32.fill(NEVER_ENTERED >>> 0, REGION_TICKS / 4 + module.firstIndex, REGION_TICKS / 4 + module.endIndex);
      this.built.add(module);
    }
    this.instantiate(module);
    for (const range of region.ranges) this.surroundings.markTranslated(range);
    this.install(region);
  }

  private install(region: KnownRegion): void {
    const { index, entries, ranges } = region;
    this.linear.u32[REGION_TICKS / 4 + index] = region.ticks;
    entries.forEach((address, which) => {
      const cached = this.cache.get(address);
      if (cached !== undefined && (cached.compiled === 0 || !this.installed.has(functionIndexOf(cached.compiled)))) this.cache.setCompiled(cached, compiledWord(index, which));
    });
    const compiled: CompiledRegion = { entries, index, watchfulness: region.watchfulness, ranges };
    this.installed.set(index, compiled);
    for (const { start, next } of ranges) {
      const cached = this.cache.get(start);
      if (cached !== undefined) cached.copies++;
      for (let page = pageFloor(start); page < next; page += PAGE_SIZE) {
        const set = this.byPage.get(page) ?? new Set();
        this.byPage.set(page, set.add(compiled));
      }
    }
  }
}

function rangesOf({ nodes }: Region): CodeRange[] {
  return nodes.filter(isCode).map(({ block }) => ({ start: block.start, next: block.next }));
}

function contains({ ranges }: { readonly ranges: readonly CodeRange[] }, address: number): boolean {
  return ranges.some(({ start, next }) => address >= start && address < next);
}

function count(address: GuestAddr, instructions: Map<number, number>): number {
  const times = (instructions.get(address) ?? 0) + 1;
  instructions.set(address, times);
  return times;
}

const LOAD = OP_BY_NAME.get('load64')?.id;
const CONST = OP_BY_NAME.get('i64.const')?.id;

/** Where a value of the block is loaded from, if that is always the same place. */
function pointerOf(block: Block, value: Value): number | undefined {
  const load = block.nodes[value];
  if (load === undefined || load.op !== LOAD) return undefined;
  const address = block.nodes[load.a];
  return address === undefined || address.op !== CONST ? undefined : Number(address.big) + load.imm;
}
