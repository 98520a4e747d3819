/** One candidate is tried: altered in a branch that is run on and dropped. What came of it is all that is kept. */
import { UserError } from '../base/errors.js';
import type { FrameEvaluator } from '../debugger/values/frameEvaluator.js';
import { at } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import type { Alteration } from '../whatIf/alteration.js';
import type { WhatIf } from '../whatIf/apply.js';
import type { KnownArrival } from '../whatIf/arrivals.js';
import { recordedOutput } from '../whatIf/recordedOutput.js';
import { joined, trial } from '../whatIf/trial.js';
import { type AttemptRules, type Outcome, outcomeOf } from './failure.js';
import { stillHolds } from './holding.js';

/** What is tried. It can be sent to a thread. */
export interface Attempt {
  readonly alteration: Alteration;
  /** Where the altered instance begins in the recording. */
  readonly arrival: KnownArrival;
}

/** The recording stands where it did afterwards. */
export async function attempt(whatIf: WhatIf, evaluator: FrameEvaluator, { alteration, arrival }: Attempt, rules: AttemptRules, work?: Work): Promise<Outcome> {
  const { failure, limit } = rules;
  const request = { arrivals: () => arrival, limit, work };
  try {
    if (failure.kind === 'holds') return await stillHolds(whatIf, evaluator, alteration, { ...rules, failure }, request);
    const { end, start, stdout, stderr } = await trial(whatIf, [alteration], request);
    const before = failure.kind === 'output' ? recordedOutput(whatIf.recording, at(start)) : [];
    const all = (own: Uint8Array, isWanted: (fd: number) => boolean): Uint8Array => joined([...before.filter(({ fd }) => isWanted(fd)).map(({ bytes }) => bytes), own]);
    return outcomeOf(rules, { end, stdout: all(stdout, (fd) => fd !== 2), stderr: all(stderr, (fd) => fd === 2) });
  } catch (error) {
    if (error instanceof UserError) return { verdict: 'refused', why: error.message };
    throw error;
  }
}
