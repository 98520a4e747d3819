/**
 * Which bytes of its operands each byte of a pure operation's result depends on. Operations that move bytes, work on
 * each byte or lane for itself, or carry upward only are known as such. Of all others every byte depends on everything.
 */
import { type Node, NONE, type Value } from '../ir.js';
import { TYPE_BYTES } from '../meaning/pureOperation.js';
import type { OpDef, Type } from '../opDef.js';
import { CONSTANT, type Refs, union, unionOf } from './refs.js';

export type Bytes = readonly Refs[];

/** Of the operands: what their bytes depend on, and their numbers where they are constants. */
interface Operands {
  bytes(value: Value): Bytes;
  constant(value: Value): bigint | undefined;
  /** Of v128.const. */
  vector(value: Value): Uint8Array | undefined;
}

const VECTOR_BYTES = 16;

export function pureBytes(node: Node, def: OpDef, operands: Operands): Bytes {
  const size = TYPE_BYTES[def.result as Type];
  const [shape = '', operation = ''] = def.name.split('.');
  const known = shape.includes('x') || shape === 'v128'
    ? vectorBytes(node, def, shape, operation, operands)
    : scalarBytes(node, operation, size, operands);
  return known ?? everything(node, size, operands);
}

function everything(node: Node, size: number, { bytes }: Operands): Bytes {
  const all = unionOf([node.a, node.b, node.c, node.d].filter((value) => value !== NONE).map((value) => unionOf(bytes(value))));
  return Array<Refs>(size).fill(all);
}

function scalarBytes(node: Node, operation: string, size: number, operands: Operands): Bytes | undefined {
  const { a, b, c } = node;
  const of = (value: Value): Bytes => operands.bytes(value);
  switch (operation) {
    case 'const': return Array<Refs>(size).fill(CONSTANT);
    case 'select': return withAll(each(of(a), of(b)), unionOf(of(c)));
    case 'wrap_i64': return of(a).slice(0, 4);
    case 'extend_i32_u': return resized(of(a), 8, CONSTANT);
    case 'extend_i32_s': return extended(of(a), 4, 8);
    case 'extend8_s': return extended(of(a), 1, size);
    case 'extend16_s': return extended(of(a), 2, size);
    case 'extend32_s': return extended(of(a), 4, size);
    case 'and': return masked(node, size, operands);
    case 'or': case 'xor': return each(of(a), of(b));
    case 'add': case 'sub': case 'mul': return carried(each(of(a), of(b)));
    case 'shl': case 'shr_u': case 'shr_s': case 'rotl': case 'rotr': return shifted(node, operation, size, operands);
    default: return undefined;
  }
}

function each(a: Bytes, b: Bytes): Bytes {
  return a.map((refs, i) => union(refs, b[i] ?? CONSTANT));
}

function withAll(bytes: Bytes, more: Refs): Bytes {
  return bytes.map((refs) => union(refs, more));
}

/** Each byte depends on those below it, too. */
function carried(bytes: Bytes): Bytes {
  let below = CONSTANT;
  return bytes.map((refs) => (below = union(below, refs)));
}

function resized(bytes: Bytes, size: number, filling: Refs): Bytes {
  return Array.from({ length: size }, (_, i) => bytes[i] ?? filling);
}

function extended(bytes: Bytes, from: number, size: number): Bytes {
  return resized(bytes.slice(0, from), size, bytes[from - 1] ?? CONSTANT);
}

/** A byte that is masked out is a constant. */
function masked({ a, b }: Node, size: number, { bytes, constant }: Operands): Bytes {
  const [x, y] = [constant(a), constant(b)];
  const isZero = (value: bigint | undefined, i: number): boolean => value !== undefined && ((value >> BigInt(8 * i)) & 0xffn) === 0n;
  const both = each(bytes(a), bytes(b));
  return Array.from({ length: size }, (_, i) => (isZero(x, i) || isZero(y, i) ? CONSTANT : (both[i] ?? CONSTANT)));
}

/** By a constant: each byte comes from one or two others. */
function shifted({ a, b }: Node, operation: string, size: number, { bytes, constant }: Operands): Bytes | undefined {
  const count = constant(b);
  if (count === undefined) return undefined;
  const bits = Number(count % BigInt(size * 8));
  const isUp = operation === 'shl' || operation === 'rotl';
  const from = bytes(a);
  const [whole, isSplit] = [Math.floor(bits / 8), bits % 8 !== 0];
  const at = (i: number): Refs => {
    if (operation.startsWith('rot')) return from[((i % size) + size) % size] as Refs;
    if (i >= size && operation === 'shr_s') return from[size - 1] as Refs;
    return from[i] ?? CONSTANT;
  };
  return from.map((_, i) => {
    const [first, second] = isUp ? [i - whole, i - whole - 1] : [i + whole, i + whole + 1];
    return isSplit ? union(at(first), at(second)) : at(first);
  });
}

/** Of two lanes of half the size each lane of the result is made. */
const WIDENING = /^(extend|extmul)_(low|high)_/;
const LANEWISE = new Set([
  'abs', 'neg', 'shl', 'shr_s', 'shr_u', 'eq', 'ne', 'lt_s', 'lt_u', 'gt_s', 'gt_u', 'le_s', 'le_u', 'ge_s', 'ge_u', 'add', 'sub', 'mul', 'popcnt',
  'min_s', 'min_u', 'max_s', 'max_u', 'avgr_u', 'add_sat_s', 'add_sat_u', 'sub_sat_s', 'sub_sat_u', 'q15mulr_sat_s',
]);
const PAIRWISE = /^(dot|extadd_pairwise)_/;

function vectorBytes(node: Node, { lane }: OpDef, shape: string, operation: string, operands: Operands): Bytes | undefined {
  const { a, b, c } = node;
  const of = (value: Value): Bytes => (value === NONE ? [] : operands.bytes(value));
  const laneBytes = shape === 'v128' ? 1 : VECTOR_BYTES / Number(shape.split('x')[1]);
  if (operation.startsWith('extract_lane')) return of(a).slice(lane * laneBytes, (lane + 1) * laneBytes).concat(Array<Refs>(8).fill(CONSTANT)).slice(0, shape === 'i64x2' ? 8 : 4);
  if (operation === 'replace_lane') return of(a).map((refs, i) => (Math.floor(i / laneBytes) === lane ? (of(b)[i % laneBytes] as Refs) : refs));
  if (WIDENING.test(operation)) {
    const half = operation.includes('_high_') ? VECTOR_BYTES / 2 : 0;
    const parts = (value: Value): Bytes => of(value).slice(half, half + VECTOR_BYTES / 2);
    return widened(each(parts(a), b === NONE ? [] : parts(b)), laneBytes / 2);
  }
  if (PAIRWISE.test(operation)) return byLane(each(of(a), of(b)), laneBytes);
  if (LANEWISE.has(operation)) {
    const isShift = operation === 'shl' || operation.startsWith('shr_');
    return isShift ? withAll(byLane(of(a), laneBytes), unionOf(of(b))) : byLane(each(of(a), of(b)), laneBytes);
  }
  switch (operation) {
    case 'const': return Array<Refs>(VECTOR_BYTES).fill(CONSTANT);
    case 'select': return withAll(each(of(a), of(b)), unionOf(of(c)));
    case 'not': return of(a);
    case 'and': case 'or': case 'xor': case 'andnot': return each(of(a), of(b));
    case 'bitselect': return each(each(of(a), of(b)), of(c));
    case 'splat': return Array.from({ length: VECTOR_BYTES }, (_, i) => of(a)[i % laneBytes] as Refs);
    case 'shuffle': return shuffled(node, operands);
    default: return undefined;
  }
}

function byLane(bytes: Bytes, laneBytes: number): Bytes {
  return bytes.map((_, i) => unionOf(bytes.slice(i - (i % laneBytes), i - (i % laneBytes) + laneBytes)));
}

function widened(bytes: Bytes, laneBytes: number): Bytes {
  const lanes = byLane(bytes, laneBytes);
  return Array.from({ length: VECTOR_BYTES }, (_, i) => lanes[Math.floor(i / (laneBytes * 2)) * laneBytes] as Refs);
}

function shuffled({ a, b, c }: Node, { bytes, vector }: Operands): Bytes | undefined {
  const pattern = vector(c);
  if (pattern === undefined) return undefined;
  const both = [...bytes(a), ...bytes(b)];
  return Array.from(pattern, (from) => both[from & 31] as Refs);
}
