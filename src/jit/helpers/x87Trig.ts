/**
 * fsin, fcos, fsincos, fptan. The argument is reduced by a multiple of pi/2, with pi to 66 bits as
 * the hardware has it (so fsin of the number nearest to pi is as wrong here as there), to
 * |r| <= pi/4, exactly. Taylor series in 128-bit arithmetic then give results that are correctly
 * rounded but for a chance of about 2^-50.
 *
 * Arguments from 2^63 are refused by setting C2, as the hardware does.
 */
import type { HelperDef } from '../emit.js';
import { CLASS, classOf, normalise } from './x87Class.js';
import { fixedPi, inverseFactorial } from './x87Constants.js';
import { defineHelper, type Expr, type Fn, i32, i64, select, type Var } from './x87Fn.js';
import { exactly, finish, invalid, pairFaults } from './x87Scale.js';
import {
  C1, C2, clearC1, clearC2, control, DE, IE, INDEFINITE_MANT, INDEFINITE_SE, INTEGER_BIT, mantOf, needs, PE, scratchMant, scratchSe, seOf,
  setScratch, setStatus, st, status,
} from './x87Stack.js';
import {
  coefficients, divide, isLess, multiply, normaliseWide, seriesHelper, shiftLeftOne, shiftRight, subtractFrom, timesSeries, type Wide, wide,
  wideConstant,
} from './x87Wide.js';

/** pi/2 with the hardware's 66 bits: this times 2^-65. */
const HALF_PI = fixedPi(64);
/**
 * Below this exponent tan x is just above x, by less than any rounding sees. (Intel's processors take it for a number
 * just below x, as if it were sin x; AMD's do not.)
 */
const TINY = -34;

/**
 * (mantissa, exponent) -> (r's mantissa (2), its exponent, quadrant | negative << 2), for exponents
 * below 63. In units of 2^-65 the argument is an integer and the remainder is exact.
 */
const reduce = defineHelper('x87.reduce', ['i64', 'i32'], ['i64', 'i64', 'i32', 'i32'], (f, mant, exponent) => {
  f.if_(exponent.ltS(-2), () => f.ret(mant, i64(0n), exponent, i32(0)));
  const rest = wide(f, i64(0n), mant);
  const halfPi = wideConstant(f, HALF_PI);
  const quadrant = f.let_(i32(0));
  const steps = f.let_(exponent.add(2));
  f.while_(steps, () => {
    shiftLeftOne(rest);
    quadrant.set(quadrant.shl(1));
    f.if_(isLess(rest, halfPi).eqz(), () => {
      subtractFrom(f, rest, halfPi);
      quadrant.set(quadrant.or(1));
    });
    steps.set(steps.sub(1));
  });
  const other = wide(f, halfPi.high, halfPi.low);
  subtractFrom(f, other, rest);
  const negative = f.let_(isLess(other, rest));
  f.if_(negative, () => {
    rest.high.set(other.high);
    rest.low.set(other.low);
    quadrant.set(quadrant.add(1));
  });
  const scale = f.let_(i32(62));
  normaliseWide(f, rest, scale);
  f.ret(rest.high, rest.low, scale, quadrant.and(3).or(negative.shl(2)));
});

const sinSeries = seriesHelper('x87.sinSeries', coefficients(15, (k) => inverseFactorial(2 * k + 3, 128)), '-');
const cosSeries = seriesHelper('x87.cosSeries', coefficients(16, (k) => inverseFactorial(2 * k + 2, 128)), '-');

/** r (mantissa, exponent) -> r^2 as a fraction. */
function square(f: Fn, r: Wide, exponent: Expr): Wide {
  const fraction = shiftRight(f, r, i32(-1).sub(exponent));
  return multiply(f, fraction, fraction);
}

/** 1 - u, or for u = 0 the largest fraction, so that what is just below 1 stays below. */
function complement(f: Fn, u: Wide): Wide {
  return wide(f, u.high.not(), u.low.not());
}

/** |sin r| as (mantissa, exponent), |r| <= pi/4. */
const sine = defineHelper('x87.sine', ['i64', 'i64', 'i32'], ['i64', 'i64', 'i32'], (f, high, low, exponent) => {
  const r = { high, low };
  const factor = complement(f, timesSeries(f, 'x87.sinSeries', square(f, r, exponent)));
  const result = multiply(f, r, factor);
  normaliseWide(f, result, exponent);
  f.ret(result.high, result.low, exponent);
});

const cosine = defineHelper('x87.cosine', ['i64', 'i64', 'i32'], ['i64', 'i64', 'i32'], (f, high, low, exponent) => {
  const result = complement(f, timesSeries(f, 'x87.cosSeries', square(f, { high, low }, exponent)));
  f.ret(result.high, result.low, i32(-1));
});

interface Reduced {
  readonly r: Wide;
  readonly exponent: Var;
  readonly quadrant: Expr;
  readonly negative: Expr;
}

function reduced(f: Fn, mant: Expr, exponent: Expr): Reduced {
  const r = wide(f);
  const scale = f.local('i32');
  const where = f.local('i32');
  f.callInto([r.high, r.low, scale, where], 'x87.reduce', mant, exponent);
  return { r, exponent: scale, quadrant: where.and(3), negative: where.shrU(2) };
}

/** (sign, exponent, mantissa) to SCRATCH; the value is the exceptions: such results count as inexact, always. */
function rounded(f: Fn, sign: Expr, exponent: Expr, m: Wide): Expr {
  return f.call('i32', 'x87.round', sign, exponent, m.high, m.low, control()).or(PE);
}

/** (mantissa, exponent, sign, 1 for cosine) -> exceptions; the function's value in SCRATCH. */
const sinOrCos = defineHelper('x87.sinOrCos', ['i64', 'i32', 'i32', 'i32'], ['i32'], (f, mant, exponent, sign, cosineWanted) => {
  const { r, exponent: scale, quadrant, negative } = reduced(f, mant, exponent);
  // cos x = sin(x + pi/2): the next quadrant, and an argument's sign does not matter.
  const turned = f.let_(quadrant.add(cosineWanted));
  f.if_(cosineWanted, () => sign.set(0));
  sign.set(sign.xor(turned.shrU(1).and(1)));
  f.if_(turned.and(1), () => f.callInto([r.high, r.low, scale], 'x87.cosine', r.high, r.low, scale), () => {
    f.callInto([r.high, r.low, scale], 'x87.sine', r.high, r.low, scale);
    sign.set(sign.xor(negative));
  });
  f.ret(rounded(f, sign, scale, r));
});

interface Argument {
  readonly mant: Var;
  readonly se: Var;
  readonly kind: Var;
  /** DE or 0. */
  readonly denormal: Expr;
}

function argument(f: Fn): Argument {
  const mant = f.let_(mantOf(st(0)));
  const se = f.let_(seOf(st(0)));
  const kind = f.let_(classOf(f, mant, se));
  return { mant, se, kind, denormal: select(kind.eq(CLASS.DENORMAL), i32(DE), 0) };
}

/** Returns with C2 set if the argument is too large. */
function refuseLarge(f: Fn, a: Argument): void {
  const large = a.se.and(0x7fff).geU(16383 + 63).and(a.kind.eq(CLASS.NORMAL));
  f.if_(large, () => {
    setStatus(f, status().and(~C1).or(C2));
    f.ret();
  });
}

function oneResult(name: string, cosineWanted: 0 | 1): HelperDef {
  return defineHelper(`x87.${name}`, [], [], (f) => {
    clearC2(f);
    needs(f, 0, i32(0), i32(0));
    const a = argument(f);
    refuseLarge(f, a);
    f.if_(a.kind.geU(CLASS.QNAN), () => {
      finish(f, 0, 0, f.call('i32', 'x87.oneNan', a.mant, a.se));
      f.ret();
    });
    f.if_(a.kind.eq(CLASS.INFINITE), () => invalid(f, 0, 0));
    f.if_(a.kind.eqz(), () => {
      if (cosineWanted) exactly(f, 0, 0, i64(INTEGER_BIT), i32(16383), i32(0));
      else exactly(f, 0, 0, a.mant, a.se, i32(0));
    });
    const exponent = normalise(f, a.mant, a.se);
    finish(f, 0, 0, f.call('i32', 'x87.sinOrCos', a.mant, exponent, a.se.shrU(15), i32(cosineWanted)).or(a.denormal));
  });
}

/** What fsincos and fptan have in common: all that is not an ordinary argument. */
function pairArgument(f: Fn): Argument {
  clearC2(f);
  const a = argument(f);
  pairFaults(f, a.kind, a.mant, a.se);
  refuseLarge(f, a);
  f.if_(a.kind.eq(CLASS.INFINITE), () => {
    setScratch(f, INDEFINITE_MANT, INDEFINITE_SE);
    f.callInto([], 'x87.finishPair', i32(IE), i64(INDEFINITE_MANT), i32(INDEFINITE_SE));
    f.ret();
  });
  f.if_(a.kind.eqz(), () => {
    clearC1(f);
    f.callInto([], 'x87.push', i64(INTEGER_BIT), i32(16383));
    f.ret();
  });
  return a;
}

const fsincos = defineHelper('x87.fsincos', [], [], (f) => {
  const a = pairArgument(f);
  const exponent = normalise(f, a.mant, a.se);
  const both = (which: number): Expr => f.call('i32', 'x87.sinOrCos', a.mant, exponent, a.se.shrU(15), i32(which));
  // C1 speaks of the sine.
  const flags = f.let_(both(1).and(~C1));
  const mant = f.let_(scratchMant());
  const se = f.let_(scratchSe());
  f.callInto([], 'x87.finishPair', both(0).or(flags).or(a.denormal), mant, se);
});

const fptan = defineHelper('x87.fptan', [], [], (f) => {
  const a = pairArgument(f);
  const exponent = normalise(f, a.mant, a.se);
  const { r, exponent: scale, quadrant, negative } = reduced(f, a.mant, exponent);
  const result = wide(f);
  f.if_(scale.ltS(TINY).and(quadrant.and(1).eqz()), () => {
    result.high.set(r.high);
    result.low.set(r.low.or(1n));
  }, () => {
    const s = wide(f);
    const c = wide(f);
    const sScale = f.local('i32');
    const cScale = f.local('i32');
    f.callInto([s.high, s.low, sScale], 'x87.sine', r.high, r.low, scale);
    f.callInto([c.high, c.low, cScale], 'x87.cosine', r.high, r.low, scale);
    f.if_(quadrant.and(1), () => quotient(f, c, s, scale, cScale.sub(sScale), result), () => quotient(f, s, c, scale, sScale.sub(cScale), result));
  });
  const sign = a.se.shrU(15).xor(negative).xor(quadrant.and(1));
  f.callInto([], 'x87.finishPair', rounded(f, sign, scale, result).or(a.denormal), i64(INTEGER_BIT), i32(16383));
});

function quotient(f: Fn, n: Wide, d: Wide, scale: Var, difference: Expr, result: Wide): void {
  scale.set(difference);
  const q = divide(f, n, d, scale);
  result.high.set(q.high);
  result.low.set(q.low);
}

export const TRIG_HELPERS: readonly HelperDef[] = [
  reduce, sinSeries, cosSeries, sine, cosine, sinOrCos, oneResult('fsin', 0), oneResult('fcos', 1), fsincos, fptan,
];
