/**
 * Breakpoints on calls during one command of the user's. Going forward they are interests of the one search
 * (running.ts): a filter looks at registers at the function's first instruction, and where calls return, if that
 * matters; so a call that is not meant costs no stop. What was found is a call, and the user stands where it is made.
 *
 * Going back, what a call returns or writes comes before the call is seen. So a pass of its own finds the last call
 * that is meant (callsBefore.ts), and its place is what the one search looks out for.
 */
import { guestAddr } from '../../../base/types.js';
import { comparePositions, type Position } from '../../../replay/log/position.js';
import type { Hit } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { quietly, type Work } from '../../../replay/timeline/work.js';
import type { CallBreakpoint } from '../breakpoints.js';
import type { Interest } from '../running.js';
import type { Direction } from '../stops.js';
import { conditionsOf, isMeant, needsMore } from './callPoints.js';
import { lastCallBefore } from './callsBefore.js';
import { callSite, decide } from './callSites.js';
import { CallTracker, type TrackedCall } from './callTracker.js';

interface CallRunContext<S> {
  readonly execution: Execution;
  readonly direction: Direction;
  readonly work: Work | undefined;
  /** Those that are enabled. */
  readonly points: readonly CallBreakpoint[];
  /** What a stop at a call is to the front end: it stands there. */
  stop(point: CallBreakpoint, thread: number): S;
}

/** Where a call is made that is meant, before the user's place. */
interface Found {
  readonly point: CallBreakpoint;
  readonly site: Position;
  readonly thread: number;
}

export class CallRun<S> {
  private readonly home: Position;
  private readonly trackers = new Map<CallBreakpoint, CallTracker>();
  private readonly found: Found[] = [];

  constructor(private readonly context: CallRunContext<S>) {
    this.home = context.execution.position;
  }

  /** Before the first move. The execution stays where it is. */
  async prepare(): Promise<void> {
    const { execution, direction, points, work } = this.context;
    if (direction === 'forward') return;
    for (const point of points) {
      const found = (await this.foundHere(point)) ?? (needsMore(point) ? await this.foundBefore(point) : undefined);
      if (found !== undefined) this.found.push(found);
    }
    if (comparePositions(execution.position, this.home) !== 0) await execution.seek(this.home, quietly(work));
  }

  /** The call that has just been made: searches backward look only at what comes before. */
  private async foundHere(point: CallBreakpoint): Promise<Found | undefined> {
    const { execution, work } = this.context;
    const { state } = execution;
    const thread = state.current?.id;
    const rip = thread === undefined ? undefined : Number(state.register(thread, 'rip') ?? 0n);
    if (thread === undefined || rip === undefined || !point.entries.some((entry) => entry === rip)) return undefined;
    const tracker = new CallTracker(point);
    const hit: Hit = { kind: 'address', position: this.home, conditions: [], task: thread, rip: guestAddr(rip) };
    const call = [...tracker.sees(hit, state), ...tracker.undecided, ...tracker.strangers].find((one) => isMeant(point, one));
    if (call === undefined || !(await decide(execution, call, point.when, work))) return undefined;
    const site = await callSite(execution, call, point.entries, work);
    return this.isAhead(site) && !isPassed(point) ? { point, site, thread } : undefined;
  }

  private async foundBefore(point: CallBreakpoint): Promise<Found | undefined> {
    const { execution, work } = this.context;
    let before = this.home;
    for (;;) {
      const call = await lastCallBefore(execution, point, before, work);
      if (call === undefined || !isPassed(point)) return call === undefined ? undefined : { point, ...call };
      before = call.site;
    }
  }

  /** What the next search looks out for. */
  interests(): Interest<S>[] {
    const { direction, points } = this.context;
    const sought = points.filter((point) => direction === 'forward' || !needsMore(point));
    return [...sought.map((point) => this.passing(point)), ...this.found.map((found) => this.standing(found))];
  }

  private passing(point: CallBreakpoint): Interest<S> {
    const tracker = this.trackerOf(point);
    let seen: readonly TrackedCall[] = [];
    let unknown: TrackedCall | undefined;
    return {
      conditions: conditionsOf(point),
      accepts: (hit, state) => {
        const met = tracker.sees(hit, state).filter((call) => isMeant(point, call));
        [unknown] = tracker.strangers.splice(0);
        if (met.length > 0 || unknown !== undefined) seen = met;
        return met.length > 0 || unknown !== undefined;
      },
      // Where something else has stopped it there is no call to go to.
      stop: async (hit) => (hit.conditions.length === 0 ? undefined : this.stopAt(point, hit, seen, unknown)),
    };
  }

  /** At the first of the calls that are meant. Others that began before and are not decided yet may be, too. */
  private async stopAt(point: CallBreakpoint, hit: Hit, seen: readonly TrackedCall[], unknown: TrackedCall | undefined): Promise<S | undefined> {
    const { execution, work, stop } = this.context;
    const last = unknown ?? seen.at(-1);
    const earlier = this.trackerOf(point).undecided.filter((call) => last !== undefined && comparePositions(call.entry.position, last.entry.position) < 0);
    const calls = [...new Set([...earlier, ...seen, ...(unknown === undefined ? [] : [unknown])])];
    for (const call of calls.sort((a, b) => comparePositions(a.entry.position, b.entry.position))) {
      point.returns.add(call.returnsTo);
      if (!(await decide(execution, call, point.when, work))) continue;
      const site = await callSite(execution, call, point.entries, work);
      if (!this.isAhead(site) || isPassed(point)) continue;
      await execution.seek(site, quietly(work));
      return stop(point, call.entry.thread);
    }
    await execution.seek(hit.position, quietly(work));
    return undefined;
  }

  private standing({ point, site, thread }: Found): Interest<S> {
    const { stop } = this.context;
    return { conditions: [{ kind: 'time', time: site.time }], stop: async () => stop(point, thread) };
  }

  /** A call that was made before the user's place is not to be found going forward. */
  private isAhead(site: Position): boolean {
    const order = comparePositions(site, this.home);
    return this.context.direction === 'forward' ? order > 0 : order < 0;
  }

  private trackerOf(point: CallBreakpoint): CallTracker {
    let tracker = this.trackers.get(point);
    if (tracker === undefined) this.trackers.set(point, (tracker = new CallTracker(point)));
    return tracker;
  }
}

/** Counts a hit that is to be ignored. */
function isPassed(point: CallBreakpoint): boolean {
  const isIgnored = point.ignore > 0 || point.stopsAt?.(point.hits + 1) === false;
  if (!isIgnored) return false;
  point.hits++;
  point.ignore = Math.max(0, point.ignore - 1);
  return true;
}
