/** Which rules a check asks: those that are on by default, and what the user says of them. */
import { UserError } from '../base/errors.js';
import { type CompiledRule, compileRule } from '../rules/evaluate/compileRule.js';
import type { CheckedRule } from '../rules/language/core.js';
import { globMatcher } from './report/glob.js';
import { parseSwitch, RuleSwitches } from './ruleSwitches.js';
import { untracked } from './tracked.js';

/** Names of rules, or patterns with `*`; `all` is all of them. */
export interface RuleChoice {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** `TIME=+rule,-rule` or `FUNCTION=+rule,-rule`. */
  readonly switch?: readonly string[];
  /** Those about memory that nothing points to. */
  readonly leaks?: boolean;
}

export interface ChosenRules {
  /** Those that may ever be on. */
  readonly rules: readonly CompiledRule[];
  /** Which of them are on at a time. */
  readonly switches: RuleSwitches;
}

const LEAKS = ['definite.leak', 'indirect.leak'];

/** Throws a UserError for names of rules that are not among `all`, and for rules that could never fire. */
export function chosenRules(all: readonly CheckedRule[], choice: RuleChoice = {}): ChosenRules {
  const switches = (choice.switch ?? []).map(parseSwitch);
  const later = switches.flatMap(({ changes }) => changes.filter(({ on }) => on).map(({ pattern }) => pattern));
  const known = (name: string): Meaning => {
    const matches = globMatcher(name === 'all' ? '*' : name);
    if (!all.some((rule) => matches(rule.name))) throw new UserError(`no rule is called ${name}; see culprit rules list`);
    return (rule) => (!matches(rule.name) ? 'no' : rule.name === name ? 'by name' : name === 'all' ? 'with all' : 'by pattern');
  };
  for (const rule of all) {
    const missing = [...(choice.enable ?? []), ...later].includes(rule.name) ? untracked(rule) : [];
    if (missing.length > 0) throw new UserError(`${later.includes(rule.name) ? '--switch' : '--enable'} ${rule.name}: it could never fire, since culprit check does not track ${missing.join(', ')} yet; see culprit rules list`);
  }
  const on = [...(choice.enable ?? []), ...(choice.leaks === true ? LEAKS : [])].map(known);
  const off = (choice.disable ?? []).map(known);
  const initially = new Set(all.filter((rule) => isOn(rule, on, off)).map(({ name }) => name));
  for (const { changes } of switches) for (const { pattern } of changes) known(pattern);
  const onLater = later.map(known);
  const rules = all.filter((rule) => initially.has(rule.name) || onLater.some((meaning) => meaning(rule) !== 'no')).map(compileRule);
  return { rules, switches: new RuleSwitches(rules.map(({ rule }) => rule.name), initially, switches) };
}

/** How a rule is meant by what the user has written. */
type Meaning = (rule: CheckedRule) => (typeof STRENGTHS)[number];
/** What is said of fewer rules counts more: --disable all --enable double.free leaves one. */
const STRENGTHS = ['no', 'with all', 'by pattern', 'by name'] as const;

function isOn(rule: CheckedRule, on: readonly Meaning[], off: readonly Meaning[]): boolean {
  const strength = (meanings: readonly Meaning[]): number => Math.max(0, ...meanings.map((meaning) => STRENGTHS.indexOf(meaning(rule))));
  const [wanted, unwanted] = [strength(on), strength(off)];
  return wanted > unwanted || (unwanted === 0 && rule.enabled);
}
