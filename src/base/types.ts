/**
 * A guest virtual address. User addresses are below 2^47, so a double holds them exactly;
 * a 64-bit value that is no canonical user address never becomes a GuestAddr.
 */
export type GuestAddr = number & { readonly __brand: 'GuestAddr' };

/** A number of retired guest instructions since the start of the run. */
export type Time = number & { readonly __brand: 'Time' };

export function guestAddr(n: number): GuestAddr {
  return n as GuestAddr;
}

export function time(n: number): Time {
  return n as Time;
}

/** First address that no user mapping can reach (x86-64, four-level page tables). */
export const USER_SPACE_END = 0x7ffffffff000;

export const PAGE_SIZE = 4096;

export function pageFloor(n: number): number {
  return n - (n % PAGE_SIZE);
}

export function pageCeil(n: number): number {
  return pageFloor(n + PAGE_SIZE - 1);
}

export function hex(n: number | bigint): string {
  return `0x${n.toString(16)}`;
}
