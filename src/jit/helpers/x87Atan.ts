/**
 * fpatan: the angle of the point (st(0), st(1)). With n <= d the two magnitudes and k/16 the nearest
 * sixteenth to n / d,
 *     atan(n / d) = atan(k / 16) + atan((16 n - k d) / (16 d + k n)),
 * where numerator and denominator are exact integers and the second angle is below 1/32: its series
 * converges fast. 128-bit arithmetic makes the result correctly rounded but for a chance of 2^-50.
 */
import type { HelperDef } from '../emit.js';
import { CLASS, normalise } from './x87Class.js';
import { fixedAtan, fixedPi } from './x87Constants.js';
import { defineHelper, type Expr, type Fn, i32, i64, select, switch_, type Var } from './x87Fn.js';
import { exactly, finish, operands } from './x87Scale.js';
import { control, PE } from './x87Stack.js';
import {
  addTo, coefficients, divide, isLess, multiply, normaliseWide, seriesHelper, shiftRight, subtractFrom, timesSeries, type Wide, wide,
  wideConstant,
} from './x87Wide.js';

const STEPS = 16;
/** Angles are sums in units of 2^-126, so that pi fits. */
const ANGLE_BITS = 126;
const PI = fixedPi(ANGLE_BITS);
/** Magnitudes whose exponents differ by more have a quotient below 1/32. */
const NEAR = 5;

const atanSeries = seriesHelper('x87.atanSeries', coefficients(13, (k) => (1n << 128n) / BigInt(2 * k + 3)), '-');

/** z (mantissa, exponent) -> atan z the same way, |z| <= 1/32. */
const smallAtan = defineHelper('x87.smallAtan', ['i64', 'i64', 'i32'], ['i64', 'i64', 'i32'], (f, high, low, exponent) => {
  const z = { high, low };
  const fraction = shiftRight(f, z, i32(-1).sub(exponent));
  const u = timesSeries(f, 'x87.atanSeries', multiply(f, fraction, fraction));
  // Times 1 - u; for a vanishing u still just below.
  const result = multiply(f, z, wide(f, u.high.not(), u.low.not()));
  normaliseWide(f, result, exponent);
  f.ret(result.high, result.low, exponent);
});

/** atan(k / 16) in units of 2^-126. */
const atanTable = defineHelper('x87.atanTable', ['i32'], ['i64', 'i64'], (f, k) => {
  switch_(f, k, Array.from({ length: STEPS + 1 }, (_, i) => () => {
    const value = fixedAtan(i, STEPS, ANGLE_BITS);
    f.ret(i64(value >> 64n), i64(value & ((1n << 64n) - 1n)));
  }));
});

function set(a: Wide, b: Wide): void {
  a.high.set(b.high);
  a.low.set(b.low);
}

/** k times a 64-bit number, shifted left by a distance below 64. */
function scaled(f: Fn, value: Expr, k: Expr, shift: Expr): Wide {
  const out = wide(f);
  f.callInto([out.high, out.low], 'sf.mulWide', value, k.extU());
  const n = f.let_(shift.extU());
  f.if_(n.ne(0), () => {
    out.high.set(out.high.shl(n).or(out.low.shrU(i64(64n).sub(n))));
    out.low.set(out.low.shl(n));
  });
  return out;
}

/** The sixteenth nearest to n / (d * 2^distance). */
function nearestStep(f: Fn, n: Expr, d: Expr, distance: Expr): Var {
  const ratio = f.let_(n.shrU(32).shl(4).divU(d.shrU(32).shl(distance.extU())).wrap());
  const twice = f.let_(n.shrU(32).shl(5).divU(d.shrU(32).shl(distance.extU())).wrap());
  return f.let_(ratio.add(twice.and(1)));
}

/**
 * (n, d, distance) -> (angle's mantissa, exponent, k, negative): atan(n / (d * 2^distance)) is
 * atan(k / 16) plus or minus the angle.
 */
const angleParts = defineHelper('x87.angleParts', ['i64', 'i64', 'i32'], ['i64', 'i64', 'i32', 'i32', 'i32'], (f, n, d, distance) => {
  const k = f.let_(i32(0));
  f.if_(distance.leS(NEAR), () => k.set(nearestStep(f, n, d, distance)));
  const negative = f.let_(i32(0));
  const exponent = f.let_(i32(0).sub(distance));
  const numerator = wide(f, n, i64(0n));
  const denominator = wide(f, d, i64(0n));
  f.if_(k, () => {
    set(numerator, scaled(f, n, i32(STEPS), i32(0)));
    const other = scaled(f, d, k, distance);
    negative.set(isLess(numerator, other));
    f.if_(negative, () => {
      subtractFrom(f, other, numerator);
      set(numerator, other);
    }, () => subtractFrom(f, numerator, other));
    set(denominator, scaled(f, d, i32(STEPS), distance));
    addTo(f, denominator, scaled(f, n, k, i32(0)));
    f.if_(numerator.high.or(numerator.low).eqz(), () => f.ret(i64(0n), i64(0n), i32(-200), k, i32(0)));
    exponent.set(0);
    normaliseWide(f, numerator, exponent);
    const scale = f.let_(i32(0));
    normaliseWide(f, denominator, scale);
    exponent.set(exponent.sub(scale));
  });
  const z = divide(f, numerator, denominator, exponent);
  f.callInto([z.high, z.low, exponent], 'x87.smallAtan', z.high, z.low, exponent);
  f.ret(z.high, z.low, exponent, k, negative);
});

/** Rounds an angle in units of 2^-126 and ends the function. */
function finishAngle(f: Fn, sign: Expr, angle: Wide, flags: Expr): void {
  const exponent = f.let_(i32(127 - ANGLE_BITS));
  normaliseWide(f, angle, exponent);
  finish(f, 1, 1, f.call('i32', 'x87.round', sign, exponent, angle.high, angle.low, control()).or(PE).or(flags));
  f.ret();
}

/** Zeros and infinities. */
function specialAngles(f: Fn, p: ReturnType<typeof operands>, sign: Expr, xNegative: Expr): void {
  const [x, y] = p.kind;
  const constant = (numerator: bigint, denominator: bigint): void => {
    finishAngle(f, sign, wideConstant(f, (PI * numerator) / denominator), p.denormal);
  };
  f.if_(y.eq(CLASS.INFINITE), () => {
    f.if_(x.ne(CLASS.INFINITE), () => constant(1n, 2n));
    f.if_(xNegative, () => constant(3n, 4n), () => constant(1n, 4n));
  });
  f.if_(y.eqz().or(x.eq(CLASS.INFINITE)), () => {
    f.if_(xNegative, () => constant(1n, 1n));
    exactly(f, 1, 1, i64(0n), sign.shl(15), p.denormal);
  });
  f.if_(x.eqz(), () => constant(1n, 2n));
}

const fpatan = defineHelper('x87.fpatan', [], [], (f) => {
  const p = operands(f, 1, 1);
  const sign = f.let_(p.se[1].shrU(15));
  const xNegative = f.let_(p.se[0].shrU(15));
  specialAngles(f, p, sign, xNegative);
  const xExponent = normalise(f, p.mant[0], p.se[0]);
  const yExponent = normalise(f, p.mant[1], p.se[1]);
  const distance = f.let_(xExponent.sub(yExponent));
  const steep = f.let_(distance.ltS(0).or(distance.eqz().and(p.mant[1].gtU(p.mant[0]))));
  f.if_(steep, () => distance.set(i32(0).sub(distance)));
  const part = wide(f);
  const exponent = f.local('i32');
  const k = f.local('i32');
  const negative = f.local('i32');
  f.callInto([part.high, part.low, exponent, k, negative], 'x87.angleParts',
    select(steep, p.mant[0], p.mant[1]), select(steep, p.mant[1], p.mant[0]), distance);
  // A small angle keeps its own scale.
  f.if_(k.or(steep).or(xNegative).eqz(), () => {
    finish(f, 1, 1, f.call('i32', 'x87.round', sign, exponent, part.high, part.low, control()).or(PE).or(p.denormal));
    f.ret();
  });
  const angle = wide(f);
  f.callInto([angle.high, angle.low], 'x87.atanTable', k);
  const aligned = shiftRight(f, part, i32(127 - ANGLE_BITS).sub(exponent));
  f.if_(negative, () => subtractFrom(f, angle, aligned), () => void addTo(f, angle, aligned));
  f.if_(steep, () => subtractFromConstant(f, angle, PI / 2n));
  f.if_(xNegative, () => subtractFromConstant(f, angle, PI));
  finishAngle(f, sign, angle, p.denormal);
});

/** angle = constant - angle. */
function subtractFromConstant(f: Fn, angle: Wide, value: bigint): void {
  const result = wideConstant(f, value);
  subtractFrom(f, result, angle);
  set(angle, result);
}

export const ATAN_HELPERS: readonly HelperDef[] = [atanSeries, smallAtan, atanTable, angleParts, fpatan];
