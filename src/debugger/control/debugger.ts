/**
 * The one object behind all front ends: an execution, where in it we are, which thread and frame are looked at, what to stop at, and
 * how to go on. Nothing here prints: stops are values (stops.ts), mistakes are UserErrors.
 */
import { UserError } from '../../base/errors.js';
import type { Position } from '../../replay/play/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State, Thread } from '../../replay/timeline/state.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import type { HostFiles } from '../program/hostFiles.js';
import { inlinedCallsBeginningAt } from '../program/inlinedStart.js';
import { type CodeLocation, LocationNotFound } from '../program/location.js';
import { Modules } from '../program/modules.js';
import { ProgramView } from '../program/programView.js';
import { resolveLocation } from '../program/resolveLocation.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { BreakpointHits, placesAt } from './breakpointHits.js';
import { type BreakpointOptions, BreakpointTable, type LocationBreakpoint } from './breakpoints.js';
import type { Evaluator } from './evaluator.js';
import { type Arrival, run } from './running.js';
import type { Direction, HowItEnded, Stop } from './stops.js';

export interface DebuggerOptions {
  readonly files: HostFiles;
  readonly evaluator: Evaluator;
  /** As the recording's summary says. */
  readonly ending?: HowItEnded;
}

export class Debugger {
  readonly breakpoints = new BreakpointTable();
  readonly modules: Modules;
  readonly evaluator: Evaluator;
  /** Why it stands where it does. */
  lastStop: Stop = { kind: 'start', thread: 0 };
  private selectedThread = 0;
  private selectedLevel = 0;
  /** Inlined calls of the selected thread's pc that have not been entered. */
  private hidden = 0;
  private trace: Backtrace | undefined;

  constructor(
    readonly execution: Execution,
    private readonly options: DebuggerOptions,
  ) {
    this.modules = new Modules(options.files);
    this.evaluator = options.evaluator;
  }

  /** Stands at the end of the recording, where the failure is. */
  static async open(execution: Execution, options: DebuggerOptions, work?: Work): Promise<Debugger> {
    const made = new Debugger(execution, options);
    await made.goToEnd(work);
    return made;
  }

  // Where we are

  get position(): Position {
    return this.execution.position;
  }

  /** Good until something moves. */
  get state(): State {
    return this.execution.state;
  }

  get threads(): readonly Thread[] {
    return this.state.threads;
  }

  /** The selected one; undefined if nobody is left. */
  get thread(): Thread | undefined {
    return this.threads.find(({ id }) => id === this.selectedThread);
  }

  /** The program as a thread (default: the selected one) sees it. Undefined if there is no such thread. */
  program(id: number = this.selectedThread): ProgramView | undefined {
    return this.viewAt(this.state, id);
  }

  /** By id, as `Thread.id`. Selects its innermost frame. */
  selectThread(id: number): void {
    if (!this.threads.some((thread) => thread.id === id)) throw new UserError(`no thread ${id}`);
    if (id !== this.selectedThread) this.hidden = 0;
    this.selectedThread = id;
    this.selectedLevel = 0;
    this.trace = undefined;
  }

  /** Frames of the selected thread. */
  get backtrace(): Backtrace | undefined {
    const program = this.trace?.program ?? this.program();
    if (program !== undefined) this.trace ??= new Backtrace(program, { hidden: this.hidden });
    return this.trace;
  }

  /** Frames of any thread; all of them, also those above main, if asked. */
  backtraceOf(id: number, pastMain = false): Backtrace | undefined {
    const program = this.program(id);
    return program === undefined ? undefined : new Backtrace(program, { hidden: id === this.selectedThread ? this.hidden : 0, pastMain });
  }

  /** The selected frame; undefined if there is no stack. */
  get frame(): VisibleFrame | undefined {
    return this.backtrace?.frame(this.selectedLevel);
  }

  selectFrame(level: number): VisibleFrame {
    const frame = level < 0 ? undefined : this.backtrace?.frame(level);
    if (frame === undefined) throw new UserError(this.backtrace?.innermost === undefined ? 'No stack.' : 'No frame at level ' + level + '.');
    this.selectedLevel = level;
    return frame;
  }

  // What to stop at

  /** Places by gdb's rules; a LocationNotFound if there are none now. */
  resolve(text: string): CodeLocation[] {
    const program = this.program();
    if (program === undefined) throw new UserError('No symbol table is loaded.  Use the "file" command.');
    const { frame } = this;
    return resolveLocation(text, {
      program, frame,
      evaluateAddress: (expression) => {
        const { number } = this.evaluator.evaluate(expression, program, frame);
        if (number === undefined) throw new UserError(`Value can't be converted to integer.`);
        return number;
      },
    });
  }

  /** With `pending`, a location that is not there yet is waited for. */
  addBreakpoint(text: string, options: BreakpointOptions & { readonly pending?: boolean } = {}): LocationBreakpoint {
    let places: CodeLocation[] = [];
    try {
      places = this.resolve(text);
    } catch (error) {
      if (!(error instanceof LocationNotFound) || options.pending !== true) throw error;
    }
    return this.breakpoints.addLocation(text, places, options);
  }

  // Going on

  async continue(direction: Direction = 'forward', work?: Work): Promise<Stop> {
    return this.going(direction, async () => {
      const points = new BreakpointHits(this.breakpoints, direction, this.viewAt, this.evaluator);
      const arrival = await run({ execution: this.execution, direction, interests: [points], work });
      points.commit();
      return arrival;
    }, work);
  }

  async goToEnd(work?: Work): Promise<Stop> {
    await this.execution.seekEnd(work);
    return this.stand({ kind: 'end', thread: this.currentThread(), ending: this.options.ending ?? { how: 'unknown', code: 0 } });
  }

  async goTo(position: Position, work?: Work): Promise<Stop> {
    await this.execution.seek(position, work);
    return this.stand({ kind: 'moved', thread: this.currentThread() });
  }

  private async going(direction: Direction, action: () => Promise<Arrival>, work: Work | undefined): Promise<Stop> {
    let arrival: Arrival;
    try {
      arrival = await action();
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      return { kind: 'cancelled', thread: this.selectedThread };
    }
    switch (arrival.kind) {
      case 'stop': return this.stand(arrival.stop);
      case 'goal': return this.stand({ kind: 'step', thread: arrival.hit.task });
      case 'limit': return direction === 'forward' ? this.goToEnd(work) : this.stand({ kind: 'start', thread: this.currentThread() });
    }
  }

  /** Looks at the thread that stopped. */
  private stand(stop: Stop): Stop {
    this.lastStop = stop;
    this.selectedThread = stop.thread;
    this.selectedLevel = 0;
    this.trace = undefined;
    this.hidden = this.hiddenAt(stop);
    return stop;
  }

  private hiddenAt(stop: Stop): number {
    const program = this.program();
    if (program === undefined) return 0;
    const meant = stop.kind !== 'breakpoint' ? [] : stop.numbers.flatMap((number) => {
      const point = this.breakpoints.find(number);
      return point?.kind === 'breakpoint' ? placesAt(point, program.pc).map(({ location }) => location.scope) : [];
    });
    return inlinedCallsBeginningAt(program, program.pc, meant);
  }

  private currentThread(): number {
    const { state } = this;
    return state.current?.id ?? state.threads[0]?.id ?? 0;
  }

  private readonly viewAt = (state: State, id: number): ProgramView | undefined => {
    const thread = state.threads.find((candidate) => candidate.id === id);
    return thread === undefined ? undefined : new ProgramView(state, thread, this.modules);
  };
}
