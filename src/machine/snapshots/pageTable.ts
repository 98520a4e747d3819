/**
 * What all linear pages are at some time: bits, guest page and contents of each. Tables of snapshots
 * that follow each other are alike but for some pages, so they are made of chunks that are never changed once the
 * table is made, and are counted, because many tables may have the same chunk.
 */
import { assert } from '../../base/assert.js';
import { PAGE_TABLE_ENTRIES } from '../../layout/memoryMap.js';
import type { PageRef, PageStore } from './pageStore.js';

const CHUNK_PAGES = 256;
const CHUNKS = PAGE_TABLE_ENTRIES / CHUNK_PAGES;

/** The bits of a page and above them the upper part of its guest address; 0 if it belongs to no guest page. */
type PageState = number;

export function pageState(bits: number, high: number): PageState {
  return ((high << 16) | bits) >>> 0;
}

export function stateBits(state: PageState): number {
  return state & 0xffff;
}

export function stateHigh(state: PageState): number {
  return state >>> 16;
}

export interface Chunk {
  /** Two for each page: its state, and where its contents are. */
  readonly words: Uint32Array;
  /** Tables that have it. */
  users: number;
}

/** One that a table has; the contents that it refers to count as retained for it already. */
export function makeChunk(store: PageStore, words: Uint32Array): Chunk {
  store.tableBytes += words.byteLength;
  return { words, users: 1 };
}

export class PageTable {
  /** Snapshots, and others, that need it. */
  private users = 1;

  constructor(
    readonly store: PageStore,
    readonly chunks: readonly (Chunk | undefined)[] = new Array<undefined>(CHUNKS).fill(undefined),
  ) {}

  state(index: number): PageState {
    return this.chunks[Math.floor(index / CHUNK_PAGES)]?.words[(index % CHUNK_PAGES) * 2] ?? 0;
  }

  contents(index: number): PageRef {
    return this.chunks[Math.floor(index / CHUNK_PAGES)]?.words[(index % CHUNK_PAGES) * 2 + 1] ?? 0;
  }

  retain(): this {
    this.users++;
    return this;
  }

  release(): void {
    this.users--;
    assert(this.users >= 0, 'a snapshot is released once');
    if (this.users > 0) return;
    for (const chunk of this.chunks) if (chunk !== undefined) releaseChunk(chunk, this.store);
  }

  /** Whether it can still be used. */
  get isAlive(): boolean {
    return this.users > 0;
  }

  /** Visits the pages that are not the same in another table. */
  forEachDifference(other: PageTable, visit: (index: number) => void): void {
    this.chunks.forEach((chunk, i) => {
      const others = other.chunks[i];
      if (chunk === others) return;
      for (let at = 0; at < 2 * CHUNK_PAGES; at += 2) {
        const differs = (chunk?.words[at] ?? 0) !== (others?.words[at] ?? 0) || (chunk?.words[at + 1] ?? 0) !== (others?.words[at + 1] ?? 0);
        if (differs) visit(i * CHUNK_PAGES + at / 2);
      }
    });
  }
}

/** Makes a table that differs from another one in some pages. */
export class TableBuilder {
  private readonly fresh = new Map<number, Chunk>();

  constructor(private readonly base: PageTable) {}

  /** `contents` counts as retained for this table already. */
  set(index: number, state: PageState, contents: PageRef): void {
    const { words } = this.chunkFor(Math.floor(index / CHUNK_PAGES));
    const at = (index % CHUNK_PAGES) * 2;
    this.base.store.release(words[at + 1] as number);
    words[at] = state;
    words[at + 1] = contents;
  }

  /** The base itself, needed by one more, if nothing was set. */
  finish(): PageTable {
    if (this.fresh.size === 0) return this.base.retain();
    const chunks = this.base.chunks.slice();
    for (const [number, chunk] of this.fresh) {
      const isEmpty = chunk.words.every((word) => word === 0);
      if (isEmpty) releaseChunk(chunk, this.base.store);
      chunks[number] = isEmpty ? undefined : chunk;
    }
    for (const [number, chunk] of chunks.entries()) if (chunk !== undefined && !this.fresh.has(number)) chunk.users++;
    return new PageTable(this.base.store, chunks);
  }

  private chunkFor(number: number): Chunk {
    const known = this.fresh.get(number);
    if (known !== undefined) return known;
    const old = this.base.chunks[number];
    const chunk = makeChunk(this.base.store, old?.words.slice() ?? new Uint32Array(2 * CHUNK_PAGES));
    for (let at = 1; at < 2 * CHUNK_PAGES; at += 2) this.base.store.retain(chunk.words[at] as number);
    this.fresh.set(number, chunk);
    return chunk;
  }
}

function releaseChunk(chunk: Chunk, store: PageStore): void {
  chunk.users--;
  if (chunk.users > 0) return;
  store.tableBytes -= chunk.words.byteLength;
  for (let at = 1; at < 2 * CHUNK_PAGES; at += 2) store.release(chunk.words[at] as number);
}
