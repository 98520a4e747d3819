/**
 * What going through a block backward does, to do it again at once. Which instructions are members, what they want and
 * on what they depend inside of the block follows from *what* is wanted after it, not from who wants it: of the units
 * that the block defines, of the bytes that it stores, and of its last instruction. So a block has few passages,
 * however many sets of wanters come by.
 *
 * A passage is made while the block is gone through for the first time (passageRecorder.ts), and done again by
 * passageRepeater.ts.
 */
export interface Passage {
  readonly site: number;
  /** Whether the block's last instruction was asked for by itself. */
  readonly isAsked: boolean;
  /** Of the units that the block defines: those that are wanted after it, a bit for each. */
  readonly expected: Int32Array;
  /** Of these, two numbers each: units whose bytes are not wanted by the same, and which bytes are wanted. */
  readonly splits: Int32Array;
  /** One after the other, in the order of the walk; each begins with its kind (STEP). */
  readonly steps: Int32Array;
  /** What is wanted of units before the block; each has a unit and its kind (UNIT) first. */
  readonly units: Int32Array;
  /**
   * Parts of the block with members, four numbers each: which part, where its members end in `members`, and what it
   * depended on the last time: the parent's layout and site, or -1 and a number below 0.
   */
  readonly parts: Int32Array;
  /** Two numbers each: a node; the instruction's place in the block, or if it does not count, that less UNCOUNTED. */
  readonly members: Int32Array;
  hits: number;
  /** When it was done last. */
  time: number;
}

/** Kinds of steps, and what follows. Addresses are an entry of the block's addresses and bytes from there. */
export const STEP = {
  /** Stored, four bytes that lie right: an address; 1 if they are wanted, or else 0. */
  word: 0,
  /** Stored: the same of one byte. */
  byte: 1,
  /** Wanted: an address, how many bytes, by whom. */
  load: 2,
  /**
   * All who want what an instruction left depend on it: its node; the place to name, or -1 for what it stored; which
   * instruction it is; who wants it inside of the block; the set of the last time; how many units want it after the
   * block, and these, or CELL + a byte of those that are split.
   */
  edge: 3,
  /** A function takes a register of its caller from the stack: an entry, the register. */
  restore: 4,
  /** It puts it there: the same. */
  save: 5,
} as const;

export const UNIT = {
  /** It is wanted by others than before the block: by whom. */
  replaced: 0,
  /** It is wanted by more: by whom. */
  added: 1,
  /** Some of its bytes are: a bit for each that is replaced, then by whom, of each. */
  split: 2,
} as const;

export const CELL = 0x1000;
export const PART = 4;
export const UNCOUNTED = 1 << 20;

/** Those of one layout. */
export interface KnownPassages {
  readonly list: Passage[];
  misses: number;
  hits: number;
  /** How often it was gone through without being tried. */
  skipped: number;
}

const MOST_PASSAGES = 12;
/** A block that is gone through so rarely is not worth it. */
const RARELY = 4;
/** After so many misses, if there were no more hits, it is tried only once in so many times. */
const MOST_MISSES = 256;
const SKIPPED = 16;

export function isWorthwhile(known: KnownPassages): boolean {
  if (known.hits > known.misses * 2) return true;
  if (known.hits + known.misses === 0 && known.skipped < RARELY) {
    known.skipped++;
    return false;
  }
  return known.misses < MOST_MISSES || ++known.skipped % SKIPPED === 0;
}

export function addPassage(known: KnownPassages, made: Passage): void {
  if (known.list.length === MOST_PASSAGES) known.list.pop();
  known.list.unshift(made);
}

/** Members, and when each was met in the round that began at the passage's time. */
export function membersOf({ members, time }: Passage, tell: (node: number, time: number, counts: boolean) => void): void {
  for (let k = 0; k < members.length; k += 2) {
    const place = members[k + 1] as number;
    tell(members[k] as number, time + (place < 0 ? place + UNCOUNTED : place), place >= 0);
  }
}

