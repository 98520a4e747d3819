/**
 * A look at a call that costs next to nothing: whether a rule about it may be broken. It calculates with doubles, knows only what is at hand, and says yes where it cannot tell: then
 * the rule itself is asked.
 */
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import { compare } from '../../rules/evaluate/goals.js';
import type { CheckedPoint, ComparisonOperator, Condition, Term } from '../../rules/language/core.js';

/** What a call has at hand. */
export interface CallAtHand {
  /** By number; UNKNOWN if a double has no room for it. */
  argument(n: number): number;
  /** Its lower half, as a C int. */
  intArgument(n: number): number;
  /** The block that an address belongs to: NO_VALUE if to none, UNKNOWN if that is not easy to tell. */
  blockBegin(address: number): number;
  blockEnd(address: number): number;
  stringLength(address: number): number;
  /** Whether all of so many bytes have been written. */
  isWritten(address: number, length: number): boolean;
}

/** As in evaluate/terms.ts: what does not exist has no value, and comparisons with it are false. */
export const NO_VALUE = NaN;
export const UNKNOWN = Infinity;

/** Whether it may be broken. */
export type QuickTest = (call: CallAtHand) => boolean;

type QuickTerm = (call: CallAtHand) => number;
/** NO, YES or PERHAPS. */
type QuickCondition = (call: CallAtHand) => number;

const [NO, YES, PERHAPS] = [0, 1, 2] as const;
/** Bytes that are not too many to look whether they are written. */
const MOST_LOOKED_AT = 1 << 20;
const EXACT = Number.MAX_SAFE_INTEGER;
const LARGEST_INT = 0x7fff_ffff;

export function quickTest(rules: readonly CompiledRule[], callee: string): QuickTest {
  const tests = rules.flatMap(({ rule }) => rule.points.filter((point) => point.kind === 'call' && point.callees?.includes(callee) === true).map((point) => conditionOf(rule.condition, point)));
  return (call) => {
    for (const test of tests) if (test(call) !== NO) return true;
    return false;
  };
}

function conditionOf(condition: Condition, point: CheckedPoint): QuickCondition {
  switch (condition.kind) {
    case 'constant':
      return () => (condition.value ? YES : NO);
    case 'and':
      return every(condition.parts.map((part) => conditionOf(part, point)));
    case 'or':
      return negation(every(condition.parts.map((part) => negation(conditionOf(part, point)))));
    case 'not':
      return negation(conditionOf(condition.part, point));
    case 'compare':
      return comparison(condition.operator, termOf(condition.left, point), termOf(condition.right, point));
    case 'test':
      return condition.name === 'Initialized' ? initialized(condition.args.map((arg) => termOf(arg, point))) : () => PERHAPS;
    default:
      return () => PERHAPS;
  }
}

function every(parts: readonly QuickCondition[]): QuickCondition {
  return (call) => {
    let result: number = YES;
    for (const part of parts) {
      const one = part(call);
      if (one === NO) return NO;
      if (one === PERHAPS) result = PERHAPS;
    }
    return result;
  };
}

function negation(part: QuickCondition): QuickCondition {
  return (call) => {
    const result = part(call);
    return result === PERHAPS ? PERHAPS : 1 - result;
  };
}

function comparison(operator: ComparisonOperator, left: QuickTerm, right: QuickTerm): QuickCondition {
  return (call) => {
    const a = left(call);
    const b = right(call);
    if (Number.isNaN(a) || Number.isNaN(b)) return NO;
    // Two numbers that are not exact cannot be told apart.
    if (a === UNKNOWN || b === UNKNOWN || (Math.abs(a) > EXACT && Math.abs(b) > EXACT)) return PERHAPS;
    return compare(operator, a, b) ? YES : NO;
  };
}

function initialized([address = unknown, length = () => 1]: readonly QuickTerm[]): QuickCondition {
  return (call) => {
    const [a, n] = [address(call), length(call)];
    if (Number.isNaN(a) || Number.isNaN(n) || a === UNKNOWN || n > MOST_LOOKED_AT) return PERHAPS;
    return call.isWritten(a, n) ? YES : NO;
  };
}

function termOf(term: Term, point: CheckedPoint): QuickTerm {
  switch (term.kind) {
    case 'number': {
      const value = Number(term.value);
      return () => value;
    }
    case 'slot': {
      const position = point.slots.indexOf(term.slot);
      return position < 0 ? unknown : (call) => call.argument(position);
    }
    case 'unary':
      return term.operator === '-' ? sum('-', () => 0, termOf(term.operand, point)) : unknown;
    case 'binary':
      return term.operator === '&' ? bitwiseAnd(termOf(term.left, point), termOf(term.right, point)) : sum(term.operator, termOf(term.left, point), termOf(term.right, point));
    case 'apply': {
      const [first] = term.args;
      const position = term.name === 'Int' && first?.kind === 'slot' ? point.slots.indexOf(first.slot) : -1;
      if (position >= 0) return (call) => call.intArgument(position);
      return first === undefined ? unknown : application(term.name, termOf(first, point), first.sort === 'block');
    }
    default:
      return unknown;
  }
}

function unknown(): number {
  return UNKNOWN;
}

function sum(operator: string, left: QuickTerm, right: QuickTerm): QuickTerm {
  if (operator !== '+' && operator !== '-') return unknown;
  const sign = operator === '+' ? 1 : -1;
  return (call) => {
    const a = left(call);
    const b = right(call);
    if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
    const result = a + sign * b;
    return Math.abs(result) > EXACT ? UNKNOWN : result;
  };
}

function bitwiseAnd(left: QuickTerm, right: QuickTerm): QuickTerm {
  return (call) => {
    const a = left(call);
    const b = right(call);
    return a >= 0 && a <= LARGEST_INT && b >= 0 && b <= LARGEST_INT ? a & b : UNKNOWN;
  };
}

function application(name: string, argument: QuickTerm, isOfBlock: boolean): QuickTerm {
  const look = isOfBlock ? undefined : { Begin: 'blockBegin', End: 'blockEnd', Length: 'stringLength' }[name];
  if (look === undefined) return unknown;
  return (call) => {
    const value = argument(call);
    return value === UNKNOWN || Number.isNaN(value) ? value : call[look as 'blockBegin'](value);
  };
}
