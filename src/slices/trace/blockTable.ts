/**
 * What a walk has to know of a block before it goes through it, by layout, as numbers in one array: it is looked at for
 * every block that was executed, and objects would not stay in the caches.
 */
import { ENDS } from './codeTable.js';
import { writtenBy } from './blockLooks.js';
import { PASSAGE, type Passages } from './passages.js';
import { enlarged, type Layout } from './stretch.js';

/** Where a layout has what. */
export const BLOCK = {
  isKnown: 0,
  /** Of its addresses, and of its parts: how many. */
  entries: 1,
  parts: 2,
  /** Whether it can be done again. */
  mayRepeat: 3,
  /** Units that it may write: two words of them, and whether there are others. */
  written: 4,
  writesMore: 6,
  hasStores: 7,
  /** Its first passage, how many there are, and how often one did fit, or none, or none was tried. */
  passage: 8,
  passages: 9,
  hits: 10,
  misses: 11,
  skipped: 12,
} as const;

export const BLOCK_NUMBERS = 16;
const MOST_PASSAGES = 12;
/** A block that is gone through so rarely is not worth it. */
const RARELY = 4;
/** After so many misses, if there were no more hits, it is tried only once in so many times. */
const MOST_MISSES = 256;
const SKIPPED = 16;

export class BlockTable {
  numbers = new Int32Array(1024 * BLOCK_NUMBERS);

  learn({ number, code, parts }: Layout): void {
    const at = number * BLOCK_NUMBERS;
    if (at >= this.numbers.length) this.numbers = enlarged(this.numbers, Math.max(at + BLOCK_NUMBERS, this.numbers.length * 2));
    const { numbers } = this;
    const [first = 0, second = 0, ...others] = code.written ?? writtenBy(code);
    numbers[at + BLOCK.isKnown] = 1;
    numbers[at + BLOCK.entries] = code.entries;
    numbers[at + BLOCK.parts] = parts;
    numbers[at + BLOCK.mayRepeat] = code.usesX87 || code.ends === ENDS.syscall ? 0 : 1;
    numbers[at + BLOCK.written] = first;
    numbers[at + BLOCK.written + 1] = second;
    numbers[at + BLOCK.writesMore] = others.some((word) => word !== 0) ? 1 : 0;
    numbers[at + BLOCK.hasStores] = code.stores.length > 0 ? 1 : 0;
  }

  /** No passage has fitted: whether to make one. */
  isWorthwhile(at: number): boolean {
    const { numbers } = this;
    const [hits, misses, skipped] = [numbers[at + BLOCK.hits] as number, numbers[at + BLOCK.misses] as number, numbers[at + BLOCK.skipped] as number];
    const isUseful = hits > misses * 2 || (misses < MOST_MISSES && (hits + misses > 0 || skipped >= RARELY)) || (misses >= MOST_MISSES && skipped % SKIPPED === 0);
    const count = isUseful ? BLOCK.misses : BLOCK.skipped;
    numbers[at + count] = (numbers[at + count] as number) + 1;
    if (isUseful) numbers[at + BLOCK.skipped] = (numbers[at + BLOCK.skipped] as number) + 1;
    return isUseful;
  }

  addPassage(at: number, made: number, passages: Passages): void {
    const { numbers } = this;
    const all = passages.numbers;
    const count = (numbers[at + BLOCK.passages] as number) + 1;
    all[made + PASSAGE.next] = numbers[at + BLOCK.passage] as number;
    numbers[at + BLOCK.passage] = made;
    numbers[at + BLOCK.passages] = count;
    if (count <= MOST_PASSAGES) return;
    // The one that was used least recently is the last.
    let last = made;
    for (let i = 1; i < MOST_PASSAGES; i++) last = all[last + PASSAGE.next] as number;
    all[last + PASSAGE.next] = 0;
    numbers[at + BLOCK.passages] = MOST_PASSAGES;
  }

  forgetPassages(): void {
    const { numbers } = this;
    for (let at = 0; at < numbers.length; at += BLOCK_NUMBERS) numbers[at + BLOCK.passage] = numbers[at + BLOCK.passages] = 0;
  }
}
