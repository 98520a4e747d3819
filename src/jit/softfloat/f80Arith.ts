/**
 * Arithmetic of the 80-bit format for x87: operands as (mantissa, sign and exponent), result in
 * SCRATCH (mantissa at +0, sign and exponent at +8), exception flags returned. The result is the
 * masked response; who finds an unmasked flag among those returned does not store it (except for
 * overflow and underflow, where the result has its exponent wrapped as x87 does).
 */
import { SCRATCH } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lit, select, type Var } from './dsl.js';
import { DE, F80_NAN_MANTISSA, F80_NAN_SE, IE, ROUND_DOWN, TOP_BIT, ZE } from './formats.js';
import { roundingMode } from './round.js';

export const SCRATCH_LOW = STATE_BASE + SCRATCH.offset;
const SCRATCH_HIGH = SCRATCH_LOW + 8;
const QUIET_BIT = 0x4000_0000_0000_0000n;

/** What f80.classify returns. */
export const CLASS = { zero: 0, normal: 1, denormal: 2, infinite: 3, quietNan: 4, signallingNan: 5, unsupported: 6 } as const;

const OPERANDS = { aMant: 'i64', aSe: 'i32', bMant: 'i64', bSe: 'i32', control: 'i32' } as const;
type Operands = { readonly [K in keyof typeof OPERANDS]: Var };

const classify = helper('f80.classify', { mant: 'i64', se: 'i32' }, ['i32'], (f, { mant, se }) => {
  const exponent = f.let_(se.and(0x7fff));
  f.if_(exponent.eqz(), () => f.ret(select(mant.eqz(), lit('i32', CLASS.zero), CLASS.denormal)));
  // Unnormals, pseudo-infinities and pseudo-NaNs lack the top bit.
  f.if_(mant.geS(0), () => f.ret(lit('i32', CLASS.unsupported)));
  f.if_(exponent.ne(0x7fff), () => f.ret(lit('i32', CLASS.normal)));
  f.if_(mant.eq(TOP_BIT), () => f.ret(lit('i32', CLASS.infinite)));
  f.ret(select(mant.and(QUIET_BIT).eqz(), lit('i32', CLASS.signallingNan), CLASS.quietNan));
});

/** Writes the result and returns the flags. */
export function finish80(f: Fn, mant: Expr, se: Expr, flags: Expr): void {
  f.storeAt(SCRATCH_LOW, mant);
  f.storeAt(SCRATCH_HIGH, se);
  f.ret(flags);
}

function finishDefaultNan(f: Fn): void {
  finish80(f, lit('i64', F80_NAN_MANTISSA), lit('i32', F80_NAN_SE), lit('i32', IE));
}

/** The result when one of two operands is a NaN or unsupported: x87 prefers the larger mantissa. */
const nan2 = helper('f80.nan2', { aMant: 'i64', aSe: 'i32', aClass: 'i32', bMant: 'i64', bSe: 'i32', bClass: 'i32' }, ['i32'], (f, p) => {
  const { aMant, bMant, aSe, bSe, aClass, bClass } = p;
  f.if_(aClass.eq(CLASS.unsupported).or(bClass.eq(CLASS.unsupported)), () => finishDefaultNan(f));
  const flags = f.let_(aClass.eq(CLASS.signallingNan).or(bClass.eq(CLASS.signallingNan)));
  const takeA = f.local('i32');
  const bothNan = aClass.geS(CLASS.quietNan).and(bClass.geS(CLASS.quietNan));
  const quietA = f.let_(aMant.or(QUIET_BIT));
  const quietB = f.let_(bMant.or(QUIET_BIT));
  f.if_(bothNan.eqz(), () => takeA.set(aClass.geS(CLASS.quietNan)), () => {
    f.if_(aClass.ne(bClass), () => takeA.set(aClass.eq(CLASS.quietNan)), () => {
      takeA.set(select(quietA.eq(quietB), aSe.ltU(bSe), quietA.gtU(quietB)));
    });
  });
  f.if_(takeA, () => finish80(f, quietA, aSe, flags));
  finish80(f, quietB, bSe, flags);
});

/** Normalises a denormal in place: exponent variable and mantissa. */
export function normaliseInPlace(f: Fn, exponent: Var, mant: Var): void {
  f.if_(exponent.eqz(), () => {
    const n = f.let_(mant.clz());
    mant.set(mant.shl(n));
    exponent.set(lit('i32', 1).sub(n.wrap()));
  });
}

/** Rounds (sign, exponent, high, low) to 80 bits and finishes; `denormal` is DE or 0. */
function roundAndFinish(f: Fn, result: readonly [Var, Var, Var, Var], control: Expr, denormal: Expr): void {
  // An unmasked denormal-operand exception comes before the computation.
  f.if_(denormal.and(control.not()), () => f.ret(lit('i32', DE)));
  const mant = f.local('i64');
  const se = f.local('i32');
  const flags = f.local('i32');
  f.callInto([mant, se, flags], 'sf.round80', ...result, control);
  finish80(f, mant, se, flags.or(denormal));
}

/** Runs `core` on two finite nonzero operands, after normalising, and rounds. */
function finite(f: Fn, p: Operands, core: string, denormal: Expr): void {
  const signA = f.let_(p.aSe.shrU(15).and(1));
  const signB = f.let_(p.bSe.shrU(15).and(1));
  const exponentA = f.let_(p.aSe.and(0x7fff));
  const exponentB = f.let_(p.bSe.and(0x7fff));
  normaliseInPlace(f, exponentA, p.aMant);
  normaliseInPlace(f, exponentB, p.bMant);
  const result = [f.local('i32'), f.local('i32'), f.local('i64'), f.local('i64')] as const;
  f.callInto(result, core, signA, exponentA, p.aMant, signB, exponentB, p.bMant);
  if (core === 'sf.add') {
    f.if_(result[2].eqz(), () => {
      f.if_(denormal.and(p.control.not()), () => f.ret(lit('i32', DE)));
      finish80(f, lit('i64', 0), zeroSign(p.control), denormal);
    });
  }
  roundAndFinish(f, result, p.control, denormal);
}

/** Sign and exponent of a zero that came from x - x. */
function zeroSign(control: Expr): Expr {
  return roundingMode(control).eq(ROUND_DOWN).shl(15);
}

interface Classes {
  readonly a: Var;
  readonly b: Var;
  /** DE if one of them is denormal, else 0. */
  readonly denormal: Var;
}

/** Finishes if an operand is a NaN or unsupported; else returns the classes. */
function classifyBoth(f: Fn, p: Operands): Classes {
  const a = f.let_(f.call('i32', 'f80.classify', p.aMant, p.aSe));
  const b = f.let_(f.call('i32', 'f80.classify', p.bMant, p.bSe));
  f.if_(a.geS(CLASS.quietNan).or(b.geS(CLASS.quietNan)), () => {
    f.ret(f.call('i32', 'f80.nan2', p.aMant, p.aSe, a, p.bMant, p.bSe, b));
  });
  const denormal = f.let_(select(a.eq(CLASS.denormal).or(b.eq(CLASS.denormal)), lit('i32', DE), 0));
  return { a, b, denormal };
}

/** Rounds one nonzero operand to the precision in the control word: x + 0. */
function roundOperand(f: Fn, mant: Var, se: Expr, control: Expr, denormal: Expr): void {
  const sign = f.let_(se.shrU(15).and(1));
  const exponent = f.let_(se.and(0x7fff));
  normaliseInPlace(f, exponent, mant);
  roundAndFinish(f, [sign, exponent, mant, f.local('i64')], control, denormal);
}

function addOrSub(name: string, flip: number): HelperDef {
  return helper(name, OPERANDS, ['i32'], (f, p) => {
    const { a, b, denormal } = classifyBoth(f, p);
    if (flip !== 0) p.bSe.set(p.bSe.xor(0x8000));
    const infinite = lit('i32', CLASS.infinite);
    f.if_(a.eq(infinite).and(b.eq(infinite)), () => {
      f.if_(p.aSe.ne(p.bSe), () => finishDefaultNan(f));
    });
    f.if_(a.eq(infinite), () => finish80(f, p.aMant, p.aSe, denormal));
    f.if_(b.eq(infinite), () => finish80(f, p.bMant, p.bSe, denormal));
    f.if_(a.eqz(), () => {
      f.if_(b.eqz(), () => finish80(f, p.aMant, select(p.aSe.eq(p.bSe), p.aSe, zeroSign(p.control)), lit('i32', 0)));
      roundOperand(f, p.bMant, p.bSe, p.control, denormal);
    });
    f.if_(b.eqz(), () => roundOperand(f, p.aMant, p.aSe, p.control, denormal));
    finite(f, p, 'sf.add', denormal);
  });
}

/** Sign of a product or quotient, in place in a sign-and-exponent word. */
function productSign(p: Operands): Expr {
  return p.aSe.xor(p.bSe).and(0x8000);
}

const mul = helper('f80.mul', OPERANDS, ['i32'], (f, p) => {
  const { a, b, denormal } = classifyBoth(f, p);
  f.if_(a.eq(CLASS.infinite).or(b.eq(CLASS.infinite)), () => {
    f.if_(a.eqz().or(b.eqz()), () => finishDefaultNan(f));
    finish80(f, lit('i64', TOP_BIT), productSign(p).or(0x7fff), denormal);
  });
  f.if_(a.eqz().or(b.eqz()), () => finish80(f, lit('i64', 0), productSign(p), denormal));
  finite(f, p, 'sf.mul', denormal);
});

const div = helper('f80.div', OPERANDS, ['i32'], (f, p) => {
  const { a, b, denormal } = classifyBoth(f, p);
  f.if_(a.eq(CLASS.infinite), () => {
    f.if_(b.eq(CLASS.infinite), () => finishDefaultNan(f));
    finish80(f, p.aMant, productSign(p).or(0x7fff), denormal);
  });
  f.if_(b.eq(CLASS.infinite), () => finish80(f, lit('i64', 0), productSign(p), denormal));
  f.if_(b.eqz(), () => {
    f.if_(a.eqz(), () => finishDefaultNan(f));
    finish80(f, lit('i64', TOP_BIT), productSign(p).or(0x7fff), lit('i32', ZE));
  });
  f.if_(a.eqz(), () => finish80(f, lit('i64', 0), productSign(p), denormal));
  finite(f, p, 'sf.div', denormal);
});

const UNARY = { mant: 'i64', se: 'i32', control: 'i32' } as const;

/** Finishes if the operand is a NaN or unsupported; else returns its class. */
export function classifyOne(f: Fn, mant: Var, se: Var): Var {
  const kind = f.let_(f.call('i32', 'f80.classify', mant, se));
  f.if_(kind.geS(CLASS.quietNan), () => {
    f.if_(kind.eq(CLASS.unsupported), () => finishDefaultNan(f));
    finish80(f, mant.or(QUIET_BIT), se, kind.eq(CLASS.signallingNan));
  });
  return kind;
}

const sqrt = helper('f80.sqrt', UNARY, ['i32'], (f, { mant, se, control }) => {
  const kind = classifyOne(f, mant, se);
  f.if_(kind.eqz(), () => finish80(f, mant, se, lit('i32', 0)));
  f.if_(se.and(0x8000), () => finishDefaultNan(f));
  f.if_(kind.eq(CLASS.infinite), () => finish80(f, mant, se, lit('i32', 0)));
  const exponent = f.let_(se);
  normaliseInPlace(f, exponent, mant);
  const result = [f.local('i32'), f.local('i32'), f.local('i64'), f.local('i64')] as const;
  f.callInto(result, 'sf.sqrt', exponent, mant);
  roundAndFinish(f, result, control, f.let_(select(kind.eq(CLASS.denormal), lit('i32', DE), 0)));
});

export const F80_ARITH_HELPERS: readonly HelperDef[] = [classify, nan2, addOrSub('f80.add', 0), addOrSub('f80.sub', 1), mul, div, sqrt];
