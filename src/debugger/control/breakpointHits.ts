/** Breakpoints as something that a run stops at: which of them a hit is of, and whether their conditions hold. */
import { guestAddr } from '../../base/types.js';
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import type { State } from '../../replay/timeline/state.js';
import { Backtrace } from '../program/backtrace.js';
import { inlinedCallsBeginningAt } from '../program/inlinedStart.js';
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import type { BreakpointPlace, BreakpointTable, LocationBreakpoint } from './breakpoints.js';
import type { FrameEvaluator } from '../values/frameEvaluator.js';
import { holds } from './holds.js';
import type { Interest, ViewAt } from './running.js';
import type { Direction, Stop } from './stops.js';

/** The breakpoint's places at an address that count. */
export function placesAt(point: LocationBreakpoint, address: bigint): BreakpointPlace[] {
  return point.enabled ? point.places.filter((place) => place.enabled && place.location.address === address) : [];
}

export class BreakpointHits implements Interest<Stop> {
  readonly conditions: readonly Condition[];
  private readonly points: readonly LocationBreakpoint[];
  /** Passed on the way, because of ignore counts: they count when the run is over. */
  private passed = new Map<LocationBreakpoint, number>();
  private hit: readonly LocationBreakpoint[] = [];

  constructor(
    private readonly table: BreakpointTable,
    private readonly direction: Direction,
    private readonly viewAt: ViewAt,
    private readonly evaluator: FrameEvaluator,
  ) {
    this.points = table.all.filter((point): point is LocationBreakpoint => point.kind === 'breakpoint' && point.enabled);
    const places = this.points.flatMap((point) => point.places.filter(({ enabled }) => enabled));
    const addresses = places.map(({ location }) => guestAddr(Number(location.address)));
    this.conditions = addresses.length === 0 ? [] : [{ kind: 'address', addresses }];
  }

  accepts(hit: Hit, state: State): boolean {
    const here = this.points.filter((point) => placesAt(point, BigInt(hit.rip)).length > 0 && isTime(point, hit.position.time));
    if (here.length === 0) return false;
    const view = this.viewAt(state, hit.task);
    if (view === undefined) return false;
    const met = here.filter((point) => this.isMet(point, view)).filter((point) => !this.isLogged(point, hit, view));
    const counted = this.direction === 'forward' ? met.filter((point) => !this.isIgnored(point)) : met;
    if (counted.length > 0) this.hit = counted;
    return counted.length > 0;
  }

  async stop(hit: Hit): Promise<Stop | undefined> {
    // Going back, hits come in no useful order for counting; so the ones to be ignored are counted here.
    const counted = this.direction === 'forward' ? this.hit : this.hit.filter((point) => !this.isIgnored(point));
    if (counted.length === 0) return undefined;
    const numbers = counted.map((point) => point.number);
    for (const point of counted) {
      point.hits++;
      if (point.temporary) this.table.delete(point.number);
    }
    return { kind: 'breakpoint', thread: hit.task, numbers };
  }

  /** After the run: what was passed has been hit, too. */
  commit(): void {
    for (const [point, count] of this.passed) {
      point.hits += count;
      point.ignore = Math.max(0, point.ignore - count);
    }
    this.passed = new Map();
  }

  private isMet(point: LocationBreakpoint, view: ProgramView): boolean {
    if (point.thread !== undefined && point.thread !== view.thread.id) return false;
    const places = placesAt(point, view.pc).filter(({ location }) => isLoaded(location.module, view));
    if (places.length === 0) return false;
    return holds(point.condition, this.evaluator, view, () => frameAt(view, places));
  }

  /** Log points are no stops. */
  private isLogged(point: LocationBreakpoint, hit: Hit, view: ProgramView): boolean {
    const { log } = point;
    if (log === undefined) return false;
    if (!this.isIgnored(point)) {
      log({ hit, view, frame: frameAt(view, placesAt(point, view.pc)), direction: this.direction });
      this.passed.set(point, (this.passed.get(point) ?? 0) + 1);
    }
    return true;
  }

  private isIgnored(point: LocationBreakpoint): boolean {
    const passed = this.passed.get(point) ?? 0;
    if (point.ignore <= passed && point.stopsAt?.(point.hits + passed + 1) !== false) return false;
    this.passed.set(point, passed + 1);
    return true;
  }
}

/** Whether it stops at this time, if it is of some arrivals only. */
function isTime({ arrival, times }: LocationBreakpoint, time: number): boolean {
  return (arrival === undefined || arrival.time === time) && (times === undefined || times.has(time));
}

function isLoaded(module: BreakpointPlace['location']['module'], view: ProgramView): boolean {
  if (module === undefined) return true;
  const here = view.moduleAt(view.pc);
  return here !== undefined && here.file === module.file && here.bias === module.bias;
}

function frameAt(view: ProgramView, places: readonly BreakpointPlace[]): VisibleFrame | undefined {
  const hidden = inlinedCallsBeginningAt(view, view.pc, places.map(({ location }) => location.scope));
  return new Backtrace(view, { hidden }).innermost;
}
