/**
 * 128-bit arithmetic for the transcendental functions. Two readings of a pair (high, low):
 *
 *   a fraction   F / 2^128, in [0, 1)
 *   a mantissa   M / 2^127, in [1, 2), with an exponent beside it
 *
 * Errors of a few units in the last place are all right here: results are rounded to 64 bits.
 */
import type { HelperDef } from '../emit.js';
import { defineHelper, type Expr, type Fn, i32, i64, select, type Var } from './x87Fn.js';

const LOW64 = (1n << 64n) - 1n;

export interface Wide {
  readonly high: Var;
  readonly low: Var;
}

export function wide(f: Fn, high?: Expr, low?: Expr): Wide {
  const out = { high: f.local('i64'), low: f.local('i64') };
  if (high !== undefined) out.high.set(high);
  if (low !== undefined) out.low.set(low);
  return out;
}

/** A 128-bit constant. */
export function wideConstant(f: Fn, value: bigint): Wide {
  return wide(f, i64(value >> 64n), i64(value & LOW64));
}

export const isZero = (a: Wide): Expr => a.high.or(a.low).eqz();
export const isLess = (a: Wide, b: Wide): Expr => a.high.ltU(b.high).or(a.high.eq(b.high).and(a.low.ltU(b.low)));

/** a += b; the value is the carry. */
export function addTo(f: Fn, a: Wide, b: Wide): Var {
  a.low.set(a.low.add(b.low));
  const carry = f.let_(a.low.ltU(b.low).extU());
  a.high.set(a.high.add(b.high));
  const out = f.let_(a.high.ltU(b.high));
  a.high.set(a.high.add(carry));
  out.set(out.or(carry.wrap().and(a.high.eqz())));
  return out;
}

/** a -= b. */
export function subtractFrom(f: Fn, a: Wide, b: Wide): void {
  const borrow = f.let_(a.low.ltU(b.low).extU());
  a.low.set(a.low.sub(b.low));
  a.high.set(a.high.sub(b.high).sub(borrow));
}

export function shiftLeftOne(a: Wide): void {
  a.high.set(a.high.shl(1).or(a.low.shrU(63)));
  a.low.set(a.low.shl(1));
}

export function shiftRightOne(a: Wide): void {
  a.low.set(a.low.shrU(1).or(a.high.shl(63)));
  a.high.set(a.high.shrU(1));
}

export function shiftRight(f: Fn, a: Wide, count: Expr): Wide {
  const out = wide(f);
  f.callInto([out.high, out.low], 'x87.shiftRight', a.high, a.low, count);
  return out;
}

/** The upper half of the product: fraction times fraction or mantissa times fraction. */
export function multiply(f: Fn, a: Wide, b: Wide): Wide {
  const out = wide(f);
  f.callInto([out.high, out.low], 'x87.multiply', a.high, a.low, b.high, b.low);
  return out;
}

/** Moves the top bit up to bit 127 and takes the distance off the exponent. Not for zero. */
export function normaliseWide(f: Fn, a: Wide, exponent: Var): void {
  const shift = f.local('i32');
  f.callInto([a.high, a.low, shift], 'x87.normalise', a.high, a.low);
  exponent.set(exponent.sub(shift));
}

/** Quotient of two mantissas as a mantissa; `exponent` goes in as the difference of theirs. Changes n. */
export function divide(f: Fn, n: Wide, d: Wide, exponent: Var): Wide {
  f.if_(isLess(n, d), () => exponent.set(exponent.sub(1)), () => shiftRightOne(n));
  const out = wide(f);
  f.callInto([out.high, out.low], 'x87.divide', n.high, n.low, d.high, d.low);
  return out;
}

const multiplyHelper = defineHelper('x87.multiply', ['i64', 'i64', 'i64', 'i64'], ['i64', 'i64'], (f, aHigh, aLow, bHigh, bLow) => {
  const high = f.local('i64');
  const low = f.local('i64');
  const ignored = f.local('i64');
  f.callInto([high, low], 'sf.mulWide', aHigh, bHigh);
  for (const [x, y] of [[aHigh, bLow], [aLow, bHigh]] as const) {
    const cross = f.local('i64');
    f.if_(y.eqz().or(x.eqz()).eqz(), () => {
      f.callInto([cross, ignored], 'sf.mulWide', x, y);
      low.set(low.add(cross));
      high.set(high.add(low.ltU(cross).extU()));
    });
  }
  f.ret(high, low);
});

const shiftRightHelper = defineHelper('x87.shiftRight', ['i64', 'i64', 'i32'], ['i64', 'i64'], (f, high, low, count) => {
  f.if_(count.eqz(), () => f.ret(high, low));
  f.if_(count.geU(128), () => f.ret(i64(0n), i64(0n)));
  const n = f.let_(count.and(63).extU());
  f.if_(count.geU(64), () => f.ret(i64(0n), high.shrU(n)));
  f.ret(high.shrU(n), low.shrU(n).or(high.shl(i64(64n).sub(n))));
});

const normaliseHelper = defineHelper('x87.normalise', ['i64', 'i64'], ['i64', 'i64', 'i32'], (f, high, low) => {
  const moved = f.let_(i32(0));
  f.if_(high.eqz(), () => {
    high.set(low);
    low.set(0);
    moved.set(64);
  });
  const n = f.let_(high.clz());
  const carried = select(n.eqz(), i64(0n), low.shrU(i64(64n).sub(n)));
  f.ret(high.shl(n).or(carried), low.shl(n), moved.add(n.wrap()));
});

/** (n, d) -> n / d as a fraction, for n < d, one bit a step. */
const divideHelper = defineHelper('x87.divide', ['i64', 'i64', 'i64', 'i64'], ['i64', 'i64'], (f, nHigh, nLow, dHigh, dLow) => {
  const n: Wide = { high: nHigh, low: nLow };
  const d: Wide = { high: dHigh, low: dLow };
  const quotient = wide(f);
  const steps = f.let_(i32(128));
  f.while_(steps, () => {
    const carry = f.let_(n.high.shrU(63).wrap());
    shiftLeftOne(n);
    shiftLeftOne(quotient);
    f.if_(carry.or(isLess(n, d).eqz()), () => {
      subtractFrom(f, n, d);
      quotient.low.set(quotient.low.or(1));
    });
    steps.set(steps.sub(1));
  });
  f.ret(quotient.high, quotient.low);
});

/**
 * A helper for t -> c0 ± t (c1 ± t (c2 ± ...)), on fractions, with the coefficients times 2^128.
 * With '-' the signs alternate; all partial sums must lie in [0, 1).
 */
export function seriesHelper(name: string, coefficients: readonly bigint[], sign: '+' | '-'): HelperDef {
  return defineHelper(name, ['i64', 'i64'], ['i64', 'i64'], (f, high, low) => {
    const t: Wide = { high, low };
    const last = coefficients.length - 1;
    let sum = wideConstant(f, coefficients[last] as bigint);
    for (let k = last - 1; k >= 0; k--) {
      const product = multiply(f, sum, t);
      sum = wideConstant(f, coefficients[k] as bigint);
      if (sign === '+') addTo(f, sum, product);
      else subtractFrom(f, sum, product);
    }
    f.ret(sum.high, sum.low);
  });
}

/** t times the series of `name` at t. */
export function timesSeries(f: Fn, name: string, t: Wide): Wide {
  const sum = wide(f);
  f.callInto([sum.high, sum.low], name, t.high, t.low);
  return multiply(f, t, sum);
}

/** Coefficients from a formula. */
export function coefficients(count: number, of: (k: number) => bigint): bigint[] {
  return Array.from({ length: count }, (_, k) => of(k));
}

export const WIDE_HELPERS: readonly HelperDef[] = [multiplyHelper, shiftRightHelper, normaliseHelper, divideHelper];
