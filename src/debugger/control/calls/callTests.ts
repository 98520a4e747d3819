/**
 * What registers tell of a call where the function begins, and where it returns, as a test that generated code does:
 * calls that cannot be meant cost no stop. A test holds for every call that may be meant, and perhaps for others: what
 * is found is looked at again (callFacts.ts).
 */
import { ALWAYS_HOLDS, NEVER_HOLDS, type RegisterTest } from '../../../ir/registerTest.js';
import type { CallCondition, CallQuestion, CallTest, ReadAs } from './callCondition.js';

/** Of general registers, in the order of machine code: rdi, rsi, rdx, rcx, r8, r9. */
const ARGUMENTS = [7, 6, 2, 1, 8, 9];
const RESULT = 0;

type Known = (question: CallQuestion) => RegisterTest | undefined;

/** What has to hold when a call begins. Undefined: nothing. */
export function entryTest(condition: CallCondition): RegisterTest | undefined {
  return testOf(condition, (question) => (question.kind === 'argument' ? comparedWith(question, ARGUMENTS[question.index - 1]) : undefined));
}

/** What has to hold when it returns. */
export function returnTest(condition: CallCondition): RegisterTest | undefined {
  return testOf(condition, (question) => (question.kind === 'result' ? comparedWith(question, RESULT) : undefined));
}

function testOf({ questions, test }: CallCondition, known: Known): RegisterTest | undefined {
  const tests = questions.map(known);
  const found = whenMay(test, true, tests);
  return found === ALWAYS_HOLDS ? undefined : found;
}

/** Holds wherever it may come to `wanted`. */
function whenMay(test: CallTest, wanted: boolean, tests: readonly (RegisterTest | undefined)[]): RegisterTest {
  switch (test.kind) {
    case 'question': {
      const known = tests[test.question];
      return known === undefined ? ALWAYS_HOLDS : wanted ? known : { kind: 'not', part: known };
    }
    case 'not': return whenMay(test.part, !wanted, tests);
    case 'and': case 'or': {
      const parts = test.parts.map((part) => whenMay(part, wanted, tests));
      return (test.kind === 'and') === wanted ? all(parts) : any(parts);
    }
  }
}

function all(parts: readonly RegisterTest[]): RegisterTest {
  const left = parts.filter((part) => part !== ALWAYS_HOLDS);
  return left.length === 0 ? ALWAYS_HOLDS : left.length === 1 ? (left[0] as RegisterTest) : { kind: 'and', parts: left };
}

function any(parts: readonly RegisterTest[]): RegisterTest {
  if (parts.includes(ALWAYS_HOLDS)) return ALWAYS_HOLDS;
  return parts.length === 0 ? NEVER_HOLDS : parts.length === 1 ? (parts[0] as RegisterTest) : { kind: 'or', parts };
}

/** As callFacts.ts compares it. Undefined: registers alone do not tell. */
function comparedWith(question: Extract<CallQuestion, { kind: 'argument' | 'result' }>, register: number | undefined): RegisterTest | undefined {
  const { as, comparison, value } = question;
  if (register === undefined || typeof value !== 'bigint' || as?.kind === 'float') return undefined;
  const compared = (bytes: ReadAs['bytes'], isSigned: boolean): RegisterTest => ({ kind: 'compare', register, bytes, isSigned, comparison, value });
  if (as?.kind === 'unsigned') return compared(as.bytes, false);
  if (as?.kind === 'signed') return fits(value, as.bytes) ? compared(as.bytes, true) : undefined;
  if (value >= 1n << 63n) return value < 1n << 64n ? compared(8, false) : undefined;
  if (value >= 0n) return compared(8, true);
  if (!fits(value, 4)) return undefined;
  // An int of -1 may have zeros above it.
  const isNarrow: RegisterTest = { kind: 'compare', register, bytes: 8, isSigned: false, comparison: '<', value: 1n << 32n };
  return any([all([isNarrow, compared(4, true)]), all([{ kind: 'not', part: isNarrow }, compared(8, true)])]);
}

function fits(value: bigint, bytes: number): boolean {
  return BigInt.asIntN(bytes * 8, value) === value;
}
