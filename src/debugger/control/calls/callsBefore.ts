/**
 * The last call before a place that meets a condition, though what decides (a result, an access) comes after the call,
 * perhaps even after the place. The execution is gone through backward part by part; in each part calls are followed
 * forward. Those that a part leaves open are looked at one by one: few calls are under way at any one time.
 */
import { comparePositions, type Position } from '../../../replay/log/position.js';
import type { Hit } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { withPauses } from '../../../replay/timeline/steps.js';
import type { Work } from '../../../replay/timeline/work.js';
import type { CallBreakpoint } from '../breakpoints.js';
import { conditionsOf, entriesOf, isMeant } from './callPoints.js';
import { callSite, decide } from './callSites.js';
import { CallTracker, type TrackedCall } from './callTracker.js';
import { type CallBefore, lastResultBefore } from './resultsBefore.js';
import type { ResultSearch } from './resultSearch.js';

/** Calls of one part that are decided one by one, by going on from each. */
const FEW_CALLS = 64;
const NOWHERE: ReadonlySet<number> = new Set();

/** Undefined: there is none. The execution is somewhere else then. */
export async function lastCallBefore(execution: Execution, point: CallBreakpoint, place: Position, byResult: ResultSearch | undefined, work: Work | undefined): Promise<CallBefore | undefined> {
  const quick = byResult?.isQuick === true ? await lastResultBefore(execution, point, byResult, place, work) : 'slow';
  if (quick !== 'slow') return quick;
  for (let to = place; comparePositions(to, execution.start) > 0; ) {
    const { calls, next } = (await fewCallsOfPart(execution, point, to, work)) ?? (await callsOfPart(execution, point, to, work));
    for (const call of calls) {
      if (!(await decide(execution, call, point.when, work))) continue;
      const site = await callSite(execution, call, point.entries, work);
      if (comparePositions(site, place) < 0) return { site, thread: call.entry.thread };
    }
    to = next;
  }
  return undefined;
}

interface PartOfCalls {
  /** Those that are meant, or may be, the last one first. */
  readonly calls: readonly TrackedCall[];
  /** Where the rest ends that has not been looked at. */
  readonly next: Position;
}

/**
 * The same of calls that their arguments let be meant, if these are few: none of them is followed. Undefined: they are
 * many, or arguments do not tell.
 */
async function fewCallsOfPart(execution: Execution, point: CallBreakpoint, to: Position, work: Work | undefined): Promise<PartOfCalls | undefined> {
  const entries = entriesOf(point);
  if (entries.kind !== 'address' || entries.when === undefined) return undefined;
  const { driver, start } = execution;
  let calls: TrackedCall[] = [];
  const search = {
    conditions: [entries],
    begins: () => void (calls = []),
    listener: (hit: Hit): 'go on' | 'stop' => {
      const tracker = new CallTracker({ ...point, returns: NOWHERE });
      calls.push(...tracker.sees(hit, driver.state), ...tracker.strangers);
      return calls.length > FEW_CALLS ? 'stop' : 'go on';
    },
  };
  try {
    const next = await withPauses(driver.backward({ from: start, to }, { searchOf: () => search, ended: () => (calls.length > 0 ? 'stop' : 'go on') }), work);
    return calls.length > FEW_CALLS ? undefined : { calls: calls.filter((call) => isMeant(point, call)).reverse(), next };
  } finally {
    driver.rest();
  }
}

/** Of the last part before `to` that has some. */
async function callsOfPart(execution: Execution, point: CallBreakpoint, to: Position, work: Work | undefined): Promise<PartOfCalls> {
  const { driver, start } = execution;
  let [tracker, met] = [new CallTracker(point), [] as TrackedCall[]];
  let end = to;
  const search = {
    conditions: conditionsOf(point),
    begins: () => void ([tracker, met] = [new CallTracker(point), []]),
    listener: (hit: Hit): 'go on' => {
      met.push(...tracker.sees(hit, driver.state));
      return 'go on';
    },
  };
  const ended = (part: { readonly to: Position }): 'go on' | 'stop' => {
    end = part.to;
    return met.length + tracker.undecided.length + tracker.strangers.length > 0 ? 'stop' : 'go on';
  };
  try {
    const from = await withPauses(driver.backward({ from: start, to }, { searchOf: () => search, ended }), work);
    // With more places to look at, the same part again.
    const isNew = tracker.strangers.length > 0;
    for (const { returnsTo } of tracker.strangers) point.returns.add(returnsTo);
    if (isNew) return { calls: [], next: end };
    const calls = [...met, ...tracker.undecided].filter((call) => isMeant(point, call));
    return { calls: calls.sort((a, b) => comparePositions(b.entry.position, a.entry.position)), next: from };
  } finally {
    driver.rest();
  }
}
