/**
 * What the integer operations on vectors compute. A vector is one unsigned BigInt of 128 bits, lane 0 in its lowest
 * bits; an operation takes it apart into lanes, works on these and joins them again. Nothing here is fast: it serves
 * those who look at single instructions.
 */
import { OPS } from '../ops.js';
import type { OpDef } from '../opDef.js';

const BITS = 128;
const LANE_BITS: Readonly<Record<string, number>> = { i8x16: 8, i16x8: 16, i32x4: 32, i64x2: 64 };

/** Operands are unsigned, and so is the result; `b` and `c` are 0 where the operation has none. */
type VectorOperation = (a: bigint, b: bigint, c: bigint) => bigint;

/** The lanes of a vector, unsigned. */
export function lanesOf(vector: bigint, laneBits: number): bigint[] {
  return Array.from({ length: BITS / laneBits }, (_, i) => BigInt.asUintN(laneBits, vector >> BigInt(i * laneBits)));
}

/** The vector whose lanes these are; of each lane the low bits count. */
export function joinLanes(lanes: readonly bigint[], laneBits: number): bigint {
  return lanes.reduceRight((sum, lane) => (sum << BigInt(laneBits)) | BigInt.asUintN(laneBits, lane), 0n);
}

const signedLanes = (vector: bigint, laneBits: number): bigint[] => lanesOf(vector, laneBits).map((lane) => BigInt.asIntN(laneBits, lane));
const lanesAs = (sign: string, vector: bigint, laneBits: number): bigint[] =>
  sign === 's' ? signedLanes(vector, laneBits) : lanesOf(vector, laneBits);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);

function saturated(value: bigint, laneBits: number, sign: string): bigint {
  const [least, most] = sign === 's' ? [-(1n << BigInt(laneBits - 1)), (1n << BigInt(laneBits - 1)) - 1n] : [0n, (1n << BigInt(laneBits)) - 1n];
  return smaller(larger(value, least), most);
}

function onesIn(lane: bigint): bigint {
  let count = 0n;
  for (let left = lane; left !== 0n; left &= left - 1n) count++;
  return count;
}

/** What two lanes of a signed or unsigned operation come to, by the name without its sign. */
const LANE_PAIRS: Readonly<Record<string, (a: bigint, b: bigint, laneBits: number, sign: string) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  eq: (a, b) => (a === b ? -1n : 0n),
  ne: (a, b) => (a !== b ? -1n : 0n),
  lt: (a, b) => (a < b ? -1n : 0n),
  gt: (a, b) => (a > b ? -1n : 0n),
  le: (a, b) => (a <= b ? -1n : 0n),
  ge: (a, b) => (a >= b ? -1n : 0n),
  min: smaller,
  max: larger,
  avgr: (a, b) => (a + b + 1n) >> 1n,
  add_sat: (a, b, laneBits, sign) => saturated(a + b, laneBits, sign),
  sub_sat: (a, b, laneBits, sign) => saturated(a - b, laneBits, sign),
  q15mulr_sat: (a, b) => saturated((a * b + 0x4000n) >> 15n, 16, 's'),
};

const SINGLE_LANES: Readonly<Record<string, (a: bigint) => bigint>> = { abs: magnitude, neg: (a) => -a };

/** The lanes of half the width that an operation on one half of the vector takes. */
const halfOf = (lanes: readonly bigint[], half: string): readonly bigint[] =>
  half === 'low' ? lanes.slice(0, lanes.length / 2) : lanes.slice(lanes.length / 2);

const pairSums = (lanes: readonly bigint[]): bigint[] =>
  Array.from({ length: lanes.length / 2 }, (_, i) => (lanes[2 * i] as bigint) + (lanes[2 * i + 1] as bigint));

/** Operations that narrow or widen lanes: their results have lanes of `laneBits`. */
function resizing(operation: string, laneBits: number): VectorOperation | undefined {
  const parts = /^(narrow|extend_low|extend_high|extadd_pairwise|extmul_low|extmul_high|dot)_i\d+x\d+_([su])$/.exec(operation);
  if (parts === null) return undefined;
  const [, kind = '', sign = ''] = parts;
  const half = kind.endsWith('low') ? 'low' : 'high';
  const narrow = (vector: bigint): bigint[] => lanesAs(sign, vector, laneBits / 2);
  switch (kind) {
    case 'narrow':
      return (a, b) => joinLanes([...signedLanes(a, laneBits * 2), ...signedLanes(b, laneBits * 2)].map((lane) => saturated(lane, laneBits, sign)), laneBits);
    case 'extend_low':
    case 'extend_high':
      return (a) => joinLanes(halfOf(narrow(a), half), laneBits);
    case 'extadd_pairwise':
      return (a) => joinLanes(pairSums(narrow(a)), laneBits);
    case 'dot':
      return (a, b) => joinLanes(pairSums(products(narrow(a), narrow(b))), laneBits);
    default:
      return (a, b) => joinLanes(products(halfOf(narrow(a), half), halfOf(narrow(b), half)), laneBits);
  }
}

const products = (a: readonly bigint[], b: readonly bigint[]): bigint[] => a.map((lane, i) => lane * (b[i] as bigint));

function shift(operation: string, laneBits: number): VectorOperation | undefined {
  const sign = operation === 'shr_s' ? 's' : 'u';
  if (!/^sh[lr](_[su])?$/.test(operation)) return undefined;
  return (a, b) => {
    const count = b % BigInt(laneBits);
    return joinLanes(lanesAs(sign, a, laneBits).map((lane) => (operation === 'shl' ? lane << count : lane >> count)), laneBits);
  };
}

function laneOperation({ name, lane }: OpDef): VectorOperation | undefined {
  const [shape = '', operation = ''] = name.split('.');
  const laneBits = LANE_BITS[shape];
  if (laneBits === undefined) return undefined;
  const at = BigInt(lane * laneBits);
  const full = (1n << BigInt(laneBits)) - 1n;
  if (operation.startsWith('extract_lane')) return (a) => (a >> at) & full;
  if (operation === 'replace_lane') return (a, b) => (a & ~(full << at)) | ((b & full) << at);
  switch (operation) {
    case 'splat': return (a) => joinLanes(Array<bigint>(BITS / laneBits).fill(a), laneBits);
    case 'all_true': return (a) => (lanesOf(a, laneBits).every((own) => own !== 0n) ? 1n : 0n);
    case 'bitmask': return (a) => joinLanes(lanesOf(a, laneBits).map((own) => own >> BigInt(laneBits - 1)), 1);
    case 'popcnt': return (a) => joinLanes(lanesOf(a, laneBits).map(onesIn), laneBits);
    case 'swizzle': return (a, b) => joinLanes(lanesOf(b, 8).map((from) => (from > 15n ? 0n : a >> (from * 8n))), 8);
    default: break;
  }
  const single = SINGLE_LANES[operation];
  if (single !== undefined) return (a) => joinLanes(signedLanes(a, laneBits).map(single), laneBits);
  const sign = operation.endsWith('_u') ? 'u' : 's';
  const pair = LANE_PAIRS[operation.replace(/_[su]$/, '')];
  if (pair === undefined) return shift(operation, laneBits) ?? resizing(operation, laneBits);
  return (a, b) => {
    const others = lanesAs(sign, b, laneBits);
    return joinLanes(lanesAs(sign, a, laneBits).map((own, i) => pair(own, others[i] as bigint, laneBits, sign)), laneBits);
  };
}

const WHOLE: Readonly<Record<string, VectorOperation>> = {
  'v128.not': (a) => BigInt.asUintN(BITS, ~a),
  'v128.and': (a, b) => a & b,
  'v128.or': (a, b) => a | b,
  'v128.xor': (a, b) => a ^ b,
  'v128.andnot': (a, b) => a & BigInt.asUintN(BITS, ~b),
  'v128.bitselect': (a, b, mask) => (a & mask) | (b & BigInt.asUintN(BITS, ~mask)),
  'v128.any_true': (a) => (a !== 0n ? 1n : 0n),
  'v128.shuffle': (a, b, mask) => joinLanes(lanesOf(mask, 8).map((from) => (a | (b << 128n)) >> ((from & 31n) * 8n)), 8),
};

/** By the operation's id. */
export const VECTOR_OPERATIONS: readonly (VectorOperation | undefined)[] = OPS.map((def) => WHOLE[def.name] ?? laneOperation(def));
