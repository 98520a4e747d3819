/**
 * Paths: blocks of a stretch that were executed one after the other, and are again and again, as in the rounds of a
 * loop. A walk that knows what a whole path does (passages.ts) need not look at each of its blocks, and what is only
 * handed from block to block inside of it costs nothing.
 *
 * A path ends where a function is called or left, and where a jump goes back, unless it is short: so the rounds of a
 * loop are the same paths. Which blocks a path has is a way through a tree, with a node for each beginning of a path.
 */
import { PairTable } from '../wants/pairTable.js';
import { ENDS } from './codeTable.js';
import { enlarged, type Layout, type Stretch, type StretchRun } from './stretch.js';

const MOST_BLOCKS = 16;
/** Jumps back end a path that has so many blocks. */
const ENOUGH_BLOCKS = 4;
/** Beginnings of paths that are told apart: 3 MB. */
const MOST_NODES = 1 << 18;
const FIRST_CAPACITY = 1024;
const ROOT = 0;
const NO_NODE = 0;

/** Kinds of blocks: inside of paths, the last of one, in none. 0: it is not known yet. */
const KIND = { inside: 1, last: 2, alone: 3 } as const;

/** The paths in a stretch, in order: the last block of each, and which path it is. Single blocks are none. */
export interface StretchPaths {
  readonly lasts: Int32Array;
  readonly numbers: Int32Array;
}

/** All paths of an execution. */
export class Paths {
  /** How many blocks each has, by its number. */
  readonly lengths: number[] = [0];
  /** Of each layout. */
  private kinds = new Uint8Array(FIRST_CAPACITY);
  private starts = new Float64Array(FIRST_CAPACITY);
  /** Of each node of the tree: its path's number (0: none has ended there), and where it went on the last time. */
  private numbers = new Int32Array(FIRST_CAPACITY);
  private lastLayouts = new Int32Array(FIRST_CAPACITY);
  private lastNodes = new Int32Array(FIRST_CAPACITY);
  private readonly nexts = new PairTable();
  private nodes = 1;

  of(stretch: Stretch): StretchPaths {
    return (stretch.paths ??= this.find(stretch));
  }

  private find(stretch: Stretch): StretchPaths {
    const { runs } = stretch;
    let [lasts, numbers, count] = [new Int32Array(FIRST_CAPACITY), new Int32Array(FIRST_CAPACITY), 0];
    const add = (last: number, number: number): void => {
      if (count === lasts.length) [lasts, numbers] = [enlarged(lasts, count * 2), enlarged(numbers, count * 2)];
      lasts[count] = last;
      numbers[count++] = number;
    };
    for (let r = 0; r < runs.length; r++) this.findInRun(stretch, (runs[r] as StretchRun).first, runs[r + 1]?.first ?? stretch.count, add);
    return { lasts: lasts.slice(0, count), numbers: numbers.slice(0, count) };
  }

  /** The inner loop: everything in it is done for each block. */
  private findInRun({ layouts, sites, layoutList }: Stretch, first: number, end: number, add: (last: number, number: number) => void): void {
    let [node, blocks, before, site] = [ROOT, 0, 0, 0];
    for (let block = first; block < end; block++) {
      const layout = layouts[block] as number;
      const kind = this.kinds[layout] || this.learn(layout, layoutList[layout] as Layout);
      const start = this.starts[layout] as number;
      let next = NO_NODE;
      if (blocks > 0) {
        const isOver = kind === KIND.alone || sites[block] !== site || blocks === MOST_BLOCKS || (blocks >= ENOUGH_BLOCKS && start <= before);
        if (!isOver) next = this.lastLayouts[node] === layout ? (this.lastNodes[node] as number) : this.next(node, layout);
        if (next === NO_NODE && blocks > 1) add(block - 1, this.numberOf(node, blocks));
      }
      if (next === NO_NODE) {
        blocks = 0;
        if (kind !== KIND.inside || (next = this.next(ROOT, layout)) === NO_NODE) continue;
        site = sites[block] as number;
      }
      node = next;
      before = start;
      blocks++;
      if (kind !== KIND.last) continue;
      add(block, this.numberOf(node, blocks));
      blocks = 0;
    }
    if (blocks > 1) add(end - 1, this.numberOf(node, blocks));
  }

  private learn(number: number, { code: { start, ends, usesX87 } }: Layout): number {
    if (number >= this.kinds.length) {
      this.kinds = enlarged(this.kinds, number * 2);
      this.starts = enlarged(this.starts, number * 2);
    }
    this.starts[number] = start;
    return (this.kinds[number] = usesX87 || ends === ENDS.syscall ? KIND.alone : ends === ENDS.other ? KIND.inside : KIND.last);
  }

  private numberOf(node: number, blocks: number): number {
    const known = this.numbers[node] as number;
    return known !== 0 ? known : (this.numbers[node] = this.lengths.push(blocks) - 1);
  }

  /** Where a path goes on with a block; NO_NODE if there is no room for it. */
  private next(node: number, layout: number): number {
    let next = this.nexts.get(node + 1, layout + 1);
    if (next === 0) {
      if (this.nodes === MOST_NODES) return NO_NODE;
      next = this.nodes++;
      if (next === this.numbers.length) {
        this.numbers = enlarged(this.numbers, next * 2);
        this.lastLayouts = enlarged(this.lastLayouts, next * 2);
        this.lastNodes = enlarged(this.lastNodes, next * 2);
      }
      this.lastLayouts[next] = -1;
      this.nexts.set(node + 1, layout + 1, next);
    }
    this.lastLayouts[node] = layout;
    this.lastNodes[node] = next;
    return next;
  }
}
