/** Scalars as text: the usual way for their type, or with one of gdb's format letters. */
import type { EnumType, PlainType } from '../../../dwarf/types.js';
import { ATE } from '../../../dwarf/dwarfConstants.js';
import * as big from '../bigFloat.js';
import { fail } from '../expressionError.js';
import { shownFloat } from '../floatText.js';
import { EFLAGS, MXCSR } from '../registers.js';
import { floatFormat, isUnsigned, natureOf, rawBits, toInteger } from '../scalars.js';
import type { Value } from '../value.js';
import { characterPrefix, characterText } from './characters.js';
import { addressText } from './addresses.js';
import type { Format, PrintSettings } from './settings.js';

function floatText(type: PlainType, bits: bigint): string {
  const format = floatFormat(type);
  return isValid(format, bits) ? shownFloat(big.fromBits(format, bits), big.shownDigits(format)) : '<invalid float value>';
}

/** The x87 has bits that mean nothing: a leading bit of zero in what is not small. */
function isValid(format: big.FloatFormat, bits: bigint): boolean {
  return !format.hasIntegerBit || ((bits >> 63n) & 1n) === 1n || ((bits >> 64n) & 0x7fffn) === 0n;
}

/** Without a format letter. */
export function scalarText(value: Value): string {
  const type = value.plain;
  switch (natureOf(type)) {
    case 'float': return floatText(type, rawBits(value));
    case 'boolean': return booleanText(toInteger(value));
    case 'enum': return type.kind === 'enum' ? enumText(type, toInteger(value)) : '';
    case 'complex': return complexText(type, rawBits(value));
    default: return integerText(value, type);
  }
}

function booleanText(value: bigint): string {
  return value === 0n ? 'false' : value === 1n ? 'true' : `${value}`;
}

function integerText(value: Value, type: PlainType): string {
  if (type === EFLAGS) return flagsText(rawBits(value), FLAG_BITS);
  if (type === MXCSR) return flagsText(rawBits(value), MXCSR_BITS);
  const number = toInteger(value);
  const prefix = characterPrefix(value.type);
  return prefix === undefined ? `${number}` : `${number} ${characterText(number, type.size, prefix)}`;
}

const FLAG_BITS: readonly (readonly [number, string])[] = [
  [0, 'CF'], [1, ''], [2, 'PF'], [4, 'AF'], [6, 'ZF'], [7, 'SF'], [8, 'TF'], [9, 'IF'], [10, 'DF'], [11, 'OF'], [14, 'NT'], [16, 'RF'], [17, 'VM'], [18, 'AC'], [19, 'VIF'], [20, 'VIP'], [21, 'ID'],
];
const MXCSR_BITS: readonly (readonly [number, string])[] = [
  [0, 'IE'], [1, 'DE'], [2, 'ZE'], [3, 'OE'], [4, 'UE'], [5, 'PE'], [6, 'DAZ'], [7, 'IM'], [8, 'DM'], [9, 'ZM'], [10, 'OM'], [11, 'UM'], [12, 'PM'], [15, 'FZ'],
];

function flagsText(bits: bigint, names: readonly (readonly [number, string])[]): string {
  const set = names.filter(([bit, name]) => name !== '' && ((bits >> BigInt(bit)) & 1n) === 1n).map(([, name]) => name);
  return `[ ${set.map((name) => `${name} `).join('')}]`;
}

function complexText(type: PlainType, bits: bigint): string {
  const half = { ...type, kind: 'base', encoding: ATE.FLOAT, size: type.size / 2, name: undefined, qualifiedName: undefined, die: undefined } as const;
  const [real, imaginary] = [BigInt.asUintN(half.size * 8, bits), bits >> BigInt(half.size * 8)];
  return `${floatText(half, real)} + ${floatText(half, imaginary)}i`;
}

/** A name; flags as a sum of names; otherwise the number. */
function enumText(type: EnumType, value: bigint): string {
  const scope = enumScope(type);
  const exact = type.enumerators.find((enumerator) => enumerator.value === value);
  if (exact !== undefined) return `${scope}${exact.name}`;
  if (!isFlagEnum(type)) return `${value}`;
  let rest = BigInt.asUintN(64, value);
  const names: string[] = [];
  for (const enumerator of type.enumerators) {
    if ((rest & enumerator.value) === 0n) continue;
    rest &= ~enumerator.value;
    names.push(`${scope}${enumerator.name}`);
  }
  if (rest !== 0n) names.push(`unknown: 0x${rest.toString(16)}`);
  return names.length === 0 ? '0' : `(${names.join(' | ')})`;
}

/** Names of C++ are written with their scopes. */
function enumScope(type: EnumType): string {
  const name = type.qualifiedName;
  if (name === undefined || type.die?.unit.isC !== false) return '';
  return type.isClass ? `${name}::` : name.includes('::') ? name.slice(0, name.lastIndexOf('::') + 2) : '';
}

/** All values are runs of bits, none of which overlap. */
function isFlagEnum(type: EnumType): boolean {
  let seen = 0n;
  for (const { value } of type.enumerators) {
    if (value < 0n) return false;
    if (value === 0n) continue;
    const lowest = value & -value;
    const isRun = (value / lowest & (value / lowest + 1n)) === 0n;
    if (!isRun || (seen & value) !== 0n) return false;
    seen |= value;
  }
  return true;
}

/** With a format letter. `size`: padded to that many bytes, as `x` wants it. */
export function formattedText(value: Value, format: Format, settings: PrintSettings, isPadded = false): string {
  const type = value.plain;
  const width = value.bits?.size ?? type.size * 8;
  const bits = formattedBits(value, type);
  switch (format) {
    case 'x': return isPadded ? padded(bits, type.size) : `0x${bits.toString(16)}`;
    case 'z': return padded(bits, type.size);
    case 'o': return bits === 0n ? '0' : `0${bits.toString(8)}`;
    case 't': return isPadded ? bits.toString(2).padStart(type.size * 8, '0') : bits.toString(2);
    case 'd': return `${BigInt.asIntN(value.bits !== undefined && isUnsigned(type) ? width + 1 : width, bits)}`;
    case 'u': return `${value.bits === undefined ? bits : BigInt.asUintN(type.size * 8, toInteger(value))}`;
    case 'c': return formattedCharacter(value, type);
    case 'a': return addressText(value.around, BigInt.asUintN(64, toInteger(value)), { ...settings, symbol: true, address: true }, true);
    case 'f': return formattedFloat(value, type, bits);
    default: return scalarText(value);
  }
}

/** The bytes as they are; a bit field has those that its value has in its type. */
function formattedBits(value: Value, type: PlainType): bigint {
  if (natureOf(type) === 'void' || natureOf(type) === 'struct') fail("Value can't be converted to integer.");
  if (type.kind === 'function') return fail("Value can't be converted to integer.");
  return value.bits === undefined ? rawBits(value) : BigInt.asUintN(isUnsigned(type) ? value.bits.size : type.size * 8, toInteger(value));
}

function padded(bits: bigint, size: number): string {
  return `0x${bits.toString(16).padStart(size * 2, '0')}`;
}

function formattedCharacter(value: Value, type: PlainType): string {
  const number = toInteger(value);
  const byte = isUnsigned(type) && natureOf(type) !== 'float' ? BigInt.asUintN(8, number) : BigInt.asIntN(8, number);
  return `${byte} ${characterText(byte, 1, '')}`;
}

function formattedFloat(value: Value, type: PlainType, bits: bigint): string {
  if (natureOf(type) === 'float' || natureOf(type) === 'complex') return scalarText(value);
  const size = type.size;
  if (size !== 4 && size !== 8 && size !== 16) return `${toInteger(value)}`;
  return floatText({ kind: 'base', encoding: ATE.FLOAT, size, name: undefined, qualifiedName: undefined, die: undefined }, bits);
}
