/** A call of a function that we stand in for: does what the function would, on our own heap, and returns to the caller. */
import { E } from '../base/errno.js';
import { guestAddr, PAGE_SIZE } from '../base/types.js';
import { RAX, RSP, type Slot } from '../layout/cpuState.js';
import type { Process } from '../linux/process.js';
import { BadAddress } from '../machine/addressSpace.js';
import { ARGUMENTS } from './calls/arguments.js';
import type { AllocationFamily, LibraryFunction } from './functions.js';
import type { Block, Moment } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';

/** posix_memalign wants at least that of a pointer. */
const LEAST_ALIGNMENT = 8;

export interface FreeRules {
  /** Whether memory may be freed through a pointer. */
  ask(pointer: number): 'stop' | 'go on';
  /** Also if there is nothing wrong with it. */
  readonly asksAlways: boolean;
}

export class LibraryCall {
  constructor(
    private readonly process: Process,
    private readonly heap: Heap,
    private readonly moment: Moment,
    private readonly frees: FreeRules,
  ) {}

  answer(f: LibraryFunction): void {
    switch (f.does) {
      case 'allocate':
        return this.give(this.allocate(f.family, this.sizeOf(f), f));
      case 'allocateInto':
        return this.allocateInto();
      case 'free':
        return this.free(f.family, this.argument(f.pointer));
      case 'resize':
        return this.resize(f.family, this.argument(f.pointer), this.sizeOf(f));
      case 'measure':
        return this.giveBack(this.heap.blocks.at(this.argument(0))?.size ?? 0);
    }
  }

  private sizeOf(f: { readonly size: number; readonly count?: number }): number {
    return this.argument(f.size) * (f.count === undefined ? 1 : this.argument(f.count));
  }

  private allocate(family: AllocationFamily, size: number, f: { readonly alignment?: number; readonly zeroed?: boolean; readonly wholePages?: boolean } = {}): Block | undefined {
    const alignment = f.wholePages === true ? PAGE_SIZE : f.alignment === undefined ? undefined : this.argument(f.alignment);
    return this.heap.allocate({ size, family, ...(alignment === undefined ? {} : { alignment }), ...(f.zeroed === true ? { zeroed: true } : {}) }, this.moment);
  }

  /** It returns 0 and stores the pointer, or returns an error number. */
  private allocateInto(): void {
    const [where, alignment, size] = [this.argument(0), this.argument(1), this.argument(2)];
    if (alignment < LEAST_ALIGNMENT || !Number.isInteger(Math.log2(alignment))) return this.giveBack(E.INVAL);
    const block = this.heap.allocate({ size, family: 'malloc', alignment }, this.moment);
    if (block === undefined) return this.giveBack(E.NOMEM);
    try {
      this.process.space.writeNum64(where, block.begin);
    } catch (error) {
      if (!(error instanceof BadAddress)) throw error;
    }
    this.giveBack(0);
  }

  private free(family: AllocationFamily, address: number): void {
    const block = this.heap.blocks.at(address);
    if (this.isForbidden(address, block, family)) return;
    if (block !== undefined) this.heap.free(block, this.moment);
    this.giveBack(0);
  }

  private resize(family: AllocationFamily, address: number, size: number): void {
    if (address === 0) return this.give(this.allocate(family, size));
    const block = this.heap.blocks.at(address);
    if (this.isForbidden(address, block, family)) return;
    if (block === undefined) return this.giveBack(0);
    if (size > 0) return this.give(this.heap.resize(block, size, this.moment));
    this.heap.free(block, this.moment);
    this.giveBack(0);
  }

  private isForbidden(address: number, block: Block | undefined, family: AllocationFamily): boolean {
    return (this.frees.asksAlways || this.isWrong(address, block, family)) && this.frees.ask(address) === 'stop';
  }

  /** Most rules about frees cannot be broken if it is not. */
  private isWrong(address: number, block: Block | undefined, family: AllocationFamily): boolean {
    return address !== 0 && (block === undefined || block.family !== family);
  }

  private argument(n: number): number {
    return this.process.cpu.num(ARGUMENTS[n] as Slot);
  }

  private give(block: Block | undefined): void {
    this.giveBack(block?.begin ?? 0);
  }

  /** Returns to the caller. */
  private giveBack(result: number): void {
    const { cpu, space } = this.process;
    const stack = cpu.num(RSP);
    cpu.setNum(RAX, result);
    cpu.rip = guestAddr(space.readNum64(stack));
    cpu.setNum(RSP, stack + 8);
  }
}
