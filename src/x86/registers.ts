/** iced-x86 register numbers -> our slots. */
import { Register } from 'iced-x86';
import { GPR, type Slot, XMM } from '../layout/cpuState.js';

export interface GprInfo {
  readonly slot: Slot;
  readonly bytes: 1 | 2 | 4 | 8;
  /** ah, ch, dh, bh: bits 8..15. */
  readonly high: boolean;
}

const gprs: (GprInfo | undefined)[] = [];

function fill(first: Register, bytes: 1 | 2 | 4 | 8, slots: readonly Slot[], high = false): void {
  slots.forEach((slot, i) => {
    gprs[first + i] = { slot, bytes, high };
  });
}
fill(Register.AL, 1, GPR.slice(0, 4));
fill(Register.AH, 1, GPR.slice(0, 4), true);
fill(Register.SPL, 1, GPR.slice(4));
fill(Register.AX, 2, GPR);
fill(Register.EAX, 4, GPR);
fill(Register.RAX, 8, GPR);

/** A general register of any width, or undefined for other registers. */
export function gprInfo(register: Register): GprInfo | undefined {
  return gprs[register];
}

export function isXmm(register: Register): boolean {
  return register >= Register.XMM0 && register < Register.XMM0 + 16;
}

export function xmmSlot(register: Register): Slot {
  return XMM[register - Register.XMM0] as Slot;
}

export function isMmx(register: Register): boolean {
  return register >= Register.MM0 && register < Register.MM0 + 8;
}
