/** Rule files with what they include, each file once however often it is named. Reading is the caller's: this layer knows no files. */
import { UserError } from '../../base/errors.js';
import type { Item } from './ast.js';
import { checkRules, type CheckOptions } from './checker.js';
import type { CheckedRule } from './core.js';
import { parseRules } from './parser.js';
import { formatProblem, type RuleProblem } from './problems.js';

/** The text of a file, or undefined if it cannot be read. */
export type ReadRuleFile = (path: string) => string | undefined;

export interface LoadedRules {
  readonly rules: readonly CheckedRule[];
  readonly problems: readonly RuleProblem[];
  /** By path: what was read. */
  readonly sources: ReadonlyMap<string, string>;
}

export function loadRules(paths: readonly string[], read: ReadRuleFile, options: CheckOptions = {}): LoadedRules {
  const sources = new Map<string, string>();
  const problems: RuleProblem[] = [];
  const items: Item[] = [];
  const visit = (path: string, problem: RuleProblem) => {
    if (sources.has(path)) return;
    const text = read(path);
    if (text === undefined) {
      problems.push(problem);
      return;
    }
    sources.set(path, text);
    const parsed = parseRules(text, path);
    problems.push(...parsed.problems);
    for (const item of parsed.file.items) {
      if (item.kind === 'include') visit(besideOf(path, item.path), { place: item.place, message: `cannot read ${besideOf(path, item.path)}`, hint: 'paths of includes begin at the folder of the including file' });
      else items.push(item);
    }
  };
  for (const path of paths) visit(path, { place: { file: path, line: 1, column: 1 }, message: 'cannot read this file' });
  // What could not be parsed would only be missing everywhere.
  if (problems.length > 0) return { rules: [], problems, sources };
  const checked = checkRules(items, options);
  return { ...checked, sources };
}

/** Throws one error with everything that is wrong. */
export function loadRulesOrThrow(paths: readonly string[], read: ReadRuleFile, options: CheckOptions = {}): readonly CheckedRule[] {
  const { rules, problems, sources } = loadRules(paths, read, options);
  if (problems.length > 0) throw new UserError(formatProblems(problems, sources));
  return rules;
}

export function formatProblems(problems: readonly RuleProblem[], sources: ReadonlyMap<string, string>): string {
  return problems.map((problem) => formatProblem(problem, (file) => sources.get(file))).join('\n');
}

function besideOf(path: string, included: string): string {
  if (included.startsWith('/')) return included;
  const parts = path.split('/').slice(0, -1);
  for (const part of included.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
