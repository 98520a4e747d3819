/**
 * Sites: the places where compiled code stops and lets JavaScript sort things out. There are many of
 * them (every memory access has one) and few are ever used, so a site costs almost nothing in the
 * code: a number. Compiled code puts all its locals into a save area and returns EXIT.SITE; what the
 * number stands for says which of them are the truth.
 */
import type { GuestAddr } from '../base/types.js';
import { SAVED_LOCALS_OFFSET, type Slot } from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import { CACHEABLE_SLOTS, slotsOf, type SlotSet } from './slotSet.js';

export interface Site {
  /** The EXIT that it amounts to. */
  readonly exit: number;
  readonly rip: GuestAddr;
  /** Instructions to take off the ticks. */
  readonly retired: number;
  /** Slots whose value is in the save area. */
  readonly dirty: SlotSet;
}

const BYTES = { i32: 4, i64: 8, v128: 16 } as const;

/** Linear offset of the saved local of a cacheable slot. */
export function savedLocal(slotNumber: number): number {
  return STATE_BASE + SAVED_LOCALS_OFFSET + slotNumber * 16;
}

/** Moves what a site says is dirty from the save area to the CPU state. */
export function restoreDirty(memory: Uint8Array, dirty: SlotSet): void {
  for (const number of slotsOf(dirty)) {
    const { type, offset } = CACHEABLE_SLOTS[number] as Slot;
    const from = savedLocal(number);
    memory.copyWithin(STATE_BASE + offset, from, from + BYTES[type]);
  }
}
