/**
 * The guest CPU's registers, as JavaScript sees them between two stretches of generated code.
 * 64-bit values come in three forms: `big` is always exact, `lo`/`hi` are the halves, and `num` is
 * for values known to be below 2^53 (addresses, sizes).
 */
import type { GuestAddr } from '../base/types.js';
import { guestAddr } from '../base/types.js';
import { CPU_STATE_SIZE, FP_FAST, MXCSR, MXCSR_RESET, RIP, type Slot } from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import type { LinearMemory } from './linearMemory.js';

export class Cpu {
  constructor(private readonly linear: LinearMemory) {}

  lo(slot: Slot): number {
    return this.linear.u32[(STATE_BASE + slot.offset) >>> 2] as number;
  }

  hi(slot: Slot): number {
    return this.linear.u32[(STATE_BASE + slot.offset + 4) >>> 2] as number;
  }

  num(slot: Slot): number {
    return this.hi(slot) * 0x1_0000_0000 + this.lo(slot);
  }

  big(slot: Slot): bigint {
    return this.linear.u64[(STATE_BASE + slot.offset) / 8] as bigint;
  }

  /** A signed 64-bit value as a double; exact up to 2^53 either way. */
  signed(slot: Slot): number {
    return (this.hi(slot) | 0) * 0x1_0000_0000 + this.lo(slot);
  }

  setI32(slot: Slot, value: number): void {
    this.linear.u32[(STATE_BASE + slot.offset) >>> 2] = value;
  }

  /** Any integer a double holds exactly, negative ones included. */
  setNum(slot: Slot, value: number): void {
    const index = (STATE_BASE + slot.offset) >>> 2;
    const high = Math.floor(value / 0x1_0000_0000);
    this.linear.u32[index] = value - high * 0x1_0000_0000;
    this.linear.u32[index + 1] = high;
  }

  setBig(slot: Slot, value: bigint): void {
    this.linear.u64[(STATE_BASE + slot.offset) / 8] = BigInt.asUintN(64, value);
  }

  get rip(): GuestAddr {
    return guestAddr(this.num(RIP));
  }

  set rip(value: GuestAddr) {
    this.setNum(RIP, value);
  }

  /** Writes MXCSR and what is derived from it. */
  setMxcsr(value: number): void {
    this.setI32(MXCSR, value);
    this.setI32(FP_FAST, (value & 0xffc0) === MXCSR_RESET && (value & 0x20) !== 0 ? 1 : 0);
  }

  /** The live bytes of the whole state: a view, not a copy. */
  bytes(): Uint8Array {
    return this.linear.u8.subarray(STATE_BASE, STATE_BASE + CPU_STATE_SIZE);
  }
}
