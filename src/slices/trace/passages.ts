/**
 * What going through a block backward has done, to do it again at once. Loops go through the same blocks with the same
 * sets of wanters over and over: then what is wanted before the block, and who depends on what, is the same as well.
 *
 * That it is the same is known from all that the walk has looked at: the units that the block's instructions touch, and
 * every word of memory, in order. The words are compared and changed one by one when a passage is done again. So it is
 * of no account which accesses meet; if one word is not what it was, those before it are set back.
 */
import type { MemoryWants } from '../wants/memoryWants.js';
import { linearOf } from '../wants/memoryWants.js';
import type { ThreadWants } from '../wants/threadWants.js';
import { SPLIT } from '../wants/wanters.js';
import { enlarged, type Stretch } from './stretch.js';
import { UNIT_WORDS } from './units.js';

export interface Passage {
  readonly site: number;
  /** Whether the block's last instruction was asked for by itself. */
  readonly isAsked: boolean;
  /** Of each unit that the block touches. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly bitsCleared: Int32Array;
  readonly bitsSet: Int32Array;
  /**
   * Five numbers each: the entry of the address, bytes from there, how many (4 or 1), who wanted them, and who does
   * then.
   */
  readonly steps: Int32Array;
  /** Three numbers each: a part of the block with members; the parent's layout and site, or -1 and a number below 0. */
  readonly parts: Int32Array;
  /** Two numbers each: a node; the instruction's place in the block, or if it does not count, that less 2^20. */
  readonly members: Int32Array;
  hits: number;
  /** When it was done last. */
  time: number;
}

/** Those of one layout. */
export interface KnownPassages {
  readonly list: Passage[];
  misses: number;
  hits: number;
}

const STEP = 5;
export const PART = 3;
const UNCOUNTED = 1 << 20;
const MOST_PASSAGES = 6;
/** After so many misses, if there were no more hits, it is not worth while. */
const MOST_MISSES = 256;

export function isWorthwhile({ misses, hits }: KnownPassages): boolean {
  return misses < MOST_MISSES || hits > misses * 2;
}

export function addPassage(known: KnownPassages, made: Passage): void {
  if (known.list.length === MOST_PASSAGES) known.list.pop();
  known.list.unshift(made);
}

export function hasUnits(touched: Int32Array, before: Int32Array, units: Int32Array): boolean {
  for (let k = 0; k < touched.length; k++) if (units[touched[k] as number] !== before[k]) return false;
  return true;
}

/**
 * Does the steps in memory, of a block whose addresses begin at `first`. False, and nothing is done, if they do not
 * fit.
 */
export function repeatSteps(steps: Int32Array, { addresses }: Stretch, first: number, memory: MemoryWants): boolean {
  for (let k = 0; k < steps.length; k += STEP) {
    const linear = linearOf((addresses[first + (steps[k] as number)] as number) + (steps[k + 1] as number));
    const [before, after] = [steps[k + 3] as number, steps[k + 4] as number];
    if (steps[k + 2] === 4) {
      if ((linear & 3) !== 0 || memory.wordAt(linear) !== before) return undo(steps, k, addresses, first, memory);
      if (before !== after) memory.setWord(linear, after);
    } else {
      if (memory.at(linear) !== before) return undo(steps, k, addresses, first, memory);
      if (before !== after) memory.set(linear, after);
    }
  }
  return true;
}

function undo(steps: Int32Array, beyond: number, addresses: Uint32Array, first: number, memory: MemoryWants): false {
  for (let k = beyond - STEP; k >= 0; k -= STEP) {
    if (steps[k + 3] === steps[k + 4]) continue;
    const linear = linearOf((addresses[first + (steps[k] as number)] as number) + (steps[k + 1] as number));
    if (steps[k + 2] === 4) memory.setWord(linear, steps[k + 3] as number);
    else memory.set(linear, steps[k + 3] as number);
  }
  return false;
}

export function repeatUnits({ before, after, bitsCleared, bitsSet }: Passage, touched: Int32Array, { units, bits }: ThreadWants): void {
  for (let k = 0; k < touched.length; k++) if (before[k] !== after[k]) units[touched[k] as number] = after[k] as number;
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

  begin(touched: Int32Array, { units }: ThreadWants): void {
    this.isGood = true;
    this.stepCount = 0;
    this.parts.length = 0;
    this.members.length = 0;
    this.before = new Int32Array(touched.length);
    for (let k = 0; k < touched.length; k++) {
      const set = (this.before[k] = units[touched[k] as number] as number);
      if (set === SPLIT) this.isGood = false;
    }
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
  end(touched: Int32Array, { units }: ThreadWants, site: number, isAsked: boolean): Passage | undefined {
    if (!this.isGood) return undefined;
    const { before } = this;
    const after = new Int32Array(touched.length);
    const [bitsCleared, bitsSet] = [new Int32Array(UNIT_WORDS), new Int32Array(UNIT_WORDS)];
    for (let k = 0; k < touched.length; k++) {
      const unit = touched[k] as number;
      const set = (after[k] = units[unit] as number);
      if (set === SPLIT) return undefined;
      const masks = set === 0 ? bitsCleared : bitsSet;
      masks[unit >> 5] = (masks[unit >> 5] as number) | (1 << (unit & 31));
    }
    return {
      site, isAsked, before, after, bitsCleared, bitsSet, steps: this.steps.slice(0, this.stepCount),
      parts: Int32Array.from(this.parts), members: Int32Array.from(this.members), hits: 0, time: 0,
    };
  }
}
