/**
 * The shape of all SSE floating-point emitters: inline code for the ordinary case, a helper for the
 * rest. What is ordinary is decided by a few integer comparisons on exponents, chosen so that the
 * result cannot overflow, underflow or be invalid; rounding and the inexact flag are what FP_FAST
 * vouches for. The interpreter always calls the helper: its own dispatch costs more than that.
 */
import { FP_FAST_ADDRESS } from '../softfloat/vectors.js';
import type { Code, ValType } from '../../wasm/code.js';
import type { Emit, Emitter } from '../emit.js';

const SIMD_EXCEPTION = 19;

/** The compiled form of an operation under construction. */
export interface Fast {
  readonly e: Emit;
  readonly code: Code;
  /** Where to branch if the case is not ordinary. */
  readonly slow: number;
  /** Locals that hold the operands. */
  readonly a: number;
  readonly b: number;
}

interface FastSpec {
  readonly operands: readonly ValType[];
  readonly result: ValType;
  readonly helper: string;
  /** Emits the checks (brIf slow) and then the native operation, leaving its result. */
  readonly native: (f: Fast) => void;
  /** Pushes what the helper takes after the operands, or adapts the last operand. */
  readonly extra?: (e: Emit) => void;
  /** Adapts the helper's result. */
  readonly after?: (code: Code) => void;
}

/** Calls the helper with operands that are on the stack. */
function callHelper(e: Emit, spec: FastSpec): void {
  const { code } = e;
  spec.extra?.(e);
  code.call(e.helper(spec.helper));
  code.hint(false).if_();
  e.trap(SIMD_EXCEPTION);
  code.end();
  spec.after?.(code);
}

export function fastOrHelper(spec: FastSpec): Emitter {
  return (e) => {
    if (e.knownImm === null) return callHelper(e, spec);
    const { code } = e;
    const locals = spec.operands.map((type) => e.temp(type));
    for (const local of [...locals].reverse()) code.set(local);
    const done = code.block(spec.result);
    const slow = code.block();
    spec.native({ e, code, slow, a: locals[0] as number, b: locals[1] ?? (locals[0] as number) });
    code.br(done).end();
    for (const local of locals) code.get(local);
    callHelper(e, spec);
    code.end();
  };
}

/** Always the helper. */
export function helperOnly(helper: string): Emitter {
  return (e) => callHelper(e, { operands: [], result: 'v128', helper, native: () => undefined });
}

export function checkFpFast({ code, slow }: Fast): void {
  code.i32(0).mem('i32.load', FP_FAST_ADDRESS, 2).op('i32.eqz').hint(false).brIf(slow);
}

/** Single or double precision, as the emitters need to know it. */
export interface Precision {
  readonly float: 'f32' | 'f64';
  readonly ints: 'i32' | 'i64';
  readonly shape: 'f32x4' | 'f64x2';
  readonly intShape: 'i32x4' | 'i64x2';
  /** Which 32-bit lane holds the exponent of the low element. */
  readonly highLane: number;
  /** Bits above the fraction, in that lane shifted left by one. */
  readonly fieldShift: number;
  readonly bias: number;
  readonly minNormal: number;
}

export const SINGLE: Precision = {
  float: 'f32', ints: 'i32', shape: 'f32x4', intShape: 'i32x4', highLane: 0, fieldShift: 24, bias: 127, minNormal: 2 ** -126,
};
export const DOUBLE: Precision = {
  float: 'f64', ints: 'i64', shape: 'f64x2', intShape: 'i64x2', highLane: 1, fieldShift: 21, bias: 1023, minNormal: 2 ** -1022,
};

/** Exponents, unbiased, both ends included. `zero` in place of the first includes zeros and denormals. */
export interface Window {
  readonly first: number | 'zero';
  readonly last: number;
}

function bounds(p: Precision, w: Window): { low: number; count: number } {
  const first = w.first === 'zero' ? 0 : w.first + p.bias;
  return { low: (first << p.fieldShift) >>> 0, count: ((w.last + p.bias - first + 1) << p.fieldShift) >>> 0 };
}

/** Branches to slow unless the low element's exponent is in the window. */
export function checkScalar({ code, slow }: Fast, p: Precision, w: Window, local: number): void {
  const { low, count } = bounds(p, w);
  code.get(local).lane('i32x4.extract_lane', p.highLane).i32(1).op('i32.shl');
  if (low !== 0) code.i32(low).op('i32.sub');
  code.i32(count).op('i32.ge_u').hint(false).brIf(slow);
}

/** Pushes the exponent of the low element minus `first`; only its low 11 (8) bits count, the sign sits above them. */
function pushExponent(code: Code, p: Precision, local: number, first: number): void {
  code.get(local).lane(`${p.shape}.extract_lane`, 0);
  if (p === DOUBLE) code.op('i64.reinterpret_f64').i64num(52).op('i64.shr_u').op('i32.wrap_i64');
  else code.op('i32.reinterpret_f32').i32(23).op('i32.shr_u');
  code.i32(first + p.bias).op('i32.sub');
}

/**
 * Branches to slow unless the exponents of both low elements are among the `count` from `first`.
 * `count` is a power of two, so the bits above it tell for both at once.
 */
export function checkBoth({ code, slow, a, b }: Fast, p: Precision, first: number, count: number): void {
  pushExponent(code, p, a, first);
  if (b !== a) {
    pushExponent(code, p, b, first);
    code.op('i32.or');
  }
  code.i32(2 * p.bias + 2 - count).op('i32.and').hint(false).brIf(slow);
}

function splatInt(code: Code, value: number): void {
  const bytes = new Uint8Array(16);
  new Uint32Array(bytes.buffer).fill(value >>> 0);
  code.v128(bytes);
}

/** The upper words of the doubles in x and y. */
const HIGH_WORDS = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];

/**
 * Pushes words with the exponents of x and y at the top, less than `below` in unsigned order if in the window. `join`
 * combines words of x and y.
 */
function pushExponents(code: Code, p: Precision, x: number, y: number, low: number, join: 'v128.or' | 'i32x4.max_s'): void {
  const shifted = (): void => {
    code.i32(1).op('i32x4.shl');
    splatInt(code, low);
    code.op('i32x4.sub');
  };
  if (p === DOUBLE) {
    code.get(x).get(y).shuffle(HIGH_WORDS);
    shifted();
    return;
  }
  code.get(x);
  shifted();
  if (x === y) return;
  code.get(y);
  shifted();
  code.op(join);
}

/**
 * Branches to slow unless all exponents of the vectors x and y are in the window. Signed comparison is cheaper, so bias
 * by 2^31.
 */
export function checkPacked({ code, slow }: Fast, p: Precision, w: Window, x: number, y: number): void {
  const { low, count } = bounds(p, w);
  pushExponents(code, p, x, y, low + 0x8000_0000, 'i32x4.max_s');
  splatInt(code, count - 1 + 0x8000_0000);
  code.op('i32x4.gt_s').op('i32x4.bitmask').hint(false).brIf(slow);
}

/** As checkPacked for the window of half of all exponents from `first`: then the sign bit tells. */
export function checkPackedHalf({ code, slow }: Fast, p: Precision, first: number, x: number, y: number): void {
  pushExponents(code, p, x, y, bounds(p, { first, last: first }).low, 'v128.or');
  code.op('i32x4.bitmask').hint(false).brIf(slow);
}

/** Branches to slow unless all elements are positive normal numbers. */
export function checkPackedPositive({ code, slow }: Fast, p: Precision, x: number): void {
  const unit = 1 << (p.fieldShift - 1);
  code.get(x);
  if (p === DOUBLE) code.get(x).shuffle(HIGH_WORDS);
  splatInt(code, unit + 0x8000_0000);
  code.op('i32x4.sub');
  splatInt(code, unit * 2 * p.bias - 1 + 0x8000_0000);
  code.op('i32x4.gt_s').op('i32x4.bitmask').hint(false).brIf(slow);
}

/** Branches to slow if the low element is a NaN or denormal. */
export function checkComparable({ code, slow }: Fast, p: Precision, local: number): void {
  code.get(local).lane(`${p.intShape}.extract_lane`, 0);
  if (p === DOUBLE) code.i64num(1).op('i64.shl').i64num(1).op('i64.sub').i64((1n << 53n) - 1n).op('i64.lt_u');
  else code.i32(1).op('i32.shl').i32(1).op('i32.sub').i32(0xff_ffff).op('i32.lt_u');
  code.hint(false).brIf(slow);
  low(code, p, local);
  low(code, p, local);
  code.op(`${p.float}.ne`).hint(false).brIf(slow);
}

/** Pushes the mask of elements that are NaN, or nonzero and smaller than `limit`. */
export function pushIncomparable(code: Code, shape: 'f32x4' | 'f64x2', limit: number, local: number): void {
  const float = shape === 'f64x2' ? 'f64' : 'f32';
  const constant = (n: number): void => void (float === 'f64' ? code.f64(n) : code.f32(n)).op(`${shape}.splat`);
  code.get(local).op(`${shape}.abs`);
  constant(limit);
  code.op(`${shape}.lt`).get(local);
  constant(0);
  code.op(`${shape}.ne`).op('v128.and').get(local).get(local).op(`${shape}.ne`).op('v128.or');
}

/** Pushes the low element as a float. */
export function low(code: Code, p: Precision, local: number): void {
  code.get(local).lane(`${p.shape}.extract_lane`, 0);
}
