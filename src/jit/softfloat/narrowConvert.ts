/**
 * Conversions of singles and doubles, exactly. Bit patterns in, (bits or integer, flags) out.
 *
 *   sse.softWiden(a, mxcsr), sse.softNarrow(a, mxcsr)        single <-> double
 *   sse.softFromInt32, 64(i64 value, mxcsr)                  from a signed integer
 *   sse.softToInt32, 64(a, rounding, width, mxcsr)           to a signed integer of 32 or 64 bits
 *   sse.softRound32, 64(a, immediate, mxcsr)                 to an integral value; immediate as in roundss
 */
import type { HelperDef } from '../emit.js';
import { helper, lit, select } from './dsl.js';
import { IE, PE } from './formats.js';
import {
  applyDaz, denormalFlag, DOUBLE, isNan, isSignalling, magnitude, type Narrow, NARROWS, roundAndReturn, roundingOf, SINGLE, unpack,
} from './narrowFormat.js';

const NO_FLAGS = lit('i32', 0);
/** roundss and family. */
const USE_MXCSR = 4;
const NO_INEXACT = 8;

/** A NaN keeps the top bits of its payload. */
function convert(name: string, from: Narrow, to: Narrow): HelperDef {
  const shift = 29;
  return helper(name, { a: 'i64', mxcsr: 'i32' }, ['i64', 'i32'], (f, { a, mxcsr }) => {
    const sign = f.let_(a.and(from.sign).ne(0));
    const signBit = sign.extU().shl(to === DOUBLE ? 63 : 31);
    f.if_(isNan(from, a), () => {
      const payload = a.or(from.quiet).and(from.minNormal - 1n);
      const moved = to === DOUBLE ? payload.shl(shift) : payload.shrU(shift);
      f.ret(moved.or(to.infinity).or(signBit), isSignalling(from, a));
    });
    f.if_(magnitude(from, a).eq(from.infinity), () => f.ret(signBit.or(to.infinity), NO_FLAGS));
    applyDaz(f, from, mxcsr, a);
    f.if_(magnitude(from, a).eqz(), () => f.ret(signBit, NO_FLAGS));
    const x = unpack(f, from, a);
    roundAndReturn(f, to, [x.sign, x.exponent, x.mantissa, lit('i64', 0)], mxcsr, denormalFlag(f, from, a));
  });
}

function fromInteger(n: Narrow): HelperDef {
  return helper(`sse.softFromInt${n.suffix}`, { value: 'i64', mxcsr: 'i32' }, ['i64', 'i32'], (f, { value, mxcsr }) => {
    f.if_(value.eqz(), () => f.ret(value, NO_FLAGS));
    const sign = f.let_(value.ltS(0));
    f.if_(sign, () => value.set(value.neg()));
    const shift = f.let_(value.clz());
    const exponent = lit('i32', 16383 + 63).sub(shift.wrap());
    roundAndReturn(f, n, [sign, exponent, value.shl(shift), lit('i64', 0)], mxcsr, NO_FLAGS);
  });
}

function toInteger(n: Narrow): HelperDef {
  const params = { a: 'i64', rounding: 'i32', width: 'i32', mxcsr: 'i32' } as const;
  return helper(`sse.softToInt${n.suffix}`, params, ['i64', 'i32'], (f, p) => {
    const { a, width } = p;
    applyDaz(f, n, p.mxcsr, a);
    f.if_(magnitude(n, a).eqz(), () => f.ret(lit('i64', 0), NO_FLAGS));
    const limit = f.let_(lit('i64', 1).shl(width.sub(1).extU()));
    const x = unpack(f, n, a);
    // Infinities and NaNs have large exponents too.
    f.if_(x.exponent.sub(16382).gtS(width), () => f.ret(limit.neg(), lit('i32', IE)));
    const integer = f.local('i64');
    const flags = f.local('i32');
    f.callInto([integer, flags], 'sf.toInteger', x.sign, x.exponent, x.mantissa, p.rounding);
    f.if_(integer.gtU(limit.sub(1).add(x.sign.extU())), () => f.ret(limit.neg(), lit('i32', IE)));
    f.ret(select(x.sign, integer.neg(), integer), flags.and(PE));
  });
}

function roundIntegral(n: Narrow): HelperDef {
  return helper(`sse.softRound${n.suffix}`, { a: 'i64', immediate: 'i32', mxcsr: 'i32' }, ['i64', 'i32'], (f, p) => {
    const { a, immediate, mxcsr } = p;
    f.if_(isNan(n, a), () => f.ret(a.or(n.quiet), isSignalling(n, a)));
    applyDaz(f, n, mxcsr, a);
    f.if_(magnitude(n, a).eqz(), () => f.ret(a, NO_FLAGS));
    const x = unpack(f, n, a);
    f.if_(x.exponent.geS(16383 + n.fractionBits), () => f.ret(a, NO_FLAGS));
    const mode = f.let_(select(immediate.and(USE_MXCSR), roundingOf(mxcsr), immediate.and(3)));
    const integer = f.local('i64');
    const flags = f.local('i32');
    f.callInto([integer, flags], 'sf.toInteger', x.sign, x.exponent, x.mantissa, mode);
    flags.set(select(immediate.and(NO_INEXACT), NO_FLAGS, flags.and(PE)));
    f.if_(integer.eqz(), () => f.ret(a.and(n.sign), flags));
    const shift = f.let_(integer.clz());
    const exponent = lit('i32', 16383 + 63).sub(shift.wrap());
    // Exact: no flags, whatever the rounding.
    roundAndReturn(f, n, [x.sign, exponent, integer.shl(shift), lit('i64', 0)], mxcsr, flags);
  });
}

export const NARROW_CONVERT_HELPERS: readonly HelperDef[] = [
  convert('sse.softWiden', SINGLE, DOUBLE), convert('sse.softNarrow', DOUBLE, SINGLE),
  ...NARROWS.flatMap((n) => [fromInteger(n), toInteger(n), roundIntegral(n)]),
];
