/**
 * What rules can be told about a checked program. One that wants to know more can never fire, and no user should think
 * that it looks on.
 */
import { preconditionOf } from '../rules/analysis/precondition.js';
import { type TrackerKind, trackersOf } from '../rules/analysis/trackers.js';
import type { CheckedRule } from '../rules/language/core.js';

export const TRACKED: ReadonlySet<TrackerKind> = new Set<TrackerKind>([
  'heapBlocks', 'stackBlocks', 'globalBlocks', 'mallocEvents', 'freeEvents', 'calls', 'returns', 'pointerMap', 'reachability', 'initializedBytes', 'definedValues',
]);

/** What it wants to know and is not told. */
export function untracked(rule: CheckedRule): readonly string[] {
  return trackersOf(rule).map(({ kind }) => kind).filter((kind) => !TRACKED.has(kind) && !(kind === 'returnAddresses' && isAboutReturning(rule)));
}

/** Return addresses are looked at when they are used. */
function isAboutReturning(rule: CheckedRule): boolean {
  return rule.points.every((point) => {
    const precondition = preconditionOf(rule, point);
    return precondition.kind === 'checks' && precondition.checks.every((check) => check === 'returnAddressChanged');
  });
}
