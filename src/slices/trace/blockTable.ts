/**
 * What a walk has to know of a block before it goes through it, by layout, as numbers in one array: it is looked at for
 * every block that was executed, and objects would not stay in the caches. Of paths (paths.ts) the same, in a table of
 * their own.
 */
import { ENDS } from './codeTable.js';
import { writtenBy } from './blockLooks.js';
import { PASSAGE, type Passages } from './passages.js';
import { enlarged, type Layout, type Stretch } from './stretch.js';
import { UNIT_WORDS } from './units.js';

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
  /** Of a path: how many blocks it has. */
  blocks: 13,
} as const;

export const BLOCK_NUMBERS = 16;
/** Numbers of a store (CodeBlock.stores). */
const STORE = 4;
const MOST_PASSAGES = 12;
/** A block that is gone through so rarely is not worth it. */
const RARELY = 4;
/** After so many misses, if there were no more hits, it is tried only once in so many times. */
const MOST_MISSES = 256;
const SKIPPED = 16;

interface BlockFacts {
  readonly entries: number;
  readonly parts: number;
  readonly blocks: number;
  readonly mayRepeat: boolean;
  readonly written: Int32Array;
  readonly hasStores: boolean;
}

export class BlockTable {
  numbers = new Int32Array(1024 * BLOCK_NUMBERS);

  /** Of paths: what their blocks store, as `stores` of a block. */
  readonly stores: Int32Array[] = [];

  learn({ number, code, parts }: Layout): void {
    const { entries, ends, usesX87, stores } = code;
    this.put(number, { entries, parts, blocks: 1, mayRepeat: !usesX87 && ends !== ENDS.syscall, written: code.written ?? writtenBy(code), hasStores: stores.length > 0 });
  }

  /** Of a path that is not known yet, each time it is met: whether it is worth to be learnt. */
  isMetOften(number: number): boolean {
    this.reserve(number);
    const at = number * BLOCK_NUMBERS + BLOCK.skipped;
    return (this.numbers[at] = (this.numbers[at] as number) + 1) > RARELY;
  }

  /** A path of so many blocks, from one on. */
  learnPath(number: number, { layouts, layoutList }: Stretch, first: number, blocks: number): void {
    const written = new Int32Array(UNIT_WORDS);
    const stores: number[] = [];
    let [entries, parts] = [0, 0];
    for (let block = first; block < first + blocks; block++) {
      const layout = layoutList[layouts[block] as number] as Layout;
      const { code } = layout;
      (code.written ?? writtenBy(code)).forEach((word, i) => void (written[i] = (written[i] as number) | word));
      for (let k = 0; k < code.stores.length; k += STORE) {
        const [entry = 0, bytes = 0, count = 0, instruction = 0] = code.stores.subarray(k, k + STORE);
        stores.push(entry + entries, bytes, count < 0 ? count : count + entries, instruction);
      }
      entries += code.entries;
      parts += layout.parts;
    }
    this.stores[number] = Int32Array.from(stores);
    this.put(number, { entries, parts, blocks, mayRepeat: true, written, hasStores: stores.length > 0 });
  }

  private put(number: number, { entries, parts, blocks, mayRepeat, written: [first = 0, second = 0, ...others], hasStores }: BlockFacts): void {
    this.reserve(number);
    const at = number * BLOCK_NUMBERS;
    const { numbers } = this;
    numbers[at + BLOCK.isKnown] = 1;
    numbers[at + BLOCK.entries] = entries;
    numbers[at + BLOCK.parts] = parts;
    numbers[at + BLOCK.blocks] = blocks;
    numbers[at + BLOCK.mayRepeat] = mayRepeat ? 1 : 0;
    numbers[at + BLOCK.written] = first;
    numbers[at + BLOCK.written + 1] = second;
    numbers[at + BLOCK.writesMore] = others.some((word) => word !== 0) ? 1 : 0;
    numbers[at + BLOCK.hasStores] = hasStores ? 1 : 0;
  }

  private reserve(number: number): void {
    const end = (number + 1) * BLOCK_NUMBERS;
    if (end > this.numbers.length) this.numbers = enlarged(this.numbers, Math.max(end, this.numbers.length * 2));
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
