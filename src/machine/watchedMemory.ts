/**
 * The one answer to: does this access meet this range? Memory may have several addresses (views.ts): a variable its
 * plain one and that of its view, both of which the program uses; a block of the heap its own, which the program uses,
 * and the plain one of its bytes, which the kernel and the heap use on its behalf. Questions are asked with any of
 * them. What they mean is decided here, once for a set of ranges:
 *
 * - A range of plain memory, or of a variable, means those bytes, whatever address they are accessed by: also what was
 *   there before the variable, as always on stacks.
 * - A range of a block means the block. Its bytes serve again after it under another address, and served others before
 *   it: what others write there does not meet the range, although it is the same memory. An access by the plain address
 *   is the block's if its view is there at the time.
 *
 * So accesses are compared by the address that the program knows the memory by (`addressOf`): the plain one of a
 * variable, that of its view for a block.
 */
import { type GuestAddr, guestAddr } from '../base/types.js';
import { GUEST_SPACE_SIZE } from '../layout/memoryMap.js';
import type { AddressSpace } from './addressSpace.js';
import { isHeapAddress, isVariableAddress, isViewAddress } from '../layout/viewAddresses.js';
import type { View } from './views.js';
import { type AddressInterval, IntervalSet } from './watchedRanges.js';

export class WatchedMemory {
  private readonly exactly: IntervalSet;
  /**
   * By place in linear memory, which all addresses of the same bytes have in common: what means bytes, and of that what
   * was asked for by the address of a view.
   */
  private readonly bytes: IntervalSet;
  private readonly variables: IntervalSet;
  private readonly blocks: readonly AddressInterval[];

  constructor(ranges: readonly AddressInterval[]) {
    this.exactly = new IntervalSet(ranges);
    this.bytes = new IntervalSet(ranges.filter(({ start }) => !isHeapAddress(start)).flatMap(places));
    this.variables = new IntervalSet(ranges.filter(({ start }) => isVariableAddress(start)).flatMap(places));
    this.blocks = ranges.filter(({ start }) => isHeapAddress(start));
  }

  /** Whether an access has bytes of the ranges. The address is one of `addressOf`. */
  meets(address: number, length: number): boolean {
    if (this.exactly.overlaps(address, length)) return true;
    const others = isViewAddress(address) ? this.bytes : this.variables;
    return others.intervals.length > 0 && places({ start: address, end: address + length }).some(({ start, end }) => others.overlaps(start, end - start));
  }

  /** The address by which memory is known that is being accessed; `shown`: views that are there right after it. */
  addressOf(space: AddressSpace, address: number, length: number, shown: readonly View[] = []): GuestAddr {
    const plain = space.plainAddress(address);
    if (this.blocks.length === 0 || isViewAddress(plain)) return plain;
    for (const { start } of this.blocks) {
      for (const view of [space.viewNear(start), ...shown]) {
        if (view === undefined || !isIn(view, start)) continue;
        const { begin, real, size } = view;
        if (plain < real + size && real < plain + length) return guestAddr(plain - real + begin);
      }
    }
    return plain;
  }
}

function isIn({ begin, size }: View, address: number): boolean {
  return address >= begin && address < begin + size;
}

/** Where addresses are in linear memory: in two parts, if they go over its end. */
function places({ start, end }: AddressInterval): AddressInterval[] {
  const from = start % GUEST_SPACE_SIZE;
  const to = from + Math.min(end - start, GUEST_SPACE_SIZE);
  return to <= GUEST_SPACE_SIZE ? [{ start: from, end: to }] : [{ start: from, end: GUEST_SPACE_SIZE }, { start: 0, end: to - GUEST_SPACE_SIZE }];
}
