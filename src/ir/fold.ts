/**
 * Constant folding and the handful of identities that lifted x86 code is full of. Works while a
 * block is built: given an operation and its arguments, returns an existing or constant value that
 * equals the result, or NONE. What there is to know about an operation is looked up by its id.
 */
import type { IrBuilder } from './builder.js';
import { NONE, type Value } from './ir.js';
import { BINARY_32, BINARY_64, byOperation, COMPARE_64, type Unary32, UNARY_32, type Unary64, UNARY_64 } from './meaning/integers.js';
import type { OpDef } from './opDef.js';
import { OPS } from './ops.js';

type Unary = (b: IrBuilder, x: Value) => Value;

const INVERSE: Readonly<Record<string, string>> = {
  eq: 'ne', ne: 'eq', lt_s: 'ge_s', ge_s: 'lt_s', lt_u: 'ge_u', ge_u: 'lt_u', gt_s: 'le_s', le_s: 'gt_s', gt_u: 'le_u', le_u: 'gt_u',
};

const among = (names: string): readonly boolean[] => {
  const set = new Set(names.split(' ').flatMap((n) => [`i32.${n}`, `i64.${n}`]));
  return OPS.map((def) => set.has(def.name));
};

/** Neutral right operand 0. */
const ZERO_IS_NEUTRAL = among('add sub or xor shl shr_u shr_s rotl rotr');
/** x op x = 0, x op x = x. */
const SELF_IS_ZERO = among('xor sub ne lt_s lt_u gt_s gt_u');
const SELF_IS_ONE = among('eq le_s le_u ge_s ge_u');
const SELF_IS_SELF = among('and or');
/** Result 0 or 1. */
const IS_COMPARISON = among('eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u');
const IS_BOOLEAN = OPS.map((def) => def.name === 'cc.cond' || IS_COMPARISON[def.id] === true);
/** The comparison that says the opposite. */
const INVERSE_NAME = OPS.map((def) => {
  const inverse = IS_BOOLEAN[def.id] === true && def.params.length === 2 ? INVERSE[def.name.slice(4)] : undefined;
  return inverse === undefined ? undefined : def.name.slice(0, 4) + inverse;
});
const LOAD_MASK = OPS.map((def) => (def.effect === 'load' && def.name.endsWith('_u') ? (def.bytes === 1 ? 0xff : 0xffff) : 0));

type Folder = (b: IrBuilder, def: OpDef, x: Value, y: Value, z: Value) => Value;

function folderOf(def: OpDef): Folder | null {
  const unary = UNARY[def.id];
  if (unary !== undefined) return (b, _def, x) => unary(b, x);
  if (UNARY_32[def.id] !== undefined) return foldUnary32;
  if (UNARY_64[def.id] !== undefined) return foldUnary64;
  if (def.name === 'i32.select' || def.name === 'i64.select') return (b, _def, x, y, z) => foldSelect(b, x, y, z);
  if (def.params.length !== 2 || def.wasm === null) return null;
  return def.params[0] === 'i32' && def.params[1] === 'i32' ? fold32 : def.params[0] === 'i64' && def.params[1] === 'i64' ? fold64 : null;
}

function foldUnary32(b: IrBuilder, { id }: OpDef, x: Value): Value {
  const c = b.asI32(x);
  return c === null ? NONE : b.i32((UNARY_32[id] as Unary32)(c));
}

function foldUnary64(b: IrBuilder, { id }: OpDef, x: Value): Value {
  const c = b.asI64(x);
  return c === null ? NONE : b.i64((UNARY_64[id] as Unary64)(c));
}

function foldSelect(b: IrBuilder, x: Value, y: Value, condition: Value): Value {
  const c = b.asI32(condition);
  if (c !== null) return c !== 0 ? x : y;
  return x === y ? x : NONE;
}

/** Sign extension that changes nothing because the sign bit is known to be 0. */
function extendNarrow(shift: number): Unary {
  return (b, x) => {
    const c = b.asI32(x);
    if (c !== null) return b.i32((c << shift) >> shift);
    return (possibleBits(b, x) & (-1 << (31 - shift))) === 0 ? x : NONE;
  };
}

const UNARY: readonly (Unary | undefined)[] = byOperation<Unary>({
  'i32.wrap_i64': (b, x) => {
    const c = b.asI64(x);
    if (c !== null) return b.i32(Number(BigInt.asIntN(32, c)));
    const inner = b.def(x).name;
    return inner === 'i64.extend_i32_u' || inner === 'i64.extend_i32_s' ? b.node(x).a : NONE;
  },
  'i64.extend_i32_u': (b, x) => {
    const c = b.asI32(x);
    return c !== null ? b.i64(c >>> 0) : NONE;
  },
  'i64.extend_i32_s': (b, x) => {
    const c = b.asI32(x);
    return c !== null ? b.i64(c) : NONE;
  },
  'i32.extend8_s': extendNarrow(24),
  'i32.extend16_s': extendNarrow(16),
  'i32.eqz': (b, x) => {
    const c = b.asI32(x);
    if (c !== null) return b.i32(c === 0 ? 1 : 0);
    const node = b.node(x);
    const inverse = INVERSE_NAME[node.op];
    if (inverse !== undefined) return b.op(inverse, node.a, node.b);
    const name = b.def(x).name;
    if (name === 'i32.eqz') return b.op('i32.ne', node.a, b.i32(0));
    return name === 'i64.eqz' ? b.op('i64.ne', node.a, b.i64(0)) : NONE;
  },
  'i64.eqz': (b, x) => {
    const c = b.asI64(x);
    return c !== null ? b.i32(c === 0n ? 1 : 0) : NONE;
  },
});

/** The bits of an i32 that can be set. */
function possibleBits(b: IrBuilder, v: Value): number {
  const node = b.node(v);
  if (IS_BOOLEAN[node.op] === true) return 1;
  const loaded = LOAD_MASK[node.op] as number;
  if (loaded !== 0) return loaded;
  if (b.def(v).name === 'i32.and') return b.asI32(node.b) ?? -1;
  return b.asI32(v) ?? -1;
}

function fold32(b: IrBuilder, def: OpDef, x: Value, y: Value): Value {
  const { id, name } = def;
  const cy = b.asI32(y);
  if (cy !== null) {
    const cx = b.asI32(x);
    if (cx !== null) {
      const compute = BINARY_32[id];
      if (compute !== undefined) return b.i32(compute(cx, cy));
    }
    if (cy === 0) {
      if (ZERO_IS_NEUTRAL[id] === true) return x;
      if (name === 'i32.and') return y;
      if (name === 'i32.ne' && possibleBits(b, x) === 1) return x;
      if (name === 'i32.eq') return b.op('i32.eqz', x);
    }
    return name === 'i32.and' ? foldMask(b, x, cy) : NONE;
  }
  return x === y ? foldSelf(b, id, x) : NONE;
}

function foldSelf(b: IrBuilder, id: number, x: Value): Value {
  if (SELF_IS_SELF[id] === true) return x;
  if (SELF_IS_ONE[id] === true) return b.i32(1);
  if (SELF_IS_ZERO[id] !== true) return NONE;
  return OPS[id]?.result === 'i64' ? b.i64(0) : b.i32(0);
}

/** x & mask. */
function foldMask(b: IrBuilder, x: Value, mask: number): Value {
  if ((possibleBits(b, x) & ~mask) === 0) return x;
  if (b.def(x).name === 'i32.and') {
    const inner = b.asI32(b.node(x).b);
    return inner === null ? NONE : b.op('i32.and', b.node(x).a, b.i32(inner & mask));
  }
  if (b.def(x).name !== 'i32.wrap_i64') return NONE;
  // A part of a register that was just written: ((old & ~mask) | extend(part)) & mask = part.
  const whole = b.node(x).a;
  if (b.def(whole).name !== 'i64.or') return NONE;
  const { a: kept, b: placed } = b.node(whole);
  if (b.def(placed).name !== 'i64.extend_i32_u' || b.def(kept).name !== 'i64.and') return NONE;
  const keptMask = b.asI64(b.node(kept).b);
  if (keptMask === null || (keptMask & BigInt(mask >>> 0)) !== 0n) return NONE;
  const part = b.node(placed).a;
  return (possibleBits(b, part) & ~mask) === 0 ? part : NONE;
}

function fold64(b: IrBuilder, def: OpDef, x: Value, y: Value): Value {
  const { id, name } = def;
  const cy = b.asI64(y);
  if (cy !== null) {
    const cx = b.asI64(x);
    if (cx !== null) {
      const compute = BINARY_64[id];
      if (compute !== undefined) return b.i64(compute(cx, cy));
      const compare = COMPARE_64[id];
      if (compare !== undefined) return b.i32(compare(cx, cy) ? 1 : 0);
    }
    if (cy === 0n) {
      if (ZERO_IS_NEUTRAL[id] === true) return x;
      if (name === 'i64.and') return y;
      if (name === 'i64.eq') return b.op('i64.eqz', x);
    }
    if (name === 'i64.sub') return b.op('i64.add', x, b.i64(-cy));
    if (name === 'i64.add') return foldSum(b, x, cy);
    return name === 'i64.and' && cy === -1n ? x : NONE;
  }
  return x === y ? foldSelf(b, id, x) : NONE;
}

/** (a + c) + d = a + (c + d): keeps every address on the stack relative to one value of rsp. */
function foldSum(b: IrBuilder, x: Value, d: bigint): Value {
  if (b.def(x).name !== 'i64.add') return NONE;
  const node = b.node(x);
  const c = b.asI64(node.b);
  return c === null ? NONE : b.op('i64.add', node.a, b.i64(c + d));
}

const FOLDERS: readonly (Folder | null)[] = OPS.map((def) => (def.effect === 'pure' ? folderOf(def) : null));

export function fold(b: IrBuilder, def: OpDef, x: Value, y: Value, z: Value): Value {
  const folder = FOLDERS[def.id] as Folder | null;
  return folder === null ? NONE : folder(b, def, x, y, z);
}
