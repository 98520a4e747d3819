/** Rules of files, compiled, as tests want them. */
import { emitRules } from '../analysis/emit.js';
import { compileRule, type CompiledRule } from '../evaluate/compileRule.js';
import type { CheckOptions } from '../language/checker.js';
import { loadRulesOrThrow, type ReadRuleFile } from '../language/load.js';

/** Throws a UserError that shows all mistakes. `paths` as the user wrote them: they appear in messages. */
export function compileRuleFiles(paths: readonly string[], read: ReadRuleFile, options: CheckOptions = {}): readonly CompiledRule[] {
  return loadRulesOrThrow(paths, read, options).map(compileRule);
}

/** What `culprit rules compile FILE --emit` prints. */
export function emitRuleFiles(paths: readonly string[], read: ReadRuleFile, options: CheckOptions = {}): string {
  return emitRules(loadRulesOrThrow(paths, read, options));
}

/** One line for each rule: what `culprit rules list` prints. */
export function listRules(rules: readonly CompiledRule[]): string {
  const rows = rules.map(({ rule }) => [rule.name, rule.severity, rule.enabled ? 'on' : 'off', rule.points.map(({ text }) => text).join(' | ')]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ').trimEnd()}\n`).join('');
}
