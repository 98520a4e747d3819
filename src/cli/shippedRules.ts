/** The rules that come with culprit, and those of the user. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../base/errors.js';
import type { CompiledRule } from '../rules/evaluate/compileRule.js';
import { compileRuleFiles } from '../rules/rules.js';
import { packageDirectory } from './prebuilt.js';

export interface RuleSelection {
  /** Files of the user's own, beside what is shipped. */
  readonly rules?: readonly string[];
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** `NAME=f,g`: which functions a placeholder stands for. */
  readonly functions?: readonly string[];
}

/** Those that are on. */
export function selectedRules(selection: RuleSelection): readonly CompiledRule[] {
  const files = [join(packageDirectory(), 'rules', 'all.bug'), ...(selection.rules ?? []).map((path) => resolve(path))];
  const all = compileRuleFiles(files, readOptional, { functions: functionsOf(selection.functions ?? []) });
  const known = (name: string): string => {
    if (!all.some(({ rule }) => matches(name, rule.name))) throw new UserError(`no rule is called ${name}; see culprit rules list`);
    return name;
  };
  const [on, off] = [(selection.enable ?? []).map(known), (selection.disable ?? []).map(known)];
  const isOn = ({ rule }: CompiledRule): boolean => !off.some((name) => matches(name, rule.name)) && (rule.enabled || on.some((name) => matches(name, rule.name)));
  return all.filter(isOn);
}

/** `leak.*` and `all` stand for several. */
function matches(pattern: string, name: string): boolean {
  return pattern === 'all' || pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)));
}

function functionsOf(settings: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(settings.map((setting) => {
    const [name = '', members = ''] = setting.split('=', 2);
    if (name === '' || members === '') throw new UserError(`--functions ${setting}: write NAME=function, or NAME=one,two`);
    return [name, members.split(',')] as const;
  }));
}

export function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
