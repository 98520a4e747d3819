/**
 * Floating point numbers as C's `%f`, `%e`, `%g` and `%a` write them: exactly, of any size, rounded half to even as
 * glibc does it.
 */
import * as big from './bigFloat.js';
import type { BigFloat, FloatFormat } from './bigFloat.js';

interface FloatLayout {
  /** One of f, e, g and a, in capitals for capitals. */
  readonly letter: string;
  readonly precision: number | undefined;
  /** `#`: the point is there even if nothing follows it, and `%g` keeps its zeros. */
  readonly isAlternate: boolean;
}

type Finite = Extract<BigFloat, { kind: 'finite' }>;

const DEFAULT_PRECISION = 6;

/** Without a sign: that is for who pads it. */
export function unsignedFloatText(value: BigFloat, format: FloatFormat, { letter, precision, isAlternate }: FloatLayout): string {
  const text = value.kind === 'infinite' ? 'inf' : value.kind === 'nan' ? 'nan' : finiteText(value, format, letter.toLowerCase(), precision, isAlternate);
  return letter === letter.toLowerCase() ? text : text.toUpperCase();
}

/** As gdb shows it: `%.{digits}g` with its sign, and with the payload of what is no number. */
export function shownFloat(value: BigFloat, digits: number): string {
  const text = value.kind === 'infinite' ? 'inf' : value.kind === 'nan' ? `nan(0x${value.payload.toString(16)})` : general(value, digits, false);
  return `${value.negative ? '-' : ''}${text}`;
}

function finiteText(value: Finite, format: FloatFormat, letter: string, precision: number | undefined, isAlternate: boolean): string {
  switch (letter) {
    case 'f': return fixed(value, precision ?? DEFAULT_PRECISION, isAlternate);
    case 'e': return exponential(value, precision ?? DEFAULT_PRECISION, isAlternate);
    case 'g': return general(value, Math.max(1, precision ?? DEFAULT_PRECISION), isAlternate);
    default: return hexadecimal(value, format, precision, isAlternate);
  }
}

function withFraction(whole: string, fraction: string, isAlternate: boolean): string {
  return fraction === '' ? `${whole}${isAlternate ? '.' : ''}` : `${whole}.${fraction}`;
}

function fixed({ mantissa, exponent }: Finite, digits: number, isAlternate: boolean): string {
  const scale = 10n ** BigInt(digits);
  const scaled = exponent >= 0 ? (mantissa << BigInt(exponent)) * scale : big.shiftRounded(mantissa * scale, -exponent);
  const text = scaled.toString().padStart(digits + 1, '0');
  return withFraction(text.slice(0, text.length - digits), text.slice(text.length - digits), isAlternate);
}

function exponential(value: Finite, digits: number, isAlternate: boolean): string {
  const { text, power } = value.mantissa === 0n ? { text: '0'.repeat(digits + 1), power: 0 } : big.decimalDigits(value, digits + 1);
  return `${withFraction(text.slice(0, 1), text.slice(1), isAlternate)}${exponentText(power)}`;
}

function exponentText(power: number): string {
  return `e${power < 0 ? '-' : '+'}${`${Math.abs(power)}`.padStart(2, '0')}`;
}

/** In the style that the exponent asks for, with `digits` significant ones. */
function general(value: Finite, digits: number, isAlternate: boolean): string {
  const power = value.mantissa === 0n ? 0 : big.decimalDigits(value, digits).power;
  const isShort = power >= -4 && power < digits;
  const text = isShort ? fixed(value, digits - 1 - power, isAlternate) : exponential(value, digits - 1, isAlternate);
  return isAlternate ? text : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '');
}

/** One hexadecimal digit before the point: 1, or for the x87's numbers all four bits that fit. */
function hexadecimal({ mantissa, exponent }: Finite, format: FloatFormat, precision: number | undefined, isAlternate: boolean): string {
  if (mantissa === 0n) return `0x${withFraction('0', '0'.repeat(precision ?? 0), isAlternate)}p+0`;
  const leading = format.hasIntegerBit ? 4 : 1;
  // As the format stores it: numbers too small for a leading bit begin with zeros.
  const smallest = 2 - 2 ** (format.exponentBits - 1) - (format.precision - 1);
  const low = Math.max(smallest, exponent + big.bitLength(mantissa) - format.precision);
  const bits = low >= exponent ? mantissa >> BigInt(low - exponent) : mantissa << BigInt(exponent - low);
  const spare = (4 - ((format.precision - leading) % 4)) % 4;
  const digits = (format.precision - leading + spare) / 4;
  const all = bits << BigInt(spare);
  const kept = precision === undefined || precision >= digits ? all : big.shiftRounded(all, 4 * (digits - precision));
  const shown = precision === undefined ? digits : Math.min(precision, digits);
  const whole = (kept >> BigInt(4 * shown)).toString(16);
  const fraction = shown === 0 ? '' : BigInt.asUintN(4 * shown, kept).toString(16).padStart(shown, '0');
  const power = low + (format.precision - leading) + (whole.length > 1 ? 4 : 0);
  const padded = precision === undefined ? fraction.replace(/0+$/, '') : fraction.padEnd(precision, '0');
  return `0x${withFraction(whole.slice(0, 1), padded, isAlternate)}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}
