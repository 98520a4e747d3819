/** `culprit rules`: which rules there are, what is in them, and what is made of them. */
import { UserError } from '../../base/errors.js';
import { globMatcher } from '../../check/report/glob.js';
import { messageOf } from '../../check/report/ruleSummary.js';
import { untracked } from '../../check/tracked.js';
import { emitRules } from '../../rules/analysis/emit.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { loadedRules, shippedRuleFile } from '../arguments/shippedRules.js';

export interface RulesOptions {
  readonly json?: boolean;
  readonly emit?: boolean;
  readonly rules?: readonly string[];
  readonly functions?: readonly string[];
}

/** Longer messages are cut off. */
const WIDEST_MESSAGE = 90;

export function listRulesCommand(options: RulesOptions): number {
  const rules = loadedRules([shippedRuleFile(), ...(options.rules ?? [])], options.functions);
  if (options.json === true) return say([JSON.stringify(rules.map(asJson), null, 2)]);
  const widest = Math.max(...rules.map(({ name }) => name.length));
  return say(rules.map((rule) => `${rule.name.padEnd(widest)}  ${stateOf(rule).padEnd('never'.length)}  ${rule.severity.padEnd('warning'.length)}  ${shortened(messageOf(rule))}`));
}

export function showRuleCommand(name: string, options: RulesOptions): number {
  const all = loadedRules([shippedRuleFile(), ...(options.rules ?? [])], options.functions);
  const matches = globMatcher(name);
  const found = all.filter((rule) => matches(rule.name));
  if (found.length === 0) throw new UserError(`no rule is called ${name}; see culprit rules list`);
  return say(found.flatMap((rule, i) => [...(i === 0 ? [] : ['']), ...description(rule)]));
}

export function compileRulesCommand(files: readonly string[], options: RulesOptions): number {
  const rules = loadedRules(files, options.functions);
  if (options.emit === true) return say([emitRules(rules).trimEnd()]);
  return say([`${rules.length} ${rules.length === 1 ? 'rule' : 'rules'} without mistakes: ${rules.map(({ name }) => name).join(', ')}`]);
}

/** Rules that want to know what no analysis tells them yet are not on, whatever their files say. */
function stateOf(rule: CheckedRule): 'on' | 'off' | 'never' {
  return untracked(rule).length > 0 ? 'never' : rule.enabled ? 'on' : 'off';
}

function description(rule: CheckedRule): string[] {
  const { place, enabled, severity, help, text } = rule;
  const missing = untracked(rule);
  return [`${rule.name}: ${enabled ? 'on' : 'off'} by default, ${severity}, ${place.file}:${place.line}`, ...(help === undefined ? [] : [`  ${help}`]), ...(missing.length === 0 ? [] : [`  It never fires: culprit check does not track ${missing.join(', ')} yet.`]), ...text.split('\n').map((line) => `    ${line}`.trimEnd())];
}

function asJson(rule: CheckedRule): unknown {
  const { name, enabled, severity, help, place, text } = rule;
  return { name, enabled, untracked: untracked(rule), severity, message: messageOf(rule), help, file: place.file, line: place.line, text };
}

function shortened(text: string): string {
  return text.length <= WIDEST_MESSAGE ? text : `${text.slice(0, WIDEST_MESSAGE - 1)}…`;
}

function say(lines: readonly string[]): number {
  return untilReaderGone(() => {
    const out = new LineWriter();
    for (const line of lines) out.line(line);
    out.flush();
    return 0;
  });
}
