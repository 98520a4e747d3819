/**
 * What happens all the same, although it was reported or because no rule is about it: accesses that leave their block.
 */
import { PAGE_SIZE, pageFloor } from '../base/types.js';
import type { AddressSpace } from '../machine/addressSpace.js';
import type { Block } from './heap/blocks.js';

/** Whether the block is why an address cannot be accessed, and not its memory. */
export function isOutside({ begin, size, freed }: Block, address: number): boolean {
  return freed !== undefined || address < begin || address >= begin + size;
}

/**
 * Lets an access happen that was reported, or that no rule is about: the page of addresses becomes part of the block.
 * False: there is nothing there to access.
 */
export function tolerate(space: AddressSpace, block: Block, address: number): boolean {
  const page = pageFloor(address);
  const near = space.viewNear(address);
  const begin = Math.min(near?.begin ?? page, page);
  const end = Math.max(near === undefined ? 0 : near.begin + near.size, page + PAGE_SIZE);
  const real = begin - block.begin + block.real;
  if (space.find(page - block.begin + block.real) === undefined) return false;
  // It is something else that keeps the program out.
  if (near !== undefined && address >= near.begin && address < near.begin + near.size) return false;
  if (near !== undefined) space.removeView(near.begin);
  const view = { begin, size: end - begin, real };
  if (!space.hasRoomForView(view)) return false;
  space.addView(view);
  return true;
}
