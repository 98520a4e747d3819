/** gdb's `printf "format", values`: C's conversions with values of the program. */
import { cast } from './casts.js';
import { decayed } from './arithmetic.js';
import * as big from './bigFloat.js';
import { fail } from './expressionError.js';
import type { Expressions } from './expressions.js';
import { DOUBLE_TYPE, LONG_DOUBLE } from './madeTypes.js';
import { fetchString } from './print/stringAt.js';
import { unitsOf } from './print/valuePrinter.js';
import { natureOf, toFloat, toInteger } from './scalars.js';
import { strip } from '../../dwarf/types.js';
import type { Value } from './value.js';

const LONGEST_STRING = 1 << 16;
const CONVERSION = /%([-+ #0]*)(\d+)?(?:\.(\d+))?(hh|h|ll|l|z|j|t|L)?([diouxXcspfFeEgGaA%])/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v', e: '\u001b' };

/** All after `printf`. */
export function printfText(expressions: Expressions, text: string): string {
  const match = /^\s*"((?:[^"\\]|\\.)*)"\s*/.exec(text);
  if (match === null) return fail(text.trim() === '' ? 'Argument required (format-control string and values to print).' : "Bad format string, missing '\"'.");
  const rest = text.slice(match[0].length);
  if (rest !== '' && !rest.startsWith(',')) return fail('Invalid argument syntax');
  const values = rest === '' ? [] : splitAtCommas(rest.slice(1)).map((part) => expressions.evaluate(part));
  return filled(unescaped(match[1] ?? ''), values);
}

function unescaped(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|(.))/g, (_whole, octal?: string, hex?: string, letter = '') => {
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
    return hex === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(parseInt(hex, 16));
  });
}

/** Commas outside of brackets and quotes. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '\\') i++;
    else if (quote !== '') quote = c === quote ? '' : quote;
    else if (c === '"' || c === "'") quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function filled(format: string, values: readonly Value[]): string {
  let used = 0;
  const strange = /%[^\w%]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t|L)?([^diouxXcspfFeEgGaA%])/.exec(format.replace(CONVERSION, ''))?.[1];
  if (strange !== undefined) return fail(`Unrecognized format specifier '${strange}' in printf`);
  const wanted = [...format.matchAll(CONVERSION)].filter(([, , , , , letter]) => letter !== '%').length;
  if (wanted !== values.length) return fail('Wrong number of arguments for specified format-string');
  if (/%/.test(format.replace(CONVERSION, ''))) return fail('Bad format string');
  return format.replace(CONVERSION, (_whole, flags: string, width: string | undefined, precision: string | undefined, _size: string | undefined, letter: string) => {
    if (letter === '%') return '%';
    const text = converted(values[used++] as Value, letter, flags, precision === undefined ? undefined : Number(precision));
    return padded(text, flags, Number(width ?? 0), letter);
  });
}

function converted(value: Value, letter: string, flags: string, precision: number | undefined): string {
  switch (letter) {
    case 's': return stringOf(value).slice(0, precision ?? LONGEST_STRING);
    case 'c': return String.fromCodePoint(Number(BigInt.asUintN(8, toInteger(value))));
    case 'p': return pointerText(toInteger(decayed(value)));
    case 'd': case 'i': return integer(toInteger(decayed(value)), flags, precision);
    case 'o': case 'u': case 'x': case 'X': return unsigned(value, letter, flags, precision);
    default: return floating(value, letter, flags, precision);
  }
}

function pointerText(address: bigint): string {
  return address === 0n ? '(nil)' : `0x${BigInt.asUintN(64, address).toString(16)}`;
}

function integer(number: bigint, flags: string, precision: number | undefined): string {
  const sign = number < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  return `${sign}${(number < 0n ? -number : number).toString().padStart(precision ?? 1, '0')}`;
}

function unsigned(value: Value, letter: string, flags: string, precision: number | undefined): string {
  const plain = decayed(value);
  const bits = BigInt.asUintN(Math.max(4, plain.plain.size) * 8, toInteger(plain));
  const digits = bits.toString(letter === 'o' ? 8 : letter === 'u' ? 10 : 16).padStart(precision ?? 1, '0');
  const prefix = flags.includes('#') && bits !== 0n ? (letter === 'o' ? '0' : letter === 'u' ? '' : '0x') : '';
  return letter === 'X' ? `${prefix}${digits}`.toUpperCase() : `${prefix}${digits}`;
}

function floating(value: Value, letter: string, flags: string, precision: number | undefined): string {
  const target = natureOf(value.plain) === 'float' && value.plain.size > 8 ? LONG_DOUBLE : DOUBLE_TYPE;
  const number = toFloat(cast(target, value));
  const lower = letter.toLowerCase();
  const sign = !number.negative && flags.includes('+') ? '+' : '';
  const digits = precision ?? 6;
  const text = number.kind !== 'finite' ? big.toText(number, 6).replace(/\(.*/, '') : lower === 'g' ? big.toText(number, Math.max(1, digits)) : lower === 'f' ? asNumber(number).toFixed(Math.min(100, digits)) : exponent(asNumber(number), digits);
  return `${sign}${letter === lower ? text : text.toUpperCase()}`;
}

function asNumber(value: big.BigFloat): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, big.toBits(big.DOUBLE, value), true);
  return view.getFloat64(0, true);
}

function exponent(number: number, digits: number): string {
  return number.toExponential(Math.min(100, digits)).replace(/e([+-])(\d)$/, 'e$10$2');
}

function padded(text: string, flags: string, width: number, letter: string): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || 'sc'.includes(letter)) return text.padStart(width);
  const sign = /^[-+ ]?(?:0x)?/i.exec(text)?.[0] ?? '';
  return `${sign}${text.slice(sign.length).padStart(width - sign.length, '0')}`;
}

/** What a pointer points to, or an array has, up to its NUL. */
function stringOf(value: Value): string {
  const { plain } = value;
  if (plain.kind === 'array' && value.address === undefined) {
    const units = unitsOf(value.bytes, Math.max(1, strip(plain.element).size));
    const end = units.indexOf(0);
    return new TextDecoder().decode(Uint8Array.from(end < 0 ? units : units.slice(0, end)));
  }
  const address = BigInt.asUintN(64, toInteger(decayed(value)));
  if (address === 0n) return '(null)';
  const { units, isUnreadable } = fetchString(value.around, address, 1, LONGEST_STRING);
  if (isUnreadable) return fail(`Cannot access memory at address 0x${(address + BigInt(units.length)).toString(16)}`);
  return new TextDecoder().decode(Uint8Array.from(units));
}
