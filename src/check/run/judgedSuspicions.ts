/** What of all that looked strange was wrong: once for every place, and unless the check goes on, the first only. */
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Work } from '../../replay/timeline/work.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { judged } from '../suspicions/judge.js';
import type { Suspicion } from '../suspicions/suspicions.js';
import type { Choices } from './choices.js';
import { DistinctFindings } from './distinctFindings.js';

export async function judgedSuspicions(
  suspicions: readonly Suspicion[],
  debug: Debugger,
  rules: RuleSet,
  choices: Choices,
  work?: Work,
): Promise<DistinctFindings> {
  return distinctOf(judged(suspicions, debug, rules, work), choices);
}

/** In the order in which they come. The rest is not asked for when one finding is enough. */
export async function distinctOf(judgements: ReturnType<typeof judged>, { switches, suppressions, keepsGoing }: Choices): Promise<DistinctFindings> {
  const found = new DistinctFindings(suppressions);
  for await (const { finding, stack } of judgements) {
    if (!switches.isOn(finding.firing.rule, finding.moment.time)) continue;
    if (found.add(finding, stack) && !keepsGoing) break;
  }
  return found;
}
