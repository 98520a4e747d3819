/**
 * Where executable code comes from: blocks that are translated, taken from what others know, or there already, and
 * regions that hot ones are compiled to. It also knows what must not be executed as it is, because there are
 * breakpoints, and what is no longer valid.
 */
import { assert } from '../base/assert.js';
import { type GuestAddr, guestAddr, pageFloor, USER_SPACE_END } from '../base/types.js';
import type { Block } from '../ir/ir.js';
import { type BlockPass, keyOf, variantAt } from '../ir/blockPass.js';
import { RIP } from '../layout/cpuState.js';
import { MAX_BLOCK_INSTRUCTIONS, Translator } from '../x86/translate.js';
import type { AddressSpace } from './addressSpace.js';
import { Breakpoints } from './breakpoints.js';
import { isAfterCall } from './callSites.js';
import { CodeCache } from './codeCache.js';
import { Compiler } from './compiler.js';
import type { Cpu } from './cpu.js';
import type { WatchedVariables } from './instrumentation.js';
import { KnownCode } from './knownCode/knownCode.js';
import type { CodeRange } from './knownCode/regionLibrary.js';
import type { TranslationLibrary } from './knownCode/translationLibrary.js';
import type { LinearMemory } from './linearMemory.js';
import type { Stop } from './stop.js';

/** Executions of code after a slow instruction before it counts as hot. */
const RESUMED_HEAD_START = 20_000;

/** Executions after which another look is taken for a region that was compiled before. */
const SOON = 32;

const SMALLEST_TABLE = 4096;
const POINTER_BYTES = 8;

export interface CodeSupplyOptions {
  /** Executions after which a block is worth compiling. */
  readonly hotThreshold: number;
  /** Interpret only. */
  readonly noCompiler: boolean;
  /** What is known from earlier runs; what becomes known is added to it. */
  readonly knownCode?: KnownCode | undefined;
}

/** Another supply to take things from, and (for fork) what is known of the program's code. */
interface CodeSupplyOrigin {
  readonly supply: CodeSupply;
  readonly withCode: boolean;
}

export class CodeSupply {
  /** Milliseconds spent translating and compiling, for --stats. */
  translationTime = 0;
  /**
   * Where compiled code was left for an instruction that it could not do. What follows is the middle of code that is
   * compiled already.
   */
  resumedAt = 0;
  readonly known: KnownCode;
  readonly cache: CodeCache;
  readonly compiler: Compiler;
  readonly breakpoints: Breakpoints;
  /** The functions that generated code calls. */
  readonly functions: WebAssembly.Table;
  private readonly translator: Translator;
  /** Of the passes that code goes through. */
  private key: string;
  /** Where translations are kept, by what the passes' keys do not say of them: keys may be long. */
  private readonly byVariant = new Map<string, TranslationLibrary>();
  /** Whether translations are shared with others. */
  private isShared = false;
  /**
   * Where runs have stopped at an exact time, perhaps in the middle of a block. What goes on from there must soon fall
   * in with the blocks there are: a long stretch without jumps would otherwise be translated again from every such
   * place. Elsewhere a block may well go over the beginning of another: most loops are tested first, at their end.
   */
  private readonly stoppedAt = new Set<GuestAddr>();
  private readonly isKnown = (address: GuestAddr): boolean => this.cache.isInTable(address);

  constructor(
    linear: LinearMemory,
    private readonly cpu: Cpu,
    private readonly space: AddressSpace,
    private readonly options: CodeSupplyOptions,
    private readonly now: () => number,
    origin?: CodeSupplyOrigin,
  ) {
    const code = origin?.withCode === true ? origin.supply : undefined;
    this.known = origin?.supply.known ?? options.knownCode ?? new KnownCode();
    origin?.supply.share();
    const isShared = origin !== undefined || options.knownCode !== undefined;
    const passes = code?.translator.passes ?? [];
    this.key = keyOf(passes);
    const library = this.known.library(this.key);
    this.cache = new CodeCache(linear, options.hotThreshold, code?.cache, isShared ? library.translations.poolForNewcomer() : undefined);
    this.translator = new Translator((address, length) => this.fetchBytes(address, length), origin?.supply.translator);
    this.translator.passes = passes;
    this.functions = new WebAssembly.Table({ element: 'anyfunc', initial: code?.compiler.tableSize ?? SMALLEST_TABLE });
    this.compiler = new Compiler(linear, this.functions, this.translator, this.cache, library.regions, {
      fetch: (address, length) => this.fetchBytes(address, length),
      isLoaded: ({ start, next }) => space.isLoaded(start) && space.isLoaded(next - 1),
      variantAt: (address) => variantAt(this.translator.passes, address),
      hasBreakpoints: (range) => (range === undefined ? this.breakpoints.any : this.isOwn(range)),
      viewsFor: ({ start }) => (!space.hasViews ? 'pages' : space.isLooseCode(start) ? 'loose views' : 'views'),
      pointerAt: (address) => this.pointerAt(address),
      markTranslated: (range) => this.markTranslated(range),
    }, code?.compiler);
    this.breakpoints = new Breakpoints(this.translator, [this.compiler, this.cache], code?.breakpoints);
    if (isShared) this.share();
  }

  /**
   * From now on code goes through these passes, instead of those before. Passes with the same keys make the same code.
   */
  setPasses(passes: readonly BlockPass[]): void {
    const key = keyOf(passes);
    this.translator.passes = passes;
    if (key === this.key) return;
    this.key = key;
    this.byVariant.clear();
    this.flush();
    this.compiler.use(this.known.library(key).regions);
  }

  /** What passes make of the instructions at these addresses is something else from now on. */
  remake(addresses: Iterable<number>): void {
    for (const address of addresses) {
      this.compiler.dropAround(address);
      this.cache.dropAround(address);
    }
  }

  /**
   * Whether code is not as it would be for others. What variables it has to do with its bytes do not say: that is from
   * debug information, which may be another one next time.
   */
  private isOwn({ start, next }: CodeRange): boolean {
    return this.breakpoints.anyIn(start, next) || this.translator.hasVariablesIn(start, next) || this.translator.passes.some((pass) => pass.isOwn?.(start, next) === true);
  }

  /** From now on others may have what is translated here. */
  private share(): void {
    if (this.isShared) return;
    this.isShared = true;
    this.cache.recordTranslations(() => this.known.library(this.key).translations.poolForNewcomer());
  }

  /** Where translations of blocks that begin there are kept for others; undefined as long as there are none. */
  private libraryAt(address: GuestAddr): TranslationLibrary | undefined {
    if (!this.isShared) return undefined;
    const variant = variantAt(this.translator.passes, address);
    let library = this.byVariant.get(variant);
    if (library !== undefined) return library;
    library = this.known.library(variant === '' ? this.key : `${this.key} ${variant}`).translations;
    this.byVariant.set(variant, library);
    return library;
  }

  /** Makes the block at `address` executable; says so if it must not or cannot be. */
  provide(address: GuestAddr): Stop | null {
    const breakpoint = this.breakpointAt(address);
    if (breakpoint !== null) return breakpoint;
    const known = this.cache.get(address);
    if (known !== undefined) {
      if (known.compiled !== 0) this.compiler.prepare(known.compiled);
      this.cache.install(known);
      return null;
    }
    if (this.takeFromLibrary(address)) {
      this.adopt(address);
      return null;
    }
    const began = this.now();
    const isInside = this.stoppedAt.delete(address) || address === this.resumedAt;
    const block = this.translate(address, MAX_BLOCK_INSTRUCTIONS, isInside ? this.isKnown : undefined);
    if ('kind' in block) return block;
    if (this.cache.isFull(block)) this.flush();
    const cached = this.cache.add(block);
    if (this.isShared && cached.next > address && !this.isOwn(cached)) {
      this.libraryAt(address)?.store(this.cache.translationOf(cached), this.fetchBytes(address, cached.next - address));
    }
    if (address === this.resumedAt) this.cache.setExecutionsLeft(cached, RESUMED_HEAD_START);
    this.markTranslated(block);
    if (!isInside) this.adopt(address);
    this.translationTime += this.now() - began;
    return null;
  }

  /** What is translated from now on tells when it returns there, and when an access leaves its variable. */
  watchVariables({ returns, bounds }: WatchedVariables): void {
    this.translator.leaves = returns.size > 0 ? returns : undefined;
    this.translator.bounds = bounds.size > 0 ? bounds : undefined;
  }

  /** At most `limit` instructions from `address` on, up to where `isKnown` says so; or why there are none. */
  translate(address: GuestAddr, limit: number, isKnown?: (address: GuestAddr) => boolean): Block | Stop {
    // A number has no room for all digits of such an address.
    if (address >= USER_SPACE_END) return { kind: 'pageFault', address: this.cpu.big(RIP), access: 'execute', mapped: false };
    return this.translator.translate(address, limit, isKnown) ?? this.notFetched();
  }

  /** One instruction that is executed alone; or why there is none. */
  translateAlone(address: GuestAddr): Block | Stop {
    if (address >= USER_SPACE_END) return { kind: 'pageFault', address: this.cpu.big(RIP), access: 'execute', mapped: false };
    return this.translator.translateAlone(address) ?? this.notFetched();
  }

  private notFetched(): Stop {
    const fetched = this.space.fetch(this.translator.missing, 1);
    assert(!fetched.ok, 'translation fails only where nothing can be fetched');
    return { kind: 'pageFault', address: BigInt(fetched.address), access: 'execute', mapped: fetched.mapped };
  }

  hasTest(at: GuestAddr): boolean {
    return this.translator.tests?.has(at) === true;
  }

  /** One instruction, as if there were no test of registers in front of it. */
  translateUntested(address: GuestAddr): Block | Stop {
    const { tests } = this.translator;
    this.translator.tests = undefined;
    const block = this.translateAlone(address);
    this.translator.tests = tests;
    return block;
  }

  breakpointAt(at: GuestAddr): Stop | null {
    return this.breakpoints.has(at) ? { kind: 'breakpoint', at } : null;
  }

  /** Whether a call comes before the code at `address`. */
  isAfterCall(address: GuestAddr): boolean {
    const known = this.cache.get(address);
    return (known !== undefined && this.cache.isAfterCall(known)) || isAfterCall((at, length) => this.fetchBytes(at, length), address);
  }

  /** The block there says so itself from now on. */
  markAfterCall(address: GuestAddr): Stop | null {
    const stop = this.cache.get(address) === undefined ? this.provide(address) : null;
    const block = this.cache.get(address);
    if (block !== undefined) this.cache.markAfterCall(block);
    return stop;
  }

  /** The block at `address` has been executed so often that it should be compiled. */
  heat(address: GuestAddr): void {
    const block = this.cache.get(address);
    if (block === undefined) return;
    if (this.compiler.isPostponed(address)) {
      // It is not hot, it was only to be looked at again; now it has to become hot.
      if (!this.compiler.adopt(block)) this.cache.setExecutionsLeft(block, this.options.hotThreshold);
      this.compiler.giveUp(address);
      return;
    }
    this.cache.reported(block);
    if (!this.options.noCompiler) this.timed(() => this.compiler.request(address));
  }

  sliceEnded(): void {
    this.timed(() => this.compiler.sliceEnded());
  }

  /** A run has stopped at an exact time. */
  stopped(at: GuestAddr): void {
    if (!this.isKnown(at)) this.stoppedAt.add(at);
  }

  /** Writes to the block's pages must be noticed from now on. */
  markTranslated(block: CodeRange): void {
    const first = pageFloor(block.start);
    this.space.markTranslated(first);
    const last = pageFloor(Math.max(block.start, block.next - 1));
    if (last !== first) this.space.markTranslated(last);
  }

  flush(): void {
    this.compiler.flush();
    this.cache.flush();
    this.stoppedAt.clear();
  }

  invalidatePage(page: GuestAddr): void {
    this.compiler.invalidatePage(page);
    this.cache.invalidatePage(page);
  }

  private adopt(address: GuestAddr): void {
    const block = this.options.noCompiler ? undefined : this.cache.get(address);
    if (block === undefined || this.compiler.adopt(block) || !this.compiler.isPostponed(address)) return;
    this.cache.setExecutionsLeft(block, SOON);
  }

  private takeFromLibrary(address: GuestAddr): boolean {
    if (address >= USER_SPACE_END) return false;
    const translation = this.libraryAt(address)?.find(address, (at, length) => this.fetchBytes(at, length));
    if (translation === undefined || this.isOwn(translation) || !this.cache.takeOver(translation)) return false;
    this.markTranslated(translation);
    return true;
  }

  private fetchBytes(address: number, length: number): Uint8Array {
    const fetched = this.space.fetch(address, length);
    return fetched.ok ? fetched.bytes : new Uint8Array();
  }

  private pointerAt(address: number): GuestAddr | undefined {
    const bytes = this.space.peek(address, POINTER_BYTES);
    const value = bytes === null ? undefined : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
    return value === undefined || value >= BigInt(USER_SPACE_END) ? undefined : guestAddr(Number(value));
  }

  private timed(work: () => void): void {
    const began = this.now();
    work();
    this.translationTime += this.now() - began;
  }
}
