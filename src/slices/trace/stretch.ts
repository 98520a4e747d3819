/**
 * A stretch of an execution as it was observed: the blocks that were executed, in order, with the addresses that they
 * accessed, what each depends on for control, and what the kernel did in between. Numbers in typed arrays: a stretch
 * has millions of blocks.
 */
import type { Happening, KernelChange } from '../../replay/timeline/observing.js';
import type { CodeBlock, CodeInstruction } from './codeTable.js';
import type { StretchPaths } from './paths.js';
import type { SharedRange } from './sharedRanges.js';

/** How a block lies in the graph of a function: a function and a block have one. */
export interface Layout {
  /** In the list of all layouts. */
  readonly number: number;
  readonly code: CodeBlock;
  /**
   * Where the block's instructions part for control: the first instruction of each part, and the node that it is in.
   */
  readonly starts: Int32Array;
  readonly nodes: Int32Array;
  readonly parts: number;
  /** The branch that the block ends with (-1: it does not): its node, and the node's post-dominator. */
  readonly branch: number;
  readonly branchEnd: number;
  /** The first instruction that the function does not know of, and the one before it. */
  readonly beyond: { readonly from: number; readonly address: number } | undefined;
}

/**
 * The last instruction of a block, in a stretch: the block's number. Below NO_REF: one before the stretch, by its place
 * in `outer`.
 */
export type BlockRef = number;
export const NO_REF: BlockRef = -1;

/**
 * What a walk notes of blocks, in one number: the last instruction is wanted for control; and something is to be done
 * there that is not done again.
 */
export const ASKED = 1;
export const SPECIAL = 2;

/** The instruction of a system call, and the user's own that called the library that it is in. */
export interface SystemCall {
  readonly instance: number;
  readonly instruction: CodeInstruction;
  readonly site: number;
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
    readonly instance: number;
    /** The same as code. */
    readonly made: SystemCall | undefined;
    /** Of the beginning and the end of a handler: which one it is. */
    readonly handler: number;
    /** The same: where its registers are put away, and taken from when it ends. */
    readonly frame: { readonly space: number; readonly context: number } | undefined;
  }
);

/** Blocks of one thread, one after the other. */
export interface StretchRun {
  readonly thread: number;
  /** The address space that they see, and what of it others see, too. */
  readonly space: number;
  readonly shared: readonly SharedRange[];
  readonly first: number;
  /** Where their parts and addresses begin. */
  readonly firstPart: number;
  readonly firstAddress: number;
}

const FIRST_CAPACITY = 65_536;
const TWO_32 = 0x1_0000_0000;
/** Bytes of what is noted of a run or an event, about. */
const OBJECT_BYTES = 128;

export class Stretch {
  count = 0;
  /** Of each block: its layout, which says what block it is; and when it began, from `time` on. */
  layouts: Uint32Array<ArrayBuffer>;
  times: Uint32Array<ArrayBuffer>;
  /** The instruction of the user's own code that called the library that it is in; -1 if it is the user's. */
  sites: Int32Array<ArrayBuffer>;
  /** Of each part of each block: what it depends on. */
  parents: Int32Array<ArrayBuffer>;
  partCount = 0;
  /** The lower halves of addresses; numbers of elements; and the upper halves if there are any. */
  addresses: Uint32Array<ArrayBuffer>;
  highs: Uint16Array<ArrayBuffer> | undefined;
  addressCount = 0;
  /** Instances before the stretch that something in it depends on. */
  outer: number[] = [];
  runs: StretchRun[] = [];
  events: StretchEvent[] = [];
  /** Where the x87 stack begins, of blocks that use it. */
  tops = new Map<number, number>();
  /** Found by the first walk (paths.ts). */
  paths: StretchPaths | undefined;
  end: number;

  constructor(
    readonly time: number,
    readonly layoutList: readonly Layout[],
    /** One that is needed no more: this one takes its memory. */
    from?: Stretch,
  ) {
    this.end = time;
    this.layouts = from?.layouts ?? new Uint32Array(FIRST_CAPACITY);
    this.times = from?.times ?? new Uint32Array(FIRST_CAPACITY);
    this.sites = from?.sites ?? new Int32Array(FIRST_CAPACITY);
    this.parents = from?.parents ?? new Int32Array(FIRST_CAPACITY);
    this.addresses = from?.addresses ?? new Uint32Array(FIRST_CAPACITY);
  }

  timeOf(block: number): number {
    return this.time + (this.times[block] as number);
  }

  /** Of the last instruction of a block. */
  instanceOf(ref: BlockRef): number {
    if (ref === NO_REF) return -1;
    if (ref < NO_REF) return this.outer[-2 - ref] as number;
    return this.timeOf(ref) + (this.layoutList[this.layouts[ref] as number] as Layout).code.length - 1;
  }

  /** For something that is in this stretch, or before it. */
  refOf(instance: number): BlockRef {
    if (instance < 0) return NO_REF;
    return instance >= this.time && this.count > 0 ? this.find(instance) : -1 - this.outer.push(instance);
  }

  /** The block with the instruction of that time; -1 if it is not in this stretch. */
  blockAt(instance: number): number {
    return instance < this.time || instance >= this.end ? -1 : this.find(instance);
  }

  /** Blocks with instructions of some times: the first, and the last. */
  blocksBetween(from: number, to: number): [first: number, last: number] {
    if (this.count === 0 || from >= this.end || to <= this.time || from >= to) return [0, -1];
    return [from <= this.time ? 0 : this.find(from), to >= this.end ? this.count - 1 : this.find(to - 1)];
  }

  /** As the log had it. */
  fullAddress(index: number): number {
    return (this.addresses[index] as number) + (this.highs === undefined ? 0 : (this.highs[index] as number) * TWO_32);
  }

  /** A run begins, with so many blocks and these addresses. */
  begin(thread: number, space: number, shared: readonly SharedRange[], blocks: number, addresses: Float64Array): void {
    this.runs.push({ thread, space, shared, first: this.count, firstPart: this.partCount, firstAddress: this.addressCount });
    if (this.count + blocks > this.times.length) {
      const capacity = grown(this.times.length, this.count + blocks);
      this.layouts = enlarged(this.layouts, capacity);
      this.times = enlarged(this.times, capacity);
      this.sites = enlarged(this.sites, capacity);
    }
    this.reserveParts(blocks);
    this.keep(addresses);
  }

  reserveParts(parts: number): void {
    if (this.partCount + parts > this.parents.length) this.parents = enlarged(this.parents, grown(this.parents.length, this.partCount + parts));
  }

  /** Bytes that it takes. */
  get bytes(): number {
    const { layouts, times, sites, parents, addresses, highs, paths } = this;
    const arrays = [layouts, times, sites, parents, addresses].reduce((sum, { byteLength }) => sum + byteLength, (highs?.byteLength ?? 0) + (paths === undefined ? 0 : paths.lasts.byteLength * 2));
    return arrays + this.outer.length * 8 + (this.runs.length + this.events.length + this.tops.size) * OBJECT_BYTES;
  }

  /** With no more memory than it needs. */
  trimmed(): Stretch {
    const made = new Stretch(this.time, this.layoutList, this);
    made.end = this.end;
    made.count = this.count;
    made.layouts = this.layouts.slice(0, this.count);
    made.times = this.times.slice(0, this.count);
    made.sites = this.sites.slice(0, this.count);
    made.parents = this.parents.slice(0, this.partCount);
    made.partCount = this.partCount;
    made.addresses = this.addresses.slice(0, this.addressCount);
    made.highs = this.highs?.slice(0, this.addressCount);
    made.addressCount = this.addressCount;
    made.outer = this.outer;
    made.runs = this.runs;
    made.events = this.events;
    made.tops = this.tops;
    return made;
  }

  private keep(full: Float64Array): void {
    const first = this.addressCount;
    if (first + full.length > this.addresses.length) {
      this.addresses = enlarged(this.addresses, grown(this.addresses.length, first + full.length));
      if (this.highs !== undefined) this.highs = enlarged(this.highs, this.addresses.length);
    }
    const { addresses } = this;
    let isHigh = false;
    for (let i = 0; i < full.length; i++) {
      const address = full[i] as number;
      addresses[first + i] = address;
      if (address >= TWO_32) isHigh = true;
    }
    if (isHigh) this.highs ??= new Uint16Array(addresses.length);
    const { highs } = this;
    if (highs !== undefined) for (let i = 0; i < full.length; i++) highs[first + i] = Math.max(0, (full[i] as number) / TWO_32);
    this.addressCount = first + full.length;
  }

  private find(instance: number): number {
    const offset = instance - this.time;
    let [low, high] = [0, this.count];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}

function grown(capacity: number, needed: number): number {
  return Math.max(needed, capacity * 2);
}

type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export function enlarged<T extends Numbers>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(capacity);
  larger.set(array as never);
  return larger;
}
