/**
 * Calls of functions that we stand in for, in the middle of the program's code (machine/hooks.ts): those that need no more than a piece of memory that is at hand and an address for it, and that no rule
 * can object to. All others are refused, and come to the checker as stops of the engine.
 */
import { PAGE_SIZE } from '../base/types.js';
import { RAX, RDI, type Slot } from '../layout/cpuState.js';
import type { Process } from '../linux/process.js';
import type { Task } from '../linux/tasks/task.js';
import { linearOffset } from '../machine/addressSpaceAccess.js';
import type { HookHandler } from '../machine/hooks.js';
import { ARGUMENTS } from './calls/arguments.js';
import { type CallAtHand, NO_VALUE, type QuickTest, UNKNOWN } from './calls/quickTest.js';
import type { LibraryFunction } from './functions.js';
import type { Block, Moment } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';
import { mayBeView } from './heap/tags.js';

/** A function that we stand in for. */
export interface StandIn {
  readonly name: string;
  readonly does: LibraryFunction;
  /** Undefined: every call has to be looked at. */
  readonly mayBreakRule: QuickTest | undefined;
}

/** Longer strings are not looked through quickly. */
const LONGEST_STRING = 4096;

export class QuickCalls implements HookHandler, CallAtHand {
  /** By address. */
  readonly standIns: Map<number, StandIn>;
  readonly looks: Map<number, QuickTest>;

  constructor(
    private readonly process: Process,
    private readonly heap: Heap,
    /** Rules want to be asked whenever memory is freed. */
    private readonly asksAtEveryFree: boolean,
    origin?: QuickCalls,
  ) {
    this.standIns = new Map(origin?.standIns);
    this.looks = new Map(origin?.looks);
  }

  look(at: number): boolean {
    return this.looks.get(at)?.(this) === false;
  }

  call(at: number, instructions: number): boolean {
    const standIn = this.standIns.get(at);
    const task = this.process.machine.loaded;
    if (task === undefined || standIn?.mayBreakRule?.(this) !== false) return false;
    switch (standIn.does.does) {
      case 'allocate':
        return this.allocate(standIn, standIn.does, task, instructions);
      case 'free':
        return this.free(standIn, standIn.does, task, instructions);
      case 'resize':
        return this.resize(standIn, standIn.does, task, instructions);
      default:
        return false;
    }
  }

  // ---- CallAtHand

  argument(n: number): number {
    const value = this.process.cpu.num(ARGUMENTS[n] as Slot);
    return value > Number.MAX_SAFE_INTEGER ? UNKNOWN : value;
  }

  blockBegin(address: number): number {
    return mayBeView(address) ? (this.heap.blocks.onPageOf(address)?.begin ?? UNKNOWN) : NO_VALUE;
  }

  blockEnd(address: number): number {
    if (!mayBeView(address)) return NO_VALUE;
    const block = this.heap.blocks.onPageOf(address);
    return block === undefined ? UNKNOWN : block.begin + block.size;
  }

  stringLength(address: number): number {
    const { space } = this.process;
    const { u8 } = space.linear;
    const offset = linearOffset(address);
    for (let i = 0; i < LONGEST_STRING; i++) {
      if ((i === 0 || (offset + i) % PAGE_SIZE === 0) && !space.isLoaded(space.mappedAddress(address + i))) return UNKNOWN;
      if (u8[offset + i] === 0) return i;
    }
    return UNKNOWN;
  }

  // ---- what functions do

  private allocate(standIn: StandIn, f: LibraryFunction & { does: 'allocate' }, task: Task, instructions: number): boolean {
    if (f.alignment !== undefined || f.wholePages === true) return false;
    const size = this.sizeOf(f);
    const zeroed = f.zeroed === true;
    const request = { size, family: f.family, zeroed };
    if (!this.heap.canAllocateQuickly(request)) return false;
    const moment = momentIn(task, standIn, instructions);
    return this.give(moment, undefined, this.heap.allocate(request, moment));
  }

  private free(standIn: StandIn, f: LibraryFunction & { does: 'free' }, task: Task, instructions: number): boolean {
    if (this.asksAtEveryFree) return false;
    const pointer = this.argument(f.pointer);
    const moment = momentIn(task, standIn, instructions);
    if (pointer === 0) return this.give(moment, undefined, undefined);
    const block = this.heap.blocks.at(pointer);
    if (block === undefined || block.family !== f.family || !this.heap.canFreeQuickly(block)) return false;
    this.heap.free(block, moment);
    return this.give(moment, block, undefined);
  }

  private resize(standIn: StandIn, f: LibraryFunction & { does: 'resize' }, task: Task, instructions: number): boolean {
    const size = this.sizeOf(f);
    const block = this.heap.blocks.at(this.argument(f.pointer));
    if (this.asksAtEveryFree || block === undefined || block.family !== f.family || !this.heap.canResizeQuickly(block, size)) return false;
    const moment = momentIn(task, standIn, instructions);
    return this.give(moment, block, this.heap.resize(block, size, moment));
  }

  private sizeOf(f: { readonly size: number; readonly count?: number }): number {
    return this.argument(f.size) * (f.count === undefined ? 1 : this.argument(f.count));
  }

  private give({ time }: Moment, hidden: Block | undefined, shown: Block | undefined): true {
    const { space, cpu, machine } = this.process;
    const result = shown?.begin ?? 0;
    cpu.setNum(RAX, result);
    if (space.witness?.stoodIn(space, time, { result, hidden: hidden?.begin, shown }, cpu.num(RDI)) === true) machine.engine.requestStop();
    return true;
  }
}

function momentIn({ process, tid }: Task, { name }: StandIn, instructions: number): Moment {
  return { time: process.world.timeOf(instructions), tid, pid: process.pid, by: name };
}
