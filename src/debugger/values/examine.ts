/**
 * `x/NFU ADDRESS`: memory in units of some size and format. What is left out is as it was last time, and without an
 * address it goes on where it stopped, so an Examiner lives as long as a session.
 */
import { decayed } from './arithmetic.js';
import { ExpressionError, fail } from './expressionError.js';
import type { Expressions } from './expressions.js';
import { instructionText, type Flavor } from './instructionText.js';
import { CHAR, CHAR16, CHAR32, VOID, baseType, pointerTo } from './madeTypes.js';
import { addressText } from './print/addresses.js';
import { formattedText } from './print/scalars.js';
import type { Format, PrintSettings } from './print/settings.js';
import { fetchString, stringAt } from './print/stringAt.js';
import { referred } from './references.js';
import { integerValue, toInteger, voidValue } from './scalars.js';
import { ATE } from '../../dwarf/dwarfConstants.js';
import { strip, type Type } from '../../dwarf/types.js';
import { Value } from './value.js';

type Size = 'b' | 'h' | 'w' | 'g';

interface Examined {
  /** Lines, each with its end; of the last one only the beginning if something could not be read. */
  readonly text: string;
  readonly error: ExpressionError | undefined;
}

interface Request {
  readonly count: number;
  readonly format: Format;
  readonly size: Size | undefined;
}

const BYTES: Readonly<Record<Size, number>> = { b: 1, h: 2, w: 4, g: 8 };
const PER_LINE: Readonly<Record<Size, number>> = { b: 8, h: 8, w: 4, g: 2 };
const MOST = 1_000_000;
const UNITS: Readonly<Record<Size, Type>> = {
  b: baseType('int8_t', 1, ATE.SIGNED_CHAR), h: baseType('int16_t', 2, ATE.SIGNED), w: baseType('int32_t', 4, ATE.SIGNED), g: baseType('int64_t', 8, ATE.SIGNED),
};

export class Examiner {
  private format: Format = 'x';
  private size: Size = 'w';
  private next = 0n;
  private count = 1;
  flavor: Flavor = 'att';

  /** All after `x`: `/4xw &array`. Throws an ExpressionError if that makes no sense. */
  examine(expressions: Expressions, text: string): Examined {
    const match = /^\s*\/(\S*)/.exec(text);
    const expression = text.slice(match?.[0].length ?? 0).trim();
    // Without anything it shows as many as last time.
    if (expression !== '') this.count = 1;
    const request = this.request(match?.[1] ?? '');
    this.count = Math.max(1, request.count);
    if (expression !== '') this.next = addressOf(expressions.evaluate(expression));
    this.format = request.format;
    this.size = request.format === 's' ? 'b' : (request.size ?? this.size);
    return this.run(expressions, request);
  }

  /** One that goes on from the same place. */
  copy(): Examiner {
    return Object.assign(new Examiner(), this);
  }

  /** Where an `x` without an address begins. */
  goTo(address: bigint): void {
    this.next = address;
  }

  private request(letters: string): Request {
    const match = /^(-?\d*)([a-z]*)$/.exec(letters);
    if (match === null) return fail(`Undefined output format "${letters}".`);
    let format: Format | undefined;
    let size: Size | undefined;
    for (const letter of match[2] ?? '') {
      if ('bhwg'.includes(letter)) size = letter as Size;
      else if ('xduotacfszi'.includes(letter)) format = letter as Format;
      else if (letter !== 'r') fail(`Undefined output format "${letter}".`);
    }
    const count = letters === '' ? this.count : match[1] === '' || match[1] === '-' ? 1 : Number(match[1]);
    const chosen = format ?? this.format;
    return { count, format: chosen, size: size ?? this.defaultSize(chosen) };
  }

  private defaultSize(format: Format): Size | undefined {
    switch (format) {
      case 'a': return 'g';
      case 'f': return this.size === 'w' || this.size === 'g' ? this.size : 'g';
      case 'c': return 'b';
      case 's': case 'i': return undefined;
      default: return this.size;
    }
  }

  private run(expressions: Expressions, request: Request): Examined {
    const count = Math.min(Math.abs(request.count), MOST);
    const isBackward = request.count < 0;
    if (isBackward && (request.format === 's' || request.format === 'i')) return fail('Strings and instructions cannot be examined backward.');
    if (isBackward) this.next -= BigInt(count * BYTES[request.size ?? 'w']);
    const start = this.next;
    const lines = new Lines(expressions, this.flavor);
    const text = lines.write(start, count, request);
    // Backward goes on backward: from where this began.
    this.next = isBackward ? start : lines.next;
    if (lines.lastValue !== undefined) remember(expressions, lines.lastValue, lines.isCode);
    return { text, error: lines.error };
  }
}

/** `$_` is the last address, `$__` what is there; of code that is nothing. */
function remember({ history, around }: Expressions, last: Value, isCode: boolean): void {
  history.set('_', integerValue(around, pointerTo(last.type), last.address ?? 0n));
  try {
    history.set('__', isCode ? voidValue(around, VOID) : last);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
  }
}

class Lines {
  next = 0n;
  error: ExpressionError | undefined;
  lastValue: Value | undefined;
  isCode = false;
  private readonly settings: PrintSettings;

  constructor(
    private readonly expressions: Expressions,
    private readonly flavor: Flavor,
  ) {
    this.settings = { ...expressions.settings, address: true, symbol: true };
  }

  write(start: bigint, count: number, request: Request): string {
    const perLine = request.format === 's' || request.format === 'i' ? 1 : PER_LINE[request.size ?? 'w'];
    let text = '';
    this.next = start;
    try {
      for (let left = count; left > 0;) {
        text += `${this.mark(request)}${addressText(this.expressions.around, this.next, this.settings, true)}:`;
        for (let i = 0; i < perLine && left > 0; i++, left--) {
          text += '\t';
          text += this.unit(request);
        }
        text += '\n';
      }
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.error = error;
    }
    return text;
  }

  /** Where the program stands is shown among instructions. */
  private mark({ format }: Request): string {
    if (format !== 'i') return '';
    return this.expressions.around.frame?.stack.pc === this.next ? '=> ' : '   ';
  }

  private unit({ format, size }: Request): string {
    if (format === 'i') return this.instruction();
    if (format === 's') return this.string(size);
    const type = UNITS[size ?? 'w'];
    const value = this.at(type);
    const text = formattedText(value, format, this.settings, true);
    this.next += BigInt(strip(type).size);
    return text;
  }

  private at(type: Type): Value {
    this.lastValue = new Value(this.expressions.around, type, { kind: 'memory', address: BigInt.asUintN(64, this.next) });
    return this.lastValue;
  }

  private instruction(): string {
    const { text, length } = instructionText(this.expressions.around, this.next, this.flavor);
    this.at(UNITS.b);
    this.isCode = true;
    this.next += BigInt(length);
    return text;
  }

  private string(size: Size | undefined): string {
    const type = size === 'h' ? CHAR16 : size === 'w' ? CHAR32 : CHAR;
    const { around } = this.expressions;
    this.at(type);
    const { units, isTerminated } = fetchString(around, this.next, type.size, this.settings.elements);
    const text = stringAt(around, this.next, type.size, type === CHAR16 ? 'u' : type === CHAR32 ? 'U' : '', this.settings);
    this.next += BigInt((units.length + (isTerminated ? 1 : 0)) * type.size);
    return text;
  }
}

function addressOf(value: Value): bigint {
  return BigInt.asUintN(64, toInteger(decayed(referred(value))));
}
