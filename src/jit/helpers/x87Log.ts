/**
 * f2xm1, fyl2x, fyl2xp1: exponential and logarithm to the base 2, by series in 128-bit arithmetic.
 * Results are correctly rounded but for a chance of about 2^-45, and always count as inexact, as on
 * the hardware.
 */
import type { HelperDef } from '../emit.js';
import { CLASS, classOf, normalise } from './x87Class.js';
import { fixedLn, inverseFactorial } from './x87Constants.js';
import { defineHelper, type Expr, type Fn, i32, i64, select, type Var } from './x87Fn.js';
import { exactly, finish, invalid, operands, type Pair } from './x87Scale.js';
import { C1, control, DE, INTEGER_BIT, mantOf, needs, PE, rounding, seOf, st, ZE } from './x87Stack.js';
import {
  addTo, coefficients, divide, isZero, multiply, normaliseWide, seriesHelper, shiftRight, shiftRightOne, subtractFrom, timesSeries,
  type Wide, wide, wideConstant,
} from './x87Wide.js';

const ONE = 1n << 127n;
const LN2 = fixedLn(2, 128);
/** log2(e) as a mantissa. */
const LOG2_E = (1n << 255n) / LN2;
/** The square root of 2 as a 64-bit mantissa. */
const SQRT2 = 0xb504_f333_f9de_6484n;
const BIAS = 16383;

const powers = coefficients(30, (k) => inverseFactorial(k + 2, 128));
const expSeries = seriesHelper('x87.expSeries', powers, '+');
const expSeriesNegative = seriesHelper('x87.expSeriesNegative', powers, '-');
const atanhSeries = seriesHelper('x87.atanhSeries', coefficients(25, (k) => (1n << 128n) / BigInt(2 * k + 3)), '+');

/** A sum that may have carried out of the top becomes a mantissa again. */
function absorbCarry(f: Fn, a: Wide, carry: Expr, exponent: Var): void {
  f.if_(carry, () => {
    shiftRightOne(a);
    a.high.set(a.high.or(INTEGER_BIT));
    exponent.set(exponent.add(1));
  });
}

/** 2^x - 1 = t (1 + t/2 + t^2/6 + ...) with t = x ln 2. */
const f2xm1 = defineHelper('x87.f2xm1', [], [], (f) => {
  needs(f, 0, i32(0), i32(0));
  const mant = f.let_(mantOf(st(0)));
  const se = f.let_(seOf(st(0)));
  const kind = f.let_(classOf(f, mant, se));
  f.if_(kind.geU(CLASS.QNAN), () => {
    finish(f, 0, 0, f.call('i32', 'x87.oneNan', mant, se));
    f.ret();
  });
  f.if_(kind.eqz(), () => exactly(f, 0, 0, mant, se, i32(0)));
  const negative = f.let_(se.shrU(15));
  f.if_(kind.eq(CLASS.INFINITE), () => {
    f.if_(negative, () => exactly(f, 0, 0, i64(INTEGER_BIT), i32(0x8000 | BIAS), i32(0)));
    exactly(f, 0, 0, mant, se, i32(0));
  });
  // Outside of [-1, 1] the result is undefined; the hardware we follow leaves the operand.
  f.if_(se.and(0x7fff).geU(BIAS), () => {
    const isOne = se.and(0x7fff).eq(BIAS).and(mant.eq(INTEGER_BIT));
    f.if_(isOne.and(negative), () => exactly(f, 0, 0, mant, i32(0x8000 | (BIAS - 1)), i32(PE)));
    exactly(f, 0, 0, mant, se, select(isOne.and(rounding().and(1).eqz()), i32(PE | C1), PE));
  });
  const exponent = normalise(f, mant, se);
  const t = multiply(f, wide(f, mant, i64(0n)), wideConstant(f, LN2));
  normaliseWide(f, t, exponent);
  const fraction = shiftRight(f, t, i32(-1).sub(exponent));
  f.if_(negative, () => {
    subtractFrom(f, t, multiply(f, t, timesSeries(f, 'x87.expSeriesNegative', fraction)));
    normaliseWide(f, t, exponent);
  }, () => {
    const carry = addTo(f, t, multiply(f, t, timesSeries(f, 'x87.expSeries', fraction)));
    absorbCarry(f, t, carry, exponent);
  });
  const denormal = select(kind.eq(CLASS.DENORMAL), i32(DE), 0);
  finish(f, 0, 0, f.call('i32', 'x87.round', negative, exponent, t.high, t.low, control()).or(PE).or(denormal));
});

/** log2((1 + z) / (1 - z)) = 2 log2(e) (z + z^3/3 + z^5/5 + ...), for z = n / d below 0.18, as (mantissa, exponent). */
const log2Ratio = defineHelper('x87.log2Ratio', ['i64', 'i64', 'i64', 'i64', 'i32'], ['i64', 'i64', 'i32'], (f, nHigh, nLow, dHigh, dLow, exponent) => {
  const z = divide(f, { high: nHigh, low: nLow }, { high: dHigh, low: dLow }, exponent);
  const fraction = shiftRight(f, z, i32(-1).sub(exponent));
  const u = timesSeries(f, 'x87.atanhSeries', multiply(f, fraction, fraction));
  absorbCarry(f, z, addTo(f, z, multiply(f, z, u)), exponent);
  const result = multiply(f, z, wideConstant(f, LOG2_E));
  exponent.set(exponent.add(2));
  normaliseWide(f, result, exponent);
  f.ret(result.high, result.low, exponent);
});

/** (mantissa, exponent) of a number -> (sign, mantissa, exponent) of its log2; a zero mantissa means 0. */
const log2 = defineHelper('x87.log2', ['i64', 'i64', 'i32'], ['i32', 'i64', 'i64', 'i32'], (f, high, low, whole) => {
  const one = wideConstant(f, ONE);
  const n = wide(f, high, low);
  const d = wide(f, high, low);
  const negative = f.let_(high.gtU(SQRT2));
  const exponent = f.let_(i32(0));
  // The number as m * 2^whole with m between sqrt(1/2) and sqrt(2); z = (m - 1) / (m + 1).
  f.if_(negative, () => {
    whole.set(whole.add(1));
    shiftRightOne(d);
    n.high.set(one.high);
    n.low.set(one.low);
    subtractFrom(f, n, d);
    d.high.set(d.high.add(one.high));
  }, () => {
    subtractFrom(f, n, one);
    shiftRightOne(d);
    d.high.set(d.high.add(INTEGER_BIT >> 1n));
    exponent.set(-1);
  });
  const part = wide(f, i64(0n), i64(0n));
  f.if_(isZero(n).eqz(), () => {
    normaliseWide(f, n, exponent);
    f.callInto([part.high, part.low, exponent], 'x87.log2Ratio', n.high, n.low, d.high, d.low, exponent);
  }, () => exponent.set(0));
  f.if_(whole.eqz(), () => f.ret(negative, part.high, part.low, exponent));
  addWhole(f, whole, negative, part, exponent);
});

/** Adds a nonzero whole number to a fraction of at most 1/2, in units of 2^-112. */
function addWhole(f: Fn, whole: Var, negative: Var, part: Wide, exponent: Var): void {
  const sign = f.let_(whole.shrU(31));
  const magnitude = select(sign, i32(0).sub(whole), whole);
  const sum = wide(f, magnitude.extU().shl(48), i64(0n));
  const aligned = shiftRight(f, part, i32(15).sub(exponent));
  f.if_(negative.eq(sign), () => void addTo(f, sum, aligned), () => subtractFrom(f, sum, aligned));
  exponent.set(15);
  normaliseWide(f, sum, exponent);
  f.ret(sign, sum.high, sum.low, exponent);
}

interface Log {
  readonly sign: Var;
  readonly m: Wide;
  readonly exponent: Var;
}

function newLog(f: Fn): Log {
  return { sign: f.local('i32'), m: wide(f), exponent: f.local('i32') };
}

/** y times the logarithm, rounded, to st(1), and pop. */
function multiplyByY(f: Fn, log: Log, p: Pair): void {
  const sign = p.se[1].shrU(15);
  const yExponent = normalise(f, p.mant[1], p.se[1]);
  const product = multiply(f, log.m, wide(f, p.mant[1], i64(0n)));
  const exponent = f.let_(log.exponent.add(yExponent).add(1));
  normaliseWide(f, product, exponent);
  const flags = f.call('i32', 'x87.round', log.sign.xor(sign), exponent, product.high, product.low, control());
  finish(f, 1, 1, flags.or(PE).or(p.denormal));
}

const infinity = (f: Fn, sign: Expr, flags: Expr): void => exactly(f, 1, 1, i64(INTEGER_BIT), sign.shl(15).or(0x7fff), flags);
const zero = (f: Fn, sign: Expr, flags: Expr): void => exactly(f, 1, 1, i64(0n), sign.shl(15), flags);

const fyl2x = defineHelper('x87.fyl2x', [], [], (f) => {
  const p = operands(f, 1, 1);
  const { mant, se, kind } = p;
  const ySign = f.let_(se[1].shrU(15));
  f.if_(kind[0].eqz(), () => {
    f.if_(kind[1].eqz(), () => invalid(f, 1, 1));
    infinity(f, ySign.xor(1), select(kind[1].eq(CLASS.INFINITE), i32(0), i32(ZE)));
  });
  f.if_(se[0].and(0x8000), () => invalid(f, 1, 1));
  f.if_(kind[0].eq(CLASS.INFINITE), () => {
    f.if_(kind[1].eqz(), () => invalid(f, 1, 1));
    infinity(f, ySign, p.denormal);
  });
  const isOne = f.let_(se[0].eq(BIAS).and(mant[0].eq(INTEGER_BIT)));
  const below = f.let_(se[0].ltU(BIAS));
  f.if_(kind[1].eq(CLASS.INFINITE), () => {
    f.if_(isOne, () => invalid(f, 1, 1));
    infinity(f, ySign.xor(below), p.denormal);
  });
  f.if_(kind[1].eqz().or(isOne), () => zero(f, ySign.xor(below), p.denormal));
  const exponent = normalise(f, mant[0], se[0]);
  const log = newLog(f);
  f.callInto([log.sign, log.m.high, log.m.low, log.exponent], 'x87.log2', mant[0], i64(0n), exponent);
  multiplyByY(f, log, p);
});

/** log2(1 + x) for small x, without loss: z = x / (2 + x). */
function logNearOne(f: Fn, mant: Expr, exponent: Var, negative: Expr, log: Log): void {
  const d = wideConstant(f, ONE);
  const scale = f.let_(i32(1));
  const x = shiftRight(f, wide(f, mant, i64(0n)), i32(1).sub(exponent));
  f.if_(negative, () => subtractFrom(f, d, x), () => void addTo(f, d, x));
  normaliseWide(f, d, scale);
  log.sign.set(negative);
  f.callInto([log.m.high, log.m.low, log.exponent], 'x87.log2Ratio', mant, i64(0n), d.high, d.low, exponent.sub(scale));
}

/** 1 + x as a number, then its logarithm. */
function logElsewhere(f: Fn, mant: Expr, exponent: Var, negative: Expr, log: Log): void {
  const sum = wideConstant(f, ONE);
  const x = wide(f, mant, i64(0n));
  const scale = f.let_(i32(0));
  f.if_(exponent.geS(0), () => {
    const one = shiftRight(f, sum, exponent);
    sum.high.set(x.high);
    sum.low.set(x.low);
    scale.set(exponent);
    absorbCarry(f, sum, addTo(f, sum, one), scale);
  }, () => {
    const aligned = shiftRight(f, x, i32(0).sub(exponent));
    f.if_(negative, () => subtractFrom(f, sum, aligned), () => void addTo(f, sum, aligned));
    normaliseWide(f, sum, scale);
  });
  f.callInto([log.sign, log.m.high, log.m.low, log.exponent], 'x87.log2', sum.high, sum.low, scale);
}

const fyl2xp1 = defineHelper('x87.fyl2xp1', [], [], (f) => {
  const p = operands(f, 1, 1);
  const { mant, se, kind } = p;
  const negative = f.let_(se[0].shrU(15));
  const sign = f.let_(negative.xor(se[1].shrU(15)));
  f.if_(kind[0].eq(CLASS.INFINITE), () => {
    f.if_(negative.or(kind[1].eqz()), () => invalid(f, 1, 1));
    infinity(f, sign, p.denormal);
  });
  f.if_(kind[1].eq(CLASS.INFINITE), () => {
    f.if_(kind[0].eqz(), () => invalid(f, 1, 1));
    infinity(f, sign, p.denormal);
  });
  f.if_(kind[0].eqz().or(kind[1].eqz()), () => zero(f, sign, p.denormal));
  // From -1 down there is no result; the hardware we follow leaves x.
  f.if_(negative.and(se[0].and(0x7fff).geU(BIAS)), () => exactly(f, 1, 1, mant[0], se[0], p.denormal.or(PE)));
  const exponent = normalise(f, mant[0], se[0]);
  const log = newLog(f);
  f.if_(exponent.ltS(-2), () => logNearOne(f, mant[0], exponent, negative, log), () => logElsewhere(f, mant[0], exponent, negative, log));
  multiplyByY(f, log, p);
});

export const LOG_HELPERS: readonly HelperDef[] = [
  expSeries, expSeriesNegative, atanhSeries, f2xm1, log2Ratio, log2, fyl2x, fyl2xp1,
];
