/**
 * What any pure operation computes from numbers: values of all types are unsigned BigInts. Everything that looks at
 * the numbers of an instruction (undefined values, value flow, slices) takes them from here; constant folding takes
 * them from the same tables (integers.ts).
 */
import { unreachable } from '../../base/assert.js';
import { conditionHolds, flagsFromState } from '../flags.js';
import { NONE, type Node } from '../ir.js';
import type { OpDef, Type } from '../opDef.js';
import { OPS } from '../ops.js';
import { PURE_HELPERS } from './helpers.js';
import { BINARY_32, BINARY_64, byOperation, COMPARE_64, DIVISION, UNARY_32, UNARY_64 } from './integers.js';
import { joinLanes, VECTOR_OPERATIONS } from './vectors.js';

export const TYPE_BITS: Readonly<Record<Type, number>> = { i32: 32, i64: 64, v128: 128 };
export const TYPE_BYTES: Readonly<Record<Type, number>> = { i32: 4, i64: 8, v128: 16 };

/** Operands are there in full. Undefined where the operation traps, or is not known. */
type PureOperation = (operands: readonly bigint[], node: Node) => bigint | undefined;

/** Approximations of this machine's own: generated code looks them up in tables that nothing else needs. */
export const NOT_KNOWN: ReadonlySet<string> = new Set(['sse.rcp_ps', 'sse.rsqrt_ps']);

const int32 = (value: bigint): number => Number(BigInt.asIntN(32, value));
const from32 = (value: number): bigint => BigInt(value >>> 0);
const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const uint64 = (value: bigint): bigint => BigInt.asUintN(64, value);

const pattern = new DataView(new ArrayBuffer(8));

/** The bits of the double that equals a 32-bit integer. */
function doubleOf(integer: bigint): bigint {
  pattern.setFloat64(0, int32(integer));
  return pattern.getBigUint64(0);
}

const LOW_HALF = (1n << 64n) - 1n;

const OTHERS: readonly (PureOperation | undefined)[] = byOperation<PureOperation>({
  'i32.const': (_, { imm }) => from32(imm),
  'i64.const': (_, { big }) => uint64(big),
  'v128.const': (_, { bytes }) => joinLanes(Array.from(bytes as Uint8Array, BigInt), 8),
  'i32.wrap_i64': ([a]) => BigInt.asUintN(32, a as bigint),
  'i64.extend_i32_u': ([a]) => a,
  'i64.extend_i32_s': ([a]) => uint64(BigInt.asIntN(32, a as bigint)),
  'i64.eqz': ([a]) => (a === 0n ? 1n : 0n),
  'i32.select': ([a, b, c]) => (c === 0n ? b : a),
  'i64.select': ([a, b, c]) => (c === 0n ? b : a),
  'v128.select': ([a, b, c]) => (c === 0n ? b : a),
  'cc.cond': ([op, x, y, z], { imm }) => (conditionHolds(imm, flagsOf(op, x, y, z)) ? 1n : 0n),
  'cc.flags': ([op, x, y, z]) => BigInt(flagsOf(op, x, y, z)),
  'sse.cvtsi2sd_32': ([a, b]) => ((a as bigint) & ~LOW_HALF) | doubleOf(b as bigint),
  'sse.cvtdq2pd': ([a]) => doubleOf(a as bigint) | (doubleOf((a as bigint) >> 32n) << 64n),
});

function flagsOf(op: bigint | undefined, x: bigint | undefined, y: bigint | undefined, z: bigint | undefined): number {
  return flagsFromState(Number(op), x as bigint, y as bigint, z as bigint);
}

function operationOf({ id, name, result }: OpDef): PureOperation {
  const other = OTHERS[id] ?? PURE_HELPERS[id];
  if (other !== undefined) return other;
  const vector = VECTOR_OPERATIONS[id];
  if (vector !== undefined) return ([a = 0n, b = 0n, c = 0n]) => vector(a, b, c);
  const [unary32, binary32, unary64, binary64, compare] = [UNARY_32[id], BINARY_32[id], UNARY_64[id], BINARY_64[id], COMPARE_64[id]];
  if (unary32 !== undefined) return ([a]) => from32(unary32(int32(a as bigint)));
  if (binary32 !== undefined) return ([a, b]) => from32(binary32(int32(a as bigint), int32(b as bigint)));
  if (unary64 !== undefined) return ([a]) => uint64(unary64(int64(a as bigint)));
  if (binary64 !== undefined) return ([a, b]) => uint64(binary64(int64(a as bigint), int64(b as bigint)));
  if (compare !== undefined) return ([a, b]) => (compare(int64(a as bigint), int64(b as bigint)) ? 1n : 0n);
  const division = DIVISION[id] ?? unreachable(`what ${name} computes is not known`);
  const bits = TYPE_BITS[result as Type];
  return ([a, b]) => {
    const quotient = division(BigInt.asIntN(bits, a as bigint), BigInt.asIntN(bits, b as bigint), bits);
    return quotient === undefined ? undefined : BigInt.asUintN(bits, quotient);
  };
}

/** By the operation's id; undefined for operations that are not pure, and for those in NOT_KNOWN. */
export const PURE_OPERATIONS: readonly (PureOperation | undefined)[] =
  OPS.map((def) => (def.effect === 'pure' && !NOT_KNOWN.has(def.name) ? operationOf(def) : undefined));

/** How many of a node's operands there are. */
export function operandsOf({ a, b, c, d }: Node): readonly Node['a'][] {
  if (a === NONE) return [];
  if (b === NONE) return [a];
  if (c === NONE) return [a, b];
  return d === NONE ? [a, b, c] : [a, b, c, d];
}
