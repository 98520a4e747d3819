/**
 * What going through a block backward does, to do it again at once. Which instructions are members, what they want and
 * on what they depend inside of the block follows from *what* is wanted after it, not from who wants it: of the units
 * that the block defines, of the bytes that it stores, and of its last instruction. So a block has few passages,
 * however many sets of wanters come by.
 *
 * All of it is true of paths (paths.ts), too: what is said of a block holds for the blocks of a path as if they were
 * one.
 *
 * A passage is made while the block is gone through (passageRecorder.ts), and done again by passageRepeater.ts.
 * Passages are numbers in one array, because a walk does one every few instructions: objects would not stay in the
 * caches.
 */
import { enlarged } from './stretch.js';

/** Where a passage has what, from its beginning on. */
export const PASSAGE = {
  /** The next one of the same layout; 0: there is none. */
  next: 0,
  site: 1,
  /** A bit for each block, of a path or alone, whose last instruction was asked for by itself. */
  asked: 2,
  /** How often it was done again in this stretch, and when the last time, from where the stretch begins. */
  hits: 3,
  time: 4,
  /** Of members: two numbers each in a list of their own (`membersOf`). */
  members: 5,
  /** Where these end, from the passage's beginning on: they lie behind it, one after the other. */
  splitsEnd: 6,
  stepsEnd: 7,
  unitsEnd: 8,
  partsEnd: 9,
  /** Whether words of units after the second have to be looked at. */
  hasMore: 10,
  /** Words of units that the block defines, and those of them that are wanted after it. */
  masks: 11,
  expected: 16,
  /**
   * Splits, two numbers each: expected units whose bytes are not wanted by the same, and a bit for each that is. Steps,
   * in the order of the walk (STEP). Units as they are before the block (UNIT). Parts (PART).
   */
  rest: 21,
} as const;

/** Kinds of steps, and what follows. Addresses are an entry of the block's addresses and bytes from there. */
export const STEP = {
  /** Stored, four bytes that lie right: an address; 1 if they are wanted, or else 0. */
  word: 0,
  /** Stored: the same of one byte. */
  byte: 1,
  /** Wanted: an address, how many bytes, by whom; who wanted it the last time, and with these. */
  load: 2,
  /**
   * All who want what an instruction left depend on it: its node; the place to name, or -1 for what it stored; which
   * instruction it is; who wants it inside of the block; who did after it the last time; how many units want it after
   * the block, and these, or CELL + a byte of those that are split.
   */
  edge: 3,
  /** A function takes a register of its caller from the stack: an entry, the register. */
  restore: 4,
  /** It puts it there: the same. */
  save: 5,
} as const;

/** Kinds of changes; each has its unit and its kind first. */
export const UNIT = {
  /** It is wanted by others than after the block: by whom. */
  replaced: 0,
  /** It is wanted by more: by whom; who wanted it the last time, and with these. */
  added: 1,
  /** Some of its bytes are: a bit for each that is replaced, then by whom, of each. */
  split: 2,
} as const;

export const CELL = 0x1000;
/**
 * Parts of the block with members, four numbers each: which part, where its members end, and what it depended on the
 * last time: the parent's layout and site, or -1 and a number below 0. INSIDE and a number: always on that block of the
 * same path.
 */
export const PART = 4;
export const INSIDE = -2;
/**
 * Members are two numbers each: a node; the instruction's place in the block, or if it does not count, that less this.
 */
export const UNCOUNTED = 1 << 20;

const FIRST_CAPACITY = 1 << 16;
/** Numbers: 64 MB. When there are more, all are forgotten. */
const MOST_NUMBERS = 1 << 24;

/** All passages of a walk. */
export class Passages {
  numbers = new Int32Array(FIRST_CAPACITY);
  /** Passages with hits. */
  readonly repeated: number[] = [];
  private readonly members: Int32Array[] = [];
  private used = 1;

  get isFull(): boolean {
    return this.used > MOST_NUMBERS;
  }

  /** Where it is. */
  add(passage: readonly number[], members: readonly number[]): number {
    const at = this.used;
    this.used += passage.length;
    if (this.used > this.numbers.length) this.numbers = enlarged(this.numbers, Math.max(this.used, this.numbers.length * 2));
    this.numbers.set(passage, at);
    this.numbers[at + PASSAGE.members] = this.members.push(Int32Array.from(members)) - 1;
    return at;
  }

  clear(): void {
    this.used = 1;
    this.members.length = 0;
  }

  membersOf(passage: number): Int32Array {
    return this.members[this.numbers[passage + PASSAGE.members] as number] as Int32Array;
  }

  /** Tells what was done again since the last time: of each member how often, and when it was met last. */
  takeRepeated(from: number, tell: (node: number, time: number, count: number) => void): void {
    const { numbers, repeated } = this;
    for (const passage of repeated) {
      const time = from + (numbers[passage + PASSAGE.time] as number);
      const members = this.membersOf(passage);
      for (let k = 0; k < members.length; k += 2) {
        const place = members[k + 1] as number;
        tell(members[k] as number, time + (place < 0 ? place + UNCOUNTED : place), place < 0 ? 0 : (numbers[passage + PASSAGE.hits] as number));
      }
      numbers[passage + PASSAGE.hits] = 0;
    }
    repeated.length = 0;
  }
}
