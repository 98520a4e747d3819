/** What of all that rules have to say is to be reported, and whether the first of it ends the run. */
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import { RuleSet } from '../../rules/evaluate/ruleSet.js';
import type { Suppression } from '../report/suppressions.js';
import type { RuleSwitches } from '../ruleSwitches.js';

export interface Choices {
  /** Which rules are on at a time. */
  readonly switches: RuleSwitches;
  readonly suppressions: readonly Suppression[];
  /** False: the first finding that is not suppressed is the last. */
  readonly keepsGoing: boolean;
}

/** A set in which every rule is asked: which of them are on at a time, `switches` says. */
export function allOn(rules: readonly CompiledRule[]): RuleSet {
  const set = new RuleSet(rules);
  if (rules.length > 0) set.select('all');
  return set;
}
