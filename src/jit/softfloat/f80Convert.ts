/**
 * Conversions between the 80-bit format and others, rounding to an integral value, and comparison,
 * with the calling convention of f80Arith.ts: results in SCRATCH, flags returned.
 */
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lit, select, type Var } from './dsl.js';
import { DE, F32, F64, type Format, IE, ROUND_ZERO, TOP_BIT } from './formats.js';
import { CLASS, classifyOne, finish80, normaliseInPlace, SCRATCH_LOW } from './f80Arith.js';
import { roundingMode } from './round.js';

const UNARY = { mant: 'i64', se: 'i32', control: 'i32' } as const;
const INT64_INDEFINITE = TOP_BIT;
const QUIET = 0x4000_0000_0000_0000n;

const roundInt = helper('f80.roundInt', UNARY, ['i32'], (f, { mant, se, control }) => {
  const kind = classifyOne(f, mant, se);
  const sign = f.let_(se.shrU(15).and(1));
  const exponent = f.let_(se.and(0x7fff));
  f.if_(kind.eqz().or(exponent.geS(16383 + 63)), () => finish80(f, mant, se, lit('i32', 0)));
  const denormal = f.let_(select(kind.eq(CLASS.denormal), lit('i32', DE), 0));
  f.if_(denormal.and(control.not()), () => f.ret(lit('i32', DE)));
  normaliseInPlace(f, exponent, mant);
  const integer = f.local('i64');
  const flags = f.local('i32');
  f.callInto([integer, flags], 'sf.toInteger', sign, exponent, mant, roundingMode(control));
  flags.set(flags.or(denormal));
  f.if_(integer.eqz(), () => finish80(f, integer, sign.shl(15), flags));
  const n = f.let_(integer.clz());
  finish80(f, integer.shl(n), sign.shl(15).or(lit('i32', 16383 + 63).sub(n.wrap())), flags);
});

const fromI64 = helper('f80.fromI64', { value: 'i64' }, ['i32'], (f, { value }) => {
  f.if_(value.eqz(), () => finish80(f, value, lit('i32', 0), lit('i32', 0)));
  const sign = f.let_(value.ltS(0).shl(15));
  f.if_(sign, () => value.set(value.neg()));
  const n = f.let_(value.clz());
  finish80(f, value.shl(n), sign.or(lit('i32', 16383 + 63).sub(n.wrap())), lit('i32', 0));
});

/** From f64 or f32 bits (as i64): always exact. */
function widen(name: string, format: Format, type: 'i32' | 'i64'): HelperDef {
  const fractionBits = 63 - format.dropped;
  const top = format === F64 ? 63 : 31;
  const maxField = format === F64 ? 0x7ff : 0xff;
  return helper(name, { bits: type }, ['i32'], (f, p) => {
    const bits = f.let_(type === 'i64' ? p.bits : p.bits.extU());
    const sign = f.let_(bits.shrU(top).wrap().shl(15));
    const field = f.let_(bits.shrU(fractionBits).wrap().and(maxField));
    const mant = f.let_(bits.shl(format.dropped).and(TOP_BIT - 1n));
    f.if_(field.eq(maxField), () => {
      const signalling = mant.ne(0).and(mant.and(QUIET).eqz());
      const flags = f.let_(select(signalling, lit('i32', IE), 0));
      f.if_(mant.ne(0), () => mant.set(mant.or(QUIET)));
      finish80(f, mant.or(TOP_BIT), sign.or(0x7fff), flags);
    });
    f.if_(field.ne(0), () => finish80(f, mant.or(TOP_BIT), sign.or(field.add(format.rebias)), lit('i32', 0)));
    f.if_(mant.eqz(), () => finish80(f, mant, sign, lit('i32', 0)));
    const n = f.let_(mant.clz());
    finish80(f, mant.shl(n), sign.or(lit('i32', format.rebias + 1).sub(n.wrap())), lit('i32', DE));
  });
}

/** To f64 or f32: bits in SCRATCH, zero-extended. No denormal-operand exception: x87 stores have none. */
function narrow(name: string, format: Format): HelperDef {
  const top = format === F64 ? 63 : 31;
  const infinity = format === F64 ? 0x7ff0_0000_0000_0000n : 0x7f80_0000n;
  return helper(name, UNARY, ['i32'], (f, { mant, se, control }) => {
    const kind = f.let_(f.call('i32', 'f80.classify', mant, se));
    const sign = f.let_(se.shrU(15).and(1));
    const signBit = f.let_(sign.extU().shl(top));
    const finish = (bits: Expr, flags: Expr): void => {
      f.storeAt(SCRATCH_LOW, bits);
      f.ret(flags);
    };
    f.if_(kind.eqz(), () => finish(signBit, lit('i32', 0)));
    f.if_(kind.geS(CLASS.infinite), () => {
      f.if_(kind.eq(CLASS.infinite), () => finish(signBit.or(infinity), lit('i32', 0)));
      f.if_(kind.eq(CLASS.unsupported), () => {
        const quiet = infinity | (1n << BigInt(62 - format.dropped));
        finish(lit('i64', quiet | (1n << BigInt(top))), lit('i32', IE));
      });
      const payload = mant.or(QUIET).shl(1).shrU(format.dropped + 1);
      finish(signBit.or(infinity).or(payload), kind.eq(CLASS.signallingNan));
    });
    const exponent = f.let_(se.and(0x7fff));
    normaliseInPlace(f, exponent, mant);
    const bits = f.local('i64');
    const flags = f.local('i32');
    f.callInto([bits, flags], format === F64 ? 'sf.round64' : 'sf.round32', sign, exponent, mant, lit('i64', 0), control.and(0xffff));
    finish(bits, flags);
  });
}

/**
 * To a signed integer of `width` bits, sign-extended to i64 in SCRATCH; truncate = 1 ignores the rounding mode
 * (fisttp).
 */
function toInteger(name: string, width: 16 | 32 | 64): HelperDef {
  const indefinite = width === 64 ? INT64_INDEFINITE : -(1n << BigInt(width - 1));
  return helper(name, { ...UNARY, truncate: 'i32' }, ['i32'], (f, p) => {
    const { mant, se, control } = p;
    const finish = (value: Expr, flags: Expr): void => {
      f.storeAt(SCRATCH_LOW, value);
      f.ret(flags);
    };
    const invalid = (): void => finish(lit('i64', indefinite), lit('i32', IE));
    const kind = f.let_(f.call('i32', 'f80.classify', mant, se));
    f.if_(kind.eqz(), () => finish(lit('i64', 0), lit('i32', 0)));
    const exponent = f.let_(se.and(0x7fff));
    f.if_(kind.geS(CLASS.infinite).or(exponent.gtS(16383 + width - 1)), invalid);
    normaliseInPlace(f, exponent, mant);
    const sign = f.let_(se.shrU(15).and(1));
    const mode = f.let_(select(p.truncate, lit('i32', ROUND_ZERO), roundingMode(control)));
    const integer: Var = f.local('i64');
    const flags = f.local('i32');
    f.callInto([integer, flags], 'sf.toInteger', sign, exponent, mant, mode);
    const limit = lit('i64', (1n << BigInt(width - 1)) - 1n).add(sign.extU());
    f.if_(integer.gtU(limit), invalid);
    finish(select(sign, integer.neg(), integer), flags);
  });
}

/** What f80.compare returns, and bits ORed to it. */
export const COMPARE = { equal: 0, less: 1, greater: 2, unordered: 3, invalid: 0x100, denormal: 0x200 } as const;

const OPERANDS = { aMant: 'i64', aSe: 'i32', bMant: 'i64', bSe: 'i32' } as const;

function magnitudeOrder(f: Fn, p: { readonly [K in keyof typeof OPERANDS]: Var }, result: Var): void {
  // A pseudo-denormal has exponent 0 but the value of exponent 1.
  const exponentA = f.let_(p.aSe.and(0x7fff));
  const exponentB = f.let_(p.bSe.and(0x7fff));
  f.if_(exponentA.eqz(), () => exponentA.set(1));
  f.if_(exponentB.eqz(), () => exponentB.set(1));
  f.if_(exponentA.eq(exponentB).and(p.aMant.eq(p.bMant)), () => result.set(COMPARE.equal), () => {
    const less = exponentA.ltS(exponentB).or(exponentA.eq(exponentB).and(p.aMant.ltU(p.bMant)));
    const negative = p.aSe.shrU(15).and(1);
    result.set(select(less.xor(negative), lit('i32', COMPARE.less), COMPARE.greater));
  });
}

const compare = helper('f80.compare', OPERANDS, ['i32'], (f, p) => {
  const a = f.let_(f.call('i32', 'f80.classify', p.aMant, p.aSe));
  const b = f.let_(f.call('i32', 'f80.classify', p.bMant, p.bSe));
  f.if_(a.geS(CLASS.quietNan).or(b.geS(CLASS.quietNan)), () => {
    const invalid = a.geS(CLASS.signallingNan).or(b.geS(CLASS.signallingNan));
    f.ret(select(invalid, lit('i32', COMPARE.unordered | COMPARE.invalid), COMPARE.unordered));
  });
  const result = f.local('i32');
  f.if_(a.or(b).eqz(), () => f.ret(lit('i32', COMPARE.equal)));
  const differ = p.aSe.xor(p.bSe).and(0x8000);
  // With one zero and one nonzero operand of different signs the sign still tells: zero counts as its own sign.
  f.if_(differ, () => result.set(select(p.aSe.and(0x8000), lit('i32', COMPARE.less), COMPARE.greater)), () => magnitudeOrder(f, p, result));
  f.if_(a.eq(CLASS.denormal).or(b.eq(CLASS.denormal)), () => result.set(result.or(COMPARE.denormal)));
  f.ret(result);
});

export const F80_CONVERT_HELPERS: readonly HelperDef[] = [
  roundInt, fromI64, widen('f80.fromF64', F64, 'i64'), widen('f80.fromF32', F32, 'i32'), narrow('f80.toF64', F64), narrow('f80.toF32', F32),
  toInteger('f80.toI64', 64), toInteger('f80.toI32', 32), toInteger('f80.toI16', 16), compare,
];
