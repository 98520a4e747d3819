/**
 * The engine: runs the guest from rip on, for at most a given number of instructions, and says why
 * it stopped. Cold code is interpreted, hot code compiled; both are reached through the core
 * module's dispatcher, and JavaScript only runs when something happened.
 */
import { assert, unreachable } from '../base/assert.js';
import { type GuestAddr, guestAddr, USER_SPACE_END } from '../base/types.js';
import { FAULT_ADDRESS, FAULT_INFO, FAULT_PC, RCX, TICKS } from '../layout/cpuState.js';
import type { Block } from '../ir/ir.js';
import { buildCoreModule } from '../jit/coreModule.js';
import { EXIT, FAULT_BYTES, FAULT_PROBE, FAULT_STRING, FAULT_UNWRITTEN, FAULT_WATCHED, FAULT_WRITE } from '../jit/exits.js';
import { restoreDirty } from '../jit/sites.js';
import { SYS } from '../ir/sysCalls.js';
import { decodeOne, MAX_BLOCK_INSTRUCTIONS, TEST_HOLDS } from '../x86/translate.js';
import type { AddressSpace } from './addressSpace.js';
import { type CachedBlock, instructionAt } from './codeCache.js';
import { CodeSupply } from './codeSupply.js';
import type { Cpu } from './cpu.js';
import { isHookCall } from './hookCalls.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from './engineOptions.js';
import type { Instrumentation } from './instrumentation.js';
import { Instruments } from './instruments.js';
import type { LinearMemory } from './linearMemory.js';
import { imageAccess, REFUSED, SysCalls } from './sysCalls.js';
import type { KnownCode } from './knownCode/knownCode.js';
import type { ShadowFollower } from './shadow/shadowFollower.js';
import type { Access, Stop, Vector } from './stop.js';

/** Instructions between two visits to JavaScript: V8 can replace baseline code only at a call. */
const SLICE = 500_000;
/** The time stamp counter runs at 2 GHz. */
const TIME_STAMPS_PER_MILLISECOND = 2_000_000;

/** Another engine to take things from: its parts, and (for fork) what it knows of the program's code. */
export interface EngineOrigin {
  readonly engine: Engine;
  readonly withCode: boolean;
}

interface Core {
  run(): number;
  interpret(pc: number, stay: number): number;
}

export class Engine {
  /** Instructions retired so far. */
  instructions = 0;
  private readonly sysCalls: SysCalls;
  private readonly coreModule: WebAssembly.Module;
  private readonly core: Core;
  private readonly code: CodeSupply;
  private readonly instruments: Instruments;
  /** Ticks of the slice that is run, and those that are put aside while a single instruction is executed. */
  private slice = 0;
  private aside = 0;
  private stopRequested = false;
  private passesHook = false;
  /** The next instruction is executed whatever a test of registers says. */
  private passesTest = false;
  private pending: Stop | null = null;
  private codeChanged = false;
  constructor(
    readonly linear: LinearMemory,
    readonly cpu: Cpu,
    readonly space: AddressSpace,
    private readonly options: EngineOptions = DEFAULT_ENGINE_OPTIONS,
    private readonly now: () => number = () => 0,
    origin?: EngineOrigin,
  ) {
    this.sysCalls = new SysCalls(cpu, space, options.timeStamp ?? (() => Math.floor(now() * TIME_STAMPS_PER_MILLISECOND)));
    this.code = new CodeSupply(linear, cpu, space, options, now, origin && { supply: origin.engine.code, withCode: origin.withCode });
    this.instruments = new Instruments(cpu, linear, space, this.code, () => this.retired());
    this.coreModule = origin?.engine.coreModule ?? new WebAssembly.Module(options.coreModule ?? buildCoreModule());
    const instance = new WebAssembly.Instance(this.coreModule, {
      env: {
        memory: linear.memory, functions: this.code.functions,
        'js.resolve': () => this.resolve(),
        'js.sysCall': (number: number) => this.sysCall(number),
      },
    });
    this.core = instance.exports as unknown as Core;
    this.listenToSpace();
    if (origin !== undefined) this.instruments.inherit(origin.engine.instruments, origin.withCode);
  }

  /** From now on this is wanted of it, instead of what was before. The program is in its memory. */
  instrument(value: Instrumentation): void {
    this.instruments.apply(value);
  }

  get instrumentation(): Instrumentation {
    return this.instruments.value;
  }

  get stats(): { blocks: number; modules: number; regions: number; wasmBytes: number; followed: number } {
    const { cache, compiler } = this.code;
    return { blocks: cache.blocksTranslated, modules: compiler.modules, regions: compiler.regions, wasmBytes: compiler.wasmBytes, followed: this.instruments.shadow?.cost.steps ?? 0 };
  }

  /** Milliseconds spent translating and compiling. */
  get translationTime(): number {
    return this.code.translationTime;
  }

  get known(): KnownCode {
    return this.code.known;
  }

  /**
   * An engine for a copy of the address space (fork): it need not translate again what this one knows, and the same is
   * wanted of it.
   */
  fork(linear: LinearMemory, cpu: Cpu, space: AddressSpace): Engine {
    return new Engine(linear, cpu, space, this.options, this.now, { engine: this, withCode: true });
  }

  /** An engine for another program in another memory, of which the same is wanted. */
  another(linear: LinearMemory, cpu: Cpu, space: AddressSpace, options = this.options): Engine {
    return new Engine(linear, cpu, space, options, this.now, { engine: this, withCode: false });
  }

  /** It is not run any more: leaves its memory without code. */
  retire(): void {
    this.code.flush();
    this.instruments.layAside();
  }

  /** Another program is about to be loaded into its memory, which has been cleared. The same is wanted. */
  restart(): void {
    this.code.flush();
    this.instruments.restart();
    this.listenToSpace();
  }

  private listenToSpace(): void {
    this.space.onCodeWrite = (page) => this.invalidate(page);
    this.space.onFirstView = () => this.code.compiler.viewsAppeared();
  }

  /** Makes run() return `interrupted` at the next opportunity. */
  requestStop(): void {
    this.stopRequested = true;
  }

  /** The next run begins at a hook, and executes what is there. */
  passHook(): void {
    this.passesHook = true;
  }

  /** The shadow of registers and memory, if there is one. */
  get shadow(): ShadowFollower | undefined {
    return this.instruments.shadow;
  }

  /** Whose registers those of the CPU are from now on. */
  runsFor(owner: object): void {
    this.instruments.shadow?.runsFor(owner);
  }

  /**
   * Runs at most `maxInstructions`; exactly that many if nothing else stops it and `isExact`. Otherwise it may stop
   * some instructions before, where that is convenient: to go on to an exact place costs more than a thousand times as
   * many.
   */
  run(maxInstructions: number, isExact = true): Stop {
    let left = maxInstructions;
    let onBreakpoint = left > 0 && this.code.breakpoints.isPassed(this.cpu.rip, this.passesHook);
    this.instruments.hookCalls.looked = this.passesHook ? this.cpu.rip : undefined;
    this.passesHook = false;
    if (this.instruments.isDue) this.instruments.begin();
    this.instruments.shadow?.begin();
    for (;;) {
      if (this.stopRequested) {
        this.stopRequested = false;
        return { kind: 'interrupted' };
      }
      const slice = Math.min(left, SLICE);
      this.slice = slice;
      this.cpu.setNum(TICKS, slice);
      this.instruments.log?.ticksAreOf?.(this.instructions + slice);
      const stop = (onBreakpoint ? this.passBreakpoint() : null) ?? this.runSlice(isExact && left === slice);
      const isLast = left === slice;
      onBreakpoint = false;
      this.instruments.hookCalls.looked = undefined;
      const retired = slice - this.cpu.signed(TICKS);
      left -= retired;
      this.instructions += retired;
      this.instruments.log?.drain(this.instructions);
      if (stop !== null) return stop;
      if (isLast && (left === 0 || !isExact)) {
        this.code.stopped(this.cpu.rip);
        return { kind: 'budget' };
      }
    }
  }

  /** Until the ticks are used up (null; exactly, if `exact`) or something else stops it. */
  private runSlice(exact: boolean): Stop | null {
    for (;;) {
      const followed = this.follow();
      if (followed !== null) return followed;
      this.instruments.shadow?.enterCode();
      const exit = this.atSite(this.core.run());
      this.instruments.shadow?.leaveCode();
      // With no ticks left, whether there is code at rip is for the next run to find out.
      if (exit === EXIT.BUDGET || (exit === EXIT.TRANSLATE && this.cpu.num(TICKS) === 0)) {
        this.code.sliceEnded();
        return exact ? this.finishExactly() : null;
      }
      const stop = this.handle(exit);
      if (stop !== null) return stop;
    }
  }

  /** Uses up the remaining ticks, fewer than the next stretch of code has instructions, in the interpreter. */
  private finishExactly(): Stop | null {
    for (;;) {
      const followed = this.follow();
      if (followed !== null) return followed;
      const ticks = this.cpu.num(TICKS);
      if (ticks === 0) return null;
      const stop = this.code.breakpointAt(this.cpu.rip) ?? this.interpretUpTo(ticks);
      if (stop !== null) return stop;
    }
  }

  /**
   * Interprets at least one and at most `limit` instructions from rip (`limit` = the ticks that are left).
   * Without `keep` nothing is left in the cache: an instruction that writes to its own page would take itself away.
   */
  private interpretUpTo(limit: number, keep = true): Stop | null {
    const address = this.executed();
    const { passesTest } = this;
    let block = passesTest ? undefined : limit === 1 ? this.code.cache.single(address) : this.code.cache.get(address);
    let transient: CachedBlock | null = null;
    if (block === undefined || block.instructions > limit) {
      const fresh = this.freshAt(address, limit);
      if ('kind' in fresh) return fresh;
      if (this.code.cache.isFull(fresh)) this.code.flush();
      const isSingle = limit === 1 && keep && !passesTest;
      block = this.code.cache.add(fresh, isSingle ? 'single' : 'transient');
      if (!isSingle) transient = block;
      // It may change its own instructions; alone and for once, none that is still to come.
      if (isSingle || fresh.instructions > 1) this.code.markTranslated(fresh);
    }
    const count = this.cpu.lo(RCX);
    this.instruments.watch?.begin(limit === 1);
    const exit = limit === 1 ? this.core.interpret(block.bytecode, 1) : this.interpretSeveral(block);
    this.instruments.watch?.end();
    const stop = exit === EXIT.BUDGET || exit === EXIT.CONTINUE ? null : this.handle(exit);
    if (transient !== null) this.code.cache.release(transient);
    return this.withAccesses(stop, address, count !== this.cpu.lo(RCX));
  }

  private interpretSeveral({ bytecode }: CachedBlock): number {
    this.instruments.shadow?.enterCode();
    const exit = this.core.interpret(bytecode, 1);
    this.instruments.shadow?.leaveCode();
    return exit;
  }

  private freshAt(address: GuestAddr, limit: number): Block | Stop {
    if (this.passesTest) return this.code.translateUntested(address);
    return limit === 1 ? this.code.translateAlone(address) : this.code.translate(address, Math.min(limit, MAX_BLOCK_INSTRUCTIONS));
  }

  /**
   * Where the next instruction is. Code that was made on the heap is executed where it really is, whatever the pointer
   * to it.
   */
  private executed(): GuestAddr {
    const { rip } = this.cpu;
    const real = this.space.executedAddress(rip);
    if (real !== rip) this.cpu.rip = real;
    return real;
  }

  /** What an instruction at `at` that was interpreted comes to, if it has accessed watched memory. */
  private withAccesses(stop: Stop | null, at: GuestAddr, counted: boolean): Stop | null {
    const accesses = this.instruments.watch?.takeAccesses() ?? [];
    if (accesses.length === 0 || (stop !== null && !(stop.kind === 'pageFault' && counted))) return stop;
    return stop === null ? { kind: 'watched', at, accesses } : { kind: 'watched', at, accesses, partial: true };
  }

  /**
   * Interprets the instruction that compiled code could not do. What follows it is the middle of code
   * that is compiled already: it must not soon be taken for hot code of its own.
   */
  private stepAndResume(): Stop | null {
    const stop = this.step();
    this.code.resumedAt = this.cpu.rip;
    return stop;
  }

  private step(keep = true): Stop | null {
    const left = this.cpu.num(TICKS);
    // It may be a part of another step: an instruction that writes to its own page is done once more.
    const outer = this.aside;
    this.cpu.setNum(TICKS, 1);
    this.setAside(outer + left - 1);
    const stop = this.interpretUpTo(1, keep);
    this.setAside(outer);
    this.cpu.setNum(TICKS, left - 1 + this.cpu.num(TICKS));
    return stop;
  }

  private setAside(ticks: number): void {
    this.aside = ticks;
    this.instruments.log?.ticksAreOf?.(this.instructions + this.slice - ticks);
  }

  /** Goes on instruction by instruction as long as registers have shadow. */
  private follow(): Stop | null {
    while (this.instruments.shadow?.mustStep() === true && this.cpu.num(TICKS) > 0) {
      const stop = this.code.breakpointAt(this.cpu.rip) ?? this.stepFollowed();
      if (stop !== null) return stop;
    }
    return null;
  }

  /** Registers are not tested again where a run begins. */
  private passBreakpoint(): Stop | null {
    this.passesTest = this.code.hasTest(this.cpu.rip);
    const stop = this.stepFollowed();
    this.passesTest = false;
    return stop;
  }

  private stepFollowed(): Stop | null {
    return this.instruments.shadow === undefined ? this.step() : this.instruments.shadow.step(() => this.step());
  }

  /** If compiled code has stopped at a site: makes the state exact, and says what exit it is. */
  private atSite(exit: number): number {
    if (exit !== EXIT.SITE) return exit;
    const site = this.code.compiler.site(this.cpu.lo(FAULT_PC));
    restoreDirty(this.linear.u32, site);
    this.cpu.rip = site.rip;
    this.cpu.setNum(TICKS, this.cpu.signed(TICKS) - site.retired);
    if (site.unretired > 0) this.instruments.log?.left(site.unretired, this.retired());
    return site.exit;
  }

  /** Does what generated code asked for. Null: go on. */
  private handle(exit: number): Stop | null {
    switch (exit) {
      case EXIT.CONTINUE:
        return null;
      case EXIT.TRANSLATE:
        return this.code.provide(this.executed());
      case EXIT.HOT:
        this.code.heat(this.cpu.rip);
        return null;
      case EXIT.SYSCALL:
        return { kind: 'syscall' };
      case EXIT.FAULT:
        this.rewind();
        return this.fault();
      case EXIT.SLOW:
        return this.slow(this.cpu.rip);
      case EXIT.TRAP_INTERPRETED:
        this.rewind();
        if (this.cpu.lo(FAULT_INFO) === TEST_HOLDS) return { kind: 'breakpoint', at: this.cpu.rip };
        if (this.instruments.shadow?.takesAlone() === true) return null;
        return { kind: 'trap', vector: this.cpu.lo(FAULT_INFO) as Vector };
      case EXIT.TRAP:
        return { kind: 'trap', vector: this.cpu.lo(FAULT_INFO) as Vector };
      case EXIT.ASTRAY:
        return this.astray(this.cpu.rip);
      case EXIT.UNKNOWN:
        return this.unknown();
      default:
        return unreachable(`generated code returned ${exit}`);
    }
  }

  /** Compiled code cannot do the instruction at rip. If it meets watched memory that is no fault of the compiler's. */
  private slow(at: GuestAddr): Stop | null {
    const { openings } = this.space.pages;
    const stop = this.stepAndResume();
    if (this.instruments.shadow?.any === true) return stop;
    // The first access to a page (since a snapshot, for writes) is slow wherever it comes from.
    if (stop?.kind === 'watched' || stop?.kind === 'breakpoint' || this.space.pages.openings !== openings) return stop;
    if (this.instruments.watch?.any !== true || !this.code.compiler.noteNear(at)) this.code.compiler.noteSlow(at);
    return stop;
  }

  /** After a stop in the middle of an interpreted block: rip and ticks as of the instruction that stopped. */
  private rewind(): void {
    const pc = this.cpu.lo(FAULT_PC);
    const block = this.code.cache.findByPc(pc);
    const { index, address } = instructionAt(block, pc);
    this.cpu.rip = guestAddr(address);
    this.cpu.setNum(TICKS, this.cpu.signed(TICKS) + block.instructions - index);
    this.instruments.log?.left(block.instructions - index, this.retired());
  }

  private fault(): Stop | null {
    const info = this.cpu.lo(FAULT_INFO);
    if (info === FAULT_STRING || info === FAULT_UNWRITTEN) {
      this.cpu.setI32(FAULT_INFO, 0);
      if (info === FAULT_STRING) return { kind: 'breakpoint', at: this.cpu.rip };
      this.instruments.shadow?.enter();
      return null;
    }
    if (this.instruments.watch?.takeRefusal() === true) return this.step();
    if (this.codeChanged) {
      // The write itself has not happened yet; do it alone, then look the following code up afresh.
      this.codeChanged = false;
      return this.step(false);
    }
    if (this.pending?.kind === 'pageFault' && this.pending.access === 'read' && this.space.allowsLoosely(Number(this.pending.address), this.cpu.rip)) return this.stepLoosely();
    if (this.instruments.shadow?.takesAlone() === true) {
      this.pending = null;
      return null;
    }
    return this.takePending();
  }

  /** An instruction that may read over the end of a view. */
  private stepLoosely(): Stop | null {
    this.pending = null;
    this.space.isLoose = true;
    const stop = this.step();
    this.space.isLoose = false;
    return stop;
  }

  private takePending(): Stop {
    const stop = this.pending;
    this.pending = null;
    assert(stop !== null, 'a fault has a reason');
    return stop;
  }

  private unknown(): Stop {
    const at = this.cpu.rip;
    const fetched = this.space.fetch(at, 15);
    const bytes = fetched.ok ? fetched.bytes : new Uint8Array();
    const { text, length } = decodeOne(bytes, at);
    return { kind: 'unknownInstruction', at, bytes: bytes.slice(0, length), text };
  }

  /** A return went where it is not known that a call comes from. Where one does, the engine need not ask again. */
  private astray(to: GuestAddr): Stop | null {
    return this.code.isAfterCall(to) ? this.code.markAfterCall(to) : { kind: 'astray', from: this.returnedFrom() };
  }

  private returnedFrom(): GuestAddr {
    const compiled = this.cpu.num(FAULT_ADDRESS);
    if (compiled !== 0) return guestAddr(compiled);
    const pc = this.cpu.lo(FAULT_PC);
    return guestAddr(instructionAt(this.code.cache.findByPc(pc), pc).address);
  }

  private invalidate(page: GuestAddr): void {
    this.codeChanged = true;
    this.instruments.shadow?.codeChanged();
    this.code.invalidatePage(page);
  }

  /** An instruction that is done in JavaScript. 0 if it is done. */
  private sysCall(number: number): number {
    if (number === SYS.SPOTS_FULL) {
      this.instruments.log?.drain(this.retired());
      return 0;
    }
    const address = this.cpu.num(FAULT_ADDRESS);
    if (isHookCall(number)) {
      const stop = this.instruments.hookCalls.call(number, address);
      if (stop === null) return 0;
      this.pending = stop;
      this.codeChanged = false;
      return REFUSED;
    }
    const image = this.instruments.watch === undefined ? null : imageAccess(number);
    if (image !== null && this.instruments.watch?.meets(address, image.bytes, image.write) === true) {
      if (!this.instruments.watch.admits()) return REFUSED;
      this.instruments.watch.note(address, image.bytes, image.write);
    }
    const result = this.sysCalls.call(number, address);
    if (result > 0) this.pending = { kind: 'trap', vector: (result - 1) as Vector };
    return result;
  }

  private retired(): number {
    return this.instructions + this.slice - this.aside - this.cpu.signed(TICKS);
  }

  /** The slow path of a memory access: FAULT_ADDRESS and FAULT_INFO say which. 1 if it may proceed. */
  private resolve(): number {
    const info = this.cpu.lo(FAULT_INFO);
    const access: Access = (info & FAULT_WRITE) !== 0 ? 'write' : 'read';
    const address = this.cpu.big(FAULT_ADDRESS);
    if (address >= BigInt(USER_SPACE_END)) {
      this.pending = { kind: 'pageFault', address, access, mapped: false };
      return 0;
    }
    const watch = (info & FAULT_WATCHED) !== 0 ? this.instruments.watch : undefined;
    if (watch?.admits() === false) return 0;
    this.codeChanged = false;
    const result = this.space.resolve(Number(address), info & FAULT_BYTES, access);
    if (result.ok && this.codeChanged) return 0;
    if (result.ok) {
      if ((info & FAULT_PROBE) === 0) watch?.note(Number(address), info & FAULT_BYTES, access === 'write');
      return 1;
    }
    this.pending = { kind: 'pageFault', address: BigInt(result.address), access, mapped: result.mapped };
    return 0;
  }
}
