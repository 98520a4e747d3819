/**
 * Floating point numbers of any format, exactly: a sign, a mantissa and a power of two. Reading and writing bits of the
 * program's formats (half to quadruple), arithmetic rounded to a format, and decimal digits. As text: floatText.ts.
 */
export type BigFloat =
  | { readonly kind: 'finite'; readonly negative: boolean; readonly mantissa: bigint; readonly exponent: number }
  | { readonly kind: 'infinite'; readonly negative: boolean }
  | { readonly kind: 'nan'; readonly negative: boolean; readonly payload: bigint };

export interface FloatFormat {
  /** Bits of the mantissa, the leading one included. */
  readonly precision: number;
  readonly exponentBits: number;
  /** Whether the leading bit is stored (x87). */
  readonly hasIntegerBit: boolean;
  /** Bytes that are used. */
  readonly size: number;
}

export const HALF: FloatFormat = { precision: 11, exponentBits: 5, hasIntegerBit: false, size: 2 };
export const BFLOAT: FloatFormat = { precision: 8, exponentBits: 8, hasIntegerBit: false, size: 2 };
export const SINGLE: FloatFormat = { precision: 24, exponentBits: 8, hasIntegerBit: false, size: 4 };
export const DOUBLE: FloatFormat = { precision: 53, exponentBits: 11, hasIntegerBit: false, size: 8 };
export const EXTENDED: FloatFormat = { precision: 64, exponentBits: 15, hasIntegerBit: true, size: 10 };
export const QUADRUPLE: FloatFormat = { precision: 113, exponentBits: 15, hasIntegerBit: false, size: 16 };

export const ZERO: BigFloat = { kind: 'finite', negative: false, mantissa: 0n, exponent: 0 };

function finite(negative: boolean, mantissa: bigint, exponent: number): BigFloat {
  return { kind: 'finite', negative, mantissa, exponent };
}

export function fromBits(format: FloatFormat, bits: bigint): BigFloat {
  const stored = format.hasIntegerBit ? format.precision : format.precision - 1;
  const fraction = BigInt.asUintN(stored, bits);
  const field = Number(BigInt.asUintN(format.exponentBits, bits >> BigInt(stored)));
  const negative = ((bits >> BigInt(stored + format.exponentBits)) & 1n) === 1n;
  const bias = 2 ** (format.exponentBits - 1) - 1;
  const payload = format.hasIntegerBit ? BigInt.asUintN(63, fraction) : fraction;
  if (field === 2 ** format.exponentBits - 1) return payload === 0n ? { kind: 'infinite', negative } : { kind: 'nan', negative, payload: fraction };
  const leading = format.hasIntegerBit || field === 0 ? 0n : 1n << BigInt(stored);
  return finite(negative, fraction | leading, Math.max(field, 1) - bias - (format.precision - 1));
}

/** Rounded to nearest, ties to even. */
export function toBits(format: FloatFormat, value: BigFloat): bigint {
  const stored = format.hasIntegerBit ? format.precision : format.precision - 1;
  const sign = value.negative ? 1n << BigInt(stored + format.exponentBits) : 0n;
  const highest = (1n << BigInt(format.exponentBits)) - 1n;
  const integerBit = format.hasIntegerBit ? 1n << BigInt(stored - 1) : 0n;
  if (value.kind === 'nan') {
    // A payload of a wider format may have nothing that fits: without any it would be an infinity.
    const fraction = BigInt.asUintN(format.hasIntegerBit ? stored - 1 : stored, value.payload);
    const quiet = 1n << BigInt(stored - (format.hasIntegerBit ? 2 : 1));
    return sign | (highest << BigInt(stored)) | integerBit | (fraction === 0n ? quiet : fraction);
  }
  if (value.kind === 'infinite') return sign | (highest << BigInt(stored)) | integerBit;
  const rounded = round(format, value);
  if (rounded.kind === 'infinite') return sign | (highest << BigInt(stored)) | integerBit;
  if (rounded.kind !== 'finite' || rounded.mantissa === 0n) return sign;
  const bias = 2 ** (format.exponentBits - 1) - 1;
  const smallest = 1 - bias - (format.precision - 1);
  const shift = rounded.exponent - smallest;
  const isNormal = bitLength(rounded.mantissa) + shift >= format.precision;
  const up = isNormal ? format.precision - bitLength(rounded.mantissa) : shift;
  const mantissa = rounded.mantissa << BigInt(up);
  const field = isNormal ? shift - up + 1 : 0;
  return sign | (BigInt(field) << BigInt(stored)) | BigInt.asUintN(stored, mantissa);
}

/** The nearest number of the format. */
export function round(format: FloatFormat, value: BigFloat): BigFloat {
  if (value.kind !== 'finite' || value.mantissa === 0n) return value;
  const bias = 2 ** (format.exponentBits - 1) - 1;
  const smallest = 1 - bias - (format.precision - 1);
  const drop = Math.max(bitLength(value.mantissa) - format.precision, smallest - value.exponent);
  const rounded = drop <= 0 ? value : finite(value.negative, shiftRounded(value.mantissa, drop), value.exponent + drop);
  if (rounded.kind !== 'finite') return rounded;
  return bitLength(rounded.mantissa) + rounded.exponent > bias + 1 ? { kind: 'infinite', negative: value.negative } : rounded;
}

/** Divided by a power of two, rounded half to even. `drop` may be 0. */
export function shiftRounded(mantissa: bigint, drop: number): bigint {
  if (drop === 0) return mantissa;
  const kept = mantissa >> BigInt(drop);
  const rest = mantissa - (kept << BigInt(drop));
  const half = 1n << BigInt(drop - 1);
  return rest > half || (rest === half && (kept & 1n) === 1n) ? kept + 1n : kept;
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

export function fromInteger(value: bigint): BigFloat {
  return finite(value < 0n, value < 0n ? -value : value, 0);
}

export function fromNumber(value: number): BigFloat {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value, true);
  return fromBits(DOUBLE, view.getBigUint64(0, true));
}

/** Towards zero; what is no number is 0. */
export function toInteger(value: BigFloat): bigint {
  if (value.kind !== 'finite') return 0n;
  const magnitude = value.exponent >= 0 ? value.mantissa << BigInt(value.exponent) : value.mantissa >> BigInt(-value.exponent);
  return value.negative ? -magnitude : magnitude;
}

export function isZero(value: BigFloat): boolean {
  return value.kind === 'finite' && value.mantissa === 0n;
}

export function negate(value: BigFloat): BigFloat {
  return { ...value, negative: !value.negative };
}

const NAN: BigFloat = { kind: 'nan', negative: true, payload: 0n };

export function add(a: BigFloat, b: BigFloat): BigFloat {
  if (a.kind === 'nan' || b.kind === 'nan') return a.kind === 'nan' ? a : b;
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.negative !== b.negative ? NAN : a;
  if (b.kind === 'infinite') return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const sum = scaled(a, exponent) + scaled(b, exponent);
  if (sum === 0n) return finite(a.negative && b.negative, 0n, 0);
  return finite(sum < 0n, sum < 0n ? -sum : sum, exponent);
}

function scaled(value: Extract<BigFloat, { kind: 'finite' }>, exponent: number): bigint {
  const magnitude = value.mantissa << BigInt(value.exponent - exponent);
  return value.negative ? -magnitude : magnitude;
}

export function multiply(a: BigFloat, b: BigFloat): BigFloat {
  const negative = a.negative !== b.negative;
  if (a.kind === 'nan' || b.kind === 'nan') return a.kind === 'nan' ? a : b;
  if (a.kind === 'infinite' || b.kind === 'infinite') return isZero(a) || isZero(b) ? NAN : { kind: 'infinite', negative };
  return finite(negative, a.mantissa * b.mantissa, a.exponent + b.exponent);
}

/** With more bits than any format has; the last one says whether something is left. */
export function divide(a: BigFloat, b: BigFloat): BigFloat {
  const negative = a.negative !== b.negative;
  if (a.kind === 'nan' || b.kind === 'nan') return a.kind === 'nan' ? a : b;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? NAN : { kind: 'infinite', negative };
  if (b.kind === 'infinite') return finite(negative, 0n, 0);
  if (b.mantissa === 0n) return a.mantissa === 0n ? NAN : { kind: 'infinite', negative };
  const up = Math.max(0, bitLength(b.mantissa) - bitLength(a.mantissa)) + 130;
  const dividend = a.mantissa << BigInt(up);
  const quotient = dividend / b.mantissa;
  const isExact = quotient * b.mantissa === dividend;
  return finite(negative, (quotient << 1n) | (isExact ? 0n : 1n), a.exponent - b.exponent - up - 1);
}

/** Negative, zero or positive; undefined if one is no number. */
export function compare(a: BigFloat, b: BigFloat): number | undefined {
  if (a.kind === 'nan' || b.kind === 'nan') return undefined;
  if (a.kind === 'infinite' || b.kind === 'infinite') return rank(a) - rank(b);
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = scaled(a, exponent) - scaled(b, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function rank(value: BigFloat): number {
  return value.kind === 'infinite' ? (value.negative ? -1 : 1) : 0;
}

/** A literal of decimal digits, point and exponent. Undefined if it is none. */
export function parseDecimal(text: string): BigFloat | undefined {
  const match = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
  if (match === null || ((match[1] ?? '') === '' && (match[2] ?? '') === '')) return undefined;
  const digits = BigInt(`${match[1] ?? ''}${match[2] ?? ''}` || '0');
  const power = Number(match[3] ?? 0) - (match[2] ?? '').length;
  if (Math.abs(power) > 20000) return power > 0 && digits !== 0n ? { kind: 'infinite', negative: false } : ZERO;
  if (power >= 0) return finite(false, digits * 10n ** BigInt(power), 0);
  return divide(finite(false, digits, 0), finite(false, 10n ** BigInt(-power), 0));
}

/** `0x1.8p3`. */
export function parseHexadecimal(text: string): BigFloat | undefined {
  const match = /^0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d{1,5})$/.exec(text);
  if (match === null || `${match[1] ?? ''}${match[2] ?? ''}` === '') return undefined;
  return finite(false, BigInt(`0x${match[1] ?? ''}${match[2] ?? ''}`), Number(match[3]) - 4 * (match[2] ?? '').length);
}

/** The nearest double. */
export function toNumber(value: BigFloat): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, toBits(DOUBLE, value));
  return view.getFloat64(0);
}

/** The first digits, rounded half to even as glibc does it, and the power of ten of the first one. */
export function decimalDigits(value: Extract<BigFloat, { kind: 'finite' }>, digits: number): { text: string; power: number } {
  const two = BigInt(Math.abs(value.exponent));
  const [numerator, denominator] = value.exponent >= 0 ? [value.mantissa << two, 1n] : [value.mantissa, 1n << two];
  let power = Math.floor((bitLength(value.mantissa) - 1 + value.exponent) * Math.log10(2));
  for (;;) {
    const scale = digits - 1 - power;
    const top = scale >= 0 ? numerator * 10n ** BigInt(scale) : numerator;
    const bottom = scale >= 0 ? denominator : denominator * 10n ** BigInt(-scale);
    const quotient = top / bottom;
    const rest = (top - quotient * bottom) * 2n;
    const rounded = rest > bottom || (rest === bottom && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
    const text = rounded.toString();
    if (text.length === digits) return { text, power };
    power += text.length > digits ? 1 : -1;
  }
}

/** Digits that tell every number of a format from all others, as gdb shows them. */
export function shownDigits(format: FloatFormat): number {
  return Math.ceil(1 + format.precision * Math.log10(2));
}
