/** The rules and suppressions that come with culprit, and those in files of the user's. */
import { join } from 'node:path';
import { UserError } from '../../base/errors.js';
import { chosenRules, type ChosenRules, type RuleChoice } from '../../check/chosenRules.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { parseSuppressions, type Suppression } from '../../check/report/suppressions.js';
import { loadRulesOrThrow } from '../../rules/language/load.js';
import { packageDirectory } from '../stores/prebuilt.js';
import { readTextFile } from './textFile.js';

export interface RuleSelection extends RuleChoice {
  /** Files of the user's own, beside what is shipped. */
  readonly rules?: readonly string[];
  /** `NAME=f,g`: which functions a placeholder stands for. */
  readonly functions?: readonly string[];
}

/** Where the shipped ones are. */
export function shippedRuleFile(): string {
  return join(packageDirectory(), 'rules', 'all.bug');
}

/** What is not reported unless the user asks for it. */
export function shippedSuppressionFile(): string {
  return join(packageDirectory(), 'rules', 'default.supp');
}

/** The rules that come with culprit, to choose from. */
export function shippedRules(): readonly CheckedRule[] {
  return loadedRules([shippedRuleFile()]);
}

/** The suppressions that come with culprit. */
export function shippedSuppressions(): readonly Suppression[] {
  return parseSuppressions(readTextFile(shippedSuppressionFile()), shippedSuppressionFile());
}

export function selectedRules(selection: RuleSelection): ChosenRules {
  return chosenRules(loadedRules([shippedRuleFile(), ...(selection.rules ?? [])], selection.functions), selection);
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
