/**
 * Breakpoints on calls of a client's (`monitor breakpoint`). gdb knows nothing of them: to it a stop at a call is one
 * for no reason of its own, and the user is told which it was.
 */
import { BreakpointTable, type CallBreakpoint } from '../debugger/control/breakpoints.js';
import { CallReader } from '../debugger/control/calls/callReader.js';
import { CallRun } from '../debugger/control/calls/callRun.js';
import { ModuleSurvey } from '../debugger/control/moduleSurvey.js';
import type { Direction } from '../debugger/control/stops.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { ValueEvaluator } from '../debugger/values/valueEvaluator.js';
import type { Work } from '../replay/timeline/work.js';
import type { Arrival } from './arrival.js';
import type { Debuggee } from './debuggee.js';

interface CallsOwner {
  readonly debuggee: Debuggee;
  readonly generalThread: number;
}

export class ClientCalls {
  readonly table = new BreakpointTable();
  private readonly evaluator = new ValueEvaluator();

  constructor(private readonly owner: CallsOwner) {}

  get all(): readonly CallBreakpoint[] {
    return this.table.all.filter((point) => point.kind === 'call');
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
      execution: this.owner.debuggee.execution, direction, work, points: this.all.filter(({ enabled }) => enabled),
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
  return `Breakpoint ${number} of "monitor breakpoint"${point?.kind === 'call' ? `, ${callText(point)}` : ''}`;
}

export function callText({ text, condition }: CallBreakpoint): string {
  return `calls of ${text}${condition === undefined ? '' : ` if ${condition}`}`;
}
