/** x87 instructions on exponents and remainders, all exact: fscale, fxtract, fprem, fprem1. */
import type { HelperDef } from '../emit.js';
import { EXPONENT_WRAP, F80 } from '../softfloat/formats.js';
import { CLASS, classOf, normalise } from './x87Class.js';
import { defineHelper, type Expr, type Fn, i32, i64, select, Var } from './x87Fn.js';
import {
  C0, C1, C2, C3, clearC2, control, DE, EARLY, IE, INDEFINITE_MANT, INDEFINITE_SE, INTEGER_BIT, isEmpty, isFull, mantOf, needs, OE, raised,
  scratchMant, scratchSe, seOf, setConditions, setScratch, SF, st, stopAtDenormal, UE, ZE,
} from './x87Stack.js';

const BIAS = 16383;
const FULL_PRECISION = 0x300;
const ROUNDING = 0xc00;

/**
 * (sign, unbiased exponent, 128-bit mantissa, control) -> exceptions; the number, rounded to full precision, in
 * SCRATCH.
 */
const round = defineHelper('x87.round', ['i32', 'i32', 'i64', 'i64', 'i32'], ['i32'], (f, sign, exponent, high, low, controlWord) => {
  const mant = f.local('i64');
  const se = f.local('i32');
  const flags = f.local('i32');
  f.callInto([mant, se, flags], 'sf.round80', sign, exponent.add(BIAS), high, low, controlWord.or(FULL_PRECISION));
  setScratch(f, mant, se);
  f.ret(flags);
});

/** Two operands whose kinds have been looked at. */
export interface Pair {
  readonly mant: readonly [Var, Var];
  readonly se: readonly [Var, Var];
  readonly kind: readonly [Var, Var];
  /** DE or 0. */
  readonly denormal: Var;
}

/**
 * st(0) and st(1), for an instruction whose result goes to st(dst) with `pops` pops. Returns from
 * the function if one is missing or a NaN.
 */
export function operands(f: Fn, dst: number, pops: number): Pair {
  needs(f, 0, i32(dst), i32(pops));
  needs(f, 1, i32(dst), i32(pops));
  const mant = [f.let_(mantOf(st(0))), f.let_(mantOf(st(1)))] as const;
  const se = [f.let_(seOf(st(0))), f.let_(seOf(st(1)))] as const;
  const kind = [f.let_(classOf(f, mant[0], se[0])), f.let_(classOf(f, mant[1], se[1]))] as const;
  f.if_(kind[0].geU(CLASS.QNAN).or(kind[1].geU(CLASS.QNAN)), () => {
    finish(f, dst, pops, f.call('i32', 'f80.nan2', mant[0], se[0], kind[0], mant[1], se[1], kind[1]));
    f.ret();
  });
  const denormal = f.let_(select(kind[0].eq(CLASS.DENORMAL).or(kind[1].eq(CLASS.DENORMAL)), i32(DE), 0));
  return { mant, se, kind, denormal };
}

export function finish(f: Fn, dst: number, pops: number, flags: Expr): void {
  f.callInto([], 'x87.finish', i32(dst), i32(pops), flags);
}

/** Ends the function with the default NaN. */
export function invalid(f: Fn, dst: number, pops: number): void {
  setScratch(f, INDEFINITE_MANT, INDEFINITE_SE);
  finish(f, dst, pops, i32(IE));
  f.ret();
}

/** Ends the function with a given result. */
export function exactly(f: Fn, dst: number, pops: number, mant: Expr, se: Expr, flags: Expr): void {
  setScratch(f, mant, se);
  finish(f, dst, pops, flags);
  f.ret();
}

const fscale = defineHelper('x87.fscale', [], [], (f) => {
  const { mant, se, kind, denormal } = operands(f, 0, 0);
  f.if_(kind[1].eq(CLASS.INFINITE), () => {
    const down = f.let_(se[1].shrU(15));
    f.if_(kind[0].eq(select(down, i32(CLASS.INFINITE), CLASS.ZERO)), () => invalid(f, 0, 0));
    const sign = se[0].and(0x8000);
    f.if_(down, () => exactly(f, 0, 0, i64(0n), sign, denormal), () => exactly(f, 0, 0, i64(INTEGER_BIT), sign.or(0x7fff), denormal));
  });
  f.if_(kind[0].eqz().or(kind[0].eq(CLASS.INFINITE)), () => exactly(f, 0, 0, mant[0], se[0], denormal));
  const n = f.let_(f.call('i32', 'x87.truncated', mant[1], se[1]));
  const exponent = normalise(f, mant[0], se[0]);
  exponent.set(exponent.add(n));
  // What even the wrapped exponent cannot hold gets the masked response, to nearest.
  const masks = f.let_(control());
  const unwrappable = exponent.gtS(F80.maxExponent - BIAS + EXPONENT_WRAP).and(masks.and(OE).eqz())
    .or(exponent.ltS(F80.minExponent - BIAS - EXPONENT_WRAP).and(masks.and(UE).eqz()));
  f.if_(unwrappable, () => masks.set(masks.or(OE | UE).and(~ROUNDING)));
  finish(f, 0, 0, f.call('i32', 'x87.round', se[0].shrU(15), exponent, mant[0], i64(0n), masks).or(denormal));
});

/** The integer part, cut off at ±2^16: larger ones are all the same to fscale. */
const truncated = defineHelper('x87.truncated', ['i64', 'i32'], ['i32'], (f, mant, se) => {
  const exponent = f.let_(se.and(0x7fff).sub(BIAS));
  const size = f.let_(i32(0));
  f.if_(exponent.geS(16), () => size.set(0x10000), () => {
    f.if_(exponent.geS(0), () => size.set(mant.shrU(i32(63).sub(exponent).extU()).wrap()));
  });
  f.ret(select(se.and(0x8000), i32(0).sub(size), size));
});

/** The end of instructions with two results: SCRATCH to st(0), then the other is pushed. */
const finishPair = defineHelper('x87.finishPair', ['i32', 'i64', 'i32'], [], (f, flags, mant, se) => {
  stopAtDenormal(f, flags);
  f.if_(raised(f, flags).and(EARLY).eqz(), () => {
    f.callInto([], 'x87.put', i32(0), scratchMant(), scratchSe());
    f.callInto([], 'x87.push', mant, se);
  });
});

/** Returns from an instruction with two results if st(0) is empty, there is no room, or st(0) is a NaN. */
export function pairFaults(f: Fn, kind: Expr, mant: Expr, se: Expr): void {
  const fault = (flags: number): void => {
    setScratch(f, INDEFINITE_MANT, INDEFINITE_SE);
    f.callInto([], 'x87.finishPair', i32(flags), i64(INDEFINITE_MANT), i32(INDEFINITE_SE));
    f.ret();
  };
  f.if_(isEmpty(0), () => fault(IE | SF));
  f.if_(isFull(7), () => fault(IE | SF | C1));
  f.if_(kind.geU(CLASS.QNAN), () => {
    const flags = f.let_(f.call('i32', 'x87.oneNan', mant, se));
    f.callInto([], 'x87.finishPair', flags, scratchMant(), scratchSe());
    f.ret();
  });
}

const fxtract = defineHelper('x87.fxtract', [], [], (f) => {
  const mant = f.let_(mantOf(st(0)));
  const se = f.let_(seOf(st(0)));
  const kind = f.let_(classOf(f, mant, se));
  pairFaults(f, kind, mant, se);
  const sign = se.and(0x8000);
  f.if_(kind.eqz(), () => {
    setScratch(f, INTEGER_BIT, 0xffff);
    f.callInto([], 'x87.finishPair', i32(ZE), mant, se);
    f.ret();
  });
  f.if_(kind.eq(CLASS.INFINITE), () => {
    setScratch(f, INTEGER_BIT, 0x7fff);
    f.callInto([], 'x87.finishPair', i32(0), mant, se);
    f.ret();
  });
  const exponent = normalise(f, mant, se);
  const flags = f.let_(f.call('i32', 'f80.fromI64', exponent.extS()));
  f.callInto([], 'x87.finishPair', flags.or(select(kind.eq(CLASS.DENORMAL), i32(DE), 0)), mant, sign.or(BIAS));
});

/**
 * One bit of quotient a step: divides `rest` (below 2^64, less than twice the divisor) further by
 * `steps` bits. `quotient` takes the low bits.
 */
function divideSteps(f: Fn, rest: Var, divisor: Var, steps: Var, quotient: Var): void {
  const subtract = (carry: Expr): void => f.if_(carry.or(rest.geU(divisor)), () => {
    rest.set(rest.sub(divisor));
    quotient.set(quotient.or(1));
  });
  subtract(i32(0));
  f.while_(steps.gtS(0), () => {
    const carry = f.let_(rest.shrU(63).wrap());
    rest.set(rest.shl(1));
    quotient.set(quotient.shl(1));
    subtract(carry);
    steps.set(steps.sub(1));
  });
}

/** Where the three low bits of the quotient go. */
function quotientBits(quotient: Expr): Expr {
  return quotient.shrU(2).and(1).mul(C0).or(quotient.shrU(1).and(1).mul(C3)).or(quotient.and(1).mul(C1));
}

function remainder(name: string, nearest: boolean): HelperDef {
  return defineHelper(`x87.${name}`, [], [], (f) => {
    clearC2(f);
    const { mant, se, kind, denormal } = operands(f, 0, 0);
    f.if_(kind[0].eq(CLASS.INFINITE).or(kind[1].eqz()), () => invalid(f, 0, 0));
    f.if_(denormal.and(control().not()), () => exactly(f, 0, 0, mant[0], se[0], denormal));
    setConditions(f, i32(0));
    f.if_(kind[0].eqz().or(kind[1].eq(CLASS.INFINITE)), () => exactly(f, 0, 0, mant[0], se[0], denormal));
    const rest = new Var(f.code, 'i64', mant[0].index);
    const divisor = new Var(f.code, 'i64', mant[1].index);
    const exponent = normalise(f, rest, se[0]);
    const divisorExponent = normalise(f, divisor, se[1]);
    const distance = f.let_(exponent.sub(divisorExponent));
    const quotient = f.let_(i32(0));
    const sign = f.let_(se[0].shrU(15));
    f.if_(distance.geS(64), () => {
      const steps = f.let_(distance.and(31).or(32));
      exponent.set(exponent.sub(steps));
      divideSteps(f, rest, divisor, steps, quotient);
      quotient.set(0);
      setConditions(f, i32(C2));
    });
    f.if_(distance.geS(nearest ? -1 : 0).and(distance.ltS(64)), () => {
      exponent.set(divisorExponent);
      finishDivision(f, { rest, divisor, distance, quotient, sign, exponent }, nearest);
    });
    const bits = f.let_(quotientBits(quotient));
    f.if_(bits, () => setConditions(f, bits.and(C0 | C3)));
    const c1 = bits.and(C1);
    f.if_(rest.eqz(), () => exactly(f, 0, 0, rest, sign.shl(15), denormal.or(c1)));
    const shift = f.let_(rest.clz());
    const flags = f.call('i32', 'x87.round', sign, exponent.sub(shift.wrap()), rest.shl(shift), i64(0n), control());
    finish(f, 0, 0, flags.or(denormal).or(c1));
  });
}

interface Division {
  readonly rest: Var;
  readonly divisor: Var;
  readonly distance: Var;
  readonly quotient: Var;
  readonly sign: Var;
  readonly exponent: Var;
}

/** The last step: the rest becomes less than the divisor, or for `nearest` at most half of it. */
function finishDivision(f: Fn, d: Division, nearest: boolean): void {
  const { rest, divisor, distance, quotient, sign, exponent } = d;
  if (!nearest) return divideSteps(f, rest, divisor, distance, quotient);
  f.if_(distance.eq(-1), () => {
    // The rest is half the scale of the divisor: it exceeds half the divisor if its mantissa is larger.
    f.if_(rest.gtU(divisor), () => {
      quotient.set(1);
      sign.set(sign.xor(1));
      // 2 * divisor - rest, at the finer scale.
      rest.set(divisor.sub(rest).add(divisor));
    });
    exponent.set(exponent.sub(1));
  }, () => {
    divideSteps(f, rest, divisor, distance, quotient);
    const other = f.let_(divisor.sub(rest));
    f.if_(rest.gtU(other).or(rest.eq(other).and(quotient.and(1))), () => {
      rest.set(other);
      sign.set(sign.xor(1));
      quotient.set(quotient.add(1));
    });
  });
}

export const SCALE_HELPERS: readonly HelperDef[] = [
  round, fscale, truncated, finishPair, fxtract, remainder('fprem', false), remainder('fprem1', true),
];
