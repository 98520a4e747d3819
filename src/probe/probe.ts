/**
 * Which conditions and calls are critical for a failure: each one in its slice is made to go the other way, each call
 * on the stack is left out, one at a time, in branches of their own. Those without which the run does not fail are what
 * the failure needed. Attempts know nothing of each other, so it is of no account who makes them, and when.
 */
import { UserError } from '../base/errors.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { ProgramView } from '../debugger/program/programView.js';
import { breathe, partOf, quietly, type Work } from '../replay/timeline/work.js';
import { Slices } from '../slices/slices.js';
import type { WhatIf } from '../whatIf/apply.js';
import { recordedEnd } from '../whatIf/recordedOutput.js';
import { type Attempt, attempt } from './attempt.js';
import { type Candidate, candidatesOf, compareCandidates } from './candidates.js';
import { type AttemptRules, type Failure, failureOf, type Outcome } from './failure.js';
import { type RefusedPlace, shortened } from './named.js';
import { sceneOf } from './scene.js';

/** Makes attempts, one at a time. */
export interface Attempter {
  attempt(one: Attempt, rules: AttemptRules, work?: Work): Promise<Outcome>;
}

/** Several who make attempts side by side. */
export interface Attempters {
  readonly all: readonly Attempter[];
  /** They are not needed any more, whether or not they are done. */
  close(): Promise<void>;
}

/** For so many attempts of about so many instructions. Undefined: it does not pay. */
export type MakeAttempters = (attempts: number, instructions: number) => Attempters | undefined;

export interface ProbeOptions {
  /** Default: how the recording ended, if that was badly. */
  readonly failure?: Failure | undefined;
  /** Attempts at most (DEFAULT_MOST). */
  readonly most?: number | undefined;
  /** Instructions that each branch may take; default: as many as the recording has, and a million. */
  readonly limit?: number | undefined;
  /** Default: this thread makes all attempts, on the recording that is debugged. */
  readonly attempters?: MakeAttempters | undefined;
  /** Those of the debugger, if there are some already: the next slice is cheaper. */
  readonly slices?: Slices | undefined;
  readonly work?: Work | undefined;
}

export interface Tried extends Candidate {
  readonly outcome: Outcome;
}

export interface ProbeResult {
  readonly failure: Failure;
  readonly limit: number;
  /** Newest first. */
  readonly tried: readonly Tried[];
  /** Conditions that have no name by which they could be altered. */
  readonly refused: readonly RefusedPlace[];
  /** Conditions in the slice, by place. */
  readonly places: number;
  /** How many decisions and calls more there are than were to be tried. */
  readonly untried: number;
}

export const DEFAULT_MOST = 100;
/** Programs that have to be run a little longer than the recording was. */
export const LEAST_LIMIT = 1_000_000;
/** Of all work: what it takes to find candidates. */
const FINDING = 0.3;

/** Of the recording, whether or not a branch is debugged. The debugger stands where it did afterwards. */
export async function probe(debug: Debugger, { failure: asked, most = DEFAULT_MOST, limit, attempters, slices = new Slices(debug), work }: ProbeOptions = {}): Promise<ProbeResult> {
  if (debug.branch !== undefined) throw new UserError('a branch is debugged: "branch drop" returns to the recording, which is what is probed');
  const { recording } = debug;
  const ending = recordedEnd(recording);
  const failure = asked ?? failureOf(ending);
  const rules: AttemptRules = { failure, ending, limit: limit ?? recording.endTime + LEAST_LIMIT };
  const home = { position: debug.position, thread: debug.thread?.id, level: debug.frame?.level, stop: debug.lastStop };
  try {
    await debug.goToEnd(quietly(work));
    const scene = await sceneOf(debug, whatIfOf(debug), failure, ending, quietly(work));
    const found = await candidatesOf(debug, whatIfOf(debug), slices, scene, most, partOf(work, 0, FINDING, 1));
    const others = attempters?.(found.all.length, recording.endTime);
    const outcomes = await allOutcomes(found.all, rules, others ?? ownAttempter(debug), partOf(work, FINDING, 1 - FINDING, 1));
    const tried = found.all.map((candidate, i) => ({ ...candidate, outcome: readable(outcomes[i] as Outcome, candidate.path) })).sort(compareCandidates);
    return { failure, limit: rules.limit, tried, refused: found.refused, places: found.places, untried: found.untried };
  } finally {
    await debug.goTo(home.position);
    if (home.thread !== undefined && debug.threads.some(({ id }) => id === home.thread)) debug.selectThread(home.thread);
    if (home.level !== undefined && debug.backtrace?.frame(home.level) !== undefined) debug.selectFrame(home.level);
    debug.lastStop = home.stop;
  }
}

/** The critical ones: nearest to the cause first. */
export function criticalOf({ tried }: ProbeResult): Tried[] {
  return tried.filter(({ outcome }) => outcome.verdict === 'gone');
}

function readable(outcome: Outcome, path: string | undefined): Outcome {
  return 'why' in outcome ? { ...outcome, why: shortened(outcome.why, path) } : outcome;
}

async function allOutcomes(candidates: readonly Attempt[], rules: AttemptRules, attempters: Attempters, work: Work | undefined): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let [next, done] = [0, 0];
  const goOn = async (attempter: Attempter): Promise<void> => {
    for (let i = next++; i < candidates.length; i = next++) {
      const { alteration, arrival } = candidates[i] as Attempt;
      outcomes[i] = await attempter.attempt({ alteration, arrival }, rules, quietly(work));
      await breathe(work, ++done, candidates.length);
    }
  };
  try {
    await Promise.all(attempters.all.map(goOn));
    return outcomes;
  } finally {
    await attempters.close();
  }
}

/** In this thread, on the recording that is debugged. */
function ownAttempter(debug: Debugger): Attempters {
  const own: Attempter = { attempt: async (one, rules, work) => debug.aside(() => attempt(whatIfOf(debug), debug.evaluator, one, rules, work)) };
  return { all: [own], close: async () => undefined };
}

/** By what is loaded where the debugger stands. */
export function whatIfOf(debug: Debugger): WhatIf {
  const { recording, modules, branchMaker, named: { statements } } = debug;
  if (branchMaker === undefined) throw new UserError('this recording cannot be probed: there are no branches here');
  const { state } = recording;
  const thread = debug.thread ?? state.current ?? state.threads[0];
  if (thread === undefined) throw new UserError('no thread is there at the end of the recording');
  return { maker: branchMaker, recording, program: new ProgramView(state, thread, modules), modules, statements };
}
