/**
 * Every instruction we encode, by its name in the text format.
 *
 * An opcode is one number: below 0x100 it is the byte itself, otherwise `prefix * 0x1000 + n` with the
 * prefix byte (0xfc or 0xfd) followed by n as LEB128. So 'i32.add' is 0x6a and 'f64x2.add' 0xfd0f0.
 * `opcodePrefix` and `opcodeNumber` take it apart.
 */
import { SCALAR_CONST, SCALAR_MEMORY, SCALAR_PLAIN, WHOLE_MEMORY } from './scalarOps.js';
import { SIMD_BYTES, SIMD_LANE, SIMD_MEMORY, SIMD_MEMORY_LANE, SIMD_PLAIN } from './simdOps.js';

export const PLAIN_OPS = { ...SCALAR_PLAIN, ...SIMD_PLAIN } as const;
export const MEMORY_OPS = { ...SCALAR_MEMORY, ...SIMD_MEMORY } as const;
export const MEMORY_LANE_OPS = SIMD_MEMORY_LANE;
export const LANE_OPS = SIMD_LANE;

const ALL_OPS = {
  ...PLAIN_OPS, ...MEMORY_OPS, ...MEMORY_LANE_OPS, ...LANE_OPS, ...SCALAR_CONST, ...SIMD_BYTES, ...WHOLE_MEMORY,
} as const;

export type WasmOp = keyof typeof ALL_OPS;

/** Everything but control flow and variables, which have their own methods in Code and are in STRUCTURE_OPS. */
export const WASM_OPS: Readonly<Record<WasmOp, number>> = ALL_OPS;

const OPCODES: ReadonlyMap<string, number> = new Map(Object.entries(ALL_OPS));

/** The same as WASM_OPS[name] but three times as fast when the name varies: V8 is slow at objects so large. */
export function opcodeOf(name: WasmOp): number {
  return OPCODES.get(name)!;
}

/** Control flow and variables: immediates are labels, block types and indices. */
export const STRUCTURE_OPS = {
  block: 0x02, loop: 0x03, if: 0x04, else: 0x05, end: 0x0b, br: 0x0c, br_if: 0x0d, br_table: 0x0e,
  call: 0x10, call_indirect: 0x11, return_call: 0x12, return_call_indirect: 0x13,
  'local.get': 0x20, 'local.set': 0x21, 'local.tee': 0x22, 'global.get': 0x23, 'global.set': 0x24,
} as const;

/** The prefix byte, or 0 for an opcode of one byte. */
export function opcodePrefix(encoded: number): number {
  return encoded >>> 12;
}

/** The opcode byte, or what follows the prefix. */
export function opcodeNumber(encoded: number): number {
  return encoded & 0xfff;
}

export function prefixedOpcode(prefix: number, n: number): number {
  return prefix * 0x1000 + n;
}
