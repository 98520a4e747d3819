/** `printf "FORMAT", VALUE, …`: as in C, with strings read from the program. */
import { UserError } from '../base/errors.js';
import { decayed } from '../debugger/values/arithmetic.js';
import type { Expressions } from '../debugger/values/expressions.js';
import { natureOf, toInteger } from '../debugger/values/scalars.js';
import type { Value } from '../debugger/values/value.js';
import { unescaped } from './escapes.js';

const DIRECTIVE = /%(?:%|([-+ #0]*)(\d*)(?:\.(\d+))?(?:hh|h|ll|l|z|j|t|L)?([diouxXcspfgeEG]))/g;
const LONGEST_STRING = 65536;

export function formatted(args: string, expressions: Expressions): string {
  const match = /^\s*"((?:[^"\\]|\\.)*)"\s*(.*)$/s.exec(args);
  if (match === null) throw new UserError(args.trim() === '' ? 'Argument required (format-control string and values to print).' : 'Bad format string');
  const values = splitArguments((match[2] as string).replace(/^,/, ''));
  const format = unescaped(match[1] as string);
  const wanted = [...format.matchAll(DIRECTIVE)].filter(([whole]) => whole !== '%%').length;
  if (wanted !== values.length) throw new UserError('Wrong number of arguments for specified format-string');
  let next = 0;
  return format.replace(DIRECTIVE, (whole, flags: string | undefined, width: string | undefined, precision: string | undefined, letter: string | undefined) => {
    if (whole === '%%' || letter === undefined) return '%';
    const text = converted(expressions.evaluate(values[next++] as string), letter, flags ?? '', precision === undefined ? undefined : Number(precision), expressions);
    return padded(text, flags ?? '', Number(width ?? 0), letter);
  });
}

function padded(text: string, flags: string, width: number, letter: string): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || letter === 's' || letter === 'c') return text.padStart(width);
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function converted(value: Value, letter: string, flags: string, precision: number | undefined, expressions: Expressions): string {
  switch (letter) {
    case 's': return stringOf(value, expressions).slice(0, precision);
    case 'c': return String.fromCharCode(Number(toInteger(decayed(value)) & 0xffn));
    case 'p': return `0x${BigInt.asUintN(64, toInteger(decayed(value))).toString(16)}`;
    case 'f': case 'g': case 'e': case 'E': case 'G': return floating(numberOf(value, expressions), letter, precision ?? 6);
    default: return integer(toInteger(decayed(value)), letter, flags, decayed(value).size);
  }
}

function numberOf(value: Value, expressions: Expressions): number {
  const plain = decayed(value);
  return natureOf(plain.plain) === 'float' ? Number(expressions.text(plain, { format: undefined })) : Number(toInteger(plain));
}

function floating(value: number, letter: string, precision: number): string {
  if (letter === 'f') return value.toFixed(precision);
  const exponent = value.toExponential(letter === 'e' || letter === 'E' ? precision : Math.max(0, precision - 1)).replace(/e([+-])(\d)$/, 'e$10$2');
  if (letter === 'e') return exponent;
  if (letter === 'E') return exponent.toUpperCase();
  const short = Number(value.toPrecision(Math.max(1, precision)));
  return Math.abs(short) >= 1e-4 && Math.abs(short) < 10 ** precision ? String(short) : exponent.replace(/\.?0+e/, 'e');
}

function integer(value: bigint, letter: string, flags: string, size: number): string {
  const bits = Math.max(32, size * 8);
  const unsigned = BigInt.asUintN(bits, value);
  switch (letter) {
    case 'x': return `${flags.includes('#') ? '0x' : ''}${unsigned.toString(16)}`;
    case 'X': return unsigned.toString(16).toUpperCase();
    case 'o': return unsigned.toString(8);
    case 'u': return unsigned.toString();
    default: return value >= 0n && flags.includes('+') ? `+${value}` : String(value);
  }
}

function stringOf(value: Value, { around }: Expressions): string {
  const { plain } = value;
  if (plain.kind === 'array') return text(value.bytes);
  const address = toInteger(decayed(value));
  const bytes: number[] = [];
  for (let at = address; bytes.length < LONGEST_STRING; at++) {
    const byte = around.memory(at, 1)?.[0];
    if (byte === undefined) throw new UserError(`Cannot access memory at address 0x${at.toString(16)}`);
    if (byte === 0) break;
    bytes.push(byte);
  }
  return text(Uint8Array.from(bytes));
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** At commas that are not within parentheses, brackets or quotes. */
function splitArguments(list: string): string[] {
  const parts: string[] = [];
  let [depth, start, quote] = [0, 0, ''];
  for (let i = 0; i < list.length; i++) {
    const c = list[i] as string;
    if (quote !== '') {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) {
      parts.push(list.slice(start, i));
      start = i + 1;
    }
  }
  const last = list.slice(start);
  return last.trim() === '' && parts.length === 0 ? [] : [...parts, last];
}
