/**
 * Counts while a stretch is observed: how often each block was entered, how often lines begin with it, and how often it
 * is the beginning of a call.
 */
import type { LoggedBlock, LoggedBlocks, LoggedEnd } from '../ir/loggedBlocks.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { CodeFunction } from '../debugger/program/codeFunctions.js';
import type { CodePlace } from './codePlaces.js';
import { type CountLoop, KIND, LEAVE, NOT_BY_JUMP, ROW, ROW_BYTES, type Trail } from './countLoop.js';

/** What a block is, as far as counting goes. */
export interface MetBlock {
  readonly block: LoggedBlock;
  readonly module: LoadedModule | undefined;
  readonly places: readonly CodePlace[];
  /** The line of the instruction before it: that of the call, where a function returns to. */
  readonly lineBefore: number;
}

const LEAVES = {
  jump: LEAVE.byJump, syscall: LEAVE.byJump, trap: LEAVE.byJump, cut: LEAVE.byJump, call: LEAVE.byCall, return: LEAVE.byReturn,
} satisfies Record<LoggedEnd, number>;
const FEW_ROWS = 4096;
const TWO_32 = 0x1_0000_0000;

export function freshTrail(): Trail {
  return { from: NOT_BY_JUMP, line: LEAVE.byCall, at: 0 };
}

/** Of one program in one address space. */
export class BlockCounts {
  readonly met = new Map<number, MetBlock>();
  private readonly functionNumbers = new Map<CodeFunction, number>();
  private capacity = FEW_ROWS;
  private rows: number;

  constructor(private readonly loop: CountLoop) {
    this.rows = loop.allocate(FEW_ROWS);
  }

  /** How often a block was executed, its first line was entered with it, and it was the beginning of a call. */
  of(number: number): { readonly count: number; readonly entered: number; readonly arrived: number } {
    const { words } = this.loop;
    const part = (offset: number): number => {
      const at = (this.rows + number * ROW_BYTES + offset) / 4;
      return ((words[at] as number) >>> 0) + (words[at + 1] as number) * TWO_32;
    };
    return { count: part(ROW.count), entered: part(ROW.entered), arrived: part(ROW.arrived) };
  }

  /** `meet` is asked once for each block that has not been seen before. */
  count(blocks: Uint32Array, known: LoggedBlocks, trail: Trail, meet: (block: LoggedBlock) => MetBlock): void {
    if (known.count > this.capacity) this.grow(known.count);
    for (let i = 0; ; ) {
      i = this.loop.count(this.rows, blocks, i, trail);
      if (i === blocks.length) return;
      this.learn(meet(known.get(blocks[i] as number)));
    }
  }

  private learn(met: MetBlock): void {
    const { block: { number, start, next, lengths, end }, places, lineBefore } = met;
    const [first, last] = [places[0], places.at(-1)] as [CodePlace, CodePlace];
    const { floats, words } = this.loop;
    const row = this.rows + number * ROW_BYTES;
    this.met.set(number, met);
    floats[(row + ROW.start) / 8] = start;
    floats[(row + ROW.end) / 8] = next - (lengths.at(-1) ?? 0);
    const put = (part: number, value: number): void => void (words[(row + part) / 4] = value);
    put(ROW.firstLine, first.line);
    put(ROW.lastLine, places.findLast(({ line }) => line !== 0)?.line ?? 0);
    put(ROW.lineBefore, lineBefore);
    put(ROW.firstFunction, this.numberOf(first.function));
    put(ROW.lastFunction, this.numberOf(last.function));
    put(ROW.kindAndLeave, (LEAVES[end] << LEAVE.shift) | (first.isEntry ? KIND.entry : KIND.other));
  }

  private numberOf(one: CodeFunction | undefined): number {
    if (one === undefined) return 0;
    const number = this.functionNumbers.get(one) ?? this.functionNumbers.size + 1;
    this.functionNumbers.set(one, number);
    return number;
  }

  /** Rows that are given up stay behind: each time twice as many are taken. */
  private grow(count: number): void {
    const [before, bytes] = [this.rows, this.capacity * ROW_BYTES];
    this.capacity = Math.max(count, this.capacity * 2);
    this.rows = this.loop.allocate(this.capacity);
    this.loop.words.copyWithin(this.rows / 4, before / 4, (before + bytes) / 4);
  }
}
