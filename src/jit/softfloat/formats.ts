/**
 * What the three floating-point formats have in common and where they differ.
 *
 * Inside, a finite nonzero number of any format is (sign, exponent, mantissa): the mantissa is an
 * i64 with its top bit set, the exponent is biased by 16383 as in the 80-bit format, so
 *     value = (-1)^sign * mantissa * 2^(exponent - 16383 - 63).
 * Denormals are normalised on the way in; the exponent may then be 0 or negative.
 */

/** Exception flags, the same bits in MXCSR and in the x87 status word. */
export const IE = 1;
export const DE = 2;
export const ZE = 4;
export const OE = 8;
export const UE = 16;
export const PE = 32;
/** C1 of the x87 status word: the last rounding went up. */
export const ROUNDED_UP = 0x200;

/**
 * The control word that softfloat functions take: an x87 control word (masks in bits 0-5, precision
 * in 8-9, rounding in 10-11) plus flush-to-zero for SSE.
 */
export const ROUNDING_SHIFT = 10;
export const FLUSH_TO_ZERO = 1 << 16;
export const ROUND_NEAREST = 0;
export const ROUND_DOWN = 1;
export const ROUND_UP = 2;
export const ROUND_ZERO = 3;

export interface Format {
  readonly name: 'f32' | 'f64' | 'f80';
  /** Low bits of a 64-bit mantissa that the format does not hold (with full precision). */
  readonly dropped: number;
  /** Added to the format's own biased exponent gives ours. */
  readonly rebias: number;
  /** Our exponents of the smallest and largest normal numbers. */
  readonly minExponent: number;
  readonly maxExponent: number;
}

export const F80: Format = { name: 'f80', dropped: 0, rebias: 0, minExponent: 1, maxExponent: 0x7ffe };
export const F64: Format = { name: 'f64', dropped: 11, rebias: 15360, minExponent: 15361, maxExponent: 15360 + 0x7fe };
export const F32: Format = { name: 'f32', dropped: 40, rebias: 16256, minExponent: 16257, maxExponent: 16256 + 0xfe };

export const TOP_BIT = 0x8000_0000_0000_0000n;
/** The default ("real indefinite") NaN of the 80-bit format. */
export const F80_NAN_MANTISSA = 0xc000_0000_0000_0000n;
export const F80_NAN_SE = 0xffff;
/** How far the exponent is wrapped when overflow or underflow is unmasked (x87). */
export const EXPONENT_WRAP = 24576;
