/**
 * Contents of pages that snapshots need, each stored once and counted. They lie in large shared
 * buffers (slabs), so that worker threads can read them without a copy; a page is known by a number.
 * Only the thread that made a slab adds to it and counts: a thread that sends references to another
 * keeps the snapshot they are from until that thread is done with them.
 */
import { assert } from '../../base/assert.js';
import { PAGE_SIZE } from '../../base/types.js';

/** Where the contents of a page are. 0: a page of zeros, which takes no room. */
export type PageRef = number;
export const ZEROS: PageRef = 0;

const SLAB_PAGES = 2048;
const PAGE_WORDS = PAGE_SIZE / 8;
/** A store that also reads another one's pages gives out numbers from here on. */
const FIRST_BESIDE_OTHERS: PageRef = 0x8000_0000;

/** What another thread needs to read the pages; it can be sent with postMessage. */
export interface SharedSlabs {
  readonly slabs: readonly { readonly number: number; readonly buffer: SharedArrayBuffer }[];
}

interface Slab {
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
  readonly u8: Uint8Array;
  readonly u64: BigUint64Array;
  /** Pages that no snapshot needs, to be used again. */
  readonly free: number[];
  inUse: number;
}

export class PageStore {
  /** By number; one that is not needed is given back, and its number used again. */
  private readonly slabs: (Slab | undefined)[] = [];
  /** Another thread's. */
  private readonly others: (Slab | undefined)[] = [];
  /** References from here on are of this store. */
  private readonly first: PageRef;
  /** How many need each page of this store, from `first` on. */
  private users = new Uint32Array(SLAB_PAGES);
  private open: Slab | undefined;
  private pagesInUse = 0;
  /** Bytes of the tables that refer to it (pageTable.ts keeps count). */
  tableBytes = 0;

  /** With `others`: a store that also knows the pages of another thread's. */
  constructor(others?: SharedSlabs) {
    this.first = others === undefined ? 0 : FIRST_BESIDE_OTHERS;
    if (others !== undefined) this.know(others);
  }

  /** Bytes of contents that are stored here. */
  get bytes(): number {
    return this.pagesInUse * PAGE_SIZE;
  }

  /** For another thread: all pages that are stored here now. */
  share(): SharedSlabs {
    return { slabs: this.slabs.filter((slab) => slab !== undefined).map(({ number, buffer }) => ({ number, buffer })) };
  }

  /** The other thread's slabs now; it may have more than when it said last. */
  know({ slabs }: SharedSlabs): void {
    assert(this.first !== 0, 'a store that was made beside another one');
    for (const { number, buffer } of slabs) {
      if (this.others[number]?.buffer !== buffer) this.others[number] = makeSlab(number, buffer);
    }
  }

  /** Stores a copy of the page at `offset` of `source`; it counts as needed once. Pages of zeros must not come here. */
  add(source: Uint8Array, offset: number): PageRef {
    const slab = this.slabWithRoom();
    const page = slab.free.pop() as number;
    slab.u8.set(source.subarray(offset, offset + PAGE_SIZE), page * PAGE_SIZE);
    slab.inUse++;
    this.pagesInUse++;
    const own = slab.number * SLAB_PAGES + page;
    this.users[own] = 1;
    return this.first + own;
  }

  /** One more needs the page. */
  retain(ref: PageRef): void {
    if (this.isCounted(ref)) this.users[ref - this.first] = (this.users[ref - this.first] as number) + 1;
  }

  /** One less needs the page. */
  release(ref: PageRef): void {
    if (!this.isCounted(ref)) return;
    const own = ref - this.first;
    const left = (this.users[own] as number) - 1;
    assert(left >= 0, 'a stored page is released as often as it was retained');
    this.users[own] = left;
    if (left > 0) return;
    const slab = this.slabs[Math.floor(own / SLAB_PAGES)] as Slab;
    slab.free.push(own % SLAB_PAGES);
    slab.inUse--;
    this.pagesInUse--;
    if (slab.inUse === 0 && slab !== this.open) this.slabs[slab.number] = undefined;
  }

  /** Whether more than one needs the page, which is one of this store. */
  isShared(ref: PageRef): boolean {
    return (this.users[ref - this.first] as number) > 1;
  }

  /** Whether `words` has the page's contents from index `first` on. */
  isEqual(ref: PageRef, words: BigUint64Array, first: number): boolean {
    if (ref === ZEROS) return isZero(words, first);
    return isSamePage(this.slabOf(ref).u64, (ref % SLAB_PAGES) * PAGE_WORDS, words, first);
  }

  /** The contents, live: they must not be changed. Zeros have none. */
  contents(ref: PageRef): Uint8Array {
    const page = ref % SLAB_PAGES;
    return this.slabOf(ref).u8.subarray(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  }

  copyTo(ref: PageRef, target: Uint8Array, offset: number): void {
    if (ref === ZEROS) target.fill(0, offset, offset + PAGE_SIZE);
    else target.set(this.contents(ref), offset);
  }

  /** Neither zeros nor another page's. */
  private isCounted(ref: PageRef): boolean {
    return ref > this.first;
  }

  private slabOf(ref: PageRef): Slab {
    const own = ref - this.first;
    const slab = own > 0 ? this.slabs[Math.floor(own / SLAB_PAGES)] : this.others[Math.floor(ref / SLAB_PAGES)];
    assert(slab !== undefined, 'a stored page');
    return slab;
  }

  private slabWithRoom(): Slab {
    if (this.open !== undefined && this.open.free.length > 0) return this.open;
    this.open = this.slabs.find((slab) => slab !== undefined && slab.free.length > 0) ?? this.addSlab();
    return this.open;
  }

  private addSlab(): Slab {
    const unused = this.slabs.indexOf(undefined);
    const number = unused < 0 ? this.slabs.length : unused;
    const slab = makeSlab(number, new SharedArrayBuffer(SLAB_PAGES * PAGE_SIZE));
    // In order, so that memory is first used where it is needed. Number 0 means zeros.
    for (let page = SLAB_PAGES - 1; page >= (number === 0 ? 1 : 0); page--) slab.free.push(page);
    this.slabs[number] = slab;
    const needed = this.slabs.length * SLAB_PAGES;
    if (needed > this.users.length) {
      const users = new Uint32Array(needed * 2);
      users.set(this.users);
      this.users = users;
    }
    return slab;
  }
}

export function isSamePage(a: BigUint64Array, firstOfA: number, b: BigUint64Array, firstOfB: number): boolean {
  for (let i = 0; i < PAGE_WORDS; i++) if (a[firstOfA + i] !== b[firstOfB + i]) return false;
  return true;
}

export function isZero(words: BigUint64Array, first: number): boolean {
  for (let i = first; i < first + PAGE_WORDS; i++) if (words[i] !== 0n) return false;
  return true;
}

function makeSlab(number: number, buffer: SharedArrayBuffer): Slab {
  return { number, buffer, u8: new Uint8Array(buffer), u64: new BigUint64Array(buffer), free: [], inUse: 0 };
}
