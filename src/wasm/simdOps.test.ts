/**
 * What each SIMD opcode computes, against a model by lanes in BigInt and double arithmetic: operand types
 * alone would not notice two numbers swapped in the table (lt_s and lt_u, say).
 */
import { describe, expect, test } from 'vitest';
import { ModuleBuilder } from './module.js';
import type { WasmOp } from './opcodes.js';
import { SIMD_PLAIN } from './simdOps.js';

type Lanes = bigint[];
/** From operand vectors to the result vector (or an i32). */
type Model = (a: Uint8Array, b: Uint8Array) => Uint8Array | number;

const signed = BigInt.asIntN;
const unsigned = BigInt.asUintN;
const all = (w: number, yes: boolean) => (yes ? unsigned(w, -1n) : 0n);
const smaller = (x: bigint, y: bigint) => (x < y ? x : y);
const larger = (x: bigint, y: bigint) => (x > y ? x : y);
const saturateSigned = (w: number, x: bigint) => larger(smaller(x, (1n << BigInt(w - 1)) - 1n), -(1n << BigInt(w - 1)));
const saturateUnsigned = (w: number, x: bigint) => larger(smaller(x, (1n << BigInt(w)) - 1n), 0n);

function split(bytes: Uint8Array, w: number): Lanes {
  return Array.from({ length: 128 / w }, (_, i) => {
    let lane = 0n;
    for (let k = w / 8 - 1; k >= 0; k--) lane = (lane << 8n) | BigInt(bytes[(i * w) / 8 + k]!);
    return lane;
  });
}

function join(lanes: Lanes, w: number): Uint8Array {
  const bytes = new Uint8Array(16);
  lanes.forEach((lane, i) => {
    for (let k = 0; k < w / 8; k++) bytes[(i * w) / 8 + k] = Number((lane >> BigInt(8 * k)) & 0xffn);
  });
  return bytes;
}

/** The operand of shifts. */
const SHIFT = 3n;

/** Signed versions of the operands come last, so that most entries need only what they use. */
const INTEGER: Record<string, (w: number, a: bigint, b: bigint, sa: bigint, sb: bigint) => bigint> = {
  add: (_, a, b) => a + b, sub: (_, a, b) => a - b, mul: (_, a, b) => a * b, neg: (_, a) => -a,
  abs: (_, _a, _b, sa) => (sa < 0n ? -sa : sa),
  popcnt: (_, a) => BigInt(a.toString(2).replaceAll('0', '').length),
  add_sat_s: (w, _a, _b, sa, sb) => saturateSigned(w, sa + sb), add_sat_u: (w, a, b) => saturateUnsigned(w, a + b),
  sub_sat_s: (w, _a, _b, sa, sb) => saturateSigned(w, sa - sb), sub_sat_u: (w, a, b) => saturateUnsigned(w, a - b),
  min_s: (_, _a, _b, sa, sb) => smaller(sa, sb), min_u: (_, a, b) => smaller(a, b),
  max_s: (_, _a, _b, sa, sb) => larger(sa, sb), max_u: (_, a, b) => larger(a, b),
  avgr_u: (_, a, b) => (a + b + 1n) >> 1n,
  q15mulr_sat_s: (w, _a, _b, sa, sb) => saturateSigned(w, (sa * sb + 0x4000n) >> 15n),
  shl: (_, a) => a << SHIFT, shr_s: (_, _a, _b, sa) => sa >> SHIFT, shr_u: (_, a) => a >> SHIFT,
  eq: (w, a, b) => all(w, a === b), ne: (w, a, b) => all(w, a !== b),
  lt_s: (w, _a, _b, sa, sb) => all(w, sa < sb), lt_u: (w, a, b) => all(w, a < b),
  gt_s: (w, _a, _b, sa, sb) => all(w, sa > sb), gt_u: (w, a, b) => all(w, a > b),
  le_s: (w, _a, _b, sa, sb) => all(w, sa <= sb), le_u: (w, a, b) => all(w, a <= b),
  ge_s: (w, _a, _b, sa, sb) => all(w, sa >= sb), ge_u: (w, a, b) => all(w, a >= b),
};

const BITWISE: Record<string, (a: bigint, b: bigint) => bigint> = {
  not: (a) => ~a, and: (a, b) => a & b, andnot: (a, b) => a & ~b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
};

const FLOAT: Record<string, (a: number, b: number) => number | boolean> = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, min: Math.min, max: Math.max,
  pmin: (a, b) => (b < a ? b : a), pmax: (a, b) => (a < b ? b : a), abs: Math.abs, neg: (a) => -a, sqrt: Math.sqrt,
  ceil: Math.ceil, floor: Math.floor, trunc: Math.trunc, nearest: roundTiesToEven,
  eq: (a, b) => a === b, ne: (a, b) => a !== b, lt: (a, b) => a < b, gt: (a, b) => a > b, le: (a, b) => a <= b, ge: (a, b) => a >= b,
};

function roundTiesToEven(x: number): number {
  const rounded = Math.round(x);
  return rounded - x === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function integerModel(w: number, operation: string): Model | undefined {
  const lane = INTEGER[operation];
  if (lane !== undefined) {
    return (a, b) => {
      const bs = split(b, w);
      return join(split(a, w).map((x, i) => lane(w, x, bs[i]!, signed(w, x), signed(w, bs[i]!))), w);
    };
  }
  if (operation === 'all_true') return (a) => Number(split(a, w).every((x) => x !== 0n));
  if (operation === 'bitmask') return (a) => split(a, w).reduce((mask, x, i) => mask | (Number(x >> BigInt(w - 1)) << i), 0);
  return wideningModel(w, operation);
}

/** extend, extmul, extadd_pairwise, dot: from lanes half as wide. */
function wideningModel(w: number, operation: string): Model | undefined {
  const match = /^(extend|extmul|extadd_pairwise|dot)_(low_|high_)?i\d+x\d+_([su])$/.exec(operation);
  if (match === null) return narrowModel(w, operation);
  const [, kind, half, sign] = match;
  const read = (v: Uint8Array) => split(v, w / 2).map((x) => (sign === 's' ? signed(w / 2, x) : x));
  const count = 128 / w;
  const from = half === 'high_' ? count : 0;
  return (va, vb) => {
    const [a, b] = [read(va), read(vb)];
    const lane = (i: number) => {
      if (kind === 'extend') return a[from + i]!;
      if (kind === 'extmul') return a[from + i]! * b[from + i]!;
      if (kind === 'dot') return a[2 * i]! * b[2 * i]! + a[2 * i + 1]! * b[2 * i + 1]!;
      return a[2 * i]! + a[2 * i + 1]!;
    };
    return join(Array.from({ length: count }, (_, i) => lane(i)), w);
  };
}

function narrowModel(w: number, operation: string): Model | undefined {
  if (!operation.startsWith('narrow')) return undefined;
  const saturate = operation.endsWith('_s') ? saturateSigned : saturateUnsigned;
  return (a, b) => join([...split(a, 2 * w), ...split(b, 2 * w)].map((x) => saturate(w, signed(2 * w, x))), w);
}

function floats(bytes: Uint8Array, w: number): Float32Array | Float64Array {
  return w === 32 ? new Float32Array(bytes.slice().buffer) : new Float64Array(bytes.slice().buffer);
}

function floatModel(w: number, operation: string): Model | undefined {
  const lane = FLOAT[operation];
  if (lane === undefined) return undefined;
  return (a, b) => {
    const out = floats(a, w);
    const right = floats(b, w);
    const results = Array.from(out, (x, i) => lane(x, right[i]!));
    if (typeof results[0] === 'boolean') return join(results.map((yes) => all(w, yes === true)), w);
    out.set(results as number[]);
    return new Uint8Array(out.buffer as ArrayBuffer);
  };
}

const clampInt = (x: number, min: number, max: number) => BigInt(Math.trunc(Math.min(Math.max(x, min), max)));
const toS32 = (x: number) => clampInt(x, -(2 ** 31), 2 ** 31 - 1);
const toU32 = (x: number) => clampInt(x, 0, 2 ** 32 - 1);
const ints = (v: Uint8Array, sign: 's' | 'u') => split(v, 32).map((x) => Number(sign === 's' ? signed(32, x) : x));
const bytesOf = (array: Float32Array | Float64Array) => new Uint8Array(array.buffer as ArrayBuffer);

const OTHER: Partial<Record<WasmOp, Model>> = {
  'i8x16.swizzle': (a, b) => a.map((_, i) => a[b[i]!] ?? 0),
  'v128.any_true': (a) => Number(a.some((x) => x !== 0)),
  'f32x4.demote_f64x2_zero': (a) => bytesOf(new Float32Array([...floats(a, 64), 0, 0])),
  'f64x2.promote_low_f32x4': (a) => bytesOf(new Float64Array(floats(a, 32).slice(0, 2))),
  'i32x4.trunc_sat_f32x4_s': (a) => join(Array.from(floats(a, 32), toS32), 32),
  'i32x4.trunc_sat_f32x4_u': (a) => join(Array.from(floats(a, 32), toU32), 32),
  'i32x4.trunc_sat_f64x2_s_zero': (a) => join(Array.from(floats(a, 64), toS32), 32),
  'i32x4.trunc_sat_f64x2_u_zero': (a) => join(Array.from(floats(a, 64), toU32), 32),
  'f32x4.convert_i32x4_s': (a) => bytesOf(new Float32Array(ints(a, 's'))),
  'f32x4.convert_i32x4_u': (a) => bytesOf(new Float32Array(ints(a, 'u'))),
  'f64x2.convert_low_i32x4_s': (a) => bytesOf(new Float64Array(ints(a, 's').slice(0, 2))),
  'f64x2.convert_low_i32x4_u': (a) => bytesOf(new Float64Array(ints(a, 'u').slice(0, 2))),
};

function modelOf(name: WasmOp): Model | undefined {
  const [shape, operation] = name.split('.') as [string, string];
  const w = Number(/^[if](\d+)x/.exec(shape)?.[1] ?? 128);
  const bitwise = BITWISE[operation];
  if (shape === 'v128' && bitwise !== undefined) return (a, b) => join([bitwise(split(a, 128)[0]!, split(b, 128)[0]!)], 128);
  return OTHER[name] ?? (shape.startsWith('f') ? floatModel(w, operation) : integerModel(w, operation));
}

const UNARY = /\.(neg|abs|popcnt|not|sqrt|ceil|floor|trunc|nearest|all_true|any_true|bitmask|(extend|extadd|convert|demote|promote|trunc_sat)_.*)$/;
const SCALAR_RESULT = /\.(all_true|any_true|bitmask)$/;

/** Splats are below; the operands of bitselect are its own, so a wrong number cannot be valid. */
const MODELLED = (Object.keys(SIMD_PLAIN) as WasmOp[]).filter((name) => !/\.(splat|bitselect)$/.test(name));

const ROUNDS = 8;
const FLOATS = [2.5, -3.5, 1e10, 0.3, 0, -0, -0.1, -1e5, 3, 2.5, 0];

function pseudoRandomBytes(seed: number): Uint8Array {
  let state = seed * 2654435761 + 1;
  return Uint8Array.from({ length: 16 }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 16;
  });
}

/** 32 or 64 if the instruction takes floats, else 0. */
function floatOperandWidth(name: WasmOp): number {
  if (name.includes('convert')) return 0;
  if (/^f64x2\.promote|^f32x4(?!\.demote)|trunc_sat_f32x4/.test(name)) return 32;
  return /^f32x4\.demote|^f64x2|trunc_sat_f64x2/.test(name) ? 64 : 0;
}

function floatOperand(width: number, round: number, side: 0 | 1): Uint8Array {
  const zeros = side === 0 ? [0, -0, 0, -0] : [-0, 0, -0, 0];
  const values = zeros.slice(0, 128 / width).map((zero, i) => (round === 0 ? zero : FLOATS[(round * (1 + 2 * side) + i) % FLOATS.length]!));
  return bytesOf(width === 32 ? new Float32Array(values) : new Float64Array(values));
}

/**
 * Two operands. Some rounds have equal bytes, zero lanes of each width or zeros of either sign, since that is
 * where comparisons, all_true or min and pmin tell each other apart.
 */
function vectors(name: WasmOp, round: number): [Uint8Array, Uint8Array] {
  const width = floatOperandWidth(name);
  if (width !== 0) return [floatOperand(width, round, 0), floatOperand(width, round, 1)];
  const a = pseudoRandomBytes(round);
  const b = name === 'i8x16.swizzle' ? pseudoRandomBytes(round + 100).map((x) => x & 31) : pseudoRandomBytes(round + 100);
  if (round % 4 === 1) b.set(a.subarray(0, 11));
  const zeros = [0, 0, 1, 2, 0, 4, 16, 8][round]!;
  a.fill(0, 0, zeros);
  return [a, b];
}

function execute(name: WasmOp, a: Uint8Array, b: Uint8Array): Uint8Array | number {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const m = new ModuleBuilder();
  m.importMemory('env', 'memory', 1, 1);
  const code = m.func('f', [], []);
  code.i32(32).i32(0).mem('v128.load', 0);
  if (/\.sh[lr]/.test(name)) code.i32(Number(SHIFT));
  else if (!UNARY.test(name)) code.i32(0).mem('v128.load', 16);
  code.op(name).mem(SCALAR_RESULT.test(name) ? 'i32.store' : 'v128.store', 0);
  m.exportFunc('f', code.index);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(a, 0);
  bytes.set(b, 16);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(m.build()), { env: { memory } });
  (instance.exports['f'] as () => void)();
  return SCALAR_RESULT.test(name) ? new DataView(memory.buffer).getInt32(32, true) : bytes.slice(32, 48);
}

describe('result of', () => {
  test.each(MODELLED)('%s', (name) => {
    const model = modelOf(name);
    expect(model, 'a model').toBeDefined();
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = vectors(name, round);
      const expected = model!(a, b);
      // The sign of a NaN that an operation makes is not specified.
      if (/sqrt|div/.test(name) && floats(expected as Uint8Array, name.startsWith('f32') ? 32 : 64).some(Number.isNaN)) continue;
      expect(execute(name, a, b)).toEqual(expected);
    }
  });
});

test.each([['i8x16.splat', 8], ['i16x8.splat', 16], ['i32x4.splat', 32]] as const)('%s', (name, w) => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const m = new ModuleBuilder();
  m.importMemory('env', 'memory', 1, 1);
  const code = m.func('f', [], []);
  code.i32(0).i32(0x12345678).op(name).mem('v128.store', 0);
  m.exportFunc('f', code.index);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(m.build()), { env: { memory } });
  (instance.exports['f'] as () => void)();
  expect(new Uint8Array(memory.buffer, 0, 16)).toEqual(join(Array.from({ length: 128 / w }, () => unsigned(w, 0x12345678n)), w));
});
