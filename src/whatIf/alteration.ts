/**
 * What a user wants to be otherwise, as a value: a condition that goes the other way, a statement or a function that is
 * left out; and which of its instances. Nothing here knows a program: a list of alterations can be made, saved and read
 * without one.
 */
import { UserError } from '../base/errors.js';

/** All instances from where the branch begins, the next one, or the n-th of the whole run. */
export type Which = 'all' | 'once' | number;

export interface Alteration {
  readonly what: 'switch' | 'suppress';
  /** `FILE:LINE`, `FILE:LINE.K`, `FUNCTION` or `*ADDRESS`. */
  readonly place: string;
  readonly which: Which;
  /** Of a `switch` statement: the case that it goes to. */
  readonly to?: bigint | 'default';
  /** What a call that is not made gives as its result, as it was written. */
  readonly value?: string;
}

const NUMBER = /^-?(?:0x[0-9a-f]+|\d+)$/i;
const FLOAT = /^-?(?:\d+\.\d*|\.\d+|\d+)(?:e[+-]?\d+)?$/i;
const FORMS = {
  switch: 'FILE:LINE[.K][#N] [all|once|N] [to CASE]',
  suppress: 'FILE:LINE[.K][#N] [all|once|N] [= VALUE], or a FUNCTION',
} as const;

/** As users write it after `switch` or `suppress`. `default`: which instances are meant if none are named. */
export function parseAlteration(what: Alteration['what'], text: string, otherwise: Which = 'all'): Alteration {
  const wrong = (why: string): UserError => new UserError(`${what} ${text.trim()}: ${why}; it is ${what} ${FORMS[what]}`);
  const match = /^\s*([^#=]+?)(?:#(\d+))?(?:\s+(all|once|\d+))?(?:\s+to\s+(\S+))?(?:\s*=\s*(\S+))?\s*$/.exec(text);
  const [, place, instance, which, to, value] = match ?? [];
  if (place === undefined || /\s/.test(place)) throw wrong('cannot be understood');
  if (instance !== undefined && which !== undefined) throw wrong('names its instance twice');
  if (to !== undefined && what === 'suppress') throw wrong('only a switch goes to a case');
  if (value !== undefined && what === 'switch') throw wrong('only what is left out has a result');
  if (value !== undefined && !NUMBER.test(value) && !FLOAT.test(value)) throw wrong(`${value} is no number`);
  return {
    what, place, which: whichOf(instance ?? which, otherwise, wrong),
    ...(to === undefined ? {} : { to: caseOf(to, wrong) }), ...(value === undefined ? {} : { value }),
  };
}

/** As `parseAlteration` reads it. */
export function alterationText({ what, place, which, to, value }: Alteration): string {
  const instance = typeof which === 'number' ? `#${which}` : ` ${which}`;
  return `${what} ${place}${instance}${to === undefined ? '' : ` to ${to}`}${value === undefined ? '' : ` = ${value}`}`;
}

/** The number that a text means, as the bits of a register. */
export function bitsOf(value: string): bigint {
  if (NUMBER.test(value)) return BigInt.asUintN(64, value.startsWith('-') ? -BigInt(value.slice(1)) : BigInt(value));
  return new BigUint64Array(Float64Array.of(Number(value)).buffer)[0] as bigint;
}

function whichOf(text: string | undefined, otherwise: Which, wrong: (why: string) => UserError): Which {
  if (text === undefined) return otherwise;
  if (text === 'all' || text === 'once') return text;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw wrong(`${text} is no instance: they are counted from 1`);
  return number;
}

function caseOf(text: string, wrong: (why: string) => UserError): bigint | 'default' {
  if (text === 'default') return 'default';
  const [, letter] = /^'(.)'$/u.exec(text) ?? [];
  if (letter !== undefined) return BigInt(letter.codePointAt(0) as number);
  if (!NUMBER.test(text)) throw wrong(`${text} is no case`);
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}
