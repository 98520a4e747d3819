/**
 * Rule files with what they include, each file once however often it is named. Reading is the caller's: this layer
 * knows no files.
 */
import { SourceError } from '../../base/errors.js';
import type { Item } from './ast.js';
import { checkRules, type CheckOptions } from './checker.js';
import type { CheckedRule } from './core.js';
import { parseRules } from './parser.js';
import { formatProblem, uniqueProblems, type RuleProblem } from './problems.js';

/** The text of a file, or undefined if it cannot be read. */
export type ReadRuleFile = (path: string) => string | undefined;

interface LoadedRules {
  readonly rules: readonly CheckedRule[];
  readonly problems: readonly RuleProblem[];
  /** By path: what was read. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Each of the paths is a world of its own, with what it includes: definitions of one are not seen in another, and
 * cannot clash. Rules of the same name do: that of the later path is taken, so that users can replace what is shipped.
 */
export function loadRules(paths: readonly string[], read: ReadRuleFile, options: CheckOptions = {}): LoadedRules {
  const sources = new Map<string, string>();
  const problems: RuleProblem[] = [];
  const rules = new Map<string, CheckedRule>();
  const keep = (path: string) => {
    const text = sources.get(path) ?? read(path);
    if (text !== undefined) sources.set(path, text);
    return text;
  };
  for (const path of paths) {
    const collected = collectItems(path, keep);
    // What could not be parsed would only be missing everywhere.
    const checked = collected.problems.length > 0 ? { rules: [], problems: collected.problems } : checkRules(collected.items, options);
    problems.push(...checked.problems);
    for (const rule of checked.rules) rules.set(rule.name, rule);
  }
  return { rules: problems.length > 0 ? [] : [...rules.values()], problems: uniqueProblems(problems), sources };
}

/** A file's items and those of what it includes. */
function collectItems(root: string, read: ReadRuleFile): { items: Item[]; problems: RuleProblem[] } {
  const items: Item[] = [];
  const problems: RuleProblem[] = [];
  const seen = new Set<string>();
  const visit = (path: string, unreadable: RuleProblem) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = read(path);
    if (text === undefined) {
      problems.push(unreadable);
      return;
    }
    const parsed = parseRules(text, path);
    problems.push(...parsed.problems);
    for (const item of parsed.file.items) {
      if (item.kind === 'include') visit(besideOf(path, item.path), { place: item.place, message: `cannot read ${besideOf(path, item.path)}`, hint: 'paths of includes begin at the folder of the including file' });
      else items.push(item);
    }
  };
  visit(root, { place: { file: root, line: 1, column: 1 }, message: 'cannot read this file' });
  return { items, problems };
}

/** Throws one error with everything that is wrong. */
export function loadRulesOrThrow(paths: readonly string[], read: ReadRuleFile, options: CheckOptions = {}): readonly CheckedRule[] {
  const { rules, problems, sources } = loadRules(paths, read, options);
  if (problems.length > 0) throw new SourceError(formatProblems(problems, sources));
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
