/** The rules that come with culprit, and those of the user. */
import { join } from 'node:path';
import { UserError } from '../../base/errors.js';
import { globMatcher } from '../../check/report/glob.js';
import { parseSwitch, RuleSwitches } from '../../check/ruleSwitches.js';
import { untracked } from '../../check/tracked.js';
import { type CompiledRule, compileRule } from '../../rules/evaluate/compileRule.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { loadRulesOrThrow } from '../../rules/language/load.js';
import { packageDirectory } from '../stores/prebuilt.js';
import { readTextFile } from '../arguments/textFile.js';

export interface RuleSelection {
  /** Files of the user's own, beside what is shipped. */
  readonly rules?: readonly string[];
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** `TIME=+rule,-rule` or `FUNCTION=+rule,-rule`. */
  readonly switch?: readonly string[];
  /** Those about memory that nothing points to. */
  readonly leaks?: boolean;
  /** `NAME=f,g`: which functions a placeholder stands for. */
  readonly functions?: readonly string[];
}

const LEAKS = ['definite.leak', 'indirect.leak'];

/** Where the shipped ones are. */
export function shippedRuleFile(): string {
  return join(packageDirectory(), 'rules', 'all.bug');
}

/** What is not reported unless somebody asks for it. */
export function shippedSuppressionFile(): string {
  return join(packageDirectory(), 'rules', 'default.supp');
}

export interface SelectedRules {
  /** Those that may ever be on. */
  readonly rules: readonly CompiledRule[];
  readonly switches: RuleSwitches;
}

export function selectedRules(selection: RuleSelection): SelectedRules {
  const switches = (selection.switch ?? []).map(parseSwitch);
  const later = switches.flatMap(({ changes }) => changes.filter(({ on }) => on).map(({ pattern }) => pattern));
  const all = loadedRules([shippedRuleFile(), ...(selection.rules ?? [])], selection.functions);
  const known = (name: string): Choice => {
    const matches = globMatcher(name === 'all' ? '*' : name);
    if (!all.some((rule) => matches(rule.name))) throw new UserError(`no rule is called ${name}; see culprit rules list`);
    return (rule) => (!matches(rule.name) ? 'no' : rule.name === name ? 'by name' : name === 'all' ? 'with all' : 'by pattern');
  };
  for (const rule of all) {
    const missing = [...(selection.enable ?? []), ...later].includes(rule.name) ? untracked(rule) : [];
    if (missing.length > 0) throw new UserError(`${later.includes(rule.name) ? '--switch' : '--enable'} ${rule.name}: it could never fire, since culprit check does not track ${missing.join(', ')} yet; see culprit rules list`);
  }
  const [on, off] = [[...(selection.enable ?? []), ...(selection.leaks === true ? LEAKS : [])].map(known), (selection.disable ?? []).map(known)];
  const initially = new Set(all.filter((rule) => isOn(rule, on, off)).map(({ name }) => name));
  for (const { changes } of switches) for (const { pattern } of changes) known(pattern);
  const onLater = later.map(known);
  const rules = all.filter((rule) => initially.has(rule.name) || onLater.some((choice) => choice(rule) !== 'no')).map(compileRule);
  return { rules, switches: new RuleSwitches(rules.map(({ rule }) => rule.name), initially, switches) };
}

/** How a rule is meant by what the user has written. */
type Meant = (typeof MEANT)[number];
type Choice = (rule: CheckedRule) => Meant;
/** What is said of fewer rules counts more: --disable all --enable double.free leaves one. */
const MEANT = ['no', 'with all', 'by pattern', 'by name'] as const;

function isOn(rule: CheckedRule, on: readonly Choice[], off: readonly Choice[]): boolean {
  const strength = (choices: readonly Choice[]): number => Math.max(0, ...choices.map((choice) => MEANT.indexOf(choice(rule))));
  const [wanted, unwanted] = [strength(on), strength(off)];
  return wanted > unwanted || (unwanted === 0 && rule.enabled);
}

/** Throws a SourceError for mistakes in the files. */
export function loadedRules(paths: readonly string[], functions: readonly string[] = []): readonly CheckedRule[] {
  return loadRulesOrThrow(paths, readOptional, { functions: functionsOf(functions) });
}

function functionsOf(settings: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(settings.map((setting) => {
    const [name = '', members = ''] = setting.split('=', 2);
    if (name === '' || members === '') throw new UserError(`--functions ${setting}: write NAME=function, or NAME=one,two`);
    return [name, members.split(',')] as const;
  }));
}

function readOptional(path: string): string | undefined {
  try {
    return readTextFile(path);
  } catch (error) {
    if (error instanceof RangeError) throw new UserError(`${path}: ${error.message}`);
    return undefined;
  }
}
