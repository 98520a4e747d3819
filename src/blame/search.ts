/**
 * Execution suppression (Figure 3 of the paper): from a crash to the definition of what crashed, a run without that
 * definition and all that depends on it, the next crash, and so on until nothing crashes. The latest definition is then
 * the first point of corruption, as far as crashes can tell.
 */
import { UserError } from '../base/errors.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import { JoinedExecution } from '../replay/branch/joinedExecution.js';
import { at, comparePositions } from '../replay/log/position.js';
import { Cancelled, type Work } from '../replay/timeline/work.js';
import { ValueFlow } from '../flow/chain.js';
import type { BlamedFailure, BlamedFrame, BlameIteration } from './blameReport.js';
import { type Definition, definitionAt, definitionOf, type IsKnown } from './definition/definition.js';
import { type FreeCall, freedBefore } from './definition/freedTwice.js';
import { definitionText } from './definition/definitionText.js';
import { crashIn, type FoundCrash } from './failure/crash.js';
import { type Suspicion, suspicionOf } from './failure/suspects.js';
import { frameName, lineAt, placeOf } from './frames.js';
import { type BlamedRun, viewAt } from './run.js';
import { type AddedPoints, type RunWithPoints, runWithout } from './suppression/addedPoints.js';
import { type LeftOut, type SuppressedRun, type SuppressionPoint, systemCallPoint } from './suppression/suppressedRun.js';

/** A crash, with what may be corrupt there and what defined it. */
export interface ExplainedCrash {
  readonly crash: FoundCrash;
  readonly suspicion: Suspicion;
  readonly definitions: readonly Definition[];
}

interface SearchOptions {
  /** Executions at most, the first one included. */
  readonly maxRuns: number;
  /** Lines that are known to be wrong. */
  readonly isKnown: IsKnown;
  /** Runs the program without these. */
  readonly suppress: (points: readonly SuppressionPoint[]) => Promise<SuppressedRun>;
  /** Told of each execution when it is over. */
  readonly onIteration?: ((iteration: BlameIteration) => void) | undefined;
  readonly work?: Work | undefined;
}

/** Why the search came to its end. */
type SearchEnd =
  /** Nothing crashes any more. */
  | { readonly kind: 'quiet' }
  /** A crash of which no definition is known. */
  | { readonly kind: 'stuck' }
  /** The same statement has defined what crashed several times. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'maxRuns' }
  /** The user, or the time that there was, has ended it. */
  | { readonly kind: 'givenUp' }
  /** The run could not be gone on with. */
  | { readonly kind: 'lost'; readonly why: string };

export interface SearchResult {
  /** In the order in which they were found. */
  readonly crashes: readonly ExplainedCrash[];
  readonly iterations: readonly BlameIteration[];
  /** By iteration: all that was left out in it, to make it once more. */
  readonly points: readonly (readonly SuppressionPoint[])[];
  /** What suppressed runs do not know. */
  readonly remarks: readonly string[];
  readonly end: SearchEnd;
}

/** Crashes one after the other that go back to the same statement. */
const MOST_ALIKE = 4;

/** `first`: the run as it was. */
export async function searchCorruption(first: BlamedRun, options: SearchOptions): Promise<SearchResult> {
  const { work, isKnown, maxRuns, onIteration } = options;
  const crashes: ExplainedCrash[] = [];
  const iterations: BlameIteration[] = [];
  let points: readonly SuppressionPoint[] = [];
  const all: (readonly SuppressionPoint[])[] = [];
  const remarks = new Set<string>();
  const ended = (end: SearchEnd): SearchResult => ({ crashes, iterations, points: all, remarks: [...remarks], end });
  const note = (iteration: BlameIteration): void => {
    iterations.push(iteration);
    all.push(points);
    onIteration?.(iteration);
  };
  let run = first;
  let branch: BranchExecution | undefined;
  let suppressed: BlameIteration['suppressed'] = [];
  let leftOut: readonly string[] = [];
  try {
    for (;;) {
      const crash = await crashIn(run, work);
      note({ method: 'suppression', suppressed, leftOut, failure: crash?.said });
      if (crash === undefined) return ended({ kind: 'quiet' });
      const explained = await explain(run, crash, isKnown, work);
      crashes.push({ ...explained, crash: { ...crash, said: { ...crash.said, message: `${crash.said.message}: ${explained.suspicion.what}` } } });
      if (isRepeated(crashes)) return ended({ kind: 'repeated' });
      const fresh = newPoints(explained.definitions, points);
      if (fresh.length === 0) return ended({ kind: 'stuck' });
      if (iterations.length >= maxRuns) return ended({ kind: 'maxRuns' });
      const made = await without({ run, points, fresh: await pointsOf(run, fresh, work), suppress: options.suppress, work });
      if (typeof made === 'string') return ended({ kind: 'lost', why: made });
      branch?.drop();
      ({ branch } = made);
      points = made.points;
      for (const remark of made.remarks) remarks.add(remark);
      run = joined(first, branch);
      suppressed = fresh.map((definition) => ({ ...definition.place, time: definition.position.time, what: definitionText(definition) }));
      leftOut = await linesOf(run, made.leftOut, work);
      const lost = lostIn(made);
      if (lost !== undefined) {
        note({ method: 'suppression', suppressed, leftOut, failure: lost });
        return ended({ kind: 'lost', why: lost.message });
      }
    }
  } catch (error) {
    if (error instanceof Cancelled) return ended({ kind: 'givenUp' });
    throw error;
  } finally {
    branch?.drop();
  }
}

/** Definitions may be from before the branch. */
function joined({ execution, modules }: BlamedRun, branch: BranchExecution): BlamedRun {
  return { execution: new JoinedExecution(execution, branch), modules };
}

/** A run that cannot be made, and why. */
async function without(asked: AddedPoints): Promise<RunWithPoints | string> {
  try {
    return await runWithout(asked);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** What may be corrupt at a crash, and what defined it. */
async function explain(run: BlamedRun, crash: FoundCrash, isKnown: IsKnown, work?: Work): Promise<ExplainedCrash> {
  const flow = new ValueFlow(run.execution, run.modules);
  const suspicion = await suspicionOf(flow, crash, work);
  const found: Definition[] = [];
  for (const suspect of suspicion.suspects) {
    const definition = await definitionOf(flow, suspect, isKnown, work);
    if (definition !== undefined) found.push(definition);
  }
  const chosen = distinct(preferred(found));
  const { freeing } = suspicion;
  if (freeing === undefined) return { crash, suspicion, definitions: chosen };
  const definitions: Definition[] = [];
  // One after the other: each moves the execution.
  for (const one of chosen) definitions.push(one.suspect.role === 'freed' ? await freedDefinition(flow, one, freeing, work) : one);
  return { crash, suspicion, definitions };
}

/** Of a pointer that is freed a second time: where it parted from the first, or the call that frees it. */
async function freedDefinition(flow: ValueFlow, definition: Definition, freeing: FreeCall, work: Work | undefined): Promise<Definition> {
  const freed = await freedBefore(flow, freeing, definition.chain, work);
  if (freed.kind === 'once') return definition;
  return (freed.kind === 'parted' ? await definitionAt(flow, definition, freed.link, work) : await definitionAt(flow, definition, { ...definition.link, position: freeing.position, thread: freeing.thread, rip: 0 }, work)) ?? definition;
}

/**
 * Of what an allocator has checked: what the program wrote over is to blame. What the allocator wrote itself is in
 * order, and then it is the pointer that it was given.
 */
function preferred(definitions: readonly Definition[]): readonly Definition[] {
  const overwritten = definitions.filter(({ suspect, isHeaps }) => suspect.role === 'checked' && !isHeaps);
  const freed = definitions.filter(({ suspect }) => suspect.role === 'freed');
  if (freed.length === 0) return definitions.some(({ isHeaps }) => !isHeaps) ? definitions.filter(({ isHeaps, suspect }) => !isHeaps || suspect.role !== 'checked') : definitions;
  return overwritten.length > 0 ? overwritten : freed;
}

async function pointsOf({ execution }: BlamedRun, definitions: readonly Definition[], work: Work | undefined): Promise<readonly SuppressionPoint[]> {
  const points: SuppressionPoint[] = [];
  for (const one of definitions) {
    const { kind, place } = one.link;
    const isKernels = kind === 'kernel' || (kind === 'syscall' && place.kind === 'memory');
    points.push(isKernels ? await systemCallPoint(execution, one.position, one.thread, work) : pointOf(one));
  }
  return points;
}

function pointOf({ position, thread, link, pieces }: Definition): SuppressionPoint {
  const { place, rip } = link;
  // Each piece that is left out takes no time any more.
  const alsoAfter = (pieces?.others ?? []).map(({ time, rip: address, address: target, bytes }, i) => ({ instructions: time - position.time - i - 1, address, memory: { address: target, bytes } }));
  return { position, thread, ...(rip === 0 ? {} : { address: rip }), ...(rip !== 0 && place.kind === 'memory' ? { memory: { address: place.address, bytes: place.size } } : {}), ...(alsoAfter.length === 0 ? {} : { alsoAfter }) };
}

function distinct(definitions: readonly Definition[]): readonly Definition[] {
  return definitions.filter((one, i) => definitions.findIndex((other) => isSameInstance(one, other)) === i);
}

/** One statement that has defined what crashed several times: it is to blame, however many of its instances are. */
function isRepeated(crashes: readonly ExplainedCrash[]): boolean {
  const last = crashes.slice(-MOST_ALIKE).map(({ definitions }) => definitions.map(({ place }) => frameName(place)).join(' '));
  return last.length === MOST_ALIKE && last[0] !== '' && last.every((names) => names === last[0]);
}

function newPoints(definitions: readonly Definition[], known: readonly SuppressionPoint[]): readonly Definition[] {
  return definitions.filter(({ position, thread }) => !known.some((point) => point.thread === thread && comparePositions(point.position, position) === 0));
}

function isSameInstance(a: Definition, b: Definition): boolean {
  return a.thread === b.thread && comparePositions(a.position, b.position) === 0;
}

/** A run that does not end, or cannot go on, counts as one that fails. */
function lostIn({ end, branch }: SuppressedRun): BlamedFailure | undefined {
  const place: BlamedFrame = { function: undefined, file: undefined, line: undefined, module: undefined, address: '' };
  const { endTime: time } = branch;
  switch (end.kind) {
    case 'ended': return undefined;
    case 'limit': return { kind: 'hang', name: 'hang', message: 'it does not end within its limit', place, time };
    case 'deadlock': return { kind: 'hang', name: 'deadlock', message: `all threads wait for each other: ${end.tasks.join('; ')}`, place, time };
    case 'cutOff': return { kind: 'hang', name: 'cut off', message: 'the recording is cut off there', place, time };
    case 'unsupported': return { kind: 'hang', name: 'unsupported', message: end.why, place, time };
  }
}

/** Lines of the user's own, by file and line. */
async function linesOf(run: BlamedRun, leftOut: readonly LeftOut[], work: Work | undefined): Promise<readonly string[]> {
  const lines = new Set<string>();
  const { execution } = run;
  const home = execution.position;
  for (const { time, address, why } of leftOut) {
    await execution.seek(at(time), work);
    const thread = execution.state.current?.id;
    const view = thread === undefined ? undefined : await viewAt(run, at(time), thread, work);
    const own = view && lineAt(view, address);
    // What libraries only hand on is nothing that the line which called them left out.
    if (view !== undefined && (own !== undefined || why !== 'data')) lines.add(frameName(own ?? placeOf(view)));
  }
  await execution.seek(home, work);
  const withLines = [...lines].filter((name) => name.includes(':') && !/:0x/.test(name));
  return (withLines.length > 0 ? withLines : [...lines]).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}
