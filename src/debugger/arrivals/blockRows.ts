/**
 * Counts while a stretch is observed: how often each block was entered, how often control arrives at a unit with it,
 * and how often it is the beginning of a call. What an arrival is, arrivalLoop.ts says.
 */
import { assert } from '../../base/assert.js';
import type { LoggedBlock, LoggedBlocks, LoggedEnd } from '../../ir/loggedBlocks.js';
import { PART_BITS } from '../program/statements.js';
import { type ArrivalLoop, KIND, LEAVE, LENGTH_BITS, NOT_BY_JUMP, ROW, ROW_BYTES, type ToldBlock, type Trail } from './arrivalLoop.js';

/** What a block is, as far as arrivals go. */
export interface MetBlock {
  readonly block: LoggedBlock;
  /** The unit of every instruction; 0: it belongs to the unit before. */
  readonly units: readonly number[];
  /** The unit of the instruction before it: that of the call, where a function returns to. */
  readonly unitBefore: number;
  /** Functions as numbers, of the first instruction and of the last; 0: none. */
  readonly functions: readonly [number, number];
  /** Whether it begins with the first instruction of a function. */
  readonly isEntry: boolean;
  /** Whether to tell each time that it is executed. */
  readonly isWatched: boolean;
}

const LEAVES = {
  jump: LEAVE.byJump, syscall: LEAVE.byJump, trap: LEAVE.byJump, cut: LEAVE.byJump, call: LEAVE.byCall, return: LEAVE.byReturn,
} satisfies Record<LoggedEnd, number>;
const FEW_ROWS = 4096;
const TWO_32 = 0x1_0000_0000;
const PARTS_MASK = (1 << PART_BITS) - 1;

export function freshTrail(): Trail {
  return { from: NOT_BY_JUMP, unit: LEAVE.byCall, at: 0, been: 0, back: 0 };
}

/** Whether two units are of one group. */
export function isSameGroup(a: number, b: number): boolean {
  return a >>> PART_BITS === b >>> PART_BITS;
}

export function bitOf(unit: number): number {
  return 1 << (unit & PARTS_MASK);
}

/** Of one program in one address space. */
export class BlockRows<M extends MetBlock> {
  readonly met = new Map<number, M>();
  private capacity = FEW_ROWS;
  private rows: number;

  constructor(private readonly loop: ArrivalLoop) {
    this.rows = loop.allocate(FEW_ROWS);
  }

  /** How often a block was executed, its first unit was entered with it, and it was the beginning of a call. */
  of(number: number): { readonly count: number; readonly entered: number; readonly arrived: number } {
    const { words } = this.loop;
    const part = (offset: number): number => {
      const at = (this.rows + number * ROW_BYTES + offset) / 4;
      return ((words[at] as number) >>> 0) + (words[at + 1] as number) * TWO_32;
    };
    return { count: part(ROW.count), entered: part(ROW.entered), arrived: part(ROW.arrived) };
  }

  /** `meet` is asked once for each block that has not been seen before. */
  count(blocks: Uint32Array, known: Pick<LoggedBlocks, 'count' | 'get'>, trail: Trail, time: number, meet: (block: LoggedBlock) => M, tell?: (told: ToldBlock, met: M) => void): void {
    if (known.count > this.capacity) this.grow(known.count);
    const clock = { time };
    const telling = tell === undefined ? undefined : (told: ToldBlock): void => tell(told, this.met.get(blocks[told.index] as number) as M);
    for (let i = 0; ; ) {
      i = this.loop.count(this.rows, blocks, i, trail, clock, telling);
      if (i === blocks.length) return;
      this.learn(meet(known.get(blocks[i] as number)));
    }
  }

  private learn(met: M): void {
    const { block: { number, start, next, lengths, end }, units, unitBefore, functions, isEntry, isWatched } = met;
    const { floats, words } = this.loop;
    const row = this.rows + number * ROW_BYTES;
    const lined = units.filter((unit) => unit !== 0);
    const last = lined.at(-1) ?? 0;
    const group = lined.slice(lined.findLastIndex((unit) => !isSameGroup(unit, last)) + 1);
    const lastOffset = next - (lengths.at(-1) ?? 0) - start;
    assert(lengths.length < 1 << LENGTH_BITS && lastOffset < 1 << (32 - LENGTH_BITS), 'a block has a place in a row');
    this.met.set(number, met);
    floats[(row + ROW.start) / 8] = start;
    const put = (part: number, value: number): void => void (words[(row + part) / 4] = value);
    put(ROW.lastAndLength, (lastOffset << LENGTH_BITS) | lengths.length);
    put(ROW.unitsMask, group.reduce((bits, unit) => bits | bitOf(unit), 0));
    put(ROW.firstUnit, lined[0] ?? 0);
    put(ROW.lastUnit, last);
    put(ROW.unitBefore, unitBefore);
    put(ROW.firstFunction, functions[0]);
    put(ROW.lastFunction, functions[1]);
    const kind = (isEntry ? KIND.entry : KIND.other) | (group.length === lined.length ? KIND.whole : 0) | (isWatched ? KIND.watched : 0);
    put(ROW.kindAndLeave, (LEAVES[end] << LEAVE.shift) | kind);
  }

  /** Rows that are given up stay behind: each time twice as many are taken. */
  private grow(count: number): void {
    const [before, bytes] = [this.rows, this.capacity * ROW_BYTES];
    this.capacity = Math.max(count, this.capacity * 2);
    this.rows = this.loop.allocate(this.capacity);
    this.loop.words.copyWithin(this.rows / 4, before / 4, (before + bytes) / 4);
  }
}
