/**
 * What the operations on i32 and i64 compute, by the operation's id. Constant folding calls these tables while code is
 * translated, so they work on plain numbers where a number suffices, and allocate nothing.
 *
 * Operands and results of i32 operations are numbers of which the low 32 bits count; those of i64 operations are
 * signed BigInts of which the low 64 bits count. Comparisons yield 0 or 1. Division by zero, and the one quotient that
 * does not fit, have no result: WebAssembly traps there.
 */
import { OPS } from '../ops.js';

export type Unary32 = (a: number) => number;
type Binary32 = (a: number, b: number) => number;
export type Unary64 = (a: bigint) => bigint;
type Binary64 = (a: bigint, b: bigint) => bigint;
type Compare64 = (a: bigint, b: bigint) => boolean;

const u32 = (n: number): number => n >>> 0;
const u64 = (n: bigint): bigint => BigInt.asUintN(64, n);
const bit = (condition: boolean): number => (condition ? 1 : 0);
const rotate64 = (a: bigint, left: bigint): bigint => (u64(a) << left) | (u64(a) >> ((64n - left) & 63n));

function ones32(a: number): number {
  let count = 0;
  for (let v = a; v !== 0; v &= v - 1) count++;
  return count;
}

const high = (a: bigint): number => Number(BigInt.asIntN(32, a >> 32n));
const low = (a: bigint): number => Number(BigInt.asIntN(32, a));

function leadingZeros64(a: bigint): bigint {
  const upper = high(a);
  return BigInt(upper !== 0 ? Math.clz32(upper) : 32 + Math.clz32(low(a)));
}

/** Of a number that is not 0: its lowest bit that is set. */
const lowestBit = (a: number): number => 31 - Math.clz32(a & -a);
const trailingZeros32 = (a: number): number => ((a | 0) === 0 ? 32 : lowestBit(a));

function trailingZeros64(a: bigint): bigint {
  const lower = low(a);
  return BigInt(lower !== 0 ? lowestBit(lower) : 32 + trailingZeros32(high(a)));
}

const I32_UNARY: Readonly<Record<string, Unary32>> = {
  'i32.eqz': (a) => bit((a | 0) === 0),
  'i32.clz': (a) => Math.clz32(a),
  'i32.ctz': trailingZeros32,
  'i32.popcnt': ones32,
  'i32.extend8_s': (a) => (a << 24) >> 24,
  'i32.extend16_s': (a) => (a << 16) >> 16,
};

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

const I64_UNARY: Readonly<Record<string, Unary64>> = {
  'i64.clz': leadingZeros64,
  'i64.ctz': trailingZeros64,
  'i64.popcnt': (a) => BigInt(ones32(low(a)) + ones32(high(a))),
  'i64.extend8_s': (a) => BigInt.asIntN(8, a),
  'i64.extend16_s': (a) => BigInt.asIntN(16, a),
  'i64.extend32_s': (a) => BigInt.asIntN(32, a),
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
  'i64.rotl': (a, b) => rotate64(a, b & 63n),
  'i64.rotr': (a, b) => rotate64(a, -b & 63n),
};

const I64_COMPARE: Readonly<Record<string, Compare64>> = {
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

/** Of signed operands of so many bits; undefined where WebAssembly traps. */
type Division = (a: bigint, b: bigint, bits: number) => bigint | undefined;

const fits = (a: bigint, bits: number): bigint | undefined => (BigInt.asIntN(bits, a) === a ? a : undefined);

const DIVISIONS: Readonly<Record<string, Division>> = {
  div_s: (a, b, bits) => (b === 0n ? undefined : fits(a / b, bits)),
  div_u: (a, b, bits) => (b === 0n ? undefined : BigInt.asUintN(bits, a) / BigInt.asUintN(bits, b)),
  rem_s: (a, b) => (b === 0n ? undefined : a % b),
  rem_u: (a, b, bits) => (b === 0n ? undefined : BigInt.asUintN(bits, a) % BigInt.asUintN(bits, b)),
};

/** A table by the operation's id of one by its name. */
export function byOperation<T>(table: Readonly<Record<string, T>>): readonly (T | undefined)[] {
  return OPS.map((def) => table[def.name]);
}

export const UNARY_32 = byOperation(I32_UNARY);
export const BINARY_32 = byOperation(I32_BINARY);
export const UNARY_64 = byOperation(I64_UNARY);
export const BINARY_64 = byOperation(I64_BINARY);
export const COMPARE_64 = byOperation(I64_COMPARE);
export const DIVISION = OPS.map(({ name }) => (/^i(32|64)\./.test(name) ? DIVISIONS[name.slice(4)] : undefined));
