/**
 * Contents of pages that snapshots need, each stored once and counted. They lie in large shared
 * buffers (slabs), so that worker threads can read them without a copy; a page is known by a number.
 * Only the thread that made a slab adds to it and counts: whoever sends references to another thread
 * keeps the snapshot they are from until that thread is done with them.
 */
import { assert } from '../../base/assert.js';
import { PAGE_SIZE } from '../../base/types.js';

/** Where the contents of a page are. 0: a page of zeros, which takes no room. */
export type PageRef = number;
export const ZEROS: PageRef = 0;

const SLAB_PAGES = 2048;
const PAGE_WORDS = PAGE_SIZE / 4;
/** Slabs of a store that reads another one's have numbers from here on. */
const FIRST_GUEST_SLAB = 1 << 20;

/** What another thread needs to read the pages; it can be sent with postMessage. */
export interface SharedSlabs {
  readonly slabs: readonly { readonly number: number; readonly buffer: SharedArrayBuffer }[];
}

interface Slab {
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  /** How many need each page; undefined if the slab is somebody else's. */
  readonly users: Uint32Array | undefined;
  /** Pages that nobody needs, to be used again, above `top` none has been in use. */
  readonly free: number[];
  top: number;
  inUse: number;
}

export class PageStore {
  /** By number; a slab that nobody needs is given back, and its number used again. */
  private readonly slabs = new Map<number, Slab>();
  private readonly firstNumber: number;
  private open: Slab | undefined;
  private pagesInUse = 0;

  /** With `others`: a store that also knows the pages of another thread's. */
  constructor(others?: SharedSlabs) {
    this.firstNumber = others === undefined ? 0 : FIRST_GUEST_SLAB;
    if (others !== undefined) this.know(others);
  }

  /** Bytes of contents that are stored here. */
  get bytes(): number {
    return this.pagesInUse * PAGE_SIZE;
  }

  /** For another thread: all pages that are stored here now. */
  share(): SharedSlabs {
    return { slabs: [...this.slabs.values()].filter(({ users }) => users !== undefined).map(({ number, buffer }) => ({ number, buffer })) };
  }

  /** Slabs of the other thread that may be newer than those known. */
  know({ slabs }: SharedSlabs): void {
    for (const { number, buffer } of slabs) {
      assert(number < FIRST_GUEST_SLAB, 'slabs of the thread that has the timeline');
      if (this.slabs.get(number)?.buffer !== buffer) this.slabs.set(number, makeSlab(number, buffer, false));
    }
  }

  /** Stores a copy of the page at `offset` of `source`; it counts as needed once. Pages of zeros must not come here. */
  add(source: Uint8Array, offset: number): PageRef {
    const slab = this.slabWithRoom();
    const page = slab.free.pop() ?? slab.top++;
    slab.u8.set(source.subarray(offset, offset + PAGE_SIZE), page * PAGE_SIZE);
    (slab.users as Uint32Array)[page] = 1;
    slab.inUse++;
    this.pagesInUse++;
    return slab.number * SLAB_PAGES + page;
  }

  /** One more needs the page. */
  retain(ref: PageRef): void {
    if (ref === ZEROS) return;
    const { users } = this.slabOf(ref);
    if (users !== undefined) users[ref % SLAB_PAGES] = (users[ref % SLAB_PAGES] as number) + 1;
  }

  /** One less needs the page. */
  release(ref: PageRef): void {
    if (ref === ZEROS) return;
    const slab = this.slabOf(ref);
    if (slab.users === undefined) return;
    const page = ref % SLAB_PAGES;
    const left = (slab.users[page] as number) - 1;
    assert(left >= 0, 'a stored page is released as often as it was retained');
    slab.users[page] = left;
    if (left > 0) return;
    slab.free.push(page);
    slab.inUse--;
    this.pagesInUse--;
    if (slab.inUse === 0 && slab !== this.open) this.slabs.delete(slab.number);
  }

  /** Whether `words` has the page's contents from index `first` on. */
  isEqual(ref: PageRef, words: Uint32Array, first: number): boolean {
    if (ref === ZEROS) return isZero(words, first);
    const { u32 } = this.slabOf(ref);
    const start = (ref % SLAB_PAGES) * PAGE_WORDS;
    for (let i = 0; i < PAGE_WORDS; i++) if (u32[start + i] !== words[first + i]) return false;
    return true;
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

  private slabOf(ref: PageRef): Slab {
    const slab = this.slabs.get(Math.floor(ref / SLAB_PAGES));
    assert(slab !== undefined, `no stored page ${ref}`);
    return slab;
  }

  private slabWithRoom(): Slab {
    if (this.open !== undefined && hasRoom(this.open)) return this.open;
    for (const slab of this.slabs.values()) {
      if (slab.users !== undefined && hasRoom(slab)) return (this.open = slab);
    }
    let number = this.firstNumber;
    while (this.slabs.has(number)) number++;
    this.open = makeSlab(number, new SharedArrayBuffer(SLAB_PAGES * PAGE_SIZE), true);
    this.slabs.set(number, this.open);
    return this.open;
  }
}

export function isZero(words: Uint32Array, first: number): boolean {
  for (let i = first; i < first + PAGE_WORDS; i++) if (words[i] !== 0) return false;
  return true;
}

function hasRoom(slab: Slab): boolean {
  return slab.free.length > 0 || slab.top < SLAB_PAGES;
}

function makeSlab(number: number, buffer: SharedArrayBuffer, own: boolean): Slab {
  return {
    number, buffer, u8: new Uint8Array(buffer), u32: new Uint32Array(buffer),
    users: own ? new Uint32Array(SLAB_PAGES) : undefined, free: [], top: number === 0 ? 1 : 0, inUse: 0,
  };
}
