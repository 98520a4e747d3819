/**
 * The search for free address space. A range must be free twice: in the guest's address space, and
 * in linear memory, which the address space covers every 2 GiB anew. Stacks keep the distance below
 * them free that Linux keeps (the guard gap).
 */
import { PAGE_SIZE, USER_SPACE_END } from '../base/types.js';
import { GUEST_SPACE_SIZE, PAGE_TABLE_ENTRIES } from '../layout/memoryMap.js';
import type { Mapping } from './mapping.js';
import type { MappingList } from './mappingList.js';
import { pageIndex, type Pages } from './pages.js';

/** Linux's stack_guard_gap: 256 pages. */
export const STACK_GUARD_GAP = 256 * PAGE_SIZE;

export interface AddressRange {
  readonly start: number;
  readonly end: number;
}

interface GapQuery {
  readonly length: number;
  readonly align: number;
  /** Bounds of the search. */
  readonly low: number;
  readonly high: number;
  /** Ranges whose linear pages are to be kept for growth. */
  readonly reserved: readonly AddressRange[];
  /** So much of it, from its begin on, has to be free in linear memory: PROT_NONE reservations need none of it yet. */
  readonly memoryLength: number;
}

/** Where a mapping must end that lies right below `next`. */
function endBelow(next: Mapping | undefined): number {
  if (next === undefined) return USER_SPACE_END;
  return next.growsDown ? next.start - STACK_GUARD_GAP : next.start;
}

export class GapFinder {
  constructor(
    private readonly list: MappingList,
    private readonly pages: Pages,
  ) {}

  /** The highest fitting start address, or null. */
  topDown(query: GapQuery): number | null {
    for (let i = this.list.indexAfter(query.high - 1); i >= 0; i--) {
      const top = Math.min(query.high, endBelow(this.list.at(i)));
      const bottom = Math.max(query.low, this.list.at(i - 1)?.end ?? 0);
      const found = top - bottom >= query.length ? this.highestIn(bottom, top, query) : null;
      if (found !== null) return found;
      if (bottom === query.low) break;
    }
    return null;
  }

  /** The lowest fitting start address, or null. */
  bottomUp(query: GapQuery): number | null {
    for (let i = this.list.indexAfter(query.low); ; i++) {
      const bottom = Math.max(query.low, this.list.at(i - 1)?.end ?? 0);
      const top = Math.min(query.high, endBelow(this.list.at(i)));
      const found = top - bottom >= query.length ? this.lowestIn(bottom, top, query) : null;
      if (found !== null) return found;
      if (this.list.at(i) === undefined || bottom >= query.high) return null;
    }
  }

  /** Whether linear memory is free for all of [start, end), and not kept for something else. */
  memoryIsFree(start: number, end: number, reserved: readonly AddressRange[] = []): boolean {
    return end - start <= GUEST_SPACE_SIZE && this.highestTaken(start, end, reserved) === null;
  }

  private highestIn(bottom: number, top: number, query: GapQuery): number | null {
    // After 2 GiB the linear pages repeat.
    const lowest = Math.max(bottom, top - GUEST_SPACE_SIZE - query.length);
    let start = alignDown(top - query.length, query.align);
    while (start >= lowest) {
      const taken = this.highestTaken(start, start + query.memoryLength, query.reserved);
      if (taken === null) return start;
      start = alignDown(taken - query.memoryLength, query.align);
    }
    return null;
  }

  private lowestIn(bottom: number, top: number, query: GapQuery): number | null {
    const highest = Math.min(top, bottom + GUEST_SPACE_SIZE + query.length) - query.length;
    let start = alignUp(bottom, query.align);
    while (start <= highest) {
      const taken = this.highestTaken(start, start + query.memoryLength, query.reserved);
      if (taken === null) return start;
      start = alignUp(taken + PAGE_SIZE, query.align);
    }
    return null;
  }

  /** The highest page in [start, end) whose linear page is in use or reserved. */
  private highestTaken(start: number, end: number, reserved: readonly AddressRange[]): number | null {
    for (let page = end - PAGE_SIZE; page >= start; page -= PAGE_SIZE) {
      if (!this.pages.isUnclaimed(page) || isReserved(page, reserved)) return page;
    }
    return null;
  }
}

function isReserved(page: number, reserved: readonly AddressRange[]): boolean {
  const index = pageIndex(page);
  for (const range of reserved) {
    // It may begin near the end of linear memory.
    const distance = (index - pageIndex(range.start) + PAGE_TABLE_ENTRIES) % PAGE_TABLE_ENTRIES;
    if (distance * PAGE_SIZE < range.end - range.start) return true;
  }
  return false;
}

function alignDown(n: number, align: number): number {
  return n - (n % align);
}

function alignUp(n: number, align: number): number {
  return alignDown(n + align - 1, align);
}
