/**
 * Calls of functions that we stand in for, in the middle of the program's code (machine/hooks.ts): those that need no
 * more than a piece of memory that is at hand and an address for it, and that no rule can object to. All others are
 * refused, and come to the checker as stops of the engine.
 */
import { PAGE_SIZE } from '../base/types.js';
import { R8, RAX, RBP, RCX, RDI, RDX, RSP, type Slot } from '../layout/cpuState.js';
import { GUEST_SPACE_SIZE } from '../layout/memoryMap.js';
import type { Process } from '../linux/process.js';
import { linearOffset } from '../machine/addressSpaceAccess.js';
import type { HookAnswer, HookHandler } from '../machine/hooks.js';
import { PageMap } from '../machine/pageMap.js';
import { isGlobalAddress, isLocalAddress } from '../layout/viewAddresses.js';
import type { View } from '../machine/views.js';
import { ARGUMENTS } from './calls/arguments.js';
import { Callers } from './callers.js';
import { type CallAtHand, NO_VALUE, type QuickTest, UNKNOWN } from './calls/quickTest.js';
import { type Moment, NONE } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';
import { mayBeView } from './heap/tags.js';
import { PreparedStandIn, type StandIn } from './standIn.js';
import type { Globals } from './variables/globals.js';
import type { Locals } from './variables/locals.js';

type Changeable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Longer strings are not looked through quickly. */
const LONGEST_STRING = 4096;
/** The function that is called has to look at them, too. */
const MOST_SCANNED = 1 << 20;
/** From where a function has its return address to where its frame begins. */
const SAVED_FRAME = 8;
const NO_ARGUMENT = -1;
const LARGEST_ALIGNMENT = 1 << 30;

export class QuickCalls implements HookHandler, CallAtHand {
  /** By address. */
  private readonly standIns = new PageMap<PreparedStandIn>();
  private readonly finishes = new PageMap<PreparedStandIn>();
  readonly looks = new PageMap<QuickTest>();
  /** What has been done, for those that do it again. */
  private readonly view = { begin: 0, size: 0, real: 0 };
  private readonly answer: Changeable<HookAnswer> = { result: 0, hidden: undefined, shown: undefined, count: undefined };
  private readonly callers: Callers;

  constructor(
    private readonly process: Process,
    private readonly heap: Heap,
    private readonly variables: { readonly locals: Locals; readonly globals: Globals },
    /** Rules want to be asked whenever memory is freed. */
    private readonly asksAtEveryFree: boolean,
    origin?: QuickCalls,
  ) {
    this.callers = new Callers(process, heap.blocks);
    for (const [at, standIn] of origin?.standIns.entries() ?? []) this.standIns.set(at, standIn);
    for (const [at, standIn] of origin?.finishes.entries() ?? []) this.finishes.set(at, standIn);
    for (const [at, test] of origin?.looks.entries() ?? []) this.looks.set(at, test);
  }

  standsInAt(address: number): boolean {
    return this.standIns.has(address);
  }

  /** `finish`: where there is a hook at the end of a function that copies. */
  standIn(address: number, standIn: StandIn, finish: number | undefined): void {
    const prepared = new PreparedStandIn(this.standIns.size, standIn, (family) => this.heap.blocks.family(family));
    this.standIns.set(address, prepared);
    if (finish !== undefined) this.finishes.set(finish, prepared);
  }

  look(at: number): boolean {
    return this.looks.get(at)?.(this) === false;
  }

  call(at: number, instructions: number): boolean {
    const standIn = this.standInFor(at);
    switch (standIn?.does) {
      case 'allocate':
        return this.allocate(standIn, instructions, false);
      case 'free':
        return this.free(standIn, instructions);
      case 'resize':
        return this.resize(standIn, instructions, undefined);
      default:
        return false;
    }
  }

  make(at: number, instructions: number): boolean {
    const finished = this.finishes.get(at);
    if (finished !== undefined) return this.finishCopy(finished, instructions);
    const standIn = this.standInFor(at);
    if (standIn?.does === 'allocate') return this.allocate(standIn, instructions, true);
    return standIn?.does === 'resize' && (this.resize(standIn, instructions, 0) || this.beginCopy(standIn, instructions));
  }

  /** Undefined: a rule has to be asked. */
  private standInFor(at: number): PreparedStandIn | undefined {
    const standIn = this.standIns.get(at);
    if (standIn === undefined || this.process.machine.loaded === undefined) return undefined;
    return standIn.breaksNoRule || standIn.mayBreakRule?.(this) === false ? standIn : undefined;
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
    return this.numberIn(ARGUMENTS[n] as Slot);
  }

  private numberIn(slot: Slot): number {
    const value = this.process.cpu.num(slot);
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
  private allocate(standIn: PreparedStandIn, instructions: number, isCleared: boolean): boolean {
    const { alignment: argument, usualAlignment, zeroed, family } = standIn;
    const alignment = argument === undefined ? usualAlignment : this.numberIn(argument);
    // What has to be rounded, or is wrong, is done at leisure.
    if (standIn.wholeSize || !(alignment > 0 && alignment <= LARGEST_ALIGNMENT && (alignment & (alignment - 1)) === 0)) return false;
    const size = this.sizeFor(standIn);
    this.heap.blocks.time = this.process.world.timeOf(instructions);
    const row = this.heap.allocateQuickly(size, alignment, zeroed && !isCleared, family, this.callers.numberIn(standIn));
    return row !== NONE && this.give(undefined, row, isCleared ? size : undefined);
  }

  private free(standIn: PreparedStandIn, instructions: number): boolean {
    if (this.asksAtEveryFree) return false;
    const { heap } = this;
    const pointer = this.pointerFor(standIn);
    heap.blocks.time = this.process.world.timeOf(instructions);
    if (pointer === 0) return this.give(undefined, NONE, undefined);
    const row = this.blockOf(pointer, standIn.family);
    if (row === NONE || !heap.canFreeQuickly(row)) return false;
    heap.freeRow(row, this.callers.numberIn(standIn));
    return this.give(heap.hasViews ? pointer : undefined, NONE, undefined);
  }

  /** In place. */
  private resize(standIn: PreparedStandIn, instructions: number, count: number | undefined): boolean {
    const size = this.sizeFor(standIn);
    const pointer = this.pointerFor(standIn);
    const row = this.asksAtEveryFree || !(size > 0) ? NONE : this.blockOf(pointer, standIn.family);
    if (row === NONE) return false;
    this.heap.blocks.time = this.process.world.timeOf(instructions);
    const resized = this.heap.resizeQuickly(row, size, this.callers.numberIn(standIn));
    return resized !== NONE && this.give(pointer, resized, count);
  }

  /** A block elsewhere: the program copies what is in the old one, which is freed afterwards. */
  private beginCopy(standIn: PreparedStandIn, instructions: number): boolean {
    const { heap } = this;
    const { usualAlignment, family } = standIn;
    const [pointer, size] = [this.pointerFor(standIn), this.sizeFor(standIn)];
    const old = pointer === 0 ? NONE : this.blockOf(pointer, family);
    if (this.asksAtEveryFree || !(size > 0) || (pointer !== 0 && (old === NONE || !heap.canFreeQuickly(old)))) return false;
    heap.blocks.time = this.process.world.timeOf(instructions);
    const common = old === NONE ? 0 : Math.min(size, heap.blocks.rows.size(old));
    const row = heap.allocateQuickly(size, usualAlignment, false, family, this.callers.numberIn(standIn));
    return row !== NONE && this.give(undefined, row, common);
  }

  /** The old one is in r8, the new one in rdx. */
  private finishCopy(standIn: PreparedStandIn, instructions: number): boolean {
    const { cpu, world } = this.process;
    const [old, made] = [cpu.num(R8), cpu.num(RDX)];
    this.heap.blocks.time = world.timeOf(instructions);
    const row = old === made ? NONE : this.heap.blocks.rowAt(old);
    if (row !== NONE) this.heap.freeRow(row, this.callers.numberIn(standIn));
    return this.give(row === NONE ? undefined : old, NONE, 0);
  }

  /** The row of a live block of a family that begins there. */
  private blockOf(pointer: number, family: number): number {
    const { blocks } = this.heap;
    const row = blocks.rowAt(pointer);
    return row !== NONE && blocks.rows.family(row) === family ? row : NONE;
  }

  private pointerFor({ pointer }: PreparedStandIn): number {
    return this.numberIn(pointer as Slot);
  }

  private sizeFor({ size, count }: PreparedStandIn): number {
    return this.numberIn(size as Slot) * (count === undefined ? 1 : this.numberIn(count));
  }

  /** The function's result is the block that is there now, or 0. */
  private give(hidden: number | undefined, row: number, count: number | undefined): true {
    const { space, cpu, machine } = this.process;
    const result = row === NONE ? 0 : this.heap.blocks.rows.begin(row);
    cpu.setNum(RAX, result);
    if (count !== undefined) cpu.setNum(RCX, count);
    const { answer, heap: { hasViews } } = this;
    answer.result = result;
    answer.hidden = hasViews ? hidden : undefined;
    answer.shown = row === NONE || !hasViews ? undefined : this.viewOf(row);
    answer.count = count === 0 ? undefined : count;
    if (space.witness?.stoodIn(space, this.heap.blocks.time, answer, answer.hidden === undefined ? NO_ARGUMENT : cpu.num(RDI)) === true) machine.engine.requestStop();
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
