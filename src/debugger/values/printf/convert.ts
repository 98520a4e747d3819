/**
 * Values of the program as `printf` shows them: gdb's rules for what becomes of them, then C's for how they look. Texts
 * have one character a byte.
 */
import { strip } from '../../../dwarf/types.js';
import { decayed } from '../arithmetic.js';
import * as big from '../bigFloat.js';
import { fail } from '../expressionError.js';
import { fetchString } from '../print/stringAt.js';
import { unitsOf } from '../print/valuePrinter.js';
import { floatFormat, natureOf, rawBits, toFloat, toInteger } from '../scalars.js';
import type { Value } from '../value.js';
import { byteText, type Conversion } from './format.js';
import { shownFloat, unsignedFloatText } from '../floatText.js';

const LONGEST_STRING = 1 << 16;
const LONG_BYTES = 8;
const WIDE_BYTES = 4;
const HIGHEST_CHARACTER = 0x10_ffff;
/** What integers of each size are cut to. */
const BITS: Readonly<Record<string, number>> = { '': 32, h: 16, hh: 8, l: 64, ll: 64, z: 64, j: 64, t: 64 };
/** Digits that decimal formats have. */
const DECIMAL_DIGITS: Readonly<Record<string, number>> = { H: 7, D: 16, DD: 34 };

export function converted(value: Value, conversion: Conversion): string {
  switch (conversion.letter) {
    case 's': return aligned((conversion.size === 'l' ? wideString(value) : narrowString(value)).slice(0, conversion.precision), conversion);
    case 'c': return aligned(character(value, conversion), conversion);
    case 'p': return aligned(pointerText(longOf(value)), conversion);
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': return integer(longOf(value), conversion);
    default: return floating(value, conversion);
  }
}

function aligned(text: string, { flags, width }: Conversion): string {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}

/** `prefix` (a sign, `0x`) stands before zeros that fill the width. */
function filled(prefix: string, digits: string, conversion: Conversion, mayFill: boolean): string {
  const { flags, width } = conversion;
  const isFilled = mayFill && flags.includes('0') && !flags.includes('-');
  return isFilled ? `${prefix}${digits.padStart(width - prefix.length, '0')}` : aligned(`${prefix}${digits}`, conversion);
}

function longOf(value: Value): bigint {
  const plain = decayed(value);
  if (natureOf(plain.plain) === 'integer' && plain.plain.size > LONG_BYTES) return fail('That operation is not available on integers of more than 8 bytes.');
  return toInteger(plain);
}

function pointerText(address: bigint): string {
  return address === 0n ? '(nil)' : `0x${BigInt.asUintN(64, address).toString(16)}`;
}

function signText(isNegative: boolean, flags: string): string {
  return isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function integer(value: bigint, conversion: Conversion): string {
  const { letter, flags, precision, size } = conversion;
  const width = BITS[size] ?? 32;
  const isSigned = letter === 'd' || letter === 'i';
  const number = isSigned ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
  const magnitude = number < 0n ? -number : number;
  const shortest = magnitude === 0n && precision === 0 ? '' : magnitude.toString(letter === 'o' ? 8 : letter === 'x' || letter === 'X' ? 16 : 10);
  const digits = shortest.padStart(precision ?? 0, '0');
  const isAlternate = flags.includes('#');
  const octal = letter === 'o' && isAlternate && !digits.startsWith('0') ? `0${digits}` : digits;
  const prefix = isSigned ? signText(number < 0n, flags) : isAlternate && letter.toLowerCase() === 'x' && magnitude !== 0n ? '0x' : '';
  const text = filled(prefix, octal, conversion, precision === undefined);
  return letter === 'X' ? text.toUpperCase() : text;
}

function floating(value: Value, conversion: Conversion): string {
  const { letter, flags, precision, size } = conversion;
  const target = size === 'L' ? big.EXTENDED : big.DOUBLE;
  const digits = DECIMAL_DIGITS[size];
  if (digits !== undefined) return aligned(shownFloat(toFloat(value), digits), conversion);
  const number = big.fromBits(target, big.toBits(target, asFloat(value)));
  const text = unsignedFloatText(number, target, { letter, precision, isAlternate: flags.includes('#') });
  const hex = /^0x/i.exec(text)?.[0] ?? '';
  return filled(`${signText(number.negative, flags)}${hex}`, text.slice(hex.length), conversion, number.kind === 'finite');
}

/** As gdb: of what is as long as a floating point type, the bits are taken for one. */
function asFloat(value: Value): big.BigFloat {
  const { plain } = value;
  if (natureOf(plain) === 'float') return big.fromBits(floatFormat(plain), rawBits(value));
  switch (plain.size) {
    case big.SINGLE.size: return big.fromBits(big.SINGLE, rawBits(value));
    case LONG_BYTES: return big.fromBits(big.DOUBLE, rawBits(value));
    case 2 * LONG_BYTES: return big.fromBits(big.EXTENDED, BigInt.asUintN(8 * big.EXTENDED.size, rawBits(value)));
    default: return toFloat(value);
  }
}

/** gdb writes no NUL. */
function character(value: Value, { size }: Conversion): string {
  const code = longOf(value);
  if (size === 'l') return wideText([Number(BigInt.asUintN(32, code))]);
  const byte = Number(BigInt.asUintN(8, code));
  return byte === 0 ? '' : String.fromCharCode(byte);
}

/** What a pointer points to, or an array has, up to its NUL. */
function narrowString(value: Value): string {
  const units = unitsIn(value, 1);
  return units === undefined ? '(null)' : binaryText(units);
}

function wideString(value: Value): string {
  const units = unitsIn(value, WIDE_BYTES);
  return units === undefined ? '(null)' : wideText(units);
}

/** Undefined for a null pointer. */
function unitsIn(value: Value, size: number): readonly number[] | undefined {
  const { plain } = value;
  if (plain.kind === 'array' && value.address === undefined) {
    const units = unitsOf(value.bytes, Math.max(1, strip(plain.element).size));
    const end = units.indexOf(0);
    return end < 0 ? units : units.slice(0, end);
  }
  const address = BigInt.asUintN(64, longOf(value));
  if (address === 0n) return undefined;
  const { units, isUnreadable } = fetchString(value.around, address, size, LONGEST_STRING);
  return isUnreadable ? fail(`Cannot access memory at address 0x${(address + BigInt(units.length * size)).toString(16)}`) : units;
}

function binaryText(units: readonly number[]): string {
  let text = '';
  for (const unit of units) text += String.fromCharCode(unit & 0xff);
  return text;
}

/** What is no character is shown by its bytes. */
function wideText(units: readonly number[]): string {
  return units.map((unit) => {
    const isCharacter = unit <= HIGHEST_CHARACTER && (unit < 0xd800 || unit > 0xdfff);
    if (isCharacter) return unit === 0 ? '' : byteText(String.fromCodePoint(unit));
    return [0, 8, 16, 24].map((shift) => `\\${((unit >>> shift) & 0xff).toString(8).padStart(3, '0')}`).join('');
  }).join('');
}
