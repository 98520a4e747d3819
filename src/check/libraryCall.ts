/**
 * A call of a function that we stand in for: does what the function would, on our own heap, and returns to the caller.
 * What is wrong with its arguments, and errno, are glibc's.
 */
import { E } from '../base/errno.js';
import { guestAddr, PAGE_SIZE, pageCeil } from '../base/types.js';
import { RAX, RSP, type Slot } from '../layout/cpuState.js';
import type { Process } from '../linux/process.js';
import { BadAddress } from '../machine/addressSpace.js';
import { ARGUMENTS } from './calls/arguments.js';
import type { ErrnoPlace } from './errnoPlace.js';
import type { AllocationFamily, LibraryFunction } from './functions.js';
import type { Block, Moment } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';

/** posix_memalign wants at least that of a pointer. */
const LEAST_ALIGNMENT = 8n;
/** The largest power of two that there is. */
const LARGEST_ALIGNMENT = 1n << 63n;

interface FreeRules {
  /** Whether memory may be freed through a pointer. */
  ask(pointer: bigint): 'stop' | 'go on';
  /** Also if there is nothing wrong with it. */
  readonly asksAlways: boolean;
}

export class LibraryCall {
  constructor(
    private readonly process: Process,
    private readonly heap: Heap,
    private readonly moment: Moment,
    private readonly frees: FreeRules,
    private readonly errno: ErrnoPlace,
  ) {}

  answer(f: LibraryFunction): void {
    switch (f.does) {
      case 'allocate':
        return this.answerAllocation(f);
      case 'allocateInto':
        return this.allocateInto();
      case 'free':
        return this.free(f.family, f.pointer);
      case 'resize':
        return this.resize(f.family, f.pointer, this.sizeOf(f));
      case 'measure':
        return this.giveBack(this.heap.blocks.at(this.argument(0))?.size ?? 0);
    }
  }

  private sizeOf(f: { readonly size: number; readonly count?: number }): number {
    return this.argument(f.size) * (f.count === undefined ? 1 : this.argument(f.count));
  }

  /**
   * memalign takes any alignment and rounds it up; aligned_alloc is the same function in older versions of glibc, and
   * wants powers of two in newer ones.
   */
  private answerAllocation(f: LibraryFunction & { does: 'allocate' }): void {
    const wanted = f.alignment === undefined ? undefined : this.word(f.alignment);
    if (wanted !== undefined && (wanted > LARGEST_ALIGNMENT || (f.isStrict === true && !isPowerOfTwo(wanted)))) return this.fail(E.INVAL);
    const alignment = f.wholePages === true ? PAGE_SIZE : wanted === undefined ? undefined : Number(powerOfTwoAbove(wanted));
    const size = this.sizeOf(f);
    this.give(this.allocate(f.family, f.wholeSize === true ? pageCeil(size) : size, { alignment, zeroed: f.zeroed }));
  }

  private allocate(family: AllocationFamily, size: number, { alignment, zeroed }: { readonly alignment?: number | undefined; readonly zeroed?: boolean | undefined } = {}): Block | undefined {
    return this.heap.allocate({ size, family, ...(alignment === undefined ? {} : { alignment }), ...(zeroed === true ? { zeroed } : {}) }, this.moment);
  }

  /** It returns 0 and stores the pointer, or returns an error number. */
  private allocateInto(): void {
    const [where, alignment, size] = [this.argument(0), this.word(1), this.argument(2)];
    if (alignment < LEAST_ALIGNMENT || !isPowerOfTwo(alignment)) return this.giveBack(E.INVAL);
    const block = this.heap.allocate({ size, family: 'malloc', alignment: Number(alignment) }, this.moment);
    if (block === undefined) {
      this.errno.set(E.NOMEM);
      return this.giveBack(E.NOMEM);
    }
    try {
      this.process.space.writeNum64(where, block.begin);
    } catch (error) {
      if (!(error instanceof BadAddress)) throw error;
    }
    this.giveBack(0);
  }

  private free(family: AllocationFamily, pointer: number): void {
    const block = this.heap.blocks.at(this.argument(pointer));
    if (this.isForbidden(this.word(pointer), block, family)) return;
    if (block !== undefined) this.heap.free(block, this.moment);
    this.giveBack(0);
  }

  private resize(family: AllocationFamily, pointer: number, size: number): void {
    const address = this.argument(pointer);
    if (address === 0) return this.give(this.allocate(family, size));
    const block = this.heap.blocks.at(address);
    if (this.isForbidden(this.word(pointer), block, family)) return;
    if (block === undefined) return this.giveBack(0);
    if (size > 0) return this.give(this.heap.resize(block, size, this.moment));
    this.heap.free(block, this.moment);
    this.giveBack(0);
  }

  private isForbidden(address: bigint, block: Block | undefined, family: AllocationFamily): boolean {
    return (this.frees.asksAlways || this.isWrong(address, block, family)) && this.frees.ask(address) === 'stop';
  }

  /** Most rules about frees cannot be broken if it is not. */
  private isWrong(address: bigint, block: Block | undefined, family: AllocationFamily): boolean {
    return address !== 0n && (block === undefined || block.family !== family);
  }

  /** As a double, which is exact for all addresses that a program can have. */
  private argument(n: number): number {
    return this.process.cpu.num(ARGUMENTS[n] as Slot);
  }

  /** All 64 bits of it: a program may pass whatever it likes. */
  private word(n: number): bigint {
    return this.process.cpu.big(ARGUMENTS[n] as Slot);
  }

  private give(block: Block | undefined): void {
    if (block === undefined) return this.fail(E.NOMEM);
    this.giveBack(block.begin);
  }

  private fail(error: number): void {
    this.errno.set(error);
    this.giveBack(0);
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

function isPowerOfTwo(value: bigint): boolean {
  return value !== 0n && (value & (value - 1n)) === 0n;
}

/** The smallest power of two that is not less; 1 for 0. */
function powerOfTwoAbove(value: bigint): bigint {
  return value <= 1n ? 1n : 1n << BigInt((value - 1n).toString(2).length);
}
