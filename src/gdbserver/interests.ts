/** What a client wants to be stopped at, as runs look out for it (debugger/control/running.ts). */
import type { Interest } from '../debugger/control/running.js';
import { SignalStops } from '../debugger/control/signalStops.js';
import { behind } from '../debugger/control/standing.js';
import type { Direction } from '../debugger/control/stops.js';
import { around, isSameBytes, watchedBytes } from '../debugger/control/watchedBytes.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import type { Hit } from '../replay/timeline/conditions.js';
import type { State } from '../replay/timeline/state.js';
import type { Arrival } from './arrival.js';
import { holdsAt } from './breakpointConditions.js';
import type { Debuggee } from './debuggee.js';
import { eventArrival, eventConditions, type EventSettings } from './events.js';
import { MOST_SIGNALS } from './signals.js';
import type { StepOver } from './stepOver.js';
import { type Stops, toldOf } from './stops.js';

/** What the client has set. */
export interface InterestSettings extends EventSettings {
  readonly debuggee: Debuggee;
  readonly stops: Stops;
  readonly stepOver: StepOver;
  /** Linux's numbers of signals that the client does not want to hear of. */
  readonly passedSignals: ReadonlySet<number>;
}

interface Motions {
  readonly direction: Direction;
  /** Where the motion began. */
  readonly home: Position;
}

/** Of what happens in the process that the client looks at; others are as if they were not there. */
export function interestsOf(settings: InterestSettings, motion: Motions): readonly Interest<Arrival>[] {
  return [breakpoints(settings), watchpoints(settings, motion), signals(settings), events(settings, motion)];
}

/** Looked at while a search goes by only if there is something to look at: otherwise more searchers can help. */
function breakpoints({ stops, stepOver: { limit }, debuggee }: InterestSettings): Interest<Arrival> {
  const accepts = (hit: Hit, state: State): boolean => holdsAt(hit, state, stops, limit);
  return {
    conditions: stops.breakpointConditions,
    ...(stops.hasConditions || limit !== undefined ? { accepts } : {}),
    stop: async ({ task: thread, rip }) => (debuggee.owns(thread) ? { kind: 'breakpoint', thread, how: stops.breakpointAt(rip) ?? 'software' } : undefined),
  };
}

/** Going forward one stands behind the access; going back, before it. Both are where the value is that comes next. */
function watchpoints({ stops, debuggee }: InterestSettings, { direction }: Motions): Interest<Arrival> {
  return {
    conditions: stops.memoryConditions,
    stop: async (hit) => {
      const { execution } = debuggee;
      const met = debuggee.owns(hit.task) ? stops.watchpointsAt(hit) : [];
      if (met.length === 0) {
        // Searches that filter would find it again.
        if (direction === 'forward') await execution.seek(behind(hit, 'behind instructions'));
        return undefined;
      }
      const ranges = met.map(({ range }) => range);
      const [before, after] = await around({ execution, direction, standing: 'behind instructions' }, hit, (state) => watchedBytes(state, hit.task, ranges));
      const isChanged = (i: number): boolean => !isSameBytes([before[i] ?? null], [after[i] ?? null]);
      const told = toldOf(met.filter(({ kind }, i) => kind !== 'watch' || isChanged(i)));
      return told && { kind: 'watchpoint', thread: hit.task, ...told };
    },
  };
}

function signals({ passedSignals, debuggee }: InterestSettings): Interest<Arrival> {
  const told = Array.from({ length: MOST_SIGNALS }, (_, i) => i + 1).filter((signal) => !passedSignals.has(signal));
  return new SignalStops<Arrival>(told, ({ task: thread, signal = 0 }) => (debuggee.owns(thread) ? { kind: 'signal', thread, signal } : undefined));
}

/** System calls, new processes and programs. Going forward one stands behind them. */
function events(settings: InterestSettings, { direction, home }: Motions): Interest<Arrival> {
  const { debuggee } = settings;
  return {
    conditions: eventConditions(settings, debuggee.branch === undefined),
    stop: async (hit) => {
      const { execution } = debuggee;
      const arrival = debuggee.owns(hit.task) ? eventArrival(hit, settings) : undefined;
      if (arrival === undefined || (direction === 'backward' && arrival.kind === 'executed')) return undefined;
      if (direction === 'backward' && arrival.kind !== 'forked') return arrival;
      // The client wants to see a new process, also going back.
      await execution.seek(behind(hit, 'behind instructions'));
      if (direction === 'forward' || comparePositions(execution.position, home) < 0) return arrival;
      await execution.seek(hit.position);
      return undefined;
    },
  };
}
