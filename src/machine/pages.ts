/**
 * The state of every page of guest memory in linear memory, and the two tables that generated code
 * checks. A linear page belongs to at most one guest page ("claimed"); the tables follow from the
 * bits here and are never written elsewhere.
 *
 * Pages are zeroed as late as possible. Linear memory that was never written is zero and costs
 * nothing, so the first write to each page comes through here (the write table stays closed until
 * then) and sets DIRTY; a page that is claimed again after use is STALE until first touched.
 * Mapping and unmapping a gigabyte therefore costs a few milliseconds of table writing. Pages of
 * files are ABSENT until touched, for the same reason.
 */
import { PAGE_SIZE } from '../base/types.js';
import { FIRST_INDEX_NEAR_ZERO, GUEST_BASE, GUEST_SPACE_SIZE, PAGE_TABLE_ENTRIES, KEEPS_REAL_TABLES, READ_TABLE, REAL_READ_TABLE, WRITE_TABLE, closedEntry } from '../layout/memoryMap.js';
import type { LinearMemory } from './linearMemory.js';

/** Bits of a page. The lowest three are those of PROT. */
export const PAGE = {
  READ: 1, WRITE: 2, EXEC: 4, PROT: 7,
  /** Belongs to the guest page that `high` says. */
  CLAIMED: 8,
  /** Holds code that was translated: a write must be announced. */
  TRANSLATED: 16,
  /** Contents are still in the file, as far as the file reaches: to be loaded when first touched. */
  ABSENT: 32,
  /** The linear page may hold other bytes than zero. Survives unmapping. */
  DIRTY: 64,
  /** Holds leftovers of an earlier mapping; to be zeroed before the guest sees it. */
  STALE: 128,
  /** Written since it was mapped (or last cleaned): the write table may be open. */
  WRITTEN: 256,
  /** Its writes are wanted page by page, because they go back to a file. */
  EXACT: 512,
  /** Holds what the last snapshot has of it (machine/snapshots): the first write must be noticed. */
  KEPT: 1024,
} as const;

/** What is watched of a page (machine/watch.ts). */
export const WATCHED = { WRITES: 1, READS: 2 } as const;

/**
 * Told of every page whose state changes, or whose contents are about to change for the first time since they were
 * KEPT.
 */
export interface PageChanges {
  note(index: number): void;
}

/** From a table that code looks at first to the one that says how it would be if nothing were watched. */
const TO_REAL = REAL_READ_TABLE - READ_TABLE;
const INDEX_MASK = PAGE_TABLE_ENTRIES - 1;
/** First touches prepare the pages around them too, in aligned groups of so many: sequential access faults less. */
export const PAGE_GROUP = 16;
/** A write so near to the next page (in bytes) opens that, too: code may check some way ahead of its accesses. */
const NEAR = 1024;
/** A write to the page after one that has been written opens so many more in this direction. */
const REOPENED_AHEAD = 3;
/** Pages that walks over all pages skip together. */
const STRETCH = 256;
/** The last linear page is never given out: then no access runs over the end of guest memory, or wraps. */
const LAST_INDEX = PAGE_TABLE_ENTRIES - 1;

export function pageIndex(address: number): number {
  return (address / PAGE_SIZE) & INDEX_MASK;
}

/** The upper bits of an address, which its linear page does not tell. */
function highPart(address: number): number {
  return Math.floor(address / 0x8000_0000);
}

/** The guest page that a linear page belongs to. */
export function pageAddress(index: number, high: number): number {
  return high * 0x8000_0000 + index * PAGE_SIZE;
}

export class Pages {
  private readonly flags = new Uint16Array(PAGE_TABLE_ENTRIES);
  private readonly high = new Uint16Array(PAGE_TABLE_ENTRIES);
  /** Whether any page of a stretch was ever in use: walks over all pages skip most of them. */
  private readonly usedStretches = new Uint8Array(PAGE_TABLE_ENTRIES / STRETCH);
  /** What is watched, by page; undefined as long as nothing is watched. */
  private watched: Uint8Array | undefined;
  private resident = 0;
  private peakResident = 0;
  /** How often pages had to be made ready for a write or loaded. */
  openings = 0;
  /** Undefined as long as no snapshots are taken. */
  changes: PageChanges | undefined;

  constructor(private readonly linear: LinearMemory) {
    for (let index = FIRST_INDEX_NEAR_ZERO; index < PAGE_TABLE_ENTRIES; index++) this.setEntries(index);
    this.flags[LAST_INDEX] = PAGE.CLAIMED;
    this.high[LAST_INDEX] = 0xffff;
  }

  /** From now on pages can be watched: the tables of what could be accessed otherwise are kept. */
  keepRealTables(): void {
    if (this.watched !== undefined) return;
    this.watched = new Uint8Array(PAGE_TABLE_ENTRIES);
    this.linear.u32[KEEPS_REAL_TABLES >>> 2] = 1;
    for (let index = FIRST_INDEX_NEAR_ZERO; index < PAGE_TABLE_ENTRIES; index++) this.setEntries(index);
    this.forEachUsed((index) => this.setEntries(index));
  }

  /** One more reason why linear pages [from, to) are watched; 0 takes them all away. */
  markWatched(from: number, to: number, mark: number): void {
    const { watched } = this;
    if (watched === undefined) return;
    for (let index = from; index < to; index++) watched[index] = mark === 0 ? 0 : (watched[index] as number) | mark;
    for (let index = Math.max(0, from - 1); index < to; index++) this.setEntries(index);
  }

  /** Pages that hold something of the guest's, now and at most. */
  get residentPages(): number {
    return this.resident;
  }

  get peakResidentPages(): number {
    return this.peakResident;
  }

  /** The bits of the page at `address`, 0 if nothing is claimed for it. */
  bitsAt(address: number): number {
    const index = pageIndex(address);
    const bits = this.flags[index] as number;
    return (bits & PAGE.CLAIMED) !== 0 && this.high[index] === highPart(address) ? bits : 0;
  }

  /** Whether the linear page for this address is free for a new claim. */
  isUnclaimed(address: number): boolean {
    return ((this.flags[pageIndex(address)] as number) & PAGE.CLAIMED) === 0;
  }

  claim(address: number, prot: number, extra: number): void {
    const index = pageIndex(address);
    const dirty = (this.flags[index] as number) & PAGE.DIRTY;
    this.high[index] = highPart(address);
    this.set(index, PAGE.CLAIMED | prot | extra | dirty | (dirty !== 0 ? PAGE.STALE : 0));
  }

  release(address: number): void {
    const index = pageIndex(address);
    this.set(index, (this.flags[index] as number) & PAGE.DIRTY);
  }

  /** Sets and clears bits of a claimed page. */
  change(address: number, clear: number, set: number): void {
    const index = pageIndex(address);
    this.set(index, ((this.flags[index] as number) & ~clear) | set);
  }

  /** Makes the contents what the guest must see, before a read. */
  prepareRead(address: number): void {
    const index = pageIndex(address);
    const bits = this.flags[index] as number;
    if ((bits & PAGE.STALE) === 0) return;
    this.zero(index);
    this.set(index, bits & ~(PAGE.STALE | PAGE.DIRTY));
  }

  /** Makes the page ready for a write, and its neighbours too if that is harmless. */
  prepareWrite(address: number): void {
    this.openings++;
    const index = pageIndex(address);
    if (((this.flags[index] as number) & PAGE.WRITTEN) !== 0) return this.reopen(index, address % PAGE_SIZE);
    this.openForWrite(index);
    if (((this.flags[index] as number) & PAGE.EXACT) !== 0) return;
    const first = index & -PAGE_GROUP;
    for (let i = first; i < first + PAGE_GROUP; i++) {
      if (this.high[i] === this.high[index] && this.mayOpen(this.flags[i] as number)) this.openForWrite(i);
    }
  }

  /** For contents that are about to be copied or loaded in whole pages: no zeroing first. */
  prepareOverwrite(address: number): void {
    this.openings++;
    const index = pageIndex(address);
    const bits = this.flags[index] as number;
    const written = (bits & PAGE.EXACT) === 0 ? PAGE.WRITTEN : 0;
    this.set(index, (bits & ~(PAGE.STALE | PAGE.ABSENT | PAGE.KEPT)) | PAGE.DIRTY | written);
  }

  /** Forgets the contents: they are in the file. */
  markAbsent(address: number): void {
    this.change(address, PAGE.WRITTEN | PAGE.KEPT, PAGE.ABSENT);
  }

  /** Forgets the contents: they read as zero again. */
  discard(address: number): void {
    const index = pageIndex(address);
    const bits = this.flags[index] as number;
    if ((bits & PAGE.DIRTY) !== 0) this.set(index, (bits & ~(PAGE.WRITTEN | PAGE.KEPT)) | PAGE.STALE);
  }

  /**
   * Claims the same pages as those of another memory, with the same contents. Nothing may be claimed
   * yet. Pages that hold nothing are not copied, nor those whose contents are in a file that is shared.
   */
  copyFrom(other: Pages): void {
    let copied = 0;
    other.forEachUsed((index, theirs) => {
      if ((theirs & PAGE.CLAIMED) === 0) return;
      this.high[index] = other.high[index] as number;
      if (holdsPrivateData(theirs)) {
        if (index >= copied) copied = this.copyRun(other, index);
        this.set(index, theirs & ~PAGE.KEPT);
      } else {
        const absent = (theirs & PAGE.EXACT) !== 0 ? PAGE.ABSENT : 0;
        const leftover = (this.flags[index] as number) & PAGE.DIRTY;
        const kept = theirs & ~(PAGE.DIRTY | PAGE.STALE | PAGE.WRITTEN | PAGE.KEPT);
        this.set(index, kept | absent | leftover | (leftover !== 0 ? PAGE.STALE : 0));
      }
    });
  }

  /** Gives all pages back; what they hold stays until they are claimed again. */
  releaseAll(): void {
    this.forEachUsed((index, bits) => {
      if ((bits & PAGE.CLAIMED) !== 0) this.set(index, bits & PAGE.DIRTY);
    });
    this.peakResident = 0;
  }

  /** Pages of linear memory that were ever written: what it really costs. */
  countDirty(): number {
    let count = 0;
    this.forEachUsed((_index, bits) => {
      if ((bits & PAGE.DIRTY) !== 0) count++;
    });
    return count;
  }

  /** The bits of a linear page, whichever guest page it belongs to. */
  bitsOf(index: number): number {
    return this.flags[index] as number;
  }

  highOf(index: number): number {
    return this.high[index] as number;
  }

  /** For snapshots: its contents are known there. Or, without a listener, no more. */
  setKept(index: number, kept: boolean): void {
    const bits = this.flags[index] as number;
    this.set(index, kept ? bits | PAGE.KEPT : bits & ~PAGE.KEPT);
  }

  /** For snapshots: says what a linear page is. It must have been free if it is given to another guest page. */
  put(index: number, bits: number, high: number): void {
    this.high[index] = high;
    this.set(index, bits);
  }

  /**
   * Visits the claimed pages of a range, by address. Most pages of a very large range are not, so it looks at those in
   * use instead.
   */
  forEachClaimed(start: number, end: number, visit: (page: number) => void): void {
    if (end - start <= GUEST_SPACE_SIZE) {
      for (let page = start; page < end; page += PAGE_SIZE) if (this.bitsAt(page) !== 0) visit(page);
      return;
    }
    this.forEachUsed((index, bits) => {
      const page = pageAddress(index, this.high[index] as number);
      if ((bits & PAGE.CLAIMED) !== 0 && page >= start && page < end) visit(page);
    });
  }

  /** For snapshots: takes back what has counted as the most since then. */
  resetPeak(pages: number): void {
    this.peakResident = pages;
  }

  forEachUsed(visit: (index: number, bits: number) => void): void {
    this.usedStretches.forEach((used, stretch) => {
      if (used === 0) return;
      const end = Math.min((stretch + 1) * STRETCH, LAST_INDEX);
      for (let index = stretch * STRETCH; index < end; index++) visit(index, this.flags[index] as number);
    });
  }

  /** Copies the bytes of the pages from `first` on that hold data; returns the index of the first that does not. */
  private copyRun(other: Pages, first: number): number {
    let end = first + 1;
    while (holdsPrivateData(other.flags[end] as number)) end++;
    const start = GUEST_BASE + first * PAGE_SIZE;
    this.linear.u8.set(other.linear.u8.subarray(start, GUEST_BASE + end * PAGE_SIZE), start);
    return end;
  }

  private mayOpen(bits: number): boolean {
    const wanted = PAGE.CLAIMED | PAGE.WRITE;
    const unwanted = PAGE.WRITTEN | PAGE.TRANSLATED | PAGE.ABSENT | PAGE.EXACT;
    return (bits & (wanted | unwanted)) === wanted;
  }

  private openForWrite(index: number): void {
    const bits = this.flags[index] as number;
    if ((bits & PAGE.STALE) !== 0) this.zero(index);
    this.set(index, (bits & ~(PAGE.STALE | PAGE.KEPT)) | PAGE.DIRTY | PAGE.WRITTEN);
  }

  /**
   * Writes to the page are no news any more until the next snapshot, nor to some around it that will probably be
   * written.
   */
  private reopen(index: number, offset: number): void {
    const [low, high] = [this.isReopened(index, index - 1), this.isReopened(index, index + 1)];
    const before = high ? REOPENED_AHEAD : offset < NEAR ? 1 : 0;
    const after = low ? REOPENED_AHEAD : offset >= PAGE_SIZE - NEAR ? 1 : 0;
    for (let i = index - before; i <= index + after; i++) {
      const bits = this.flags[i] ?? 0;
      const mayReopen = i === index || (bits & (PAGE.WRITTEN | PAGE.TRANSLATED)) === PAGE.WRITTEN;
      if (mayReopen && (bits & PAGE.KEPT) !== 0 && this.high[i] === this.high[index]) this.set(i, bits & ~PAGE.KEPT);
    }
  }

  private isReopened(index: number, other: number): boolean {
    return this.high[other] === this.high[index] && ((this.flags[other] as number) & (PAGE.WRITTEN | PAGE.KEPT)) === PAGE.WRITTEN;
  }

  private zero(index: number): void {
    this.linear.u8.fill(0, GUEST_BASE + index * PAGE_SIZE, GUEST_BASE + (index + 1) * PAGE_SIZE);
  }

  /** The only place that changes a page's bits: keeps the tables and the count in step. */
  private set(index: number, bits: number): void {
    const old = this.flags[index] as number;
    this.resident += holdsData(bits) - holdsData(old);
    if (this.resident > this.peakResident) this.peakResident = this.resident;
    this.flags[index] = bits;
    // What has been translated is no matter of snapshots.
    if (this.changes !== undefined && ((old ^ bits) & ~PAGE.TRANSLATED) !== 0) this.changes.note(index);
    this.usedStretches[Math.floor(index / STRETCH)] = 1;
    // Closed before and after: mapping a large file is mostly that.
    if (!isUsable(old) && !isUsable(bits)) return;
    this.setEntries(index);
    if (index > 0 && this.high[index - 1] === this.high[index]) this.setEntries(index - 1);
  }

  private setEntries(index: number): void {
    const bits = this.flags[index] as number;
    const hasNext = this.high[index + 1] === this.high[index];
    const next = hasNext ? (this.flags[index + 1] as number) : 0;
    const { watched } = this;
    if (watched === undefined) {
      this.setEntry(READ_TABLE, index, isReadable(bits), isReadable(next));
      this.setEntry(WRITE_TABLE, index, isWritable(bits), isWritable(next));
      return;
    }
    const [mark, nextMark] = [watched[index] as number, watched[index + 1] ?? 0];
    this.setEntry(READ_TABLE + TO_REAL, index, isReadable(bits), isReadable(next));
    this.setEntry(WRITE_TABLE + TO_REAL, index, isWritable(bits), isWritable(next));
    this.setEntry(READ_TABLE, index, isReadable(bits) && (mark & WATCHED.READS) === 0, isReadable(next) && (nextMark & WATCHED.READS) === 0);
    // A check for writes may be for reads, too.
    this.setEntry(WRITE_TABLE, index, isWritable(bits) && mark === 0, isWritable(next) && nextMark === 0);
  }

  private setEntry(table: number, index: number, open: boolean, nextOpen: boolean): void {
    const word = (table >>> 2) + index * 2;
    const high = this.high[index] as number;
    const { u32 } = this.linear;
    if (open) {
      // The last page of linear memory is never open: no carry into the high part.
      u32[word] = ((high << 31) | ((index + (nextOpen ? 2 : 1)) << 12)) >>> 0;
      u32[word + 1] = high >>> 1;
    } else {
      u32[word] = closedEntry(index);
      u32[word + 1] = 0;
    }
  }
}

function isUsable(bits: number): boolean {
  return (bits & (PAGE.CLAIMED | PAGE.STALE | PAGE.ABSENT)) === PAGE.CLAIMED;
}

function isReadable(bits: number): boolean {
  return isUsable(bits) && (bits & PAGE.PROT) !== 0;
}

function isWritable(bits: number): boolean {
  const wanted = PAGE.WRITE | PAGE.WRITTEN;
  return isUsable(bits) && (bits & (wanted | PAGE.TRANSLATED | PAGE.KEPT)) === wanted;
}

/** 1 if the page has contents of its own: neither untouched zeros, nor what is still in a file. */
export function holdsData(bits: number): number {
  return (bits & (PAGE.CLAIMED | PAGE.DIRTY | PAGE.STALE | PAGE.ABSENT)) === (PAGE.CLAIMED | PAGE.DIRTY) ? 1 : 0;
}

function holdsPrivateData(bits: number): boolean {
  return holdsData(bits) === 1 && (bits & PAGE.EXACT) === 0;
}
