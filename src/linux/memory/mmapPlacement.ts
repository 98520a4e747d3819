/**
 * Where mmap puts a mapping when the program leaves it to the kernel: as Linux does it (top-down
 * from mmap_base, and aligned to 2 MiB where huge pages could be used), but only where linear
 * memory is free as well.
 */
import { PAGE_SIZE, USER_SPACE_END, pageFloor, type GuestAddr } from '../../base/types.js';
import type { AddressSpace, FindFreeOptions } from '../../machine/addressSpace.js';
import { LOWEST_MAPPABLE } from '../../machine/addressSpace.js';

interface PlacementRequest {
  readonly length: number;
  /** The address that the program would like; 0 for none. */
  readonly hint: number;
  /** MAP_32BIT. */
  readonly low: boolean;
  /** Offset in the file; undefined for anonymous memory. */
  readonly fileOffset: number | undefined;
  readonly shared: boolean;
  /** Anonymous PROT_NONE: needs no memory unless it is given a use later. */
  readonly withoutMemory: boolean;
}

interface PlacementPolicy {
  readonly mmapBase: number;
  /** Whether the kernel we imitate has transparent huge pages. */
  readonly hugePages: boolean;
}

const HUGE_PAGE = 2 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/**
 * How much is left free for what was reserved without memory (the heap of a virtual machine, arenas of malloc), as long
 * as there is other room. Together such reservations may be larger than all there is.
 */
const PROMISES = [Infinity, 256 * MEGABYTE, 64 * MEGABYTE, 8 * MEGABYTE, 0];
const NO_PROMISES = [0];
/** How much of a reservation should be there at least. */
const BEGINNINGS = [512 * MEGABYTE, 256 * MEGABYTE, 128 * MEGABYTE, 64 * MEGABYTE];
const LOW_START = 0x4000_0000;
const LOW_END = 0x8000_0000;

export function placeMapping(space: AddressSpace, policy: PlacementPolicy, request: PlacementRequest): GuestAddr | null {
  if (request.length > USER_SPACE_END) return null;
  if (request.low) return space.findFree(request.length, { from: LOW_START, below: LOW_END });
  const hint = request.hint === 0 ? undefined : Math.max(pageFloor(request.hint), LOWEST_MAPPABLE);
  const base: FindFreeOptions = { topDownFrom: policy.mmapBase, ...(hint === undefined ? {} : { hint }) };
  const { length } = request;
  for (const promised of space.hasPromises ? PROMISES : NO_PROMISES) {
    const options = { ...base, promised };
    const found = (policy.hugePages ? placeHuge(space, request, options) : null) ?? space.findFree(length, options);
    if (found !== null) return found;
    // Where it cannot be all of it, the begin is what is used first.
    const first = request.withoutMemory ? placeBegin(space, length, options) : null;
    if (first !== null) return first;
  }
  return space.findFree(length, { ...base, ignoreReserved: true }) ?? (request.withoutMemory ? space.findFree(length, { ...base, withoutMemory: true }) : null);
}

function placeBegin(space: AddressSpace, length: number, options: FindFreeOptions): GuestAddr | null {
  for (const memoryLength of BEGINNINGS) {
    const found = memoryLength < length ? space.findFree(length, { ...options, memoryLength }) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Linux's __thp_get_unmapped_area: asks for a huge page more, and uses the part whose alignment suits. */
function placeHuge(space: AddressSpace, request: PlacementRequest, options: FindFreeOptions): GuestAddr | null {
  const { length, fileOffset, hint } = request;
  if (fileOffset === undefined && (request.shared || hint !== 0 || length % HUGE_PAGE !== 0)) return null;
  const offset = fileOffset ?? 0;
  const firstHuge = Math.ceil(offset / HUGE_PAGE) * HUGE_PAGE;
  if (offset + length - firstHuge < HUGE_PAGE) return null;
  const found = space.findFree(length + HUGE_PAGE, options);
  if (found === null || found === options.hint) return found;
  const shift = modulo(offset - found, HUGE_PAGE);
  return (found + (shift === 0 ? HUGE_PAGE : shift)) as GuestAddr;
}

function modulo(n: number, by: number): number {
  return ((n % by) + by) % by;
}

export function isPageAligned(address: number): boolean {
  return address % PAGE_SIZE === 0;
}
