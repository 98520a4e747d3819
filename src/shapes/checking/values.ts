/**
 * Values of terms, and how they are compared. A value may be missing: something was asked of what NULL leads to
 * (`THROUGH_NULL`: the comparison says nothing), of what a pointer leads to where no node is (`BROKEN`: no comparison
 * with it holds), or the rule of an attribute needs another one first (`NEEDS`).
 */
import type { Arithmetic, Comparison } from '../language/ast.js';
import type { FieldValue } from '../model.js';

export const THROUGH_NULL = Symbol('through NULL');
export const BROKEN = Symbol('broken');
export const NEEDS = Symbol('needs');
type Missing = typeof THROUGH_NULL | typeof BROKEN | typeof NEEDS;

export type Value = FieldValue | string | Missing;

/** Conditions have a third answer, and a fourth inside rules of attributes. */
export const FALSE = 0;
export const TRUE = 1;
export const UNKNOWN = 2;
export const NEEDED = 3;
export type Truth = typeof FALSE | typeof TRUE | typeof UNKNOWN | typeof NEEDED;

export function isMissing(value: Value): value is Missing {
  return typeof value === 'symbol';
}

/** The missing one of two values that says most; undefined if both are there. */
function missingOf(left: Value, right: Value): Missing | undefined {
  if (typeof left !== 'symbol' && typeof right !== 'symbol') return undefined;
  for (const missing of [NEEDS, BROKEN, THROUGH_NULL] as const) if (left === missing || right === missing) return missing;
  return undefined;
}

function truthOfMissing(missing: Missing): Truth {
  return missing === NEEDS ? NEEDED : missing === BROKEN ? FALSE : UNKNOWN;
}

export function compare(operator: Comparison, left: Value, right: Value): Truth {
  const missing = missingOf(left, right);
  if (missing !== undefined) return truthOfMissing(missing);
  return holds(operator, left as FieldValue | string, right as FieldValue | string) ? TRUE : FALSE;
}

function holds(operator: Comparison, left: FieldValue | string, right: FieldValue | string): boolean {
  switch (operator) {
    // A BigInt and a number of the same value are equal.
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}

function equal(left: FieldValue | string, right: FieldValue | string): boolean {
  if (typeof left === typeof right) return left === right;
  return !(left < right) && !(left > right);
}

/** As C does it with integers of any size; with floating point numbers as they do it. */
export function calculate(operator: Arithmetic, left: Value, right: Value): Value {
  const missing = missingOf(left, right);
  if (missing !== undefined) return missing;
  if (typeof left === 'string' || typeof right === 'string') return BROKEN;
  if (typeof left === 'number' && typeof right === 'number') {
    const quick = quickly(operator, left, right);
    if (quick !== undefined) return quick;
    if (!Number.isInteger(left) || !Number.isInteger(right)) return withFractions(operator, left, right);
  }
  const [a, b] = [left, right].map((value) => (typeof value === 'number' ? BigInt(Math.trunc(Number.isFinite(value) ? value : 0)) : (value as bigint))) as [bigint, bigint];
  return narrow(exactly(operator, a, b));
}

function quickly(operator: Arithmetic, left: number, right: number): number | undefined {
  const result = operator === '+' ? left + right : operator === '-' ? left - right : operator === '*' ? left * right : Number.NaN;
  return Number.isSafeInteger(result) ? result : undefined;
}

function withFractions(operator: Arithmetic, left: number, right: number): Value {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return BROKEN;
  }
}

function exactly(operator: Arithmetic, left: bigint, right: bigint): bigint | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0n ? undefined : left / right;
    case '%':
      return right === 0n ? undefined : left % right;
    case '&':
      return left & right;
    default:
      // Shifts by what no integer of the program has are nonsense, and could be of any size.
      if (right < 0n || right > 127n) return undefined;
      return operator === '<<' ? left << right : left >> right;
  }
}

/** A division by 0 has no value that anything could be compared with. */
function narrow(value: bigint | undefined): Value {
  if (value === undefined) return BROKEN;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function negative(value: Value): Value {
  return isMissing(value) ? value : typeof value === 'string' ? BROKEN : -value;
}

export function absolute(value: Value): Value {
  return isMissing(value) || typeof value === 'string' ? value : value < 0 ? -value : value;
}
