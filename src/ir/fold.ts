/**
 * Constant folding and the handful of identities that lifted x86 code is full of. Works while a
 * block is built: given an operation and its arguments, returns an existing or constant value that
 * equals the result, or NONE.
 */
import type { IrBuilder } from './builder.js';
import { NONE, type Value } from './ir.js';
import type { OpDef } from './opDef.js';

type Binary32 = (a: number, b: number) => number;
type Binary64 = (a: bigint, b: bigint) => bigint;

const u32 = (n: number): number => n >>> 0;
const u64 = (n: bigint): bigint => BigInt.asUintN(64, n);
const bit = (condition: boolean): number => (condition ? 1 : 0);

const I32_BINARY: Readonly<Record<string, Binary32>> = {
  'i32.add': (a, b) => a + b,
  'i32.sub': (a, b) => a - b,
  'i32.mul': (a, b) => Math.imul(a, b),
  'i32.and': (a, b) => a & b,
  'i32.or': (a, b) => a | b,
  'i32.xor': (a, b) => a ^ b,
  'i32.shl': (a, b) => a << b,
  'i32.shr_u': (a, b) => a >>> b,
  'i32.shr_s': (a, b) => a >> b,
  'i32.rotl': (a, b) => (a << (b & 31)) | ((a >>> 1) >>> (31 - (b & 31))),
  'i32.rotr': (a, b) => (a >>> (b & 31)) | ((a << 1) << (31 - (b & 31))),
  'i32.eq': (a, b) => bit(a === b),
  'i32.ne': (a, b) => bit(a !== b),
  'i32.lt_u': (a, b) => bit(u32(a) < u32(b)),
  'i32.gt_u': (a, b) => bit(u32(a) > u32(b)),
  'i32.le_u': (a, b) => bit(u32(a) <= u32(b)),
  'i32.ge_u': (a, b) => bit(u32(a) >= u32(b)),
  'i32.lt_s': (a, b) => bit(a < b),
  'i32.gt_s': (a, b) => bit(a > b),
  'i32.le_s': (a, b) => bit(a <= b),
  'i32.ge_s': (a, b) => bit(a >= b),
};

const I64_BINARY: Readonly<Record<string, Binary64>> = {
  'i64.add': (a, b) => a + b,
  'i64.sub': (a, b) => a - b,
  'i64.mul': (a, b) => a * b,
  'i64.and': (a, b) => a & b,
  'i64.or': (a, b) => a | b,
  'i64.xor': (a, b) => a ^ b,
  'i64.shl': (a, b) => a << (b & 63n),
  'i64.shr_u': (a, b) => u64(a) >> (b & 63n),
  'i64.shr_s': (a, b) => a >> (b & 63n),
};

const I64_COMPARE: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  'i64.eq': (a, b) => a === b,
  'i64.ne': (a, b) => a !== b,
  'i64.lt_u': (a, b) => u64(a) < u64(b),
  'i64.gt_u': (a, b) => u64(a) > u64(b),
  'i64.le_u': (a, b) => u64(a) <= u64(b),
  'i64.ge_u': (a, b) => u64(a) >= u64(b),
  'i64.lt_s': (a, b) => a < b,
  'i64.gt_s': (a, b) => a > b,
  'i64.le_s': (a, b) => a <= b,
  'i64.ge_s': (a, b) => a >= b,
};

/** Operations with a neutral right operand 0. */
const ZERO_IS_NEUTRAL = new Set(['add', 'sub', 'or', 'xor', 'shl', 'shr_u', 'shr_s', 'rotl', 'rotr']);

export function fold(b: IrBuilder, def: OpDef, x: Value, y: Value, z: Value, imm: number): Value {
  switch (def.params.length) {
    case 1:
      return foldUnary(b, def.name, x);
    case 2:
      return def.result === 'i64' ? fold64(b, def.name, x, y) : def.result === 'i32' ? fold32(b, def.name, x, y) : NONE;
    case 3:
      return def.name === 'i32.select' || def.name === 'i64.select' ? foldSelect(b, x, y, z) : NONE;
    default:
      void imm;
      return NONE;
  }
}

function foldSelect(b: IrBuilder, x: Value, y: Value, condition: Value): Value {
  const c = b.asI32(condition);
  if (c !== null) return c !== 0 ? x : y;
  return x === y ? x : NONE;
}

function foldUnary(b: IrBuilder, name: string, x: Value): Value {
  switch (name) {
    case 'i32.wrap_i64': {
      const c = b.asI64(x);
      if (c !== null) return b.i32(Number(BigInt.asIntN(32, c)));
      const inner = b.def(x).name;
      return inner === 'i64.extend_i32_u' || inner === 'i64.extend_i32_s' ? b.node(x).a : NONE;
    }
    case 'i64.extend_i32_u': {
      const c = b.asI32(x);
      return c !== null ? b.i64(u32(c)) : NONE;
    }
    case 'i64.extend_i32_s': {
      const c = b.asI32(x);
      return c !== null ? b.i64(c) : NONE;
    }
    case 'i64.extend32_s': {
      const c = b.asI64(x);
      return c !== null ? b.i64(BigInt.asIntN(32, c)) : NONE;
    }
    case 'i32.extend8_s': {
      const c = b.asI32(x);
      return c !== null ? b.i32((c << 24) >> 24) : NONE;
    }
    case 'i32.extend16_s': {
      const c = b.asI32(x);
      return c !== null ? b.i32((c << 16) >> 16) : NONE;
    }
    case 'i32.eqz': {
      const c = b.asI32(x);
      return c !== null ? b.i32(bit(c === 0)) : NONE;
    }
    case 'i64.eqz': {
      const c = b.asI64(x);
      return c !== null ? b.i32(bit(c === 0n)) : NONE;
    }
    default:
      return NONE;
  }
}

/** Zero-extended by construction: the bits that can be set. */
function possibleBits(b: IrBuilder, v: Value): number {
  const def = b.def(v);
  if (def.effect === 'load' && def.name.endsWith('_u')) return def.bytes === 1 ? 0xff : 0xffff;
  if (def.name === 'i32.and') {
    const mask = b.asI32(b.node(v).b);
    if (mask !== null) return mask;
  }
  if (def.name === 'cc.cond' || def.name.includes('.eq') || /\.(ne|lt|gt|le|ge)(_[su])?$/.test(def.name)) return def.result === 'i32' && def.params[0] !== 'v128' ? 1 : -1;
  return -1;
}

function fold32(b: IrBuilder, name: string, x: Value, y: Value): Value {
  const cy = b.asI32(y);
  if (cy !== null) {
    const cx = b.asI32(x);
    const compute = I32_BINARY[name];
    if (cx !== null && compute !== undefined) return b.i32(compute(cx, cy));
    const op = name.slice(4);
    if (cy === 0 && ZERO_IS_NEUTRAL.has(op) && name.startsWith('i32.')) return x;
    if (name === 'i32.and') {
      if (cy === -1) return x;
      if (cy === 0) return y;
      const possible = possibleBits(b, x);
      if ((possible & ~cy) === 0) return x;
    }
    return NONE;
  }
  const c64 = I64_COMPARE[name];
  if (c64 !== undefined) {
    const a = b.asI64(x);
    const d = b.asI64(y);
    if (a !== null && d !== null) return b.i32(bit(c64(a, d)));
  }
  if (x === y && (name === 'i32.xor' || name === 'i32.sub')) return b.i32(0);
  return NONE;
}

function fold64(b: IrBuilder, name: string, x: Value, y: Value): Value {
  const cy = b.asI64(y);
  if (cy !== null) {
    const cx = b.asI64(x);
    const compute = I64_BINARY[name];
    if (cx !== null && compute !== undefined) return b.i64(compute(cx, cy));
    if (cy === 0n && ZERO_IS_NEUTRAL.has(name.slice(4))) return x;
    if (name === 'i64.and' && cy === -1n) return x;
    return NONE;
  }
  if (x === y && (name === 'i64.xor' || name === 'i64.sub')) return b.i64(0n);
  return NONE;
}
