/** What literals mean: their types and values, as gdb reads them. */
import type { Type } from '../../../dwarf/types.js';
import * as big from '../bigFloat.js';
import { fail } from '../expressionError.js';
import { BOOL, CHAR, DOUBLE_TYPE, FLOAT, INT, LONG, LONG_DOUBLE, LONG_LONG, UNSIGNED_INT, UNSIGNED_LONG, UNSIGNED_LONG_LONG } from '../madeTypes.js';
import type { StringPrefix } from './lexer.js';
import type { Expression } from './tree.js';
import type { TypeNames } from './typeParser.js';

export function booleanLiteral(value: boolean): Expression {
  return { kind: 'integer', value: BigInt(value), type: BOOL };
}

export function parseNumber(text: string): Expression {
  const isHex = /^0x/i.test(text);
  if (isHex ? /[p.]/i.test(text) : /[.]|^\d+e/i.test(text)) return parseFloating(text, isHex);
  return parseInteger(text);
}

function parseFloating(text: string, isHex: boolean): Expression {
  const suffix = /(?:[lL]|(?:f|F))$/.exec(isHex ? text.replace(/^.*p/i, 'p') : text)?.[0]?.toLowerCase() ?? '';
  const digits = suffix === '' ? text : text.slice(0, -1);
  const value = isHex ? big.parseHexadecimal(digits) : big.parseDecimal(digits);
  if (value === undefined) return fail(`Invalid number "${text}".`);
  return { kind: 'float', value, type: suffix === 'f' ? FLOAT : suffix === 'l' ? LONG_DOUBLE : DOUBLE_TYPE };
}

function parseInteger(text: string): Expression {
  const match = /^(?:0[xX]([\da-fA-F]+)|0[tTdD](\d+)|0[bB]([01]+)|(0[0-7]*)|([1-9]\d*))([uUlLzZ]*)$/.exec(text);
  const suffix = (match?.[6] ?? '').toLowerCase();
  if (match === null || !/^(u?l{0,2}|l{0,2}u?|u?z|zu)$/.test(suffix)) return fail(`Invalid number "${text}".`);
  const [, hex, decimal, binary, octal, plain] = match;
  const value = hex !== undefined ? BigInt(`0x${hex}`) : binary !== undefined ? BigInt(`0b${binary}`) : octal !== undefined ? BigInt(octal === '0' ? '0' : `0o${octal.slice(1)}`) : BigInt(decimal ?? plain ?? '0');
  if (value >= 1n << 64n) fail('Numeric constant too large.');
  const isDecimal = plain !== undefined || decimal !== undefined;
  return { kind: 'integer', value, type: integerType(value, suffix, isDecimal) };
}

/** The first type that can hold it. */
function integerType(value: bigint, suffix: string, isDecimal: boolean): Type {
  const isUnsigned = suffix.includes('u');
  const longs = suffix.replace(/[^l]/g, '').length + (suffix.includes('z') ? 1 : 0);
  if (longs === 0) {
    if (!isUnsigned && value < 1n << 31n) return INT;
    if ((isUnsigned || !isDecimal) && value < 1n << 32n) return UNSIGNED_INT;
  }
  if (longs <= 1) return !isUnsigned && value < 1n << 63n ? LONG : UNSIGNED_LONG;
  return !isUnsigned && value < 1n << 63n ? LONG_LONG : UNSIGNED_LONG_LONG;
}

const WIDE: Readonly<Record<string, string>> = { L: 'wchar_t', u: 'char16_t', U: 'char32_t' };

/** Wide characters are of types that the program must have. */
function characterType(prefix: StringPrefix, names: TypeNames): Type {
  const name = WIDE[prefix];
  return name === undefined ? CHAR : (names.typeNamed(name) ?? fail(`No type named ${name}.`));
}

export function parseCharacter(text: string, prefix: StringPrefix, names: TypeNames): Expression {
  const units = stringUnits(text, prefix);
  if (units.length === 0) fail('Empty character constant.');
  if (units.length > 1) fail('Invalid character constant.');
  return { kind: 'integer', value: BigInt(units[0] as number), type: characterType(prefix, names) };
}

export function parseStrings(parts: readonly { readonly text: string; readonly prefix: StringPrefix }[], names: TypeNames): Expression {
  const prefix = parts.map((part) => part.prefix).find((p) => p !== '' && p !== 'u8') ?? '';
  return { kind: 'string', units: parts.flatMap((part) => stringUnits(part.text, prefix)), type: characterType(prefix, names) };
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, e: 27, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Code units of the text between quotes: bytes of UTF-8, or numbers of wide characters. */
function stringUnits(text: string, prefix: StringPrefix): number[] {
  const units: number[] = [];
  for (let i = 0; i < text.length;) {
    const escape = /^\\(?:x([\da-fA-F]+)|([0-7]{1,3})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/.exec(text.slice(i, i + 16));
    const point = text.codePointAt(i) as number;
    if (escape === null) {
      if (point === 0x5c) fail('\\ without a following character.');
      units.push(...encoded(point, prefix));
      i += point > 0xffff ? 2 : 1;
      continue;
    }
    i += escape[0].length;
    const [, hex, octal, short, long, letter] = escape;
    if (hex !== undefined || octal !== undefined) units.push(hex === undefined ? parseInt(octal as string, 8) : parseInt(hex, 16));
    else if (short !== undefined || long !== undefined) units.push(...encoded(parseInt(short ?? long ?? '0', 16), prefix));
    else units.push(...encoded(ESCAPES[letter as string] ?? (letter as string).codePointAt(0) ?? 0, prefix));
  }
  return units;
}

function encoded(point: number, prefix: StringPrefix): number[] {
  if (prefix === '' || prefix === 'u8') return [...new TextEncoder().encode(String.fromCodePoint(Math.min(point, 0x10ffff)))];
  if (prefix === 'u' && point > 0xffff) return [0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff)];
  return [point];
}
