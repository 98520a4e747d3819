/**
 * Breakpoints on calls (`monitor breakpoint`) and at instances of slices (`monitor sbreak`) of a client's. gdb knows
 * nothing of them: to it a stop there is one for no reason of its own, and the user is told which it was.
 */
import { guestAddr } from '../base/types.js';
import { BreakpointTable, type CallBreakpoint, type LocationBreakpoint } from '../debugger/control/breakpoints.js';
import { CallReader } from '../debugger/control/calls/callReader.js';
import { CallRun } from '../debugger/control/calls/callRun.js';
import type { Interest } from '../debugger/control/running.js';
import { ModuleSurvey } from '../debugger/control/moduleSurvey.js';
import type { Direction } from '../debugger/control/stops.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { ValueEvaluator } from '../debugger/values/valueEvaluator.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { Arrival } from './arrival.js';
import type { Debuggee } from './debuggee.js';

interface CallsOwner {
  readonly debuggee: Debuggee;
  readonly generalThread: number;
}

/** Instances, with when they begin and at which address. */
interface TimedStop {
  readonly time: number;
  readonly addresses: readonly number[];
}

interface TimedStops {
  /** Of which the times are. */
  readonly execution: Execution;
  readonly addresses: ReadonlySet<number>;
  readonly times: ReadonlySet<number>;
}

export class ClientCalls {
  readonly table = new BreakpointTable();
  private readonly evaluator = new ValueEvaluator();
  private readonly timed = new Map<LocationBreakpoint, TimedStops>();

  constructor(private readonly owner: CallsOwner) {}

  get all(): readonly (CallBreakpoint | LocationBreakpoint)[] {
    return this.table.all.filter((point) => point.kind === 'call' || point.kind === 'breakpoint');
  }

  /** At instances that are known by their times, in what is debugged now. */
  addTimes(title: string, stops: readonly TimedStop[]): LocationBreakpoint {
    const point = this.table.addLocation(title, []);
    this.timed.set(point, {
      execution: this.owner.debuggee.execution,
      addresses: new Set(stops.flatMap(({ addresses }) => addresses)), times: new Set(stops.map(({ time }) => time)),
    });
    return point;
  }

  /** Those, for one motion. */
  get atTimes(): Interest<Arrival>[] {
    const { debuggee } = this.owner;
    return this.table.all.flatMap((point): Interest<Arrival>[] => {
      const stops = point.kind === 'breakpoint' && point.enabled ? this.timed.get(point) : undefined;
      if (stops === undefined || stops.execution !== debuggee.execution) return [];
      const { addresses, times } = stops;
      return [{
        conditions: [{ kind: 'address', addresses: [...addresses].map((address) => guestAddr(address)) }],
        accepts: ({ rip, position: { time } }) => addresses.has(rip) && times.has(time),
        stop: async ({ task: thread }) => {
          if (!debuggee.owns(thread)) return undefined;
          point.hits++;
          return { kind: 'calls', thread, number: point.number };
        },
      }];
    });
  }

  /** Throws a UserError for what makes no sense. */
  async add(text: string, condition: string | undefined, work: Work): Promise<CallBreakpoint> {
    const { debuggee, generalThread } = this.owner;
    const program = debuggee.programOf(generalThread);
    const reader = new CallReader({
      execution: debuggee.execution, evaluator: this.evaluator, thread: program?.thread,
      frame: program === undefined ? undefined : new Backtrace(program).innermost,
      program: () => debuggee.programOf(generalThread),
    }, new ModuleSurvey(debuggee.modules));
    const isOwn = (thread: number): boolean => this.owner.debuggee.owns(thread);
    return this.table.addCall({ ...(await reader.read(text, condition, work)), isOwn }, { condition });
  }

  /** For one motion. */
  run(direction: Direction, work: Work): CallRun<Arrival> {
    return new CallRun<Arrival>({
      execution: this.owner.debuggee.execution, direction, work, points: this.all.filter((point): point is CallBreakpoint => point.kind === 'call' && point.enabled),
      stop: (point, thread) => {
        point.hits++;
        return { kind: 'calls', thread, number: point.number };
      },
    });
  }
}

/** `Breakpoint 1, call of free if arg1 == 0x4052a0` */
export function callStopText({ table }: ClientCalls, number: number): string {
  const point = table.find(number);
  if (point?.kind === 'breakpoint') return `Breakpoint ${number} of "monitor sbreak", ${point.text}`;
  return `Breakpoint ${number} of "monitor breakpoint"${point?.kind === 'call' ? `, ${callText(point)}` : ''}`;
}

export function callText({ kind, text, condition }: CallBreakpoint | LocationBreakpoint): string {
  if (kind === 'breakpoint') return text;
  return `calls of ${text}${condition === undefined ? '' : ` if ${condition}`}`;
}
