/** Bytes of the CPU state (layout/cpuState.ts), as ranges and as sets: a set is a BigInt with a bit for each byte. */
import type { Slot, SlotType } from '../../layout/cpuState.js';

export interface SlotRange {
  readonly offset: number;
  readonly bytes: number;
}

export type StateBytes = bigint;

const BYTES: Readonly<Record<SlotType, number>> = { i32: 4, i64: 8, v128: 16 };

export function wholeSlot({ offset, type }: Slot): SlotRange {
  return { offset, bytes: BYTES[type] };
}

export function stateBytes(ranges: readonly SlotRange[]): StateBytes {
  let set = 0n;
  for (const { offset, bytes } of ranges) set |= ((1n << BigInt(bytes)) - 1n) << BigInt(offset);
  return set;
}

export function meetsRange(ranges: readonly SlotRange[], offset: number, bytes: number): boolean {
  return ranges.some((range) => range.offset < offset + bytes && offset < range.offset + range.bytes);
}
