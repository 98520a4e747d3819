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
  /** Instructions of the block that it is in which have not happened; 0 where no block has begun. */
  readonly unretired: number;
  /** Slots whose value is in the save area. */
  readonly dirty: SlotSet;
  /** What restoreDirty makes of it: pairs of words, from where and to where. */
  copies?: Uint32Array;
}

const BYTES = { i32: 4, i64: 8, v128: 16 } as const;

/** Linear offset of the saved local of a cacheable slot. */
export function savedLocal(slotNumber: number): number {
  return STATE_BASE + SAVED_LOCALS_OFFSET + slotNumber * 16;
}

/** Moves what a site says is dirty from the save area to the CPU state. Every system call comes this way. */
export function restoreDirty(words: Uint32Array, site: Site): void {
  const copies = (site.copies ??= wordsToCopy(site.dirty));
  for (let i = 0; i < copies.length; i += 2) words[copies[i + 1] as number] = words[copies[i] as number] as number;
}

function wordsToCopy(dirty: SlotSet): Uint32Array {
  const copies: number[] = [];
  for (const number of slotsOf(dirty)) {
    const { type, offset } = CACHEABLE_SLOTS[number] as Slot;
    for (let at = 0; at < BYTES[type]; at += 4) copies.push((savedLocal(number) + at) / 4, (STATE_BASE + offset + at) / 4);
  }
  return Uint32Array.from(copies);
}
