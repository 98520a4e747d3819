/**
 * A value of the program at some time: a variable, what a pointer points to, a member. It knows how it is found, not
 * what it is: a script that looks at it makes the execution go there, once.
 */
import { toNumber } from '../../debugger/values/bigFloat.js';
import { fail, unlessFailed } from '../../debugger/values/expressionError.js';
import type { Expressions } from '../../debugger/values/expressions.js';
import { findMember } from '../../debugger/values/members.js';
import { contentsOf, referred, valueAt } from '../../debugger/values/references.js';
import { natureOf, toFloat, toInteger } from '../../debugger/values/scalars.js';
import type { Value as ProgramValue } from '../../debugger/values/value.js';
import { ATE } from '../../dwarf/dwarfConstants.js';
import { type PlainType, strip } from '../../dwarf/types.js';
import type { Moment } from './scene.js';

/** Where expressions are evaluated. */
interface Where {
  readonly moment: Moment;
  /** The level of the frame. */
  readonly frame: number;
  expressions(): Expressions;
}

export type Recipe = (expressions: Expressions) => ProgramValue;

/** What a value is, once it has been looked at. */
interface Facts {
  readonly text: string;
  readonly type: string;
  readonly number: number | bigint | undefined;
  readonly address: number | undefined;
  readonly size: number;
}

const LARGEST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export class Value {
  private known: Facts | undefined;

  constructor(
    private readonly where: Where,
    private readonly recipe: Recipe,
    /** How it is written in C. */
    readonly expression: string,
  ) {}

  /** A member of a structure, or of what a pointer points to. */
  field(name: string): Value {
    return this.part(`${this.expression}.${name}`, (value, { names }) => {
      const object = value.plain.kind === 'pointer' ? contentsOf(value) : referred(value);
      return findMember(names, object, name) ?? fail(`There is no member named ${name}.`);
    });
  }

  /** An element of an array, or of what a pointer points to. */
  index(index: number): Value {
    return this.part(`${this.expression}[${index}]`, (whole) => {
      const value = referred(whole);
      const { plain } = value;
      if (plain.kind === 'array') return value.component(plain.element, (index - plain.dimension.lower) * strip(plain.element).size);
      if (plain.kind !== 'pointer') return fail(`cannot subscript ${this.expression}, which is no array or pointer`);
      return valueAt(value, plain.to, toInteger(value) + BigInt(index * strip(plain.to).size));
    });
  }

  /** What a pointer points to. */
  deref(): Value {
    return this.part(`*${this.expression}`, (value) => contentsOf(value));
  }

  /** Where it is in memory. Throws if it is in a register, or computed. */
  addressOf(): number {
    return this.facts.address ?? fail(`Attempt to take address of value not located in memory: ${this.expression}`);
  }

  /** Its bytes in memory, to be watched. */
  get range(): { readonly address: number; readonly length: number } {
    return { address: this.addressOf(), length: this.facts.size };
  }

  /** The time at which it has this value. */
  get time(): number {
    return this.where.moment.position.time;
  }

  /** Its type as gdb writes it. */
  get type(): string {
    return this.facts.type;
  }

  /** Names of members; indexes of an array. */
  get keys(): readonly string[] {
    const { plain } = referred(this.recipe(this.where.expressions()));
    const struct = plain.kind === 'pointer' ? strip(plain.to) : plain;
    if (struct.kind === 'struct') return struct.members.flatMap(({ name }) => name ?? []);
    return struct.kind === 'array' ? Array.from({ length: struct.count ?? 0 }, (_, i) => String(i)) : [];
  }

  /** As a number. Throws for structures, and for what is too large: see `bigint`. */
  get number(): number {
    const { number, type } = this.facts;
    if (typeof number === 'number') return number;
    return number === undefined ? fail(`${this.expression} is no number: it is ${type}`) : fail(`${this.expression} is too large for a number: use .bigint`);
  }

  get bigint(): bigint {
    const { number, type } = this.facts;
    return number === undefined ? fail(`${this.expression} is no number: it is ${type}`) : BigInt(typeof number === 'number' ? Math.trunc(number) : number);
  }

  /** The text that a `char` array or pointer has up to its first zero. */
  get string(): string {
    const value = referred(this.recipe(this.where.expressions()));
    const start = value.plain.kind === 'pointer' ? toInteger(value) : (value.address ?? fail(`${this.expression} is not in memory`));
    const most = value.plain.kind === 'array' ? value.size : Infinity;
    const bytes: number[] = [];
    for (let at = start; bytes.length < most; at++) {
      const byte = value.around.memory(at, 1)?.[0] ?? fail(`Cannot access memory at address 0x${at.toString(16)}`);
      if (byte === 0) break;
      bytes.push(byte);
    }
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }

  /** How and where it is found, for those who look at another replay of the execution. */
  get way(): { readonly where: Where; readonly recipe: Recipe } {
    return { where: this.where, recipe: this.recipe };
  }

  /** For `+value`, `value > 3`, `value == 3`. */
  valueOf(): number | bigint | string {
    return this.facts.number ?? this.facts.text;
  }

  [Symbol.toPrimitive](hint: 'number' | 'string' | 'default'): number | bigint | string {
    return hint === 'string' ? this.toString() : this.valueOf();
  }

  /** As gdb prints it. */
  toString(): string {
    return this.facts.text;
  }

  toJSON(): unknown {
    const { number, text } = this.facts;
    return typeof number === 'number' ? number : text;
  }

  private part(expression: string, make: (value: ProgramValue, expressions: Expressions) => ProgramValue): Value {
    return new Value(this.where, (expressions) => make(this.recipe(expressions), expressions), expression);
  }

  private get facts(): Facts {
    this.known ??= this.look();
    return this.known;
  }

  private look(): Facts {
    const expressions = this.where.expressions();
    const value = this.recipe(expressions);
    const { address } = value;
    const number = unlessFailed(() => numberOf(value), () => undefined);
    // Most values are looked at for their numbers, and finding the text of a value takes as long as all the rest.
    const text = number !== undefined && isPlainInteger(value.plain) ? String(number) : expressions.text(value);
    return { text, type: expressions.typeName(value.type), number, address: address === undefined ? undefined : Number(address), size: value.size };
  }
}

/** What is written as its number and nothing else: not a character, an enumerator or an address. */
function isPlainInteger(type: PlainType): boolean {
  return type.kind === 'base' && type.size > 1 && (type.encoding === ATE.SIGNED || type.encoding === ATE.UNSIGNED);
}

function numberOf(whole: ProgramValue): number | bigint | undefined {
  const value = referred(whole);
  switch (natureOf(value.plain)) {
    case 'float': return toNumber(toFloat(value));
    case 'integer': case 'boolean': case 'character': case 'enum': case 'pointer': {
      const number = toInteger(value);
      return number <= LARGEST_SAFE && number >= -LARGEST_SAFE ? Number(number) : number;
    }
    default: return undefined;
  }
}
