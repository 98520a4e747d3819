/**
 * Single and double arithmetic the exact way: any operands, rounding modes, flags. Bit patterns in,
 * (bit pattern, flags) out.
 *
 *   sse.soft32, sse.soft64(operation, a, b, mxcsr)     operation: see ARITH_CODE
 *   sse.softSqrt32, sse.softSqrt64(a, mxcsr)
 */
import type { HelperDef } from '../emit.js';
import { type Expr, type Fn, helper, lit, select, type Var } from './dsl.js';
import { IE, ROUND_DOWN, ZE } from './formats.js';
import {
  applyDaz, denormalFlag, isNan, isSignalling, magnitude, type Narrow, NARROWS, roundAndReturn, roundingOf, unpack,
} from './narrowFormat.js';

export const ARITH_CODE = { add: 0, sub: 1, mul: 2, div: 3 } as const;

interface Context {
  readonly n: Narrow;
  readonly a: Var;
  readonly b: Var;
  readonly mxcsr: Var;
  readonly denormal: Var;
}

const NO_FLAGS = lit('i32', 0);

function returnInvalid(f: Fn, n: Narrow): void {
  f.ret(lit('i64', n.defaultNan), lit('i32', IE));
}

/** NaN operands: the first one wins, quieted. */
function nanOperands(f: Fn, n: Narrow, a: Var, b: Var): void {
  f.if_(isNan(n, a).or(isNan(n, b)), () => {
    const flags = select(isSignalling(n, a).or(isSignalling(n, b)), lit('i32', IE), 0);
    f.ret(select(isNan(n, a), a, b).or(n.quiet), flags);
  });
}

function compute(f: Fn, c: Context, core: string): void {
  const x = unpack(f, c.n, c.a);
  const y = unpack(f, c.n, c.b);
  const result = [f.local('i32'), f.local('i32'), f.local('i64'), f.local('i64')] as const;
  f.callInto(result, core, x.sign, x.exponent, x.mantissa, y.sign, y.exponent, y.mantissa);
  if (core === 'sf.add') f.if_(result[2].eqz(), () => f.ret(cancelledZero(c), c.denormal));
  roundAndReturn(f, c.n, result, c.mxcsr, c.denormal);
}

function cancelledZero({ n, mxcsr }: Context): Expr {
  return select(roundingOf(mxcsr).eq(ROUND_DOWN), lit('i64', n.sign), 0);
}

/** x + 0: x, but flush-to-zero and an unmasked underflow still apply. */
function roundAlone(f: Fn, c: Context, value: Expr): void {
  const x = unpack(f, c.n, value);
  roundAndReturn(f, c.n, [x.sign, x.exponent, x.mantissa, lit('i64', 0)], c.mxcsr, c.denormal);
}

function addition(f: Fn, c: Context, ma: Expr, mb: Expr): void {
  const { n, a, b } = c;
  f.if_(ma.eq(n.infinity), () => {
    f.if_(mb.eq(n.infinity).and(a.ne(b)), () => returnInvalid(f, n));
    f.ret(a, c.denormal);
  });
  f.if_(mb.eq(n.infinity), () => f.ret(b, c.denormal));
  f.if_(ma.eqz(), () => {
    f.if_(mb.eqz(), () => f.ret(select(a.eq(b), a, cancelledZero(c)), NO_FLAGS));
    roundAlone(f, c, b);
  });
  f.if_(mb.eqz(), () => roundAlone(f, c, a));
  compute(f, c, 'sf.add');
}

function multiplication(f: Fn, c: Context, ma: Expr, mb: Expr): void {
  const { n } = c;
  const sign = c.a.xor(c.b).and(n.sign);
  f.if_(ma.eq(n.infinity).or(mb.eq(n.infinity)), () => {
    f.if_(ma.eqz().or(mb.eqz()), () => returnInvalid(f, n));
    f.ret(sign.or(n.infinity), c.denormal);
  });
  f.if_(ma.eqz().or(mb.eqz()), () => f.ret(sign, c.denormal));
  compute(f, c, 'sf.mul');
}

function division(f: Fn, c: Context, ma: Expr, mb: Expr): void {
  const { n } = c;
  const sign = c.a.xor(c.b).and(n.sign);
  f.if_(ma.eq(n.infinity), () => {
    f.if_(mb.eq(n.infinity), () => returnInvalid(f, n));
    f.ret(sign.or(n.infinity), c.denormal);
  });
  f.if_(mb.eq(n.infinity), () => f.ret(sign, c.denormal));
  f.if_(mb.eqz(), () => {
    f.if_(ma.eqz(), () => returnInvalid(f, n));
    f.ret(sign.or(n.infinity), lit('i32', ZE));
  });
  f.if_(ma.eqz(), () => f.ret(sign, c.denormal));
  compute(f, c, 'sf.div');
}

function binary(n: Narrow): HelperDef {
  return helper(`sse.soft${n.suffix}`, { operation: 'i32', a: 'i64', b: 'i64', mxcsr: 'i32' }, ['i64', 'i32'], (f, p) => {
    const { a, b, mxcsr, operation } = p;
    nanOperands(f, n, a, b);
    applyDaz(f, n, mxcsr, a, b);
    const c: Context = { n, a, b, mxcsr, denormal: denormalFlag(f, n, a, b) };
    f.if_(operation.eq(ARITH_CODE.sub), () => b.set(b.xor(n.sign)));
    const ma = f.let_(magnitude(n, a));
    const mb = f.let_(magnitude(n, b));
    f.if_(operation.ltU(ARITH_CODE.mul), () => addition(f, c, ma, mb));
    f.if_(operation.eq(ARITH_CODE.mul), () => multiplication(f, c, ma, mb));
    division(f, c, ma, mb);
  });
}

function squareRoot(n: Narrow): HelperDef {
  return helper(`sse.softSqrt${n.suffix}`, { a: 'i64', mxcsr: 'i32' }, ['i64', 'i32'], (f, { a, mxcsr }) => {
    nanOperands(f, n, a, a);
    applyDaz(f, n, mxcsr, a);
    f.if_(magnitude(n, a).eqz().or(a.eq(n.infinity)), () => f.ret(a, NO_FLAGS));
    f.if_(a.and(n.sign).ne(0), () => returnInvalid(f, n));
    const denormal = denormalFlag(f, n, a);
    const x = unpack(f, n, a);
    const result = [f.local('i32'), f.local('i32'), f.local('i64'), f.local('i64')] as const;
    f.callInto(result, 'sf.sqrt', x.exponent, x.mantissa);
    roundAndReturn(f, n, result, mxcsr, denormal);
  });
}

export const NARROW_ARITH_HELPERS: readonly HelperDef[] = NARROWS.flatMap((n) => [binary(n), squareRoot(n)]);
