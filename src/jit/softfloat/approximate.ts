/**
 * rcpss, rsqrtss and their packed forms. CPUs differ in the low bits of these approximations; the
 * manual only promises a relative error below 1.5 * 2^-12. Ours is the exact value rounded to 12
 * fraction bits (error at most 2^-13), the same everywhere. As on Intel: denormal operands count as
 * zero, results too small for a normal number become zero, no flags, MXCSR plays no part.
 */
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lane, lit, type Var, withLane } from './dsl.js';
import { isNan, SINGLE } from './narrowFormat.js';

const KEPT_BITS = 12;
const UNIT = 1 << (23 - KEPT_BITS);

/** Singles as i32 patterns here. */
const INFINITY_32 = Number(SINGLE.infinity);
const MIN_NORMAL_32 = Number(SINGLE.minNormal);
const SIGN_32 = 0x8000_0000;

/** Returns early for NaNs, zeros and denormals. */
function specials(f: Fn, x: Var): void {
  f.if_(isNan(SINGLE, x.extU()), () => f.ret(x.or(Number(SINGLE.quiet))));
  f.if_(x.and(0x7fff_ffff).ltU(MIN_NORMAL_32), () => f.ret(x.and(SIGN_32).or(INFINITY_32)));
}

/** Rounds a pattern to KEPT_BITS; tiny values become zeros. */
function cut(f: Fn, pattern: Expr): void {
  const bits = f.let_(pattern);
  f.if_(bits.and(0x7fff_ffff).ltU(MIN_NORMAL_32), () => f.ret(bits.and(SIGN_32)));
  f.ret(bits.add(UNIT / 2).and(-UNIT));
}

const reciprocal = helper('sse.rcpLane', { x: 'i32' }, ['i32'], (f, { x }) => {
  specials(f, x);
  cut(f, lit('f32', 1).div(x.bits()).bits());
});

const reciprocalRoot = helper('sse.rsqrtLane', { x: 'i32' }, ['i32'], (f, { x }) => {
  specials(f, x);
  f.if_(x.ltS(0), () => f.ret(lit('i32', SINGLE.defaultNan)));
  const root = x.bits().op1('f64.promote_f32', 'f64').op1('f64.sqrt', 'f64');
  cut(f, lit('f64', 1).div(root).op1('f32.demote_f64', 'f32').bits());
});

function packed(name: string, laneName: string): HelperDef {
  return helper(name, { a: 'v128' }, ['v128'], (f, { a }) => {
    let result: Expr = a;
    for (let i = 0; i < 4; i++) result = withLane(result, 'i32x4', i, f.call('i32', laneName, lane(a, 'i32x4', i)));
    f.ret(result);
  });
}

export const APPROXIMATE_HELPERS: readonly HelperDef[] = [
  reciprocal, reciprocalRoot, packed('sse.rcp_ps', 'sse.rcpLane'), packed('sse.rsqrt_ps', 'sse.rsqrtLane'),
];
