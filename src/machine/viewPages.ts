/**
 * Which view has which page of addresses. A table of numbers, and not of objects: checked programs make and free
 * millions of blocks in a second, each a view, and objects that live for a while are what garbage collection takes its
 * time with. Open addressing; who is removed leaves no gap.
 */
import type { View } from './views.js';

/** Page, begin, size, real. */
const STRIDE = 4;
const SMALLEST = 256;
const FREE = -1;
const SPREAD = 0x9e37_79b1;

export class ViewPages {
  private rows = emptyRows(SMALLEST);
  private mask = SMALLEST - 1;
  private count = 0;

  has(page: number): boolean {
    return this.find(page) >= 0;
  }

  get(page: number): View | undefined {
    const at = this.find(page);
    return at < 0 ? undefined : this.view(at);
  }

  /** Where the view begins that has a page; -1 if none has. */
  beginOn(page: number): number {
    const at = this.find(page);
    return at < 0 ? -1 : (this.rows[at + 1] as number);
  }

  /** Where it ends. */
  endOn(page: number): number {
    const at = this.find(page);
    return at < 0 ? -1 : (this.rows[at + 1] as number) + (this.rows[at + 2] as number);
  }

  /** False, and nothing has been done, if it has one. */
  add(page: number, { begin, size, real }: View): boolean {
    if (this.count * 2 > this.mask) this.grow();
    const { rows, mask } = this;
    let index = hashOf(page) & mask;
    for (let key = rows[index * STRIDE]; key !== FREE; key = rows[index * STRIDE]) {
      if (key === page) return false;
      index = (index + 1) & mask;
    }
    const at = index * STRIDE;
    this.count++;
    rows[at] = page;
    rows[at + 1] = begin;
    rows[at + 2] = size;
    rows[at + 3] = real;
    return true;
  }

  delete(page: number): void {
    const found = this.find(page);
    if (found < 0) return;
    const { rows, mask } = this;
    this.count--;
    let gap = found / STRIDE;
    // Entries that hash to here, or before, move up.
    for (let index = (gap + 1) & mask; rows[index * STRIDE] !== FREE; index = (index + 1) & mask) {
      const wanted = hashOf(rows[index * STRIDE] as number) & mask;
      if (((index - wanted) & mask) < ((index - gap) & mask)) continue;
      for (let i = 0; i < STRIDE; i++) rows[gap * STRIDE + i] = rows[index * STRIDE + i] as number;
      gap = index;
    }
    rows[gap * STRIDE] = FREE;
  }

  clear(): void {
    this.rows = emptyRows(SMALLEST);
    this.mask = SMALLEST - 1;
    this.count = 0;
  }

  /** Each page, and its view; views of several pages come several times. */
  *entries(): Iterable<[page: number, view: View]> {
    for (let at = 0; at < this.rows.length; at += STRIDE) if (this.rows[at] !== FREE) yield [this.rows[at] as number, this.view(at)];
  }

  private find(page: number): number {
    const { rows, mask } = this;
    for (let index = hashOf(page) & mask; ; index = (index + 1) & mask) {
      const key = rows[index * STRIDE];
      if (key === page) return index * STRIDE;
      if (key === FREE) return -1;
    }
  }

  private view(at: number): View {
    return { begin: this.rows[at + 1] as number, size: this.rows[at + 2] as number, real: this.rows[at + 3] as number };
  }

  private grow(): void {
    const { rows } = this;
    this.mask = this.mask * 2 + 1;
    this.rows = emptyRows(this.mask + 1);
    this.count = 0;
    for (let at = 0; at < rows.length; at += STRIDE) {
      if (rows[at] !== FREE) this.add(rows[at] as number, { begin: rows[at + 1] as number, size: rows[at + 2] as number, real: rows[at + 3] as number });
    }
  }
}

function emptyRows(count: number): Float64Array {
  return new Float64Array(count * STRIDE).fill(FREE);
}

/** The upper bits count as well: they tell views of the same memory apart. */
function hashOf(page: number): number {
  const hash = Math.imul((page | 0) ^ Math.imul(Math.floor(page / 0x1_0000), SPREAD), SPREAD);
  return (hash ^ (hash >>> 15)) & 0x7fff_ffff;
}
