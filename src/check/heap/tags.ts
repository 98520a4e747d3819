/**
 * Addresses for views (machine/views.ts): which upper half goes with which block. On each page of linear memory every block that ever begins there, or
 * reaches there, gets another one, so that no two blocks share a page of addresses, dead ones included, until all have been used up.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import { VIEW_TAGS } from '../../machine/views.js';

const PAGES = GUEST_SPACE_SIZE / PAGE_SIZE;
/** Spreads the first tags of pages, so that a pointer that is far off does not get to a block with the same one. */
const SPREAD = 0x9e37;

export class Tags {
  /** Per page: how many have been given out. */
  private given: Uint16Array;

  constructor(origin?: Tags) {
    this.given = origin === undefined ? new Uint16Array(PAGES) : origin.given.slice();
  }

  /** An address for a block whose bytes are at `real`. `isTaken` says whether a live block is in the way: then another one is found. */
  addressFor(real: number, size: number, isTaken: (address: number) => boolean): number {
    const offset = real % GUEST_SPACE_SIZE;
    const first = Math.floor(offset / PAGE_SIZE);
    const last = Math.floor((offset + Math.max(size, 1) - 1) / PAGE_SIZE);
    let turn = 0;
    for (let page = first; page <= last; page++) turn = Math.max(turn, this.given[page] as number);
    for (;; turn++) {
      const address = tagOf(first, turn) * GUEST_SPACE_SIZE + offset;
      if (isTaken(address)) continue;
      for (let page = first; page <= last; page++) this.given[page] = (turn + 1) % VIEW_TAGS.count;
      return address;
    }
  }
}

function tagOf(page: number, turn: number): number {
  return VIEW_TAGS.first + ((page * SPREAD + turn) % VIEW_TAGS.count);
}

/** Whether an address can be one of a block, or near to one: most are not. */
export function mayBeView(address: number): boolean {
  const tag = Math.floor(address / GUEST_SPACE_SIZE);
  return tag >= VIEW_TAGS.first - 1 && tag <= VIEW_TAGS.first + VIEW_TAGS.count;
}
