/**
 * Breakpoints on calls during one command of the user's. Going forward they are interests of the one search
 * (running.ts): a filter looks at registers at the function's first instruction, and where calls return, if that
 * matters; so a call that is not meant costs no stop. What was found is a call, and the user stands where it is made.
 *
 * Going back, what a call returns or writes comes before the call is seen. So a pass of its own finds the last call
 * that is meant (callsBefore.ts), and its place is what the one search looks out for.
 */
import { guestAddr } from '../../../base/types.js';
import { at, comparePositions, type Position } from '../../../replay/log/position.js';
import type { Hit } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { quietly, type Work } from '../../../replay/timeline/work.js';
import type { CallBreakpoint } from '../breakpoints.js';
import type { Interest } from '../running.js';
import type { Direction } from '../stops.js';
import { conditionsOf, entriesOf, isMeant, needsMore } from './callPoints.js';
import { lastCallBefore } from './callsBefore.js';
import { callSite, decide } from './callSites.js';
import { CallTracker, type TrackedCall } from './callTracker.js';
import { callsBy, openSlots } from './openCalls.js';
import { ResultSearch, type Seen } from './resultSearch.js';

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

/** Calls that are decided one by one, by going on from each, before all are followed instead. */
const FEW_CALLS = 64;
const NOWHERE: ReadonlySet<number> = new Set();

export class CallRun<S> {
  private readonly home: Position;
  private readonly trackers = new Map<CallBreakpoint, CallTracker>();
  private readonly found: Found[] = [];
  private readonly byResults = new Map<CallBreakpoint, ResultSearch | undefined>();
  /** How many calls have been decided one by one. */
  private readonly single = new Map<CallBreakpoint, number>();
  /** Those that have been looked at: one may come up again when it returns. */
  private readonly done = new Set<string>();

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
      const call = await lastCallBefore(execution, point, before, this.byResultOf(point), work);
      if (call === undefined || !isPassed(point)) return call === undefined ? undefined : { point, ...call };
      before = call.site;
    }
  }

  /** What the next search looks out for. */
  interests(): Interest<S>[] {
    const { direction, points } = this.context;
    const sought = points.filter((point) => direction === 'forward' || !needsMore(point));
    return [...sought.map((point) => this.sought(point)), ...this.found.map((found) => this.standing(found))];
  }

  private sought(point: CallBreakpoint): Interest<S> {
    if (!needsMore(point)) return this.passing(point);
    const byResult = this.byResultOf(point);
    if (byResult?.isQuick === true) return this.returning(point, byResult);
    const entries = entriesOf(point);
    const isOneByOne = entries.kind === 'address' && entries.when !== undefined && (this.single.get(point) ?? 0) < FEW_CALLS;
    // With nowhere to look for its end, every call is unknown: it is decided at once.
    return isOneByOne ? this.passing(point, [entries], new CallTracker({ ...point, returns: NOWHERE })) : this.passing(point);
  }

  /** Calls that return what may be meant. */
  private returning(point: CallBreakpoint, search: ResultSearch): Interest<S> {
    let seen: Seen | undefined;
    return {
      conditions: search.conditions(),
      accepts: (hit, state) => {
        const now = search.sees(hit, state);
        if (now !== undefined) seen = now;
        return now !== undefined;
      },
      stop: async (hit) => (hit.conditions.length === 0 || seen === undefined ? undefined : this.stopAtResult(point, search, hit, seen)),
    };
  }

  private async stopAtResult(point: CallBreakpoint, search: ResultSearch, hit: Hit, seen: Seen): Promise<S | undefined> {
    if (seen.kind === 'learned') return undefined;
    const { execution, work } = this.context;
    // A call that begins here is under way right behind.
    const place = seen.kind === 'returns' ? hit.position : at(hit.position.time + 1, 0);
    const own = await callsBy(seen.slot, execution, point, place, work);
    const [first] = own;
    const earlier = first === undefined ? [] : await this.openAt(point, first.entry.position);
    const stop = await this.stopAtFirst(point, hit, [...earlier, ...own]);
    if (stop !== undefined) return stop;
    search.noteWrong();
    // Who goes on in another way does not know of calls that have begun.
    return search.isQuick ? undefined : this.stopAtFirst(point, hit, await this.openAt(point, hit.position));
  }

  private async openAt(point: CallBreakpoint, place: Position): Promise<TrackedCall[]> {
    const { execution, work } = this.context;
    const found: TrackedCall[] = [];
    for (const slot of await openSlots(execution, point, place, work)) found.push(...(await callsBy(slot, execution, point, place, work)));
    return found;
  }

  private byResultOf(point: CallBreakpoint): ResultSearch | undefined {
    if (!this.byResults.has(point)) this.byResults.set(point, ResultSearch.of(point));
    return this.byResults.get(point);
  }

  private passing(point: CallBreakpoint, conditions = conditionsOf(point), tracker = this.trackerOf(point)): Interest<S> {
    let seen: readonly TrackedCall[] = [];
    let unknown: TrackedCall | undefined;
    return {
      conditions,
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
    const last = unknown ?? seen.at(-1);
    const earlier = this.trackerOf(point).undecided.filter((call) => last !== undefined && comparePositions(call.entry.position, last.entry.position) < 0);
    if (unknown !== undefined) this.single.set(point, (this.single.get(point) ?? 0) + 1);
    return this.stopAtFirst(point, hit, [...new Set([...earlier, ...seen, ...(unknown === undefined ? [] : [unknown])])]);
  }

  /** In the order in which they began. */
  private async stopAtFirst(point: CallBreakpoint, hit: Hit, calls: readonly TrackedCall[]): Promise<S | undefined> {
    const { execution, work, stop } = this.context;
    for (const call of [...calls].sort((a, b) => comparePositions(a.entry.position, b.entry.position))) {
      const name = `${point.number} ${call.entry.thread} ${call.entry.position.time}`;
      if (this.done.has(name) || !isMeant(point, call)) continue;
      this.done.add(name);
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
