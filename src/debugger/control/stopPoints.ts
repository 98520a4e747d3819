/** Breakpoints, watchpoints and catchpoints from what the user writes, and as what runs look out for. */
import { UserError } from '../../base/errors.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State, Thread } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import { type CodeLocation, LocationNotFound } from '../program/location.js';
import type { Modules } from '../program/modules.js';
import type { ProgramView } from '../program/programView.js';
import { locationAt, placesIn, resolveLocation } from '../program/resolveLocation.js';
import { parseStatement, type StatementText } from '../program/statementText.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { BreakpointHits } from './breakpointHits.js';
import { type BreakpointOptions, BreakpointTable, type CallBreakpoint, type LocationBreakpoint, type Watchpoint } from './breakpoints.js';
import { CallReader } from './calls/callReader.js';
import { CallRun } from './calls/callRun.js';
import { CatchHits } from './catchHits.js';
import type { FrameEvaluator } from '../values/frameEvaluator.js';
import { ModuleSurvey } from './moduleSurvey.js';
import type { NamedInstances } from './namedInstances.js';
import type { Interest } from './running.js';
import { SignalStops } from './signalStops.js';
import type { SignalTable } from './signalTable.js';
import type { Direction, Stop } from './stops.js';
import { type WatchContext, WatchHits } from './watchHits.js';

/** Where and when FILE:LINE#N or FUNCTION#N is; as a name that means the same wherever one stands. */
export interface ArrivalPlace {
  readonly time: number;
  readonly place: CodeLocation;
  readonly name: string;
}

/** Of the debugger: where it stands, and what it looks at. */
interface Standpoint {
  readonly execution: Execution;
  readonly modules: Modules;
  readonly breakpoints: BreakpointTable;
  readonly signals: SignalTable;
  readonly evaluator: FrameEvaluator;
  readonly thread: Thread | undefined;
  readonly frame: VisibleFrame | undefined;
  readonly named: NamedInstances;
  program(): ProgramView | undefined;
  arrivalOf(text: string, work?: Work): Promise<ArrivalPlace>;
  viewAt(state: State, thread: number): ProgramView | undefined;
}

const NOTHING_LOADED = 'No symbol table is loaded.  Use the "file" command.';

export class StopPoints {
  private readonly survey: ModuleSurvey;

  constructor(private readonly here: Standpoint) {
    this.survey = new ModuleSurvey(here.modules);
  }

  /** Remembers what is loaded where the execution stands. */
  noteLoaded(): void {
    this.survey.note(this.here.execution);
  }

  resolve(text: string): CodeLocation[] {
    const program = this.here.program();
    if (program === undefined) throw new UserError(NOTHING_LOADED);
    const { frame } = this.here;
    const statement = parseStatement(text);
    if (statement?.part !== undefined) return this.statementPlaces(statement, program);
    try {
      return resolveLocation(text, {
        program, frame,
        evaluateAddress: (expression) => this.address(expression),
      });
    } catch (error) {
      // At other times there may be more: when libraries are loaded, or in other processes.
      const ever = error instanceof LocationNotFound ? this.placesEver(text) : [];
      if (ever.length > 0) return ever;
      throw error;
    }
  }

  addBreakpoint(text: string, options: BreakpointOptions & { readonly pending?: boolean }): LocationBreakpoint {
    let places: CodeLocation[] = [];
    try {
      places = this.resolve(text);
    } catch (error) {
      if (!(error instanceof LocationNotFound) || options.pending !== true) throw error;
    }
    return this.here.breakpoints.addLocation(text, places, options);
  }

  /** What the user writes for breakpoints on calls. */
  get callReader(): CallReader {
    return new CallReader(this.here, this.survey);
  }

  addWatchpoint(expression: string, access: Watchpoint['access'], options: BreakpointOptions & { readonly location?: boolean }): Watchpoint {
    const point = this.watchpointFor(expression, options.location === true);
    return this.here.breakpoints.addWatch(point.expression, access, point, options);
  }

  async resolvePending(work?: Work): Promise<void> {
    const pending = this.here.breakpoints.all.filter((point): point is LocationBreakpoint => point.kind === 'breakpoint' && point.places.length === 0);
    if (pending.length === 0) return;
    await this.survey.complete(this.here.execution, work);
    for (const point of pending) point.places = this.placesEver(point.text).map((location) => ({ location, enabled: true }));
  }

  /** All that the user wants to stop at. Catchpoints for signals come before the signals themselves. */
  interests(direction: Direction, work: Work | undefined, calls: CallRun<Stop>): Interest<Stop>[] {
    const { breakpoints, viewAt, evaluator, signals } = this.here;
    const context = this.context(direction, work);
    const others = breakpoints.all.filter(({ enabled }) => enabled).flatMap((point): Interest<Stop>[] => {
      if (point.kind === 'watchpoint') return [new WatchHits(context, point)];
      return point.kind === 'catchpoint' ? [new CatchHits(context, point, this.survey.views)] : [];
    });
    return [new BreakpointHits(breakpoints, direction, viewAt, evaluator), ...calls.interests(), ...others, new SignalStops(signals.stopping, (hit): Stop => ({ kind: 'signal', thread: hit.task, signal: hit.signal ?? 0 }))];
  }

  /** Breakpoints on calls, for one command of the user's. */
  calls(direction: Direction, work: Work | undefined): CallRun<Stop> {
    const { breakpoints, execution } = this.here;
    const points = breakpoints.all.filter((point): point is CallBreakpoint => point.kind === 'call' && point.enabled);
    return new CallRun<Stop>({
      execution, direction, work, points,
      stop: (point, thread) => {
        point.hits++;
        if (point.temporary) breakpoints.delete(point.number);
        return { kind: 'breakpoint', thread, numbers: [point.number] };
      },
    });
  }

  /** Nothing but accesses to an expression. */
  onlyAccess(expression: string, access: Watchpoint['access'], direction: Direction, work: Work | undefined): () => Interest<Stop>[] {
    const point = this.watchpointFor(expression, false);
    const table = new BreakpointTable();
    const watchpoint = table.addWatch(expression, access, point);
    return () => [new WatchHits({ ...this.context(direction, work), table }, watchpoint)];
  }

  /** Of one of the times that a place was reached. */
  async addArrival(text: string, options: BreakpointOptions, work?: Work): Promise<LocationBreakpoint> {
    const { time, place, name } = await this.here.arrivalOf(text, work);
    return Object.assign(this.here.breakpoints.addLocation(name, [place], options), { arrival: { time } });
  }

  /** What is debugged now may be another execution: the same arrivals are at other times of it. */
  async findArrivals(work?: Work): Promise<void> {
    for (const point of this.here.breakpoints.all) {
      if (point.kind !== 'breakpoint' || point.arrival === undefined || !point.enabled) continue;
      const found = await unlessMistaken(() => this.here.arrivalOf(point.text, work));
      point.arrival.time = found?.time;
      if (found !== undefined) point.places = [{ location: found.place, enabled: true }];
    }
  }

  /** Where a statement begins: once for each copy of its function. */
  private statementPlaces(text: StatementText, program: ProgramView): CodeLocation[] {
    const { named, frame } = this.here;
    const statement = named.statementNow(text, program.modules.all, frame?.path);
    return program.modules.all.flatMap((module) => {
      const own = named.statements.ofLine(module.file, statement.path, statement.line).filter((code) => code.statement === statement);
      const starts = own.flatMap(({ ranges }) => ranges).filter(({ begins }) => begins).map(({ start }) => locationAt(program, BigInt(start) + module.bias));
      const byScope = new Map<unknown, CodeLocation>();
      for (const place of starts.sort((a, b) => (a.address < b.address ? -1 : 1))) {
        const copy = place.scope?.die.offset;
        if (!byScope.has(copy)) byScope.set(copy, { ...place, path: statement.path, line: statement.line });
      }
      return [...byScope.values()];
    });
  }

  private address(expression: string): bigint {
    const program = this.here.program();
    const { frame, evaluator } = this.here;
    const number = program === undefined ? undefined : evaluator.evaluate(expression, program, frame).number;
    if (number === undefined) throw new UserError("Value can't be converted to integer.");
    return number;
  }

  private context(direction: Direction, work: Work | undefined): WatchContext {
    const { execution, viewAt, evaluator, breakpoints } = this.here;
    return { execution, viewAt, evaluator, table: breakpoints, direction, work };
  }

  private placesEver(text: string): CodeLocation[] {
    const found = new Map<string, CodeLocation>();
    for (const program of this.survey.views) {
      for (const location of placesIn(text, program)) found.set(`${location.module?.path} ${location.address}`, location);
    }
    return [...found.values()];
  }

  private watchpointFor(expression: string, byLocation: boolean): Pick<Watchpoint, 'expression' | 'title' | 'scope' | 'owner' | 'fallback'> {
    const { frame, thread, evaluator } = this.here;
    const program = this.here.program();
    if (program === undefined || thread === undefined) throw new UserError(NOTHING_LOADED);
    const value = evaluator.evaluate(expression, program, frame);
    if (value.reads.length === 0) throw new UserError(value.bytes === undefined ? `Cannot watch what is not in memory: ${expression}` : `Cannot watch constant value \`${expression}'.`);
    if (!byLocation) return { expression, owner: thread.id, fallback: value.reads, scope: value.usesFrame ? frame?.id : undefined };
    const { location, atAddress } = value;
    if (location === undefined || atAddress === undefined) throw new UserError('Attempt to take address of value not located in memory.');
    return { expression: atAddress, title: `-location ${expression}`, owner: thread.id, fallback: [location], scope: undefined };
  }
}

async function unlessMistaken<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
