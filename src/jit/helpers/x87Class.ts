/**
 * What kind of number an 80-bit operand is, and what becomes of operands that are not numbers.
 */
import type { HelperDef } from '../emit.js';
import { defineHelper, type Expr, type Fn, i32, i64, type Var } from './x87Fn.js';
import { IE, INDEFINITE_MANT, INDEFINITE_SE, INTEGER_BIT, QUIET_BIT, setScratch } from './x87Stack.js';

/** What f80.classify answers; `>= QNAN` means "has no value". */
export const CLASS = { ZERO: 0, NORMAL: 1, DENORMAL: 2, INFINITE: 3, QNAN: 4, SNAN: 5, UNSUPPORTED: 6 } as const;

/** Result (to SCRATCH) and exceptions of an operation on one NaN or unsupported operand. */
const oneNan = defineHelper('x87.oneNan', ['i64', 'i32'], ['i32'], (f, mant, se) => {
  const kind = f.let_(classOf(f, mant, se));
  f.if_(kind.eq(CLASS.UNSUPPORTED), () => {
    setScratch(f, INDEFINITE_MANT, INDEFINITE_SE);
    f.ret(i32(IE));
  });
  setScratch(f, mant.or(QUIET_BIT), se);
  f.ret(kind.eq(CLASS.SNAN));
});

export function classOf(f: Fn, mant: Expr, se: Expr): Expr {
  return f.call('i32', 'f80.classify', mant, se);
}

/**
 * Normalises a finite nonzero number in place: the mantissa's top bit is set, and the variable
 * that it yields is the unbiased exponent (value = mantissa / 2^63 * 2^exponent).
 */
export function normalise(f: Fn, mant: Var, se: Expr): Var {
  const exponent = f.let_(se.and(0x7fff));
  f.if_(exponent.eqz(), () => exponent.set(1));
  const shift = f.let_(mant.clz());
  mant.set(mant.shl(shift));
  exponent.set(exponent.sub(16383).sub(shift.wrap()));
  return exponent;
}

/** The exact value of a binary32 or binary64 number; a signalling NaN stays one. Third result: DE or 0. */
function widen(name: string, bits: 32 | 64): HelperDef {
  const fraction = bits === 32 ? 23 : 52;
  const top = bits === 32 ? 0xff : 0x7ff;
  const bias = bits === 32 ? 127 : 1023;
  return defineHelper(name, [bits === 32 ? 'i32' : 'i64'], ['i64', 'i32', 'i32'], (f, raw) => {
    const x = f.let_(bits === 32 ? raw.extU() : raw);
    const sign = f.let_(x.shrU(bits - 1).wrap().shl(15));
    const exponent = f.let_(x.shrU(fraction).wrap().and(top));
    const mant = f.let_(x.shl(63 - fraction).and(INTEGER_BIT - 1n));
    f.if_(exponent.eq(top), () => f.ret(mant.or(INTEGER_BIT), sign.or(0x7fff), i32(0)));
    f.if_(exponent.ne(0), () => f.ret(mant.or(INTEGER_BIT), sign.or(exponent.add(16383 - bias)), i32(0)));
    f.if_(mant.eqz(), () => f.ret(i64(0n), sign, i32(0)));
    const shift = f.let_(mant.clz());
    f.ret(mant.shl(shift), sign.or(i32(16383 - bias + 1).sub(shift.wrap())), i32(2));
  });
}

export const CLASS_HELPERS: readonly HelperDef[] = [
  oneNan, widen('x87.widenF32', 32), widen('x87.widenF64', 64),
];
