/**
 * A stretch of an execution as it was observed: the blocks that were executed, in order, with the addresses that they
 * accessed, what each depends on for control, and what the kernel did in between. Numbers in typed arrays: a stretch
 * has millions of blocks.
 */
import type { Happening, KernelChange } from '../../replay/timeline/observing.js';
import type { Instance } from '../control/callStack.js';
import type { CodeBlock } from './codeTable.js';

/** Where a block's instructions part for control: the first instruction of each part. */
export interface Layout {
  readonly starts: readonly number[];
}

/** Something that happened after a block, and before the next. */
export type StretchEvent = {
  /** How many blocks came before it. */
  readonly after: number;
} & (
  /** A system call, or what an interrupted string instruction accessed. */
  | { readonly happening: Happening; readonly space: number }
  | {
    readonly happening?: undefined;
    readonly change: KernelChange;
    readonly time: number;
    /** The system call that it was done for; -1 if for none. */
    readonly instance: Instance;
    /** Of the beginning and the end of a handler: which one it is. */
    readonly handler: number;
  }
);

/** Blocks of one thread, one after the other. */
export interface StretchRun {
  readonly thread: number;
  /** The address space that they see. */
  readonly space: number;
  readonly first: number;
}

const FIRST_CAPACITY = 65_536;

export class Stretch {
  count = 0;
  /** Of each block: which it is (in `codes`), when it began (from `time` on), where its addresses begin. */
  blocks = new Uint32Array(FIRST_CAPACITY);
  times = new Uint32Array(FIRST_CAPACITY);
  addressStarts = new Uint32Array(FIRST_CAPACITY);
  layouts = new Uint32Array(FIRST_CAPACITY);
  /** Where its parts begin in `parents`. */
  partStarts = new Uint32Array(FIRST_CAPACITY);
  /** The instruction of the user's own code that called the library that it is in; -1 if it is the user's. */
  sites = new Int32Array(FIRST_CAPACITY);
  addresses = new Float64Array(FIRST_CAPACITY);
  addressCount = 0;
  /** Of each part of each block: the instance that it depends on. */
  parents = new Float64Array(FIRST_CAPACITY);
  partCount = 0;
  readonly runs: StretchRun[] = [];
  readonly events: StretchEvent[] = [];
  /** Where the x87 stack begins, of blocks that use it. */
  readonly tops = new Map<number, number>();
  end: number;

  constructor(
    readonly time: number,
    readonly codes: readonly CodeBlock[],
    readonly layoutList: readonly Layout[],
  ) {
    this.end = time;
  }

  timeOf(block: number): number {
    return this.time + (this.times[block] as number);
  }

  /** The block with the instruction of that time; -1 if it is not in this stretch. */
  blockAt(instance: Instance): number {
    if (instance < this.time || instance >= this.end) return -1;
    const offset = instance - this.time;
    let [low, high] = [0, this.count];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Makes room for so many more. */
  reserve(blocks: number, addresses: number): void {
    if (this.count + blocks > this.blocks.length) {
      const capacity = grown(this.blocks.length, this.count + blocks);
      this.blocks = enlarged(this.blocks, capacity);
      this.times = enlarged(this.times, capacity);
      this.addressStarts = enlarged(this.addressStarts, capacity);
      this.layouts = enlarged(this.layouts, capacity);
      this.partStarts = enlarged(this.partStarts, capacity);
      this.sites = enlarged(this.sites, capacity);
    }
    if (this.addressCount + addresses > this.addresses.length) this.addresses = enlarged(this.addresses, grown(this.addresses.length, this.addressCount + addresses));
  }

  addPart(parent: Instance): void {
    if (this.partCount === this.parents.length) this.parents = enlarged(this.parents, this.partCount * 2);
    this.parents[this.partCount++] = parent;
  }
}

function grown(capacity: number, needed: number): number {
  return Math.max(needed, capacity * 2);
}

function enlarged<T extends Uint32Array | Int32Array | Float64Array>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(capacity);
  larger.set(array as never);
  return larger;
}
