/**
 * Comparison, conversion and rounding of vectors, as emitters call them (see vectors.ts for the
 * convention). Scalar forms put their result into the low lane of a.
 *
 *   sse.cmp_ss .. cmp_pd(a, b, predicate)              masks
 *   sse.comi_ss, comi_sd(a, b, signalling)             EFLAGS bits instead of a vector
 *   sse.cvtsi2ss, cvtsi2sd(a, i64)                     from an integer
 *   sse.cvtss2si, cvtsd2si(b, truncate, width)         an i64 instead of a vector
 *   sse.cvtss2sd, cvtsd2ss(a, b); cvtps2pd, cvtpd2ps, cvtdq2ps(a); cvtps2dq, cvtpd2dq(a, truncate)
 *   sse.round_ss .. round_pd(a, b, immediate)
 */
import { FLAG } from '../../layout/cpuState.js';
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lane, lit, loadAt, select, type Var, wasm, withLane } from './dsl.js';
import { ROUND_ZERO } from './formats.js';
import { floatOf, patternOf } from './lanes.js';
import { DOUBLE, type Narrow, NARROWS, roundingOf, SINGLE } from './narrowFormat.js';
import { finish, formName, lanesOf, MXCSR_ADDRESS, shapeOf } from './vectors.js';

/** For each predicate 0..3 four bits: which orders (see ORDER) satisfy it: equal, less, less or equal, unordered. */
const PREDICATES = 0x8321;
/** EFLAGS by order, a byte each: equal, less, greater, unordered. */
const ORDER_FLAGS = (((FLAG.ZF | FLAG.PF | FLAG.CF) << 24) | (FLAG.CF << 8) | FLAG.ZF) >>> 0;

interface State {
  readonly f: Fn;
  readonly mxcsr: Var;
  readonly flags: Var;
}

function begin(f: Fn): State {
  return { f, mxcsr: f.let_(loadAt(MXCSR_ADDRESS, 'i32')), flags: f.local('i32') };
}

/** The pattern (i64) of lane i. */
function pattern(n: Narrow, v: Expr, i: number): Expr {
  return patternOf(n, lane(v, shapeOf(n), i));
}

/** A call that returns (value, flags): ORs the flags, gives the value. */
function run({ f, flags }: State, type: 'i32' | 'i64', name: string, ...args: Expr[]): Var {
  const value = f.local(type);
  const raised = f.local('i32');
  f.callInto([value, raised], name, ...args);
  flags.set(flags.or(raised));
  return value;
}

const VECTOR_RESULT = ['v128', 'i32'] as const;

function cmp(n: Narrow, packed: boolean): HelperDef {
  const shape = n === DOUBLE ? 'i64x2' : 'i32x4';
  return helper(`sse.cmp_${formName(n, packed)}`, { a: 'v128', b: 'v128', predicate: 'i32' }, VECTOR_RESULT, (f, { a, b, predicate }) => {
    const s = begin(f);
    const orders = f.let_(lit('i32', PREDICATES).shrU(predicate.and(3).shl(2)).xor(select(predicate.and(4), lit('i32', 15), 0)));
    const signalling = f.let_(predicate.add(1).shrU(1).and(1));
    const result = f.let_(a);
    for (let i = 0; i < (packed ? lanesOf(n) : 1); i++) {
      const order = run(s, 'i32', `sse.order${n.suffix}`, pattern(n, a, i), pattern(n, b, i), signalling, s.mxcsr);
      const mask = orders.shrU(order).and(1).neg();
      result.set(withLane(result, shape, i, n === DOUBLE ? mask.extS() : mask));
    }
    finish(f, result, s.flags, s.mxcsr);
  });
}

function comi(n: Narrow): HelperDef {
  return helper(`sse.comi_${formName(n, false)}`, { a: 'v128', b: 'v128', signalling: 'i32' }, ['i32', 'i32'], (f, { a, b, signalling }) => {
    const s = begin(f);
    const order = run(s, 'i32', `sse.order${n.suffix}`, pattern(n, a, 0), pattern(n, b, 0), signalling, s.mxcsr);
    finish(f, f.let_(lit('i32', ORDER_FLAGS).shrU(order.shl(3)).and(0xff)), s.flags, s.mxcsr);
  });
}

function fromInteger(n: Narrow): HelperDef {
  return helper(`sse.cvtsi2${formName(n, false)}`, { a: 'v128', value: 'i64' }, VECTOR_RESULT, (f, { a, value }) => {
    const s = begin(f);
    const bits = run(s, 'i64', `sse.softFromInt${n.suffix}`, value, s.mxcsr);
    finish(f, f.let_(withLane(a, shapeOf(n), 0, floatOf(n, bits))), s.flags, s.mxcsr);
  });
}

function rounding(f: Fn, truncate: Expr, mxcsr: Expr): Var {
  return f.let_(select(truncate, lit('i32', ROUND_ZERO), roundingOf(mxcsr)));
}

function toInteger(n: Narrow): HelperDef {
  return helper(`sse.cvt${formName(n, false)}2si`, { b: 'v128', truncate: 'i32', width: 'i32' }, ['i64', 'i32'], (f, p) => {
    const s = begin(f);
    const value = run(s, 'i64', `sse.softToInt${n.suffix}`, pattern(n, p.b, 0), rounding(f, p.truncate, s.mxcsr), p.width, s.mxcsr);
    finish(f, value, s.flags, s.mxcsr);
  });
}

/** Between single and double, one lane of b into lane 0 of a, or the two low lanes of a. */
function convertFloat(name: string, from: Narrow, to: Narrow, packed: boolean): HelperDef {
  const soft = to === DOUBLE ? 'sse.softWiden' : 'sse.softNarrow';
  const body = (f: Fn, into: Expr, source: Expr): void => {
    const s = begin(f);
    const result = f.let_(into);
    for (let i = 0; i < (packed ? 2 : 1); i++) {
      const bits = run(s, 'i64', soft, pattern(from, source, i), s.mxcsr);
      result.set(withLane(result, shapeOf(to), i, floatOf(to, bits)));
    }
    finish(f, result, s.flags, s.mxcsr);
  };
  if (packed) return helper(name, { a: 'v128' }, VECTOR_RESULT, (f, { a }) => body(f, zeroVector(), a));
  return helper(name, { a: 'v128', b: 'v128' }, VECTOR_RESULT, (f, { a, b }) => body(f, a, b));
}

function zeroVector(): Expr {
  return wasm('i64x2.splat', 'v128', lit('i64', 0));
}

const EXACT_IN_SINGLE = 1 << 24;

const intsToSingles = helper('sse.cvtdq2ps', { a: 'v128' }, VECTOR_RESULT, (f, { a }) => {
  const shifted = wasm('i32x4.add', 'v128', a, wasm('i32x4.splat', 'v128', lit('i32', EXACT_IN_SINGLE)));
  const small = wasm('i32x4.le_u', 'v128', shifted, wasm('i32x4.splat', 'v128', lit('i32', 2 * EXACT_IN_SINGLE)));
  f.if_(wasm('i32x4.all_true', 'i32', small), () => f.ret(wasm('f32x4.convert_i32x4_s', 'v128', a), lit('i32', 0)));
  const s = begin(f);
  const result = f.let_(a);
  for (let i = 0; i < 4; i++) {
    const bits = run(s, 'i64', 'sse.softFromInt32', lane(a, 'i32x4', i).extS(), s.mxcsr);
    result.set(withLane(result, 'i32x4', i, bits.wrap()));
  }
  finish(f, result, s.flags, s.mxcsr);
});

function toInts(name: string, n: Narrow): HelperDef {
  return helper(name, { a: 'v128', truncate: 'i32' }, VECTOR_RESULT, (f, { a, truncate }) => {
    const s = begin(f);
    const mode = rounding(f, truncate, s.mxcsr);
    const result = f.let_(zeroVector());
    for (let i = 0; i < lanesOf(n); i++) {
      const value = run(s, 'i64', `sse.softToInt${n.suffix}`, pattern(n, a, i), mode, lit('i32', 32), s.mxcsr);
      result.set(withLane(result, 'i32x4', i, value.wrap()));
    }
    finish(f, result, s.flags, s.mxcsr);
  });
}

function round(n: Narrow, packed: boolean): HelperDef {
  return helper(`sse.round_${formName(n, packed)}`, { a: 'v128', b: 'v128', immediate: 'i32' }, VECTOR_RESULT, (f, { a, b, immediate }) => {
    const s = begin(f);
    const result = f.let_(a);
    for (let i = 0; i < (packed ? lanesOf(n) : 1); i++) {
      const bits = run(s, 'i64', `sse.softRound${n.suffix}`, pattern(n, b, i), immediate, s.mxcsr);
      result.set(withLane(result, shapeOf(n), i, floatOf(n, bits)));
    }
    finish(f, result, s.flags, s.mxcsr);
  });
}

export const VECTOR_CONVERT_HELPERS: readonly HelperDef[] = [
  ...NARROWS.flatMap((n) => [
    cmp(n, false), cmp(n, true), comi(n), fromInteger(n), toInteger(n), round(n, false), round(n, true),
  ]),
  convertFloat('sse.cvtss2sd', SINGLE, DOUBLE, false), convertFloat('sse.cvtsd2ss', DOUBLE, SINGLE, false),
  convertFloat('sse.cvtps2pd', SINGLE, DOUBLE, true), convertFloat('sse.cvtpd2ps', DOUBLE, SINGLE, true),
  intsToSingles, toInts('sse.cvtps2dq', SINGLE), toInts('sse.cvtpd2dq', DOUBLE),
];
