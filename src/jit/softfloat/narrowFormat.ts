/**
 * The two formats of SSE seen as bit patterns (in an i64, single precision zero-extended), and what
 * soft functions on them share: treatment of denormals, NaNs, unpacking. `mxcsr` is MXCSR itself.
 */
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lit, select, type Var } from './dsl.js';
import { F32, F64, FLUSH_TO_ZERO, type Format, ROUNDING_SHIFT, TOP_BIT } from './formats.js';

export interface Narrow {
  readonly format: Format;
  /** Suffix of helper names. */
  readonly suffix: '32' | '64';
  readonly bits: 'i32' | 'i64';
  readonly float: 'f32' | 'f64';
  readonly sign: bigint;
  readonly infinity: bigint;
  readonly quiet: bigint;
  readonly defaultNan: bigint;
  readonly minNormal: bigint;
  readonly fractionBits: number;
}

export const DOUBLE: Narrow = {
  format: F64, suffix: '64', bits: 'i64', float: 'f64', sign: 1n << 63n, infinity: 0x7ffn << 52n, quiet: 1n << 51n,
  defaultNan: 0xfff8_0000_0000_0000n, minNormal: 1n << 52n, fractionBits: 52,
};
export const SINGLE: Narrow = {
  format: F32, suffix: '32', bits: 'i32', float: 'f32', sign: 1n << 31n, infinity: 0xffn << 23n, quiet: 1n << 22n,
  defaultNan: 0xffc0_0000n, minNormal: 1n << 23n, fractionBits: 23,
};
export const NARROWS: readonly Narrow[] = [SINGLE, DOUBLE];

/** MXCSR bits beyond the six flags. */
const MXCSR_DAZ = 0x40;
export const MXCSR_MASK_SHIFT = 7;
const MXCSR_ROUNDING_SHIFT = 13;
/** All of MXCSR but the flags. */
export const MXCSR_CONTROL = 0xffc0;

export function magnitude(n: Narrow, bits: Expr): Expr {
  return bits.and(n.sign - 1n);
}

export function isNan(n: Narrow, bits: Expr): Expr {
  return magnitude(n, bits).gtU(n.infinity);
}

export function isSignalling(n: Narrow, bits: Expr): Expr {
  return isNan(n, bits).and(bits.and(n.quiet).eqz());
}

/** Nonzero and below the normal numbers. */
export function isDenormal(n: Narrow, bits: Expr): Expr {
  return magnitude(n, bits).sub(1).ltU(n.minNormal - 1n);
}

/** With denormals-are-zero, makes a zero of a denormal. */
export function applyDaz(f: Fn, n: Narrow, mxcsr: Expr, ...values: Var[]): void {
  f.if_(mxcsr.and(MXCSR_DAZ), () => {
    for (const v of values) f.if_(isDenormal(n, v), () => v.set(v.and(n.sign)));
  });
}

/** The control word of round.ts. */
function controlOf(f: Fn, mxcsr: Expr): Var {
  const masks = mxcsr.shrU(MXCSR_MASK_SHIFT).and(0x3f);
  const rounding = roundingOf(mxcsr).shl(ROUNDING_SHIFT);
  return f.let_(masks.or(rounding).or(mxcsr.and(0x8000).shl(Math.log2(FLUSH_TO_ZERO) - 15)));
}

export function roundingOf(mxcsr: Expr): Expr {
  return mxcsr.shrU(MXCSR_ROUNDING_SHIFT).and(3);
}

interface Unpacked {
  readonly sign: Var;
  readonly exponent: Var;
  readonly mantissa: Var;
}

/** A finite nonzero number, unpacked. */
export function unpack(f: Fn, n: Narrow, bits: Expr): Unpacked {
  const u = { sign: f.local('i32'), exponent: f.local('i32'), mantissa: f.local('i64') };
  f.callInto([u.sign, u.exponent, u.mantissa], `sf.unpack${n.suffix}`, bits);
  return u;
}

function unpacker(n: Narrow): HelperDef {
  const { format } = n;
  return helper(`sf.unpack${n.suffix}`, { bits: 'i64' }, ['i32', 'i32', 'i64'], (f, { bits }) => {
    const sign = bits.and(n.sign).ne(0);
    const field = f.let_(magnitude(n, bits).shrU(n.fractionBits).wrap());
    const mantissa = f.let_(bits.shl(format.dropped).and(TOP_BIT - 1n));
    f.if_(field.ne(0), () => f.ret(sign, field.add(format.rebias), mantissa.or(TOP_BIT)));
    const shift = f.let_(mantissa.clz());
    f.ret(sign, lit('i32', format.rebias + 1).sub(shift.wrap()), mantissa.shl(shift));
  });
}

/** Rounds (sign, exponent, high, low) and returns (bits, flags | extra) from the function. */
export function roundAndReturn(f: Fn, n: Narrow, parts: readonly Expr[], mxcsr: Expr, extra: Expr): void {
  const bits = f.local('i64');
  const flags = f.local('i32');
  f.callInto([bits, flags], `sf.round${n.suffix}`, ...parts, controlOf(f, mxcsr));
  // C1 means nothing here.
  f.ret(bits, flags.and(0x3f).or(extra));
}

/** DE if one of the values is denormal. */
export function denormalFlag(f: Fn, n: Narrow, ...values: Var[]): Var {
  const any = values.map((v) => isDenormal(n, v)).reduce((x, y) => x.or(y));
  return f.let_(select(any, lit('i32', 2), 0));
}

export const UNPACK_HELPERS: readonly HelperDef[] = NARROWS.map(unpacker);
