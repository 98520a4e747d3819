/**
 * Addresses for views (machine/views.ts): which upper half goes with which block. On each page of linear memory every
 * block that ever begins there, or reaches there, gets another one, so that no two blocks share a page of addresses,
 * dead ones included, until all have been used up.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import { VIEW_TAGS } from '../../layout/viewAddresses.js';

const PAGES = GUEST_SPACE_SIZE / PAGE_SIZE;
/** Spreads the first tags of pages, so that a pointer that is far off does not get to a block with the same one. */
const SPREAD = 0x9e37;

export class Tags {
  /** Per page: how many have been given out. */
  private given: Uint16Array;

  constructor(origin?: Tags) {
    this.given = origin === undefined ? new Uint16Array(PAGES) : origin.given.slice();
  }

  /**
   * The turn of a block whose bytes are at `real`. If a live block is in the way of the address it comes to, the turns
   * after it are free.
   */
  firstTurn(real: number, size: number): number {
    const last = lastPage(real, size);
    let turn = 0;
    for (let page = firstPage(real); page <= last; page++) turn = Math.max(turn, this.given[page] as number);
    return turn;
  }

  address(real: number, turn: number): number {
    return tagOf(firstPage(real), turn) * GUEST_SPACE_SIZE + offsetOf(real);
  }

  /** Turns before `turn` have been given out. */
  give(real: number, size: number, turn: number): void {
    const last = lastPage(real, size);
    for (let page = firstPage(real); page <= last; page++) this.given[page] = turn < VIEW_TAGS.count ? turn : turn - VIEW_TAGS.count;
  }
}

/** The operator % takes its time with doubles that are no small integers. */
function remainder(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}

function offsetOf(real: number): number {
  return remainder(real, GUEST_SPACE_SIZE);
}

function firstPage(real: number): number {
  return Math.floor(offsetOf(real) / PAGE_SIZE);
}

function lastPage(real: number, size: number): number {
  return Math.floor((offsetOf(real) + Math.max(size, 1) - 1) / PAGE_SIZE);
}

function tagOf(page: number, turn: number): number {
  return VIEW_TAGS.first + remainder(page * SPREAD + turn, VIEW_TAGS.count);
}

/** Whether an address can be one of a block, or near to one: most are not. */
export function mayBeView(address: number): boolean {
  const tag = Math.floor(address / GUEST_SPACE_SIZE);
  return tag >= VIEW_TAGS.first - 1 && tag <= VIEW_TAGS.first + VIEW_TAGS.count;
}
