/**
 * Format strings of `printf`, taken apart. All that gdb accepts means the same, and what it refuses is refused with its
 * words; `%a`, `%A`, `%F`, the sizes `hh`, `j` and `t`, and octal and hexadecimal escapes are C's.
 */
import { fail } from '../expressionError.js';

export interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  /** `h`, `hh`, `l`, `ll`, `z`, `j`, `t`, `L`; `H`, `D` and `DD` for decimal floating point. */
  readonly size: string;
  readonly letter: string;
}

/** Text as it is, one character a byte; or a value. */
type Piece = string | Conversion;

/** More than this is a mistake. */
const WIDEST = 1 << 16;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v', e: '\u001b', '\\': '\\', '"': '"' };
const CONVERSION = /^([-+ #0]*)(\d*)(?:(\.)(\d*))?(hh|h|ll|l|z|j|t|L|H|DD|D)?/;

interface ParsedFormat {
  readonly pieces: readonly Piece[];
  /** What stands behind the closing quote. */
  readonly rest: string;
}

/** `text` begins with the opening quote. */
export function parseFormat(text: string): ParsedFormat {
  const { format, end } = quoted(text);
  const pieces = piecesOf(format);
  if (end === undefined) return fail('Bad format string, non-terminated \'"\'.');
  return { pieces, rest: text.slice(end) };
}

/** The string without its quotes and escapes, as bytes, and where it ends. */
function quoted(text: string): { readonly format: string; readonly end: number | undefined } {
  let format = '';
  for (let i = 1; i < text.length;) {
    const c = text[i] as string;
    if (c === '"') return { format, end: i + 1 };
    if (c !== '\\') {
      const character = String.fromCodePoint(text.codePointAt(i) as number);
      format += byteText(character);
      i += character.length;
      continue;
    }
    const [escape, digits, hex] = /^\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|[^])?/.exec(text.slice(i)) ?? [''];
    const meant = digits !== undefined ? String.fromCharCode(parseInt(digits, 8) & 0xff) : hex !== undefined ? String.fromCharCode(parseInt(hex, 16)) : ESCAPES[escape.slice(1)];
    if (meant === undefined) return fail(escape === '\\' ? 'Bad format string, non-terminated \'"\'.' : `Unrecognized escape character ${escape} in format string.`);
    format += meant;
    i += escape.length;
  }
  return { format, end: undefined };
}

function piecesOf(format: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < format.length;) {
    const next = format.indexOf('%', at);
    const text = format.slice(at, next < 0 ? undefined : next);
    if (text !== '') pieces.push(text);
    if (next < 0) break;
    if (format[next + 1] === '%') {
      pieces.push('%');
      at = next + 2;
      continue;
    }
    const { conversion, length } = conversionIn(format.slice(next + 1));
    pieces.push(conversion);
    at = next + 1 + length;
  }
  return pieces;
}

function conversionIn(text: string): { readonly conversion: Conversion; readonly length: number } {
  const [whole, flags = '', width = '', point, precision = '', size = ''] = CONVERSION.exec(text) as RegExpExecArray;
  const letter = text[whole.length];
  if (letter === undefined) return fail('Incomplete format specifier at end of format string');
  if (letter === '*') return fail("`*' not supported for precision or width in printf");
  if (letter === 'n') return fail("Format specifier `n' not supported in printf");
  const conversion: Conversion = { flags, width: Number(width), precision: point === undefined ? undefined : Number(precision), size, letter };
  if (!'diouxXcspfFeEgGaA'.includes(letter)) return fail(`Unrecognized format specifier '${letter}' in printf`);
  if (!isSensible(conversion)) return fail(`Inappropriate modifiers to format specifier '${letter}' in printf`);
  if (conversion.width > WIDEST || (conversion.precision ?? 0) > WIDEST) return fail(`A width or precision of more than ${WIDEST} in printf`);
  return { conversion, length: whole.length + 1 };
}

/** By gdb's table. */
function isSensible({ flags, precision, size, letter }: Conversion): boolean {
  const hasAny = (some: string): boolean => [...some].some((flag) => flags.includes(flag));
  switch (letter) {
    case 'd': case 'i': return !'LHDD'.includes(size) || size === '';
    case 'u': return !hasAny('#+ ') && (size === '' || !'LHDD'.includes(size));
    case 'o': case 'x': case 'X': return !hasAny('+ ') && (size === '' || !'LHDD'.includes(size));
    case 'c': return !hasAny('0+ ') && precision === undefined && (size === '' || size === 'l');
    case 's': return !hasAny('0+ ') && (size === '' || size === 'l');
    case 'p': return !hasAny('#0+ ') && precision === undefined && size === '';
    default: return ['', 'L', 'H', 'D', 'DD'].includes(size);
  }
}

/** One character for each byte of a text in UTF-8. */
export function byteText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
