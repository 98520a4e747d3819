/**
 * The first point of memory corruption of a recorded run (Figure 7 of the paper): what guards find in a run of their
 * own, what suppression finds from the crash on, and both put together.
 */
import type { Debugger } from '../debugger/control/debugger.js';
import type { Report } from '../check/report/report.js';
import type { Execution } from '../replay/timeline/execution.js';
import { Cancelled, quietly, type Work } from '../replay/timeline/work.js';
import type { BlamedFailure, BlameIteration, BlameReport } from './blameReport.js';
import { frameName, isSamePlace } from './frames.js';
import { guardedCrash, type GuardOpinion, guardOpinions } from './guardOpinion.js';
import { brokenBy, type Broken } from './layouts/brokenPattern.js';
import { searchCorruption, type SearchResult } from './search.js';
import type { SuppressedRun, SuppressionPoint } from './suppression/suppressedRun.js';
import { verdictOf } from './verdict.js';

export type AskedMethod = 'suppression' | 'guards' | 'both';

/** What guards found in a run of their own. */
export interface Guarded {
  readonly reports: readonly Report[];
  readonly remarks: readonly string[];
  /** Opens that run. */
  open(work?: Work): Promise<Debugger>;
}

/** What layouts have shown. */
interface Exposed {
  readonly runs: number;
  readonly remarks: readonly string[];
  /** A run that crashes where the recorded one did not, or in which memory between variables was written to. */
  readonly debug: Debugger | undefined;
  /** In the latter case, that memory. */
  readonly broken?: readonly Broken[] | undefined;
}

export interface BlameSettings {
  readonly program: string;
  /** The file of the recording, if it stays. */
  readonly recording?: string | undefined;
  readonly method?: AskedMethod;
  /** Executions at most, the recorded one included. */
  readonly maxRuns?: number;
  /** Runs the program under rules. Undefined: it cannot be done here. */
  readonly guard?: ((work: Work | undefined) => Promise<Guarded>) | undefined;
  /** Runs the program without some instances; `of`: another run than the recording. */
  readonly suppress: (points: readonly SuppressionPoint[], work: Work | undefined, of?: Debugger) => Promise<SuppressedRun>;
  /** Whether what a finding's address was made of has to do with a line: asked of the guarded run. */
  readonly isMadeOf?: (guarded: Guarded, opinion: GuardOpinion, lines: readonly string[], work: Work | undefined) => Promise<boolean>;
  /** Runs the program with its variables laid out anew, until that exposes something. Undefined: not here. */
  readonly expose?: ((mostRuns: number, work: Work | undefined) => Promise<Exposed>) | undefined;
  /** When something of the guarded run happened in the recording. */
  readonly recordedTime?: (guarded: Guarded, opinion: GuardOpinion, recording: Execution, work: Work | undefined) => Promise<number | undefined>;
  readonly onIteration?: (iteration: BlameIteration) => void;
  readonly work?: Work | undefined;
}

/** How the program is run. */
export type BlameMeans = Pick<BlameSettings, 'guard' | 'suppress' | 'expose' | 'isMadeOf' | 'recordedTime'>;

const DEFAULT_RUNS = 20;

/** A report, and what it takes to make its executions once more. */
export interface BlameResult {
  readonly report: BlameReport;
  /** By iteration of the report: what was left out in it. None: it was run as it is. */
  readonly points: readonly (readonly SuppressionPoint[])[];
}

/** The debugger stands where it did afterwards. */
export async function blame(debug: Debugger, settings: BlameSettings): Promise<BlameResult> {
  const { method = 'both', maxRuns = DEFAULT_RUNS, guard, suppress, onIteration, work, program, recording } = settings;
  const quiet = quietly(work);
  const remarks: string[] = [];
  const iterations: BlameIteration[] = [];
  const note = (iteration: BlameIteration): void => {
    iterations.push(iteration);
    onIteration?.(iteration);
  };
  const guarded = method === 'suppression' || guard === undefined ? undefined : await unlessCancelled(guard(quiet));
  remarks.push(...(guarded?.remarks ?? []));
  const opinions = guarded === undefined ? [] : guardOpinions(guarded.reports);
  if (guarded !== undefined) note({ method: 'guards', suppressed: [], leftOut: [], failure: opinions[0] === undefined ? guardedCrash(guarded.reports) : failureOf(opinions[0]) });
  const isKnown = (place: Parameters<typeof isSamePlace>[0]): boolean => opinions.some(({ kind, access }) => kind === 'corruption' && place.line !== undefined && isSamePlace(access, place));
  const search = method === 'guards' && opinions.length > 0 ? undefined : await debug.aside(() => searchCorruption({ execution: debug.recording, modules: debug.modules }, {
    maxRuns, isKnown, work: quiet, suppress: (points) => suppress(points, quiet), onIteration: note,
  }));
  const isSilent = search !== undefined && search.crashes.length === 0 && !opinions.some(({ kind }) => kind === 'corruption');
  if (isSilent && settings.expose !== undefined && otherEnd(debug) === undefined && !isGivenUp(work)) return blameExposed(debug, settings, { iterations, opinions: guarded && opinions, remarks, note });
  const isSymptom = guarded !== undefined && search !== undefined && (await unlessCancelled(symptom(settings, guarded, opinions, search))) === true;
  const failure = search?.crashes[0]?.crash.said;
  const { verdict, places, why, remarks: said } = verdictOf({ search: failure === undefined ? undefined : search, guards: guarded === undefined ? undefined : opinions, otherEnd: otherEnd(debug), isSymptom, isGivenUp: isGivenUp(work) });
  const [best] = places;
  const opinion = opinions.find(({ rule, time }) => rule === best?.rule && time === best.time);
  const isGuards = recording !== undefined && best !== undefined && opinion !== undefined && guarded !== undefined && !best.by.includes('suppression');
  const time = isGuards ? await unlessCancelled(debug.aside(async () => settings.recordedTime?.(guarded, opinion, debug.recording, quiet))) : undefined;
  const report: BlameReport = { version: 1, program, recording, verdict, places: time === undefined || best === undefined ? places : [{ ...best, time }, ...places.slice(1)], failure, iterations, remarks: [...said, ...remarks], why, runs: iterations.length };
  return { report, points: [...(guarded === undefined ? [] : [[]]), ...(search?.points ?? [])] };
}

function isGivenUp(work: Work | undefined): boolean {
  return work?.isCancelled?.() === true;
}

/** What is given up has no result. */
async function unlessCancelled<T>(made: Promise<T>): Promise<T | undefined> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof Cancelled) return undefined;
    throw error;
  }
}

interface Begun {
  readonly iterations: BlameIteration[];
  readonly opinions: readonly GuardOpinion[] | undefined;
  readonly remarks: string[];
  readonly note: (iteration: BlameIteration) => void;
}

/** Nothing crashes: layouts may make it crash, and then suppression begins from there. */
async function blameExposed(debug: Debugger, settings: BlameSettings, { iterations, opinions, remarks, note }: Begun): Promise<BlameResult> {
  const { maxRuns = DEFAULT_RUNS, program, recording, work } = settings;
  const quiet = quietly(work);
  const exposed = settings.expose === undefined ? undefined : await unlessCancelled(settings.expose(Math.max(1, maxRuns - iterations.length), quiet));
  const other = exposed?.debug;
  const runs = iterations.length + (exposed?.runs ?? 0);
  const writer = other === undefined || exposed?.broken === undefined ? undefined : await unlessCancelled(brokenBy(other, exposed.broken, quiet));
  if (writer !== undefined) {
    note({ method: 'reordering', suppressed: [], leftOut: [], failure: { kind: 'finding', name: 'layout', message: writer.what, place: writer, time: writer.time ?? 0 } });
    const silent = ['the run itself is silent: its variables were laid out anew, and times are of that run'];
    return { report: { version: 1, program, recording, verdict: 'corruption', places: [writer], failure: undefined, iterations, remarks: [...silent, ...remarks, ...(exposed?.remarks ?? [])], why: `memory was first corrupted at ${frameName(writer)}: ${writer.what}`, runs }, points: [] };
  }
  const search = other === undefined || exposed?.broken !== undefined ? undefined : await searchCorruption({ execution: other.recording, modules: other.modules }, {
    maxRuns, isKnown: () => false, work: quiet, onIteration: (iteration) => note({ ...iteration, method: iteration.suppressed.length === 0 ? 'reordering' : 'suppression' }),
    suppress: (points) => settings.suppress(points, quiet, other),
  });
  const { verdict, places, why, remarks: said } = verdictOf({ search, guards: opinions, otherEnd: otherEnd(debug), isSymptom: false, isGivenUp: isGivenUp(work) });
  const all = [...said, ...(search === undefined ? [] : ['the run itself is silent: its variables were laid out anew, and times are of that run']), ...remarks, ...(exposed?.remarks ?? [])];
  const named = places.map((place) => ({ ...place, by: place.by.includes('suppression') ? (['reordering', 'suppression'] as const) : place.by }));
  return { report: { version: 1, program, recording, verdict, places: named, failure: search?.crashes[0]?.crash.said, iterations, remarks: all, why, runs }, points: [] };
}

/** Whether the first finding of guards is what came of the statement that suppression names. */
async function symptom({ isMadeOf, work }: BlameSettings, guarded: Guarded, opinions: readonly GuardOpinion[], { crashes }: SearchResult): Promise<boolean> {
  const first = opinions.find(({ kind }) => kind === 'corruption');
  const last = crashes.findLast(({ definitions }) => definitions.length > 0);
  if (first === undefined || last === undefined || crashes.length < 2 || isMadeOf === undefined) return false;
  return isMadeOf(guarded, first, last.definitions.map(({ place }) => frameName(place)), quietly(work));
}

function failureOf({ rule, message, access, time }: GuardOpinion): BlamedFailure {
  return { kind: 'finding', name: rule, message, place: access, time };
}

/** How the run ended badly without a crash. */
function otherEnd(debug: Debugger): string | undefined {
  const { lastStop } = debug;
  if (lastStop.kind !== 'end') return undefined;
  const { how, remark } = lastStop.ending;
  return how === 'unknown' ? remark : undefined;
}
