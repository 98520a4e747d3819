/** What searches need to know of a breakpoint on calls. */
import { guestAddr } from '../../../base/types.js';
import type { RegisterTest } from '../../../ir/registerTest.js';
import type { Condition } from '../../../replay/timeline/conditions.js';
import type { CallBreakpoint } from '../breakpoints.js';
import { entryTest } from './callTests.js';
import { memoryConditions, type TrackedCall } from './callTracker.js';

/** Whether a call is not decided when it begins. */
export function needsMore({ when: { questions } }: CallBreakpoint): boolean {
  return questions.some(({ kind }) => kind !== 'argument');
}

/** Arrivals at the function's first instruction of calls that may be meant. */
export function entriesOf({ entries: addresses, when }: CallBreakpoint): Condition {
  return addressed(addresses, entryTest(when));
}

export function conditionsOf(point: CallBreakpoint): Condition[] {
  const entries = entriesOf(point);
  if (!needsMore(point)) return [entries];
  const returns: Condition = { kind: 'address', addresses: [...point.returns].map(guestAddr) };
  return [entries, returns, ...memoryConditions(point.when.questions)];
}

export function addressed(addresses: Iterable<number>, when: RegisterTest | undefined): Condition {
  const condition = { kind: 'address', addresses: [...addresses].map((address) => guestAddr(address)) } as const;
  return when === undefined ? condition : { ...condition, when };
}

/** Whether it is a call of a thread that the breakpoint is for. */
export function isMeant({ thread: only, isOwn }: CallBreakpoint, { entry: { thread } }: TrackedCall): boolean {
  return (only === undefined || only === thread) && isOwn?.(thread) !== false;
}
