/**
 * The x87 and SSE state as FXSAVE stores it (layout/fxImage.ts): what a signal frame holds on a CPU without XSAVE.
 */
import { FPU_CONTROL, FPU_CONTROL_RESET, FPU_DP, FPU_IP, FPU_OPCODE, FPU_STATUS, FPU_TAGS, MXCSR, MXCSR_RESET } from '../layout/cpuState.js';
import { FLOAT80_BYTES, FX_AT as AT, FX_SIZE, FX_VECTORS, fxFloats } from '../layout/fxImage.js';
import type { Cpu } from './cpu.js';

export { FX_SIZE } from '../layout/fxImage.js';

/** Bits of MXCSR that exist. */
const MXCSR_MASK = 0xffff;

/** Bits of the x87 control word that can be changed, and the one that is always 1. */
const CONTROL_MASK = 0x1f3f;
const CONTROL_FIXED = 0x40;
/** Exception flags of the status word, and its bits ES and B. */
const EXCEPTIONS = 0x3f;
const SUMMARY = 0x8080;


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
  for (const { slot: { offset }, at, bytes } of [...fxFloats(cpu.lo(FPU_STATUS)), ...FX_VECTORS]) image.set(state.subarray(offset, offset + bytes), at);
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
  for (const { slot: { offset }, at, bytes } of [...fxFloats(status), ...FX_VECTORS]) {
    state.set(image.subarray(at, at + bytes), offset);
    if (bytes === FLOAT80_BYTES) state.fill(0, offset + bytes, offset + 16);
  }
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
