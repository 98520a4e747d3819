/**
 * What going through a block backward has done, to do it again at once. Loops go through the same blocks with the same
 * sets of wanters over and over: then what is wanted before the block, and who depends on what, is the same as well.
 *
 * That it is the same is known from all that the walk has looked at: the units that the block's instructions touch, and
 * every word of memory that it stores to. These are compared and changed one by one, in order, when a passage is done
 * again. So it is of no account which accesses meet; if one word is not what it was, all before it is set back.
 */
import type { MemoryWants } from '../wants/memoryWants.js';
import { linearOf } from '../wants/memoryWants.js';
import type { ThreadWants } from '../wants/threadWants.js';
import { NO_WANTERS, SPLIT, type WanterSet, type Wanters } from '../wants/wanters.js';
import { enlarged, type Stretch } from './stretch.js';
import { UNIT_BYTES, UNIT_WORDS } from './units.js';

export interface Passage {
  readonly site: number;
  /** Whether the block's last instruction was asked for by itself. */
  readonly isAsked: boolean;
  /** Of each unit that the block touches. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** The same by byte, one after the other, of those that are split. */
  readonly bytesBefore: Int32Array;
  readonly bytesAfter: Int32Array;
  readonly bitsCleared: Int32Array;
  readonly bitsSet: Int32Array;
  /**
   * Five numbers each: the entry of the address, bytes from there, how many. Then, of stores: who wanted them (4 bytes
   * or
   * 1), and who does then; of loads: ADDED, and who wants them, too.
   */
  readonly steps: Int32Array;
  /** Three numbers each: a part of the block with members; the parent's layout and site, or -1 and a number below 0. */
  readonly parts: Int32Array;
  /** Two numbers each: a node; the instruction's place in the block, or if it does not count, that less 2^20. */
  readonly members: Int32Array;
  /** Where, in what the block touches, something else was found the last time that it did not fit. */
  differs: number;
  hits: number;
  /** When it was done last. */
  time: number;
}

/** Those of one layout. */
export interface KnownPassages {
  readonly list: Passage[];
  misses: number;
  hits: number;
  /** How often it was not even tried. */
  skipped: number;
}

const STEP = 5;
export const PART = 3;
/** Loads have 32 bytes at most, so that 64 changes are enough for one. */
export const ADDED = -2;
const UNCOUNTED = 1 << 20;
const NO_BYTES = new Int32Array(0);
const MOST_PASSAGES = 6;
/** After so many misses, if there were no more hits, it is tried only once in so many times. */
const MOST_MISSES = 256;
const SKIPPED = 16;

export function isWorthwhile(known: KnownPassages): boolean {
  return known.misses < MOST_MISSES || known.hits > known.misses * 2 || ++known.skipped % SKIPPED === 0;
}

export function addPassage(known: KnownPassages, made: Passage): void {
  if (known.list.length === MOST_PASSAGES) known.list.pop();
  known.list.unshift(made);
}

export function hasUnits(touched: Int32Array, passage: Passage, { units, bytes }: ThreadWants): boolean {
  const { before, bytesBefore } = passage;
  // What was another the last time is likely to be so again.
  if (units[touched[passage.differs] as number] !== before[passage.differs]) return false;
  let byte = 0;
  for (let k = 0; k < touched.length; k++) {
    const unit = touched[k] as number;
    if (units[unit] !== before[k]) {
      passage.differs = k;
      return false;
    }
    if (before[k] === SPLIT) for (let i = 0; i < UNIT_BYTES; i++) if (bytes[unit * UNIT_BYTES + i] !== bytesBefore[byte++]) return false;
  }
  return true;
}

/** What was changed in memory by steps, to set it back: an address, who wanted it, and 4 or 1 bytes. */
const changes = new Int32Array(3 * 4096);
const MOST_CHANGES = changes.length - 3 * 64;
let changeCount = 0;

/**
 * Does the steps in memory, of a block whose addresses begin at `first`. False, and nothing is done, if they do not
 * fit.
 */
export function repeatSteps(steps: Int32Array, { addresses }: Stretch, first: number, memory: MemoryWants, wanters: Wanters): boolean {
  changeCount = 0;
  for (let k = 0; k < steps.length; k += STEP) {
    const linear = linearOf((addresses[first + (steps[k] as number)] as number) + (steps[k + 1] as number));
    const bytes = steps[k + 2] as number;
    const before = steps[k + 3] as number;
    const after = steps[k + 4] as number;
    if (before === ADDED) {
      if (changeCount > MOST_CHANGES) return undo(memory);
      addAll(linear, bytes, after, memory, wanters);
    } else if (bytes === 4) {
      if ((linear & 3) !== 0 || memory.wordAt(linear) !== before) return undo(memory);
      if (before !== after) change(memory, linear, before, after, 4);
    } else {
      if (memory.at(linear) !== before) return undo(memory);
      if (before !== after) change(memory, linear, before, after, 1);
    }
  }
  return true;
}

/** What loads want: it is of no account who wanted it before. */
function addAll(linear: number, bytes: number, own: WanterSet, memory: MemoryWants, wanters: Wanters): void {
  const end = linear + bytes;
  for (let at = linear; at < end; ) {
    const word = memory.wordAt(at);
    const isWord = (at & 3) === 0 && end - at >= 4 && word !== SPLIT;
    const before = isWord ? word : memory.at(at);
    if (before !== own) {
      const after = wanters.union(before, own);
      if (after !== before) change(memory, at, before, after, isWord ? 4 : 1);
    }
    at += isWord ? 4 : 1;
  }
}

function change(memory: MemoryWants, linear: number, before: WanterSet, after: WanterSet, bytes: number): void {
  changes[changeCount] = linear;
  changes[changeCount + 1] = before;
  changes[changeCount + 2] = bytes;
  changeCount += 3;
  if (bytes === 4) memory.setWord(linear, after);
  else memory.set(linear, after);
}

function undo(memory: MemoryWants): false {
  for (let k = changeCount - 3; k >= 0; k -= 3) {
    if (changes[k + 2] === 4) memory.setWord(changes[k] as number, changes[k + 1] as number);
    else memory.set(changes[k] as number, changes[k + 1] as number);
  }
  return false;
}

export function repeatUnits({ before, after, bytesAfter, bitsCleared, bitsSet }: Passage, touched: Int32Array, { units, bits, bytes }: ThreadWants): void {
  let byte = 0;
  for (let k = 0; k < touched.length; k++) {
    const unit = touched[k] as number;
    if (before[k] !== after[k]) units[unit] = after[k] as number;
    if (after[k] === SPLIT) for (let i = 0; i < UNIT_BYTES; i++) bytes[unit * UNIT_BYTES + i] = bytesAfter[byte++] as number;
  }
  for (let word = 0; word < UNIT_WORDS; word++) bits[word] = ((bits[word] as number) & ~(bitsCleared[word] as number)) | (bitsSet[word] as number);
}

export function membersOf({ members, time }: Passage, tell: (node: number, time: number, counts: boolean) => void): void {
  for (let k = 0; k < members.length; k += 2) {
    const place = members[k + 1] as number;
    tell(members[k] as number, time + (place < 0 ? place + UNCOUNTED : place), place >= 0);
  }
}

/** Notes what is done while a block is gone through. */
export class PassageRecorder {
  /** It can be done again. */
  isGood = false;
  private steps = new Int32Array(4096);
  private stepCount = 0;
  private readonly parts: number[] = [];
  private readonly members: number[] = [];
  private before = new Int32Array(0);
  private bytesBefore = NO_BYTES;

  begin(touched: Int32Array, thread: ThreadWants): void {
    this.isGood = true;
    this.stepCount = 0;
    this.parts.length = 0;
    this.members.length = 0;
    this.before = setsOf(touched, thread);
    this.bytesBefore = bytesOf(this.before, touched, thread);
  }

  step(entry: number, offset: number, bytes: number, before: number, after: number): void {
    if (this.stepCount + STEP > this.steps.length) this.steps = enlarged(this.steps, this.steps.length * 2);
    const { steps, stepCount } = this;
    steps[stepCount] = entry;
    steps[stepCount + 1] = offset;
    steps[stepCount + 2] = bytes;
    steps[stepCount + 3] = before;
    steps[stepCount + 4] = after;
    this.stepCount += STEP;
  }

  part(part: number, layout: number, site: number): void {
    this.parts.push(part, layout, site);
  }

  member(node: number, place: number, counts: boolean): void {
    this.members.push(node, counts ? place : place - UNCOUNTED);
  }

  /** Undefined if it cannot be done again. */
  end(touched: Int32Array, thread: ThreadWants, site: number, isAsked: boolean): Passage | undefined {
    if (!this.isGood) return undefined;
    const { before, bytesBefore } = this;
    const after = setsOf(touched, thread);
    const [bitsCleared, bitsSet] = [new Int32Array(UNIT_WORDS), new Int32Array(UNIT_WORDS)];
    for (let k = 0; k < touched.length; k++) {
      const unit = touched[k] as number;
      const masks = after[k] === NO_WANTERS ? bitsCleared : bitsSet;
      masks[unit >> 5] = (masks[unit >> 5] as number) | (1 << (unit & 31));
    }
    return {
      site, isAsked, before, after, bytesBefore, bytesAfter: bytesOf(after, touched, thread), bitsCleared, bitsSet, steps: this.steps.slice(0, this.stepCount),
      parts: Int32Array.from(this.parts), members: Int32Array.from(this.members), differs: 0, hits: 0, time: 0,
    };
  }
}

function bytesOf(sets: Int32Array, touched: Int32Array, { bytes }: ThreadWants): Int32Array<ArrayBuffer> {
  let split = 0;
  for (let k = 0; k < sets.length; k++) if (sets[k] === SPLIT) split++;
  if (split === 0) return NO_BYTES;
  const made = new Int32Array(split * UNIT_BYTES);
  let byte = 0;
  for (let k = 0; k < sets.length; k++) {
    if (sets[k] === SPLIT) for (let i = 0; i < UNIT_BYTES; i++) made[byte++] = bytes[(touched[k] as number) * UNIT_BYTES + i] as number;
  }
  return made;
}

function setsOf(touched: Int32Array, { units }: ThreadWants): Int32Array<ArrayBuffer> {
  const made = new Int32Array(touched.length);
  for (let k = 0; k < touched.length; k++) made[k] = units[touched[k] as number] as number;
  return made;
}
