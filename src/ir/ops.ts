/**
 * The operations of the IR: one table from which builder, printer, verifier, folding, interpreter
 * and compiler take what they need. Most operations are exactly the WebAssembly instruction of the
 * same name, so their meaning is that of the WebAssembly specification. The others are ours:
 *
 *   state    get, set               guest registers (the slots of layout/cpuState.ts)
 *   memory   load*, store*          guest memory at address + displacement; may fault
 *   flags    cc.*                   lazy flags (see flags.ts)
 *   traps    trapIf                 processor exceptions
 *   helpers  mul.*, div.*, sse.*, x87.*, rep.*, sys.*   whole functions, too big to spell out
 *
 * Values are i32, i64 or v128. Guest integers of 8, 16 and 32 bits live in i32, zero-extended
 * unless stated otherwise.
 */
import { WASM_OPS, type WasmOp } from '../wasm/opcodes.js';
import { DF, FP_FAST, FS_BASE, GPR, GS_BASE, MXCSR, R8, R9, RAX, RBP, RCX, RDI, RDX, RSI, RSP, SCRATCH_X, SCRATCH_Y, XMM } from '../layout/cpuState.js';
import type { OpDef, OpRow, Type } from './opDef.js';
import { INIT_OPS } from './initOps.js';
import { LOG_OPS } from './logOps.js';
import { SHADOW_OPS } from './shadowOps.js';
import { SPOT_OPS } from './spotOps.js';
import { SSE_INT_OPS } from './sseIntOps.js';
import { SSE_OPS } from './sseOps.js';
import { X87_OPS } from './x87Ops.js';

const rows: OpRow[] = [];

function wasmOps(names: string, params: readonly Type[], result: Type): void {
  for (const name of names.trim().split(/\s+/)) {
    rows.push({ name, params, result, wasm: name as WasmOp });
  }
}

for (const t of ['i32', 'i64'] as const) {
  const each = (list: string): string => list.trim().split(/\s+/).map((n) => `${t}.${n}`).join(' ');
  wasmOps(each('eqz'), [t], 'i32');
  wasmOps(each('eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u'), [t, t], 'i32');
  wasmOps(each('clz ctz popcnt extend8_s extend16_s'), [t], t);
  // Division traps in WebAssembly on 0 and on overflow: lifters put a trapIf in front.
  wasmOps(each('add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr'), [t, t], t);
  rows.push({ name: `${t}.select`, params: [t, t, 'i32'], result: t, wasm: 'select' as WasmOp });
  rows.push({ name: `${t}.const`, params: [], result: t, imm: t });
}
wasmOps('i64.extend32_s', ['i64'], 'i64');
wasmOps('i64.extend_i32_s i64.extend_i32_u', ['i32'], 'i64');
wasmOps('i32.wrap_i64', ['i64'], 'i32');

rows.push({ name: 'v128.const', params: [], result: 'v128', imm: 'v128' });
rows.push({ name: 'v128.select', params: ['v128', 'v128', 'i32'], result: 'v128', wasm: 'select' as WasmOp });
wasmOps('v128.not', ['v128'], 'v128');
wasmOps('v128.and v128.or v128.xor v128.andnot', ['v128', 'v128'], 'v128');
wasmOps('v128.bitselect', ['v128', 'v128', 'v128'], 'v128');
wasmOps('v128.any_true', ['v128'], 'i32');
for (const [shape, lane, lanes] of [
  ['i8x16', 'i32', 16], ['i16x8', 'i32', 8], ['i32x4', 'i32', 4], ['i64x2', 'i64', 2],
] as const) {
  const each = (list: string): string => list.trim().split(/\s+/).map((n) => `${shape}.${n}`).join(' ');
  wasmOps(each('splat'), [lane], 'v128');
  wasmOps(each('all_true bitmask'), ['v128'], 'i32');
  wasmOps(each('abs neg'), ['v128'], 'v128');
  wasmOps(each('shl shr_s shr_u'), ['v128', 'i32'], 'v128');
  wasmOps(each('eq ne lt_s gt_s le_s ge_s add sub'), ['v128', 'v128'], 'v128');
  for (let i = 0; i < lanes; i++) {
    const suffix = lanes > 4 ? '_u' : '';
    rows.push({ name: `${shape}.extract_lane${suffix}.${i}`, params: ['v128'], result: lane, wasm: `${shape}.extract_lane${suffix}` as WasmOp, lane: i });
    rows.push({ name: `${shape}.replace_lane.${i}`, params: ['v128', lane], result: 'v128', wasm: `${shape}.replace_lane` as WasmOp, lane: i });
  }
}
wasmOps(`i8x16.swizzle i8x16.lt_u i8x16.gt_u i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u i8x16.avgr_u
  i8x16.add_sat_s i8x16.add_sat_u i8x16.sub_sat_s i8x16.sub_sat_u i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u
  i16x8.lt_u i16x8.gt_u i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u i16x8.avgr_u i16x8.mul
  i16x8.add_sat_s i16x8.add_sat_u i16x8.sub_sat_s i16x8.sub_sat_u i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u
  i16x8.q15mulr_sat_s i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u
  i32x4.lt_u i32x4.gt_u i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.mul i32x4.dot_i16x8_s
  i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u
  i64x2.mul i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u`,
  ['v128', 'v128'], 'v128');
wasmOps(`i8x16.popcnt i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u
  i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u
  i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u
  i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u`,
  ['v128'], 'v128');

/** Two-source byte shuffle: result byte i is byte mask[i] & 31 of a:b. A constant mask becomes i8x16.shuffle. */
rows.push({ name: 'v128.shuffle', params: ['v128', 'v128', 'v128'], result: 'v128' });

// ---- state
for (const t of ['i32', 'i64', 'v128'] as const) {
  rows.push({ name: `get.${t}`, params: [], result: t, effect: 'get', imm: 'slot' });
  rows.push({ name: `set.${t}`, params: [t], result: null, effect: 'set', imm: 'slot' });
}

// ---- guest memory: address + displacement (imm)
const access = (name: string, bytes: number, type: Type): void => {
  rows.push({ name: `load${name}`, params: ['i64'], result: type, effect: 'load', imm: 'disp', bytes });
};
access('8_u', 1, 'i32');
access('8_s', 1, 'i32');
access('16_u', 2, 'i32');
access('16_s', 2, 'i32');
access('32', 4, 'i32');
access('64', 8, 'i64');
access('128', 16, 'v128');
for (const [name, bytes, type] of [['8', 1, 'i32'], ['16', 2, 'i32'], ['32', 4, 'i32'], ['64', 8, 'i64'], ['128', 16, 'v128']] as const) {
  rows.push({ name: `store${name}`, params: ['i64', type], result: null, effect: 'store', imm: 'disp', bytes });
}
/**
 * Faults as a store of imm bytes at the address would, without storing. Comes first in instructions
 * that must not do anything else before the store is known to succeed (several stores, x87 pops).
 */
rows.push({ name: 'probeWrite', params: ['i64'], result: null, effect: 'store', imm: 'i32' });

// ---- flags: kind, x, y, z (flags.ts says what they mean)
rows.push({ name: 'cc.set', params: ['i32', 'i64', 'i64', 'i64'], result: null, effect: 'cc' });
/** Condition code imm (0..15 as in Jcc) -> 0 or 1. */
rows.push({ name: 'cc.cond', params: ['i32', 'i64', 'i64', 'i64'], result: 'i32', imm: 'i32' });
/** The arithmetic bits of EFLAGS. */
rows.push({ name: 'cc.flags', params: ['i32', 'i64', 'i64', 'i64'], result: 'i32' });

// ---- traps and marks
rows.push({ name: 'trapIf', params: ['i32'], result: null, effect: 'trap', imm: 'i32' });
rows.push({ name: 'insn', params: [], result: null, effect: 'mark', imm: 'address' });

// ---- integer helpers
/** High half of the 128-bit product. */
rows.push({ name: 'mul.hi_u', params: ['i64', 'i64'], result: 'i64' });
rows.push({ name: 'mul.hi_s', params: ['i64', 'i64'], result: 'i64' });
/** (high, low, divisor): 128 by 64 bits. The caller has made sure that the quotient fits: see div.overflows. */
for (const sign of ['u', 's']) {
  rows.push({ name: `div.quot_${sign}`, params: ['i64', 'i64', 'i64'], result: 'i64' });
  rows.push({ name: `div.rem_${sign}`, params: ['i64', 'i64', 'i64'], result: 'i64' });
  /** 1 if the divisor is 0 or the quotient does not fit in 64 bits. */
  rows.push({ name: `div.overflows_${sign}`, params: ['i64', 'i64', 'i64'], result: 'i32' });
}
/** CRC-32C of imm bytes (1, 2, 4, 8) of the second operand, from the crc in the first. */
rows.push({ name: 'crc32c', params: ['i32', 'i64'], result: 'i32', imm: 'i32' });

// ---- string instructions; imm = element size in bytes, with the bits of repFlags.ts. They run until rcx is 0 (or the
// condition ends it) or they fault.
const STRING = [RAX, RCX, RSI, RDI, DF, FS_BASE, GS_BASE];
const STRING_COMPARE = [...STRING, SCRATCH_X, SCRATCH_Y];
rows.push({ name: 'rep.movs', params: [], result: null, effect: 'helper', imm: 'i32', touches: STRING });
rows.push({ name: 'rep.stos', params: [], result: null, effect: 'helper', imm: 'i32', touches: STRING });
rows.push({ name: 'rep.lods', params: [], result: null, effect: 'helper', imm: 'i32', touches: STRING });
/**
 * Result: 0 if rcx was 0 from the start, else 1; the last pair compared is then in SCRATCH_X and
 * SCRATCH_Y (as `cmp x, y` would see them, zero-extended).
 */
rows.push({ name: 'rep.cmps', params: [], result: 'i32', effect: 'helper', imm: 'i32', touches: STRING_COMPARE });
rows.push({ name: 'rep.scas', params: [], result: 'i32', effect: 'helper', imm: 'i32', touches: STRING_COMPARE });

// ---- the engine: imm = a number of sysCalls.ts; works on the state in linear memory, may raise a fault
rows.push({ name: 'sys.call', params: ['i64'], result: null, effect: 'helper', imm: 'i32', touches: GPR });
/**
 * The same for hooks: the operand is the hook's address. What it reads are arguments of a function, and where it
 * returns to; it changes rax alone.
 */
rows.push({ name: 'sys.hook', params: ['i64'], result: null, effect: 'helper', imm: 'i32', touches: [RAX, RCX, RDX, RSI, RDI, R8, R9, RSP] });
/** A hook that looks (SYS.HOOK_LOOK), unless the bytes that the function is given are in order; imm: lookFlags.ts. */
rows.push({ name: 'sys.look', params: ['i64'], result: null, effect: 'helper', imm: 'i32', touches: [RAX, RCX, RDX, RSI, RDI, R8, R9, RSP] });
/** The same in the middle of functions: by how much a pointer is moved is then in SCRATCH_X. */
rows.push({ name: 'sys.frameHook', params: ['i64'], result: null, effect: 'helper', imm: 'i32', touches: [RAX, RDX, RSP, RBP, SCRATCH_X] });
/** The same for fxsave and fxrstor: the operand is the address of the image. */
rows.push({ name: 'sys.fpuImage', params: ['i64'], result: null, effect: 'helper', imm: 'i32', touches: [...XMM, MXCSR, FP_FAST] });

// ---- SSE floating point and x87: see sseOps.ts, x87Ops.ts; MMX and SSE strings: sseIntOps.ts
rows.push(...SSE_INT_OPS, ...SSE_OPS, ...X87_OPS);
// ---- looking out for memory that has not been written: initOps.ts
rows.push(...INIT_OPS);
// ---- logging what is executed: logOps.ts, spotOps.ts
rows.push(...LOG_OPS, ...SPOT_OPS);
// ---- propagating shadow: shadowOps.ts
rows.push(...SHADOW_OPS);

export const OPS: readonly OpDef[] = rows.map((row, id) => ({
  effect: 'pure', imm: 'none', wasm: null, lane: -1, touches: [], bytes: 0, ...row, id,
}));

export const OP_BY_NAME: ReadonlyMap<string, OpDef> = new Map(OPS.map((def) => [def.name, def]));

for (const def of OPS) {
  if (def.wasm !== null && !(def.wasm in WASM_OPS) && def.wasm !== ('select' as WasmOp)) throw new TypeError(`no such WebAssembly instruction: ${def.wasm}`);
}
