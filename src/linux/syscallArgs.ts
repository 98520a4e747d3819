/**
 * The six arguments of a system call, as the handler wants to see them. Arguments are 64-bit
 * registers; most handlers want an int, a size or an address, and each has its own way of being
 * out of range.
 */
import { GPR, RDI, RDX, RSI, type Slot } from '../layout/cpuState.js';
import type { Cpu } from '../machine/cpu.js';

const ARGUMENT_SLOTS: readonly Slot[] = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];

export class SyscallArgs {
  constructor(private readonly cpu: Cpu) {}

  /** An `int`: the low 32 bits, signed. */
  int(i: number): number {
    return this.cpu.lo(this.slot(i)) | 0;
  }

  /** An `unsigned int`: the low 32 bits. */
  uint(i: number): number {
    return this.cpu.lo(this.slot(i));
  }

  /** A `long` or `off_t`: signed 64 bits; exact up to 2^53. */
  long(i: number): number {
    return this.cpu.signed(this.slot(i));
  }

  /** A pointer or `size_t`: unsigned 64 bits; beyond 2^53 inexact, but then no valid address or size either. */
  addr(i: number): number {
    return this.cpu.num(this.slot(i));
  }

  /** All 64 bits, unsigned. */
  big(i: number): bigint {
    return this.cpu.big(this.slot(i));
  }

  private slot(i: number): Slot {
    return ARGUMENT_SLOTS[i] as Slot;
  }
}
