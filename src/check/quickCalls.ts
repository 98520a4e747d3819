/**
 * Calls of functions that we stand in for, in the middle of the program's code (machine/hooks.ts): those that need no more than a piece of memory that is at hand and an address for it, and that no rule
 * can object to. All others are refused, and come to the checker as stops of the engine.
 */
import { PAGE_SIZE } from '../base/types.js';
import { R8, RAX, RBP, RCX, RDI, RDX, RSP, type Slot } from '../layout/cpuState.js';
import { GUEST_SPACE_SIZE } from '../layout/memoryMap.js';
import type { Process } from '../linux/process.js';
import { linearOffset } from '../machine/addressSpaceAccess.js';
import type { HookAnswer, HookHandler } from '../machine/hooks.js';
import { PageMap } from '../machine/pageMap.js';
import { isGlobalAddress, isLocalAddress, type View } from '../machine/views.js';
import { ARGUMENTS } from './calls/arguments.js';
import { type CallAtHand, NO_VALUE, type QuickTest, UNKNOWN } from './calls/quickTest.js';
import type { LibraryFunction } from './functions.js';
import { type Moment, NONE } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';
import { mayBeView } from './heap/tags.js';
import { isLibraryCode } from './libraries.js';
import type { Globals } from './variables/globals.js';
import type { Locals } from './variables/locals.js';

/** A function that we stand in for. */
export interface StandIn {
  readonly name: string;
  readonly does: LibraryFunction;
  /** Undefined: every call has to be looked at. */
  readonly mayBreakRule: QuickTest | undefined;
}

type Changeable<T> = { -readonly [Key in keyof T]: T[Key] };
type Does<What extends LibraryFunction['does']> = LibraryFunction & { readonly does: What };

const USUAL_ALIGNMENT = 16;
/** Longer strings are not looked through quickly. */
const LONGEST_STRING = 4096;
/** The function that is called has to look at them, too. */
const MOST_SCANNED = 1 << 20;
const TWO_32 = 0x1_0000_0000;
/** From where a function has its return address to where its frame begins. */
const SAVED_FRAME = 8;
const NO_ARGUMENT = -1;

export class QuickCalls implements HookHandler, CallAtHand {
  /** By address. */
  private readonly standIns = new PageMap<StandIn>();
  private readonly finishes = new PageMap<StandIn>();
  readonly looks = new PageMap<QuickTest>();
  /** What has been done, for whoever wants to do it again. */
  private readonly view = { begin: 0, size: 0, real: 0 };
  private readonly answer: Changeable<HookAnswer> = { result: 0, hidden: undefined, shown: undefined, count: undefined };
  /** Numbers of who calls, by thread: for each function the last one. */
  private readonly callers = new Map<StandIn, { tid: number; isLibrarys: boolean; number: number }>();
  /** Whether it is a C library's code that calls return to. */
  private readonly librarysCalls = new Map<number, boolean>();

  constructor(
    private readonly process: Process,
    private readonly heap: Heap,
    private readonly variables: { readonly locals: Locals; readonly globals: Globals },
    /** Rules want to be asked whenever memory is freed. */
    private readonly asksAtEveryFree: boolean,
    origin?: QuickCalls,
  ) {
    for (const [at, standIn] of origin?.standIns.entries() ?? []) this.standIns.set(at, standIn);
    for (const [at, standIn] of origin?.finishes.entries() ?? []) this.finishes.set(at, standIn);
    for (const [at, test] of origin?.looks.entries() ?? []) this.looks.set(at, test);
  }

  standsInAt(address: number): boolean {
    return this.standIns.has(address);
  }

  standIn(address: number, standIn: StandIn): void {
    this.standIns.set(address, standIn);
  }

  /** There is a hook at the end of a function that copies. */
  finishesAt(address: number, by: StandIn): void {
    this.finishes.set(address, by);
  }

  look(at: number): boolean {
    return this.looks.get(at)?.(this) === false;
  }

  call(at: number, instructions: number): boolean {
    const standIn = this.standInFor(at);
    switch (standIn?.does.does) {
      case 'allocate':
        return this.allocate(standIn, standIn.does, instructions);
      case 'free':
        return this.free(standIn, standIn.does, instructions);
      case 'resize':
        return this.resize(standIn, standIn.does, instructions, undefined);
      default:
        return false;
    }
  }

  make(at: number, instructions: number): boolean {
    const finished = this.finishes.get(at);
    if (finished !== undefined) return this.finishCopy(finished, instructions);
    const standIn = this.standInFor(at);
    if (standIn?.does.does === 'allocate') return this.allocate(standIn, standIn.does, instructions, true);
    return standIn?.does.does === 'resize' && (this.resize(standIn, standIn.does, instructions, 0) || this.beginCopy(standIn, standIn.does, instructions));
  }

  /** Undefined: a rule has to be asked. */
  private standInFor(at: number): StandIn | undefined {
    const standIn = this.standIns.get(at);
    return this.process.machine.loaded !== undefined && standIn?.mayBreakRule?.(this) === false ? standIn : undefined;
  }

  point(at: number, instructions: number): number {
    const { space, cpu, world, pid, machine } = this.process;
    const { locals } = this.variables;
    const frame = cpu.num(RBP);
    const time = world.timeOf(instructions);
    locals.shown = undefined;
    const moment = (): Moment => ({ time, tid: machine.loaded?.tid ?? pid, pid, by: '' });
    const tag = locals.allocatesAt(at) ? locals.allocate(at, frame, { stack: cpu.num(RSP), bytes: cpu.num(RAX), wanted: cpu.num(RAX) + cpu.num(RDX) }, moment) : locals.point(at, frame, moment);
    if (tag === undefined) return 0;
    for (const answer of locals.takeAnswers(tag, locals.shown)) if (space.witness?.stoodIn(space, time, answer, NO_ARGUMENT) === true) machine.engine.requestStop();
    return tag - Math.floor(frame / GUEST_SPACE_SIZE);
  }

  leave(): void {
    this.variables.locals.leave(this.process.cpu.num(RSP) - SAVED_FRAME);
  }

  // ---- CallAtHand

  argument(n: number): number {
    const value = this.process.cpu.num(ARGUMENTS[n] as Slot);
    return value > Number.MAX_SAFE_INTEGER ? UNKNOWN : value;
  }

  intArgument(n: number): number {
    return this.process.cpu.lo(ARGUMENTS[n] as Slot) | 0;
  }

  blockBegin(address: number): number {
    if (!mayBeView(address)) return this.variableAt(address)?.begin ?? NO_VALUE;
    const begin = this.process.space.viewBeginNear(address);
    return this.heap.blocks.rowAt(begin) === NONE ? UNKNOWN : begin;
  }

  blockEnd(address: number): number {
    if (!mayBeView(address)) return this.variableAt(address)?.end ?? NO_VALUE;
    const row = this.heap.blocks.rowAt(this.process.space.viewBeginNear(address));
    return row === NONE ? UNKNOWN : this.heap.blocks.rows.begin(row) + this.heap.blocks.rows.size(row);
  }

  private variableAt(address: number): { readonly begin: number; readonly end: number } | undefined {
    const { locals, globals } = this.variables;
    if (isLocalAddress(address)) {
      const block = locals.onPageOf(address);
      return block === undefined ? { begin: UNKNOWN, end: UNKNOWN } : { begin: block.begin, end: block.begin + block.size };
    }
    const global = globals.at(address);
    if (global === undefined && isGlobalAddress(address)) return { begin: UNKNOWN, end: UNKNOWN };
    return global && { begin: global.address, end: global.address + global.size };
  }

  stringLength(address: number): number {
    const { u8 } = this.process.space.linear;
    const offset = linearOffset(address);
    for (let i = 0; i < LONGEST_STRING; i++) {
      if (!this.isNextLoaded(address, i)) return UNKNOWN;
      if (u8[offset + i] === 0) return i;
    }
    return UNKNOWN;
  }

  searchedBytes(address: number, wanted: number, most: number): number {
    const { u8 } = this.process.space.linear;
    const offset = linearOffset(address);
    const byte = wanted & 0xff;
    for (let i = 0; i < MOST_SCANNED; i++) {
      if (i >= most) return i;
      if (!this.isNextLoaded(address, i)) return UNKNOWN;
      const own = u8[offset + i] as number;
      if (own === 0 || own === byte) return i + 1;
    }
    return UNKNOWN;
  }

  comparedBytes(one: number, other: number, most: number, areStrings: boolean): number {
    const { u8 } = this.process.space.linear;
    const [offset, otherOffset] = [linearOffset(one), linearOffset(other)];
    for (let i = 0; i < MOST_SCANNED; i++) {
      if (i >= most) return i;
      if (!this.isNextLoaded(one, i) || !this.isNextLoaded(other, i)) return UNKNOWN;
      const own = u8[offset + i] as number;
      if (own !== u8[otherOffset + i] || (own === 0 && areStrings)) return i + 1;
    }
    return UNKNOWN;
  }

  /** Of bytes that are looked at one after the other: whether there is a byte so far behind the first one. */
  private isNextLoaded(address: number, i: number): boolean {
    const { space } = this.process;
    return (i > 0 && (address + i) % PAGE_SIZE !== 0) || space.isLoaded(space.mappedAddress(address + i));
  }

  isWritten(address: number, length: number): boolean {
    return this.process.space.unwritten?.firstIn(address, length) === undefined;
  }

  // ---- what functions do

  /** `isCleared`: by the program, if it has to be. */
  private allocate(standIn: StandIn, f: Does<'allocate'>, instructions: number, isCleared = false): boolean {
    const { heap } = this;
    const alignment = f.wholePages === true ? PAGE_SIZE : f.alignment === undefined ? USUAL_ALIGNMENT : this.argument(f.alignment);
    const time = this.process.world.timeOf(instructions);
    const size = this.sizeOf(f);
    const zeroed = f.zeroed === true && !isCleared;
    const row = heap.allocateQuickly(size, alignment, zeroed, heap.blocks.family(f.family), time, this.callerIn(standIn));
    return row !== NONE && this.give(time, undefined, row, isCleared ? size : undefined);
  }

  private free(standIn: StandIn, f: Does<'free'>, instructions: number): boolean {
    if (this.asksAtEveryFree) return false;
    const { heap } = this;
    const pointer = this.argument(f.pointer);
    const time = this.process.world.timeOf(instructions);
    if (pointer === 0) return this.give(time, undefined, NONE);
    const row = this.blockOf(pointer, f.family);
    if (row === NONE || !heap.canFreeQuickly(row)) return false;
    heap.freeRow(row, time, this.callerIn(standIn));
    return this.give(time, pointer, NONE);
  }

  /** In place. */
  private resize(standIn: StandIn, f: Does<'resize'>, instructions: number, count: number | undefined): boolean {
    const size = this.sizeOf(f);
    const pointer = this.argument(f.pointer);
    const row = this.asksAtEveryFree || !(size > 0) ? NONE : this.blockOf(pointer, f.family);
    if (row === NONE) return false;
    const time = this.process.world.timeOf(instructions);
    const resized = this.heap.resizeQuickly(row, size, time, this.callerIn(standIn));
    return resized !== NONE && this.give(time, pointer, resized, count);
  }

  /** A block elsewhere: the program copies what is in the old one, which is freed afterwards. */
  private beginCopy(standIn: StandIn, f: Does<'resize'>, instructions: number): boolean {
    const { heap } = this;
    const [pointer, size] = [this.argument(f.pointer), this.sizeOf(f)];
    const old = pointer === 0 ? NONE : this.blockOf(pointer, f.family);
    if (this.asksAtEveryFree || !(size > 0) || (pointer !== 0 && (old === NONE || !heap.canFreeQuickly(old)))) return false;
    const time = this.process.world.timeOf(instructions);
    const common = old === NONE ? 0 : Math.min(size, heap.blocks.rows.size(old));
    const row = heap.allocateQuickly(size, USUAL_ALIGNMENT, false, heap.blocks.family(f.family), time, this.callerIn(standIn));
    return row !== NONE && this.give(time, undefined, row, common);
  }

  /** The old one is in r8, the new one in rdx. */
  private finishCopy(standIn: StandIn, instructions: number): boolean {
    const { cpu, world } = this.process;
    const [old, made] = [cpu.num(R8), cpu.num(RDX)];
    const time = world.timeOf(instructions);
    const row = old === made ? NONE : this.heap.blocks.rowAt(old);
    if (row !== NONE) this.heap.freeRow(row, time, this.callerIn(standIn));
    return this.give(time, row === NONE ? undefined : old, NONE, 0);
  }

  /** The row of a live block of a family that begins there. */
  private blockOf(pointer: number, family: string): number {
    const { blocks } = this.heap;
    const row = blocks.rowAt(pointer);
    return row !== NONE && blocks.rows.family(row) === blocks.family(family) ? row : NONE;
  }

  private sizeOf(f: { readonly size: number; readonly count?: number }): number {
    return this.argument(f.size) * (f.count === undefined ? 1 : this.argument(f.count));
  }

  private callerIn(standIn: StandIn): number {
    const { process } = this;
    const tid = process.machine.loaded?.tid ?? process.pid;
    const isLibrarys = this.isLibrarys(this.returnsTo());
    const known = this.callers.get(standIn);
    if (known?.tid === tid && known.isLibrarys === isLibrarys) return known.number;
    const number = this.heap.blocks.doer({ tid, pid: process.pid, by: standIn.name, isLibrarys });
    this.callers.set(standIn, { tid, isLibrarys, number });
    return number;
  }

  private returnsTo(): number {
    const { cpu, space: { linear: { view } } } = this.process;
    const slot = linearOffset(cpu.num(RSP));
    return view.getUint32(slot + 4, true) * TWO_32 + view.getUint32(slot, true);
  }

  /** Whether a C library has called it. */
  private isLibrarys(returnsTo: number): boolean {
    const known = this.librarysCalls.get(returnsTo);
    if (known !== undefined) return known;
    const found = isLibraryCode(this.process.space.find(returnsTo));
    this.librarysCalls.set(returnsTo, found);
    return found;
  }

  /** The function's result is the block that is there now, or 0. */
  private give(time: number, hidden: number | undefined, row: number, count?: number): true {
    const { space, cpu, machine } = this.process;
    const result = row === NONE ? 0 : this.heap.blocks.rows.begin(row);
    cpu.setNum(RAX, result);
    if (count !== undefined) cpu.setNum(RCX, count);
    const { answer, heap: { hasViews } } = this;
    answer.result = result;
    answer.hidden = hasViews ? hidden : undefined;
    answer.shown = row === NONE || !hasViews ? undefined : this.viewOf(row);
    answer.count = count === 0 ? undefined : count;
    if (space.witness?.stoodIn(space, time, answer, cpu.num(RDI)) === true) machine.engine.requestStop();
    return true;
  }

  private viewOf(row: number): View {
    const { view, heap: { blocks: { rows } } } = this;
    view.begin = rows.begin(row);
    view.size = rows.size(row);
    view.real = rows.real(row);
    return view;
  }
}
