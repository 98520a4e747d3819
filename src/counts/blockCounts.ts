/**
 * Counts while a stretch is observed: how often each block was entered, how often lines begin with it, and how often it
 * is
 * the beginning of a call. All of it by number of the block, in arrays: it is done for every block that is executed.
 */
import type { LoggedBlock, LoggedBlocks, LoggedEnd } from '../ir/loggedBlocks.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { CodeFunction } from './codeFunctions.js';
import type { CodePlace } from './codePlaces.js';

/** What a block is, as far as counting goes. */
export interface MetBlock {
  readonly block: LoggedBlock;
  readonly module: LoadedModule | undefined;
  readonly places: readonly CodePlace[];
  /** The line of the instruction before it: that of the call, where a function returns to. */
  readonly lineBefore: number;
}

/** Where a thread comes from. */
export interface Trail {
  /** The function that it was in, as a number; 0: none, -1: it comes by a call, or from the kernel. */
  from: number;
  /** The line that it was in, or COMES_BY_*. */
  line: number;
  /** The address of its last instruction. */
  at: number;
}

/** In place of a line: whatever line comes next is entered. */
const BY_CALL = -1;
/** In place of a line: the line of the call counts. */
const BY_RETURN = -2;
const NOT_BY_JUMP = -1;
const LEAVES = { jump: 0, syscall: 0, trap: 0, cut: 0, call: BY_CALL, return: BY_RETURN } satisfies Record<LoggedEnd, number>;

const [NEW, ENTRY, OTHER] = [0, 1, 2];
const SMALLEST = 4096;

/** A row has one line of the processor's cache: counts and addresses as floats, the rest as words. */
const FLOATS = 8;
const WORDS = 16;
const [COUNT, ENTERED, ARRIVED, START, END] = [0, 1, 2, 3, 4];
const [FIRST_LINE, LAST_LINE, LINE_BEFORE, FIRST_FUNCTION, LAST_FUNCTION, KIND_AND_LEAVE] = [10, 11, 12, 13, 14, 15];
/** Of KIND_AND_LEAVE. */
const KIND_BITS = 3;
const LEAVE_SHIFT = 2;

export function freshTrail(): Trail {
  return { from: NOT_BY_JUMP, line: BY_CALL, at: 0 };
}

/** Of one program in one address space. */
export class BlockCounts {
  readonly met = new Map<number, MetBlock>();
  private floats = new Float64Array(SMALLEST * FLOATS);
  private words = new Int32Array(this.floats.buffer);
  private readonly functionNumbers = new Map<CodeFunction, number>();

  /** How often a block was executed, its first line was entered with it, and it was the beginning of a call. */
  of(number: number): { readonly count: number; readonly entered: number; readonly arrived: number } {
    const [count = 0, entered = 0, arrived = 0] = this.floats.subarray(number * FLOATS, number * FLOATS + 3);
    return { count, entered, arrived };
  }

  /** `meet` is asked once for each block that has not been seen before. */
  count(blocks: Uint32Array, known: LoggedBlocks, trail: Trail, meet: (block: LoggedBlock) => MetBlock): void {
    if (known.count * FLOATS > this.floats.length) this.grow(known.count);
    const { floats, words } = this;
    let { from, line, at } = trail;
    for (let i = 0; i < blocks.length; i++) {
      const n = blocks[i] as number;
      const f = n * FLOATS;
      const w = n * WORDS;
      let kind = words[w + KIND_AND_LEAVE] as number;
      if ((kind & KIND_BITS) !== OTHER) {
        if (kind === NEW) this.learn(meet(known.get(n)));
        kind = words[w + KIND_AND_LEAVE] as number;
        if ((kind & KIND_BITS) === ENTRY && from !== words[w + FIRST_FUNCTION]) floats[f + ARRIVED] = (floats[f + ARRIVED] as number) + 1;
      }
      floats[f + COUNT] = (floats[f + COUNT] as number) + 1;
      const first = words[w + FIRST_LINE] as number;
      if (first !== 0) {
        // A jump back in the same line is another round of a loop.
        const isEntered = line === BY_RETURN ? first !== words[w + LINE_BEFORE] : first !== line || (floats[f + START] as number) <= at;
        if (isEntered) floats[f + ENTERED] = (floats[f + ENTERED] as number) + 1;
      }
      at = floats[f + END] as number;
      const leave = kind >> LEAVE_SHIFT;
      if (leave === 0) {
        from = words[w + LAST_FUNCTION] as number;
        const last = words[w + LAST_LINE] as number;
        if (last !== 0) line = last;
      } else {
        from = NOT_BY_JUMP;
        line = leave;
      }
    }
    trail.from = from;
    trail.line = line;
    trail.at = at;
  }

  private learn(met: MetBlock): void {
    const { block: { number, start, next, lengths, end }, places, lineBefore } = met;
    const [first, last] = [places[0], places.at(-1)] as [CodePlace, CodePlace];
    const { floats, words } = this;
    this.met.set(number, met);
    floats[number * FLOATS + START] = start;
    floats[number * FLOATS + END] = next - (lengths.at(-1) ?? 0);
    const put = (field: number, value: number): void => void (words[number * WORDS + field] = value);
    put(FIRST_LINE, first.line);
    put(LAST_LINE, places.findLast(({ line }) => line !== 0)?.line ?? 0);
    put(LINE_BEFORE, lineBefore);
    put(FIRST_FUNCTION, this.numberOf(first.function));
    put(LAST_FUNCTION, this.numberOf(last.function));
    put(KIND_AND_LEAVE, (LEAVES[end] << LEAVE_SHIFT) | (first.isEntry ? ENTRY : OTHER));
  }

  private numberOf(one: CodeFunction | undefined): number {
    if (one === undefined) return 0;
    const number = this.functionNumbers.get(one) ?? this.functionNumbers.size + 1;
    this.functionNumbers.set(one, number);
    return number;
  }

  private grow(count: number): void {
    const larger = new Float64Array(Math.max(count * FLOATS, this.floats.length * 2));
    larger.set(this.floats);
    this.floats = larger;
    this.words = new Int32Array(larger.buffer);
  }
}
