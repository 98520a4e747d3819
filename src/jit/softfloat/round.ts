/**
 * Rounding: from an exact (or sticky) 128-bit mantissa to what a format can hold, with the masked
 * response of overflow and underflow. Tininess is detected after rounding, as x86 does.
 *
 *   round80(sign, exponent, high, low, control) -> (mantissa, sign and exponent, flags)
 *   round64, round32(same) -> (bits, flags)
 *
 * `high` has its top bit set; `low` continues it, and its last bits may be sticky.
 */
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lit, select, type Var } from './dsl.js';
import {
  EXPONENT_WRAP, F32, F64, F80, FLUSH_TO_ZERO, type Format, OE, PE, ROUND_DOWN, ROUND_NEAREST, ROUND_UP, ROUNDED_UP, ROUNDING_SHIFT,
  TOP_BIT, UE,
} from './formats.js';

interface Rounding {
  readonly sign: Var;
  readonly exponent: Var;
  readonly high: Var;
  readonly low: Var;
  readonly control: Var;
  /** Bits to drop from `high`, i64. */
  readonly dropped: Expr;
  readonly flags: Var;
}

const PARAMS = { sign: 'i32', exponent: 'i32', high: 'i64', low: 'i64', control: 'i32' } as const;

export function roundingMode(control: Expr): Expr {
  return control.shrU(ROUNDING_SHIFT).and(3);
}

/**
 * Whether to round up, given the dropped fraction aligned to the top of an i64 (so one half is the
 * top bit) and the last bit kept.
 */
export function roundsUp(f: Fn, mode: Expr, sign: Expr, fraction: Expr, odd: Expr): Var {
  const up = f.local('i32');
  f.if_(mode.eqz(), () => {
    up.set(fraction.gtU(TOP_BIT).or(fraction.eq(TOP_BIT).and(odd)));
  }, () => {
    up.set(mode.eq(select(sign, lit('i32', ROUND_DOWN), ROUND_UP)).and(fraction.ne(0)));
  });
  return up;
}

/** The bits of `high:low` below the last bit kept, aligned to the top. `low` must have been jammed if dropped > 0. */
function fractionOf(r: Rounding): Expr {
  // Shifting by 64 would be shifting by 0, so do it in two steps; with nothing dropped, `high` contributes nothing.
  const fromHigh = r.high.shl(1).shl(lit('i64', 63).sub(r.dropped));
  return select(r.dropped.eqz(), r.low, fromHigh);
}

function jamLow(r: Rounding, f: Fn): void {
  f.if_(r.dropped.ne(0), () => r.high.set(r.high.or(r.low.ne(0).extU())));
}

/** Moves high:low right by n >= 1, what falls off stays as a sticky bit. */
function shiftRightJam(f: Fn, r: Rounding, n: Var): void {
  const { high, low } = r;
  f.if_(n.ltS(64), () => {
    const lost = f.let_(low.shl(lit('i32', 64).sub(n).extU()).ne(0).extU());
    low.set(low.shrU(n.extU()).or(high.shl(lit('i32', 64).sub(n).extU())).or(lost));
    high.set(high.shrU(n.extU()));
  }, () => {
    f.if_(n.ltS(128), () => {
      // n = 64 leaves all of `high`: the shift by 0 is right, and the lost part is just `low`.
      const k = f.let_(n.and(63).extU());
      const lost = f.let_(select(k.eqz(), lit('i64', 0), high.shl(lit('i64', 64).sub(k))).or(low).ne(0).extU());
      low.set(high.shrU(k).or(lost));
    }, () => low.set(1));
    high.set(0);
  });
}

/** Rounds high:low in place; sets PE and ROUNDED_UP in flags. A carry out of the top goes to the exponent. */
function roundHigh(f: Fn, r: Rounding): void {
  const { high, exponent, flags } = r;
  jamLow(r, f);
  const fraction = f.let_(fractionOf(r));
  const unit = f.let_(lit('i64', 1).shl(r.dropped));
  f.if_(fraction.eqz(), () => undefined, () => {
    const up = roundsUp(f, roundingMode(r.control), r.sign, fraction, high.and(unit).ne(0));
    flags.set(flags.or(PE));
    high.set(high.and(unit.neg()));
    f.if_(up, () => {
      flags.set(flags.or(ROUNDED_UP));
      high.set(high.add(unit));
      f.if_(high.eqz(), () => {
        high.set(TOP_BIT);
        exponent.set(exponent.add(1));
      });
    });
  });
}

/** Whether the number, rounded as if exponents had no limit, stays below the smallest normal number. */
function isTiny(f: Fn, r: Rounding, format: Format): Var {
  const tiny = f.let_(lit('i32', 1));
  const unit = f.let_(lit('i64', 1).shl(r.dropped));
  const allOnes = r.high.or(unit.sub(1)).eq(-1);
  f.if_(r.exponent.eq(format.minExponent - 1).and(allOnes), () => {
    const jammed = { ...r, high: f.let_(select(r.dropped.eqz(), r.high, r.high.or(r.low.ne(0).extU()))) };
    const up = roundsUp(f, roundingMode(r.control), r.sign, f.let_(fractionOf(jammed)), lit('i32', 1));
    tiny.set(up.eqz());
  });
  return tiny;
}

/**
 * Makes the mantissa of a number below the normal range denormal, rounded. Leaves exponent = minExponent, top bit
 * possibly clear.
 */
function roundTiny(f: Fn, r: Rounding, format: Format): void {
  const { exponent, flags, control } = r;
  const tiny = isTiny(f, r, format);
  f.if_(tiny.and(control.and(UE).eqz()), () => {
    // Unmasked: rounded as if exponents had no limit. Only x87 registers take the result, wrapped.
    exponent.set(exponent.add(EXPONENT_WRAP));
    flags.set(UE);
    roundHigh(f, r);
  }, () => {
    if (format === F80) return roundMaskedTiny(f, r, format, tiny);
    f.if_(tiny.and(control.and(FLUSH_TO_ZERO).ne(0)), () => {
      r.high.set(0);
      exponent.set(format.minExponent);
      flags.set(UE | PE);
    }, () => roundMaskedTiny(f, r, format, tiny));
  });
}

function roundMaskedTiny(f: Fn, r: Rounding, format: Format, tiny: Expr): void {
  const { exponent, flags } = r;
  const n = f.let_(lit('i32', format.minExponent).sub(exponent));
  shiftRightJam(f, r, n);
  exponent.set(format.minExponent);
  roundHigh(f, r);
  f.if_(tiny.and(flags.and(PE).ne(0)), () => flags.set(flags.or(UE)));
}

/** The number is too big: infinity or the largest number, by rounding mode. */
function overflow(f: Fn, r: Rounding, format: Format): void {
  const { exponent, high, flags, sign } = r;
  f.if_(r.control.and(OE).eqz(), () => {
    exponent.set(exponent.sub(EXPONENT_WRAP));
    flags.set(flags.or(OE));
  }, () => {
    const mode = f.let_(roundingMode(r.control));
    flags.set(OE | PE);
    f.if_(mode.eq(ROUND_NEAREST).or(mode.eq(select(sign, lit('i32', ROUND_DOWN), ROUND_UP))), () => {
      flags.set(OE | PE | ROUNDED_UP);
      exponent.set(format.maxExponent + 1);
      high.set(TOP_BIT);
    }, () => {
      exponent.set(format.maxExponent);
      high.set(lit('i64', -1).shl(r.dropped));
    });
  });
}

function roundBody(f: Fn, r: Rounding, format: Format): void {
  f.if_(r.exponent.ltS(format.minExponent), () => roundTiny(f, r, format), () => {
    roundHigh(f, r);
    f.if_(r.exponent.gtS(format.maxExponent), () => overflow(f, r, format));
  });
}

/** 64 - precision, from the precision bits: 24, (reserved: as 64), 53, 64. */
function droppedByPrecision(f: Fn, control: Expr): Var {
  const precision = f.let_(control.and(0x300));
  const dropped = f.let_(lit('i64', 0));
  f.if_(precision.ne(0x300), () => {
    f.if_(precision.eqz(), () => dropped.set(F32.dropped), () => {
      f.if_(precision.eq(0x200), () => dropped.set(F64.dropped));
    });
  });
  return dropped;
}

const round80 = helper('sf.round80', PARAMS, ['i64', 'i32', 'i32'], (f, args) => {
  const { sign, exponent, high } = args;
  const dropped = droppedByPrecision(f, args.control);
  const r: Rounding = { ...args, dropped, flags: f.local('i32', 'flags') };
  roundBody(f, r, F80);
  // A denormal has exponent 0 for the same scale as 1.
  f.if_(high.geS(0), () => exponent.set(0));
  f.ret(high, exponent.or(sign.shl(15)), r.flags);
});

function roundNarrow(name: string, format: Format): HelperDef {
  return helper(name, PARAMS, ['i64', 'i32'], (f, args) => {
    const r: Rounding = { ...args, dropped: lit('i64', format.dropped), flags: f.local('i32', 'flags') };
    roundBody(f, r, format);
    const { sign, exponent, high } = args;
    const fractionBits = 63 - format.dropped;
    // The mantissa's explicit top bit adds 1 to the exponent field, so that denormals come out right.
    const field = f.let_(exponent.sub(format.rebias + 1).extU());
    const magnitude = field.shl(fractionBits).add(high.shrU(format.dropped));
    f.ret(magnitude.or(sign.extU().shl(format === F64 ? 63 : 31)), r.flags);
  });
}

export const ROUND_HELPERS: readonly HelperDef[] = [round80, roundNarrow('sf.round64', F64), roundNarrow('sf.round32', F32)];
