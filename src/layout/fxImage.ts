/**
 * The image that FXSAVE makes of the x87 and SSE state: where in it is what. It has ST(0) to ST(7), while the CPU state
 * has physical registers.
 */
import { FPU_REG, type Slot, XMM } from './cpuState.js';

export const FX_SIZE = 512;
/** Bytes that fxsave writes; the rest is left for software. */
export const FX_WRITTEN = 416;

export const FX_AT = { control: 0, status: 2, tags: 4, opcode: 6, ip: 8, dp: 16, mxcsr: 24, mxcsrMask: 28, st: 32, xmm: 160 } as const;

export const FLOAT80_BYTES = 10;
const VECTOR_BYTES = 16;
const TOP_SHIFT = 11;

/** A register and where it is in the image. */
interface FxRegister {
  readonly slot: Slot;
  readonly at: number;
  readonly bytes: number;
}

export const FX_VECTORS: readonly FxRegister[] = XMM.map((slot, i) => ({ slot, at: FX_AT.xmm + i * VECTOR_BYTES, bytes: VECTOR_BYTES }));

/** `status`: the x87 status word, which says where the stack of registers begins. */
export function fxFloats(status: number): FxRegister[] {
  return FPU_REG.map((_, i) => ({ slot: stackRegister(status, i), at: FX_AT.st + i * VECTOR_BYTES, bytes: FLOAT80_BYTES }));
}

/** ST(i). */
function stackRegister(status: number, i: number): Slot {
  return FPU_REG[((status >> TOP_SHIFT) + i) & 7] as Slot;
}
