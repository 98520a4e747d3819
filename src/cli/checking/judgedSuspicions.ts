/** What of all that looked strange was wrong: once for every place, and unless we go on, the first only. */
import { judged } from '../../check/suspicions/judge.js';
import type { Suspicion } from '../../check/suspicions/suspicions.js';
import type { RuleSwitches } from '../../check/ruleSwitches.js';
import { type Suppression, suppressionOf } from '../../check/report/suppressions.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Work } from '../../replay/timeline/work.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { type Found, placeKey, suppressible } from './foundPlaces.js';

export interface Choices {
  readonly switches: RuleSwitches;
  readonly suppressions: readonly Suppression[];
  readonly keepsGoing: boolean;
}

export async function judgedSuspicions(suspicions: readonly Suspicion[], debug: Debugger, rules: RuleSet, { switches, suppressions, keepsGoing }: Choices, work: Work): Promise<{ readonly found: readonly Found[]; readonly suppressed: number }> {
  const found = new Map<string, Found>();
  let suppressed = 0;
  for await (const { finding, stack } of judged(suspicions, debug, rules, work)) {
    if (!switches.isOn(finding.firing.rule, finding.moment.time)) continue;
    const key = `${finding.firing.rule} ${placeKey(stack)}`;
    const known = found.get(key);
    if (suppressionOf(suppressions, suppressible(finding, stack)) !== undefined) suppressed++;
    else if (known !== undefined) known.again++;
    else found.set(key, { finding, again: 0 });
    if (found.size > 0 && !keepsGoing) break;
  }
  return { found: [...found.values()], suppressed };
}
