/**
 * Looks back in the recording at what was strange while the program ran, in the order of time: what was wrong is a
 * finding.
 */
import type { Debugger } from '../../debugger/control/debugger.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import type { Finding } from '../findings.js';
import { framesOf, type ReportedFrame } from '../report/frames.js';
import { ReturnJudge } from './judgeReturns.js';
import type { Suspicion } from './suspicions.js';

export interface Judgement {
  readonly finding: Finding;
  readonly stack: readonly ReportedFrame[];
}

export async function* judged(suspicions: readonly Suspicion[], debug: Debugger, rules: RuleSet, work?: Work): AsyncGenerator<Judgement> {
  const returns = new ReturnJudge(debug, rules, work);
  for (const suspicion of suspicions.toSorted((a, b) => a.time - b.time)) {
    const finding = await returns.judge(suspicion);
    if (finding !== undefined) yield { finding, stack: await stackAt(debug, finding, work) };
  }
}

async function stackAt(debug: Debugger, { moment: { time, tid, pid } }: Finding, work: Work | undefined): Promise<readonly ReportedFrame[]> {
  await debug.goTo(at(time, 0), work);
  const thread = debug.threads.find((candidate) => candidate.tid === tid && candidate.pid === pid);
  const view = thread === undefined ? undefined : debug.program(thread.id);
  return view === undefined ? [] : framesOf(view);
}
