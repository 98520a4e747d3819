/**
 * The x87 and SSE state as FXSAVE stores it: what a signal frame holds on a CPU without XSAVE.
 * FXSAVE stores ST(0) to ST(7), the CPU state holds physical registers.
 */
import {
  FPU_CONTROL, FPU_CONTROL_RESET, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS, MXCSR, MXCSR_RESET, XMM,
  type Slot,
} from '../layout/cpuState.js';
import type { Cpu } from './cpu.js';

export const FX_SIZE = 512;
/** Bits of MXCSR that exist. */
const MXCSR_MASK = 0xffff;

/** Bits of the x87 control word that can be changed, and the one that is always 1. */
const CONTROL_MASK = 0x1f3f;
const CONTROL_FIXED = 0x40;
/** Exception flags of the status word, and its bits ES and B. */
const EXCEPTIONS = 0x3f;
const SUMMARY = 0x8080;

const AT = { control: 0, status: 2, tags: 4, opcode: 6, ip: 8, dp: 16, mxcsr: 24, mxcsrMask: 28, st: 32, xmm: 160 } as const;
const FLOAT80_BYTES = 10;

export function saveFx(cpu: Cpu): Uint8Array {
  const image = new Uint8Array(FX_SIZE);
  const view = new DataView(image.buffer);
  view.setUint16(AT.control, cpu.lo(FPU_CONTROL), true);
  view.setUint16(AT.status, cpu.lo(FPU_STATUS), true);
  view.setUint8(AT.tags, cpu.lo(FPU_TAGS));
  view.setUint16(AT.opcode, cpu.lo(FPU_OPCODE), true);
  view.setBigUint64(AT.ip, cpu.big(FPU_IP), true);
  view.setBigUint64(AT.dp, cpu.big(FPU_DP), true);
  view.setUint32(AT.mxcsr, cpu.lo(MXCSR), true);
  view.setUint32(AT.mxcsrMask, MXCSR_MASK, true);
  const state = cpu.bytes();
  const top = topOf(cpu.lo(FPU_STATUS));
  for (let i = 0; i < 8; i++) {
    const from = stackRegister(top, i).offset;
    image.set(state.subarray(from, from + FLOAT80_BYTES), AT.st + i * 16);
  }
  XMM.forEach(({ offset }, i) => image.set(state.subarray(offset, offset + 16), AT.xmm + i * 16));
  return image;
}

/** False, and nothing changed, if reserved bits of MXCSR are set: FXRSTOR would raise #GP. */
export function restoreFx(cpu: Cpu, image: Uint8Array): boolean {
  const view = new DataView(image.buffer, image.byteOffset, FX_SIZE);
  const mxcsr = view.getUint32(AT.mxcsr, true);
  if ((mxcsr & ~MXCSR_MASK) !== 0) return false;
  const control = (view.getUint16(AT.control, true) & CONTROL_MASK) | CONTROL_FIXED;
  const status = summarised(view.getUint16(AT.status, true), control);
  cpu.setI32(FPU_CONTROL, control);
  cpu.setI32(FPU_STATUS, status);
  cpu.setI32(FPU_TAGS, view.getUint8(AT.tags));
  cpu.setI32(FPU_OPCODE, view.getUint16(AT.opcode, true));
  cpu.setBig(FPU_IP, view.getBigUint64(AT.ip, true));
  cpu.setBig(FPU_DP, view.getBigUint64(AT.dp, true));
  cpu.setMxcsr(mxcsr);
  const state = cpu.bytes();
  for (let i = 0; i < 8; i++) {
    const to = stackRegister(topOf(status), i).offset;
    state.set(image.subarray(AT.st + i * 16, AT.st + i * 16 + FLOAT80_BYTES), to);
    state.fill(0, to + FLOAT80_BYTES, to + 16);
  }
  XMM.forEach(({ offset }, i) => state.set(image.subarray(AT.xmm + i * 16, AT.xmm + i * 16 + 16), offset));
  return true;
}

/** The summary bits of the status word follow from the exceptions that are flagged and not masked. */
function summarised(status: number, control: number): number {
  const pending = (status & ~control & EXCEPTIONS) !== 0;
  return pending ? status | SUMMARY : status & ~SUMMARY;
}

/** The state a program, and every signal handler, starts with. */
export function resetFx(cpu: Cpu): void {
  const image = new Uint8Array(FX_SIZE);
  const view = new DataView(image.buffer);
  view.setUint16(AT.control, FPU_CONTROL_RESET, true);
  view.setUint32(AT.mxcsr, MXCSR_RESET, true);
  restoreFx(cpu, image);
}

function topOf(status: number): number {
  return (status >> 11) & 7;
}

function stackRegister(top: number, i: number): Slot {
  return FPU_REG[(top + i) & 7] as Slot;
}
