/** What searches need to know of a breakpoint on calls. */
import { guestAddr } from '../../../base/types.js';
import type { Condition } from '../../../replay/timeline/conditions.js';
import type { CallBreakpoint } from '../breakpoints.js';
import { memoryConditions, type TrackedCall } from './callTracker.js';

/** Whether a call is not decided when it begins. */
export function needsMore({ when: { questions } }: CallBreakpoint): boolean {
  return questions.some(({ kind }) => kind !== 'argument');
}

export function conditionsOf(point: CallBreakpoint): Condition[] {
  const entries: Condition = { kind: 'address', addresses: point.entries };
  if (!needsMore(point)) return [entries];
  const returns: Condition = { kind: 'address', addresses: [...point.returns].map(guestAddr) };
  return [entries, returns, ...memoryConditions(point.when.questions)];
}

/** Whether it is a call of a thread that the breakpoint is for. */
export function isMeant({ thread: only, isOwn }: CallBreakpoint, { entry: { thread } }: TrackedCall): boolean {
  return (only === undefined || only === thread) && isOwn?.(thread) !== false;
}
