/**
 * Which addresses blocks and variables with addresses of their own have (machine/views.ts): an address says by itself
 * what kind of memory it is, or was, of.
 */
import { GUEST_SPACE_SIZE } from './memoryMap.js';

/**
 * The upper parts (above bit 31) of addresses that views should have: below where programs and libraries lie, above
 * what is mapped at fixed places.
 */
export const VIEW_TAGS = { first: 0x100, count: 0x8f00 } as const;
/** Those of variables on stacks, whose memory the program knows by its real address, too. */
export const LOCAL_TAGS = { first: 0x9100, count: 0xe00 } as const;
/** Those of global variables, the same. */
export const GLOBAL_TAGS = { first: 0x9f00, count: 0xa00 } as const;

/** Whether it is the address of a view, or was once: nothing else is mapped there as a rule. */
export function isViewAddress(address: number): boolean {
  const tag = Math.floor(address / GUEST_SPACE_SIZE);
  return tag >= VIEW_TAGS.first && tag < GLOBAL_TAGS.first + GLOBAL_TAGS.count;
}

export function isLocalAddress(address: number): boolean {
  const tag = Math.floor(address / GUEST_SPACE_SIZE);
  return tag >= LOCAL_TAGS.first && tag < LOCAL_TAGS.first + LOCAL_TAGS.count;
}

export function isGlobalAddress(address: number): boolean {
  const tag = Math.floor(address / GUEST_SPACE_SIZE);
  return tag >= GLOBAL_TAGS.first && tag < GLOBAL_TAGS.first + GLOBAL_TAGS.count;
}

/** Whether memory at the address has a real address, too, that the program uses. */
export function isVariableAddress(address: number): boolean {
  return isLocalAddress(address) || isGlobalAddress(address);
}

/** Whether it is, or was, the address of a block on the heap, which the program knows by no other. */
export function isHeapAddress(address: number): boolean {
  return isViewAddress(address) && !isVariableAddress(address);
}
