/**
 * Instances: the times at which statements were reached (docs/statements.md). `FILE:LINE.K#N` is the N-th arrival at a
 * statement in the whole run, over all threads of all processes, in the order of time. A what-if branch goes on from a
 * recording: what was before it counts.
 *
 * The run is observed, not stopped at every hit, so a statement that is reached a million times is counted about as
 * fast as it is replayed. Positions of executions stay where they are.
 */
import { UserError } from '../../base/errors.js';
import type { BranchExecution } from '../../replay/branch/branchExecution.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { ExecutionListener } from '../../replay/timeline/observing.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import { LineUnits, StatementUnits, type CodeUnits } from '../arrivals/units.js';
import type { Modules } from '../program/modules.js';
import { type Statement, statementName, type Statements } from '../program/statements.js';
import { type Arrival, InstanceCounter } from './instanceCounter.js';
import { InstanceEnd } from './instanceEnd.js';

/** What instances are counted in. */
export interface InstanceRun {
  readonly execution: Execution;
  /** Of a branch: what it goes on from. */
  readonly recording?: Execution | undefined;
  /** Of a branch: it is not looked at beyond. */
  readonly end?: Position | undefined;
  readonly modules: Modules;
  readonly statements: Statements;
}

export interface Instance {
  readonly statement: Statement;
  readonly number: number;
  readonly thread: number;
  /** Right before its first instruction. */
  readonly start: Position;
  /** Where control leaves it: calls that it makes are inside. */
  readonly end: Position;
}

/** Where a thread stands. */
interface Standing {
  readonly position: Position;
  readonly thread: number;
  /** Of a caller: where its call returns to. */
  readonly pc: bigint;
  /** Which of the frames that return to it, from the innermost on. */
  readonly caller?: number | undefined;
}

export interface InstanceCount {
  /** How often it was reached, the one that the thread is about to begin included. */
  readonly count: number;
  /** The instance that the thread stands in; undefined if it does not. */
  readonly standing: number | undefined;
}

/** The N-th arrival in the whole run; from -1 down: the last ones before `before`. A UserError if there is none. */
export async function findInstance(run: InstanceRun, statement: Statement, number: number, before?: Position, work?: Work): Promise<Instance> {
  const found = await findArrival(run, statement, number, before, work);
  const start = at(found.time);
  const end = await endOf(run, statement, found, work);
  return { statement, number: found.number, thread: found.thread, start, end };
}

/** The same, without where it ends: that takes longer, if it makes calls. */
export async function findArrival(run: InstanceRun, statement: Statement, number: number, before?: Position, work?: Work): Promise<Arrival> {
  if (number === 0) throw new UserError('instances are counted from #1 on; #-1 is the last one before here');
  const kept: Arrival[] = [];
  const isBack = number < 0;
  const counter = counterFor(run, statement, {
    onArrival: (arrival) => {
      if (isBack ? before === undefined || comparePositions(at(arrival.time), before) < 0 : arrival.number === number) kept.push(arrival);
      if (kept.length > Math.abs(number)) kept.shift();
    },
  });
  await observeAll(run, counter, isBack ? before : undefined, isBack ? undefined : () => kept.length > 0, work);
  const found = isBack ? kept[kept.length + number] : kept[0];
  if (found !== undefined) return found;
  const last = isBack ? undefined : await aboutToBegin(run, statement, counter, number, work);
  if (last !== undefined) return last;
  throw new UserError(missing(statement, number, counter.total(statement.unit)));
}

/** How often a statement was reached up to where a thread stands, and the instance that it stands in. */
export async function countInstances(run: InstanceRun, statement: Statement, standing: Standing, work?: Work): Promise<InstanceCount> {
  const counter = counterFor(run, statement, {});
  await observeAll(run, counter, standing.position, undefined, work);
  const count = counter.total(statement.unit);
  const module = run.modules.of(run.execution.state, standing.thread).at(standing.pc);
  const here = module === undefined ? undefined : counter.standing(standing.thread, module, Number(standing.pc), standing.caller);
  if (here === undefined || here.unit !== statement.unit) return { count, standing: undefined };
  return { count: here.isArrival ? here.number : count, standing: here.number === 0 ? undefined : here.number };
}

/** The instances of lines that frames of a thread are in, all at one position. One pass. 0: in none. */
export async function standingInstances(run: InstanceRun, frames: readonly { readonly line: Statement; readonly standing: Standing }[], work?: Work): Promise<number[]> {
  const [first] = frames;
  if (first === undefined) return [];
  const counter = new InstanceCounter({ modules: run.modules, units: unitsFor(run, true), wanted: new Set(frames.map(({ line }) => line.unit)) });
  await observeAll(run, counter, first.standing.position, undefined, work);
  return frames.map(({ line, standing: { thread, pc, caller } }) => {
    const module = run.modules.of(run.execution.state, thread).at(pc);
    const here = module === undefined ? undefined : counter.standing(thread, module, Number(pc), caller);
    return here?.unit === line.unit ? here.number : 0;
  });
}

/** How often a statement was reached before a position; in all of the run, if none is said. */
export async function countArrivals(run: InstanceRun, statement: Statement, before?: Position, work?: Work): Promise<number> {
  const counter = counterFor(run, statement, {});
  await observeAll(run, counter, before, undefined, work);
  return counter.total(statement.unit);
}

/** The number of the instance at each of many times: that of the instruction which begins there. One pass. */
export async function instanceNumbers(run: InstanceRun, times: readonly { readonly time: number; readonly statement: Statement }[], work?: Work): Promise<number[]> {
  const answers = new Array<number>(times.length).fill(0);
  for (const isWhole of [true, false]) {
    const order = times.map((_, index) => index).filter((index) => (times[index]?.statement.part === undefined) === isWhole);
    if (order.length === 0) continue;
    order.sort((a, b) => (times[a]?.time ?? 0) - (times[b]?.time ?? 0));
    const queries = order.map((index) => ({ time: times[index]?.time ?? 0, unit: times[index]?.statement.unit ?? 0 }));
    const wanted = new Set(queries.map(({ unit }) => unit));
    const counter = new InstanceCounter({ modules: run.modules, units: unitsFor(run, isWhole), wanted, queries });
    await observeAll(run, counter, at((queries.at(-1)?.time ?? 0) + 1, 0), undefined, work);
    order.forEach((index, i) => void (answers[index] = counter.answers[i] ?? counter.total(queries[i]?.unit ?? 0)));
  }
  return answers;
}

function unitsFor({ statements }: InstanceRun, isWhole: boolean): CodeUnits {
  return isWhole ? new LineUnits(statements) : new StatementUnits(statements);
}

function counterFor(run: InstanceRun, statement: Statement, options: { readonly onArrival?: (arrival: Arrival) => void }): InstanceCounter {
  return new InstanceCounter({ modules: run.modules, units: unitsFor(run, statement.part === undefined), wanted: new Set([statement.unit]), ...options });
}

function missing(statement: Statement, number: number, count: number): string {
  const times = count === 1 ? 'once' : `${count} times`;
  if (number < 0) return `${statementName(statement)} was ${count === 0 ? 'not reached' : `reached ${times}`} before here, so there is no #${number}`;
  return count === 0 ? `${statementName(statement)} was never reached` : `${statementName(statement)} was reached ${times}, not ${number}`;
}

/** Listens to one execution after the other. */
type PassOver = ExecutionListener & { goOn(): void };

/** What a branch that has not ended is run on by, before it is looked at. */
const AHEAD = 4_000_000;

/** From the beginning up to `to` (default: the end), or until it is enough. */
export async function observeAll(run: InstanceRun, { pass }: { readonly pass: PassOver }, to: Position | undefined, isEnough: (() => boolean) | undefined, work: Work | undefined): Promise<void> {
  const { execution, recording } = run;
  const what = { addresses: false };
  if (to === undefined && run.end !== undefined) return observeAll(run, { pass }, run.end, isEnough, work);
  const enough = isEnough ?? ((): boolean => false);
  if (recording !== undefined && recording !== execution) {
    const end = to !== undefined && comparePositions(to, execution.start) < 0 ? to : execution.start;
    await untilEnough(enough, work, (own) => recording.observe(what, pass, recording.start, end, own));
    if (enough() || end === to) return;
    pass.goOn();
  }
  if (to !== undefined) return untilEnough(enough, work, (own) => execution.observe(what, pass, execution.start, to, own));
  for (let from = execution.start; ; ) {
    const limit = isOpen(execution) ? at(Math.max(from.time, execution.endTime) + AHEAD) : undefined;
    await untilEnough(enough, work, (own) => execution.observe(what, pass, from, limit, own));
    if (enough() || limit === undefined) return;
    // It has run on as far as asked, or has ended on the way.
    from = at(Math.min(limit.time, execution.endTime));
    if (!isOpen(execution) && from.time >= execution.endTime) return;
  }
}

function isOpen(execution: Execution): boolean {
  return 'end' in execution && (execution as BranchExecution).end === undefined;
}

async function untilEnough(isEnough: () => boolean, work: Work | undefined, observe: (work: Work) => Promise<void>): Promise<void> {
  try {
    await observe({ ...work, isCancelled: () => isEnough() || work?.isCancelled?.() === true });
  } catch (error) {
    if (!(error instanceof Cancelled) || !isEnough()) throw error;
  }
}

/** At the end of a run a thread may stand before an instruction that it never got through: it has arrived there. */
async function aboutToBegin(run: InstanceRun, statement: Statement, counter: InstanceCounter, number: number, work: Work | undefined): Promise<Arrival | undefined> {
  const { execution, modules } = run;
  const home = execution.position;
  await execution.seekEnd(work);
  try {
    const { state, position } = execution;
    const thread = state.current?.id;
    const pc = thread === undefined ? undefined : state.register(thread, 'rip');
    const module = thread === undefined || pc === undefined ? undefined : modules.of(state, thread).at(pc);
    if (thread === undefined || pc === undefined || module === undefined) return undefined;
    const here = counter.standing(thread, module, Number(pc));
    return here.isArrival && here.unit === statement.unit && here.number === number ? { unit: here.unit, number, time: position.time, thread, address: Number(pc) } : undefined;
  } finally {
    await execution.seek(home, work);
  }
}

/** How far is looked for the end at once: most statements are short. */
const FIRST_LOOK = 4096;
const LATER_LOOK = 64;

async function endOf(run: InstanceRun, statement: Statement, { time, thread }: Arrival, work: Work | undefined): Promise<Position> {
  const { execution, recording, modules } = run;
  const isBefore = recording !== undefined && recording !== execution && time < execution.start.time;
  const parts = isBefore ? [{ execution: recording, end: execution.start.time }, { execution, end: Infinity }] : [{ execution, end: Infinity }];
  const search = new InstanceEnd(modules, unitsFor(run, statement.part === undefined), statement.unit, thread);
  let from = time;
  for (const part of parts) {
    for (let look = FIRST_LOOK; search.end === undefined; look *= LATER_LOOK) {
      const limit = Math.min(from + look, part.end, isOpen(part.execution) ? Infinity : part.execution.endTime);
      if (limit <= from) break;
      await untilEnough(() => search.end !== undefined, work, (own) => part.execution.observe({ addresses: false }, search, at(from), at(limit, 0), own));
      from = limit;
    }
  }
  return search.end ?? at(from);
}
