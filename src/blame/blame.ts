/**
 * The first point of memory corruption of a recorded run (Figure 7 of the paper): what guards find in a run of their
 * own, what suppression finds from the crash on, and both put together.
 */
import type { Debugger } from '../debugger/control/debugger.js';
import type { Report } from '../check/report/report.js';
import { quietly, type Work } from '../replay/timeline/work.js';
import type { BlamedFailure, BlameIteration, BlameReport } from './blameReport.js';
import { frameName, isSamePlace } from './frames.js';
import { type GuardOpinion, guardOpinions } from './guardOpinion.js';
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

export interface BlameSettings {
  readonly program: string;
  /** The file of the recording, if it stays. */
  readonly recording?: string | undefined;
  readonly method?: AskedMethod;
  /** Executions at most, the recorded one included. */
  readonly maxRuns?: number;
  /** Runs the program under rules. Undefined: it cannot be done here. */
  readonly guard?: ((work: Work | undefined) => Promise<Guarded>) | undefined;
  /** Runs the program without some instances. */
  readonly suppress: (points: readonly SuppressionPoint[], work: Work | undefined) => Promise<SuppressedRun>;
  /** Whether what a finding's address was made of has to do with a line: asked of the guarded run. */
  readonly isMadeOf?: (guarded: Guarded, opinion: GuardOpinion, lines: readonly string[], work: Work | undefined) => Promise<boolean>;
  readonly onIteration?: (iteration: BlameIteration) => void;
  readonly work?: Work | undefined;
}

export const DEFAULT_RUNS = 20;

/** The debugger stands anywhere in the recording, and at its end afterwards. */
export async function blame(debug: Debugger, settings: BlameSettings): Promise<BlameReport> {
  const { method = 'both', maxRuns = DEFAULT_RUNS, guard, suppress, onIteration, work, program, recording } = settings;
  const quiet = quietly(work);
  const remarks: string[] = [];
  const iterations: BlameIteration[] = [];
  const note = (iteration: BlameIteration): void => {
    iterations.push(iteration);
    onIteration?.(iteration);
  };
  const guarded = method === 'suppression' || guard === undefined ? undefined : await guard(quiet);
  remarks.push(...(guarded?.remarks ?? []));
  const opinions = guarded === undefined ? [] : guardOpinions(guarded.reports);
  if (guarded !== undefined) note({ method: 'guards', suppressed: [], leftOut: [], failure: opinions[0] === undefined ? undefined : failureOf(opinions[0]) });
  const isKnown = (place: Parameters<typeof isSamePlace>[0]): boolean => opinions.some(({ kind, access }) => kind === 'corruption' && place.line !== undefined && isSamePlace(access, place));
  const search = method === 'guards' && opinions.length > 0 ? undefined : await debug.aside(() => searchCorruption({ execution: debug.recording, modules: debug.modules }, {
    maxRuns, isKnown, work: quiet, suppress: (points) => suppress(points, quiet), onIteration: note,
  }));
  const isSymptom = guarded !== undefined && search !== undefined && (await symptom(settings, guarded, opinions, search));
  const failure = search?.crashes[0]?.crash.said;
  const { verdict, places, why, remarks: said } = verdictOf({ search: failure === undefined ? undefined : search, guards: opinions, otherEnd: otherEnd(debug), isSymptom });
  return { version: 1, program, recording, verdict, places, failure, iterations, remarks: [...said, ...remarks], why, runs: iterations.length };
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
