/**
 * Characters and strings as gdb writes them: UTF-8 where it is valid, escapes where it is not, and runs of equal
 * characters counted (`"ab", 'x' <repeats 20 times>, "c"`).
 */
import { strip, type Type } from '../../../dwarf/types.js';
import { ATE } from '../../../dwarf/dwarfConstants.js';

/** `L` and so on before the quote. */
export type CharacterPrefix = '' | 'L' | 'u' | 'U';

const LONGEST_CHAIN = 64;

/**
 * How characters of a type are written; undefined if it is none. `asText`: bytes are characters, whatever they are
 * called.
 */
export function characterPrefix(type: Type, asText = false): CharacterPrefix | undefined {
  let named: Type = type;
  for (let i = 0; i < LONGEST_CHAIN; i++) {
    if (named.name === 'wchar_t') return 'L';
    if (named.name === 'char16_t') return 'u';
    if (named.name === 'char32_t') return 'U';
    if (named.kind !== 'typedef' && named.kind !== 'qualified') break;
    named = named.of;
  }
  const plain = strip(type);
  if (plain.kind !== 'base') return undefined;
  if (plain.encoding === ATE.UTF) return plain.size === 2 ? 'u' : plain.size === 4 ? 'U' : '';
  if (plain.size !== 1 || plain.encoding === ATE.BOOLEAN) return undefined;
  // Parts of vector registers are numbers.
  return plain.die === undefined && plain.name === 'int8_t' && !asText ? undefined : '';
}

/** One character or byte of a string, and how often it stands there in a row. */
interface Run {
  /** The beginning of a character whose end is missing. */
  readonly isIncomplete?: boolean;
  /** Undefined for units that are no character. */
  readonly point: number | undefined;
  readonly units: readonly number[];
  readonly count: number;
}

const LETTERS: ReadonlyMap<number, string> = new Map([[7, '\\a'], [8, '\\b'], [12, '\\f'], [10, '\\n'], [13, '\\r'], [9, '\\t'], [11, '\\v'], [27, '\\033']]);
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]$/u;

/** `'a'`. */
export function characterText(unit: bigint, size: number, prefix: CharacterPrefix): string {
  const number = Number(BigInt.asUintN(size * 8, unit));
  const point = size === 1 && number >= 0x80 ? undefined : number;
  return `${prefix}'${new Escaper("'", size).one({ point: validPoint(point), units: [number], count: 1 })}'`;
}

/** The whole string with quotes; `isCut` adds dots. */
export function stringText(units: readonly number[], size: number, prefix: CharacterPrefix, limits: { readonly elements: number; readonly repeats: number }, isCut: boolean): string {
  if (units.length === 0) return `${prefix}""${isCut ? '...' : ''}`;
  const { runs, isWhole } = runsOf(units, size, limits.elements);
  return `${joined(runs, size, prefix, limits.repeats)}${isCut || !isWhole ? '...' : ''}`;
}

/** Runs of equal characters until enough have been seen. */
function runsOf(units: readonly number[], size: number, most: number): { runs: Run[]; isWhole: boolean } {
  const runs: Run[] = [];
  let seen = 0;
  let at = 0;
  while (at < units.length && seen < most) {
    const first = decode(units, at, size);
    let count = 1;
    let next = at + first.units.length;
    while (next < units.length && sameUnits(units, at, next, first.units.length) && decode(units, next, size).units.length === first.units.length) {
      count++;
      next += first.units.length;
    }
    runs.push({ ...first, count });
    seen += count;
    at = next;
  }
  return { runs, isWhole: at >= units.length };
}

function sameUnits(units: readonly number[], a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (units[a + i] !== units[b + i]) return false;
  return true;
}

function joined(runs: readonly Run[], size: number, prefix: CharacterPrefix, repeats: number): string {
  const parts: string[] = [];
  let quoted: Escaper | undefined;
  let text = '';
  const close = (): void => {
    if (quoted !== undefined) parts.push(`${prefix}"${text}"`);
    quoted = undefined;
    text = '';
  };
  for (const run of runs) {
    if (run.isIncomplete === true) {
      close();
      parts.push(`<incomplete sequence ${new Escaper('"', size).one(run)}>`);
      continue;
    }
    if (run.count > repeats) {
      close();
      parts.push(`${prefix}'${new Escaper("'", size).one(run)}' <repeats ${run.count} times>`);
      continue;
    }
    quoted ??= new Escaper('"', size);
    for (let i = 0; i < run.count; i++) text += quoted.one(run);
  }
  close();
  return parts.join(', ');
}

/** After an escape by a hexadecimal number, digits must not follow as they are. */
class Escaper {
  private afterNumber = false;

  constructor(
    private readonly quote: string,
    private readonly size: number,
  ) {}

  one({ point, units }: Run): string {
    const text = point === undefined ? undefined : this.printable(point);
    if (text !== undefined) {
      this.afterNumber = false;
      return text;
    }
    this.afterNumber = units.some((unit) => unit > 0o777);
    return units.map((unit) => (unit <= 0o777 || this.size === 1 ? `\\${unit.toString(8).padStart(3, '0')}` : `\\x${unit.toString(16)}`)).join('');
  }

  private printable(point: number): string | undefined {
    const letter = LETTERS.get(point);
    if (letter !== undefined) return letter;
    const text = String.fromCodePoint(point);
    if (!PRINTABLE.test(text) || (this.afterNumber && /[\da-fA-F]/.test(text))) return undefined;
    return text === this.quote || text === '\\' ? `\\${text}` : text;
  }
}

function validPoint(point: number | undefined): number | undefined {
  return point === undefined || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? undefined : point;
}

/** The character at a place: UTF-8, UTF-16 or UTF-32 by the size of units. */
function decode(units: readonly number[], at: number, size: number): Run {
  const first = units[at] as number;
  if (size === 1) return decodeUtf8(units, at, first);
  const second = units[at + 1] ?? 0;
  if (size === 2 && first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000) {
    return { point: 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), units: [first, second], count: 1 };
  }
  return { point: validPoint(first), units: [first], count: 1 };
}

function decodeUtf8(units: readonly number[], at: number, first: number): Run {
  if (first < 0x80) return { point: first, units: [first], count: 1 };
  const length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xf8 && first < 0xfc ? 5 : first >= 0xfc && first < 0xfe ? 6 : 0;
  const part = units.slice(at, at + length);
  if (part.length < length && part.slice(1).every((unit) => (unit & 0xc0) === 0x80)) return { point: undefined, units: part, count: 1, isIncomplete: true };
  if (length > 0 && length < 5 && part.length === length && part.slice(1).every((unit) => (unit & 0xc0) === 0x80)) {
    const point = part.slice(1).reduce((sum, unit) => (sum << 6) | (unit & 0x3f), first & (0xff >> (length + 1)));
    const smallest = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
    if (point >= smallest && validPoint(point) !== undefined) return { point, units: part, count: 1 };
  }
  return { point: undefined, units: [first], count: 1 };
}
