/** docs/rules.md says nothing that is not so. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BUILTINS, EVENT_FIELDS } from '../../src/rules/language/builtins.js';
import { formatProblems, loadRules } from '../../src/rules/language/load.js';
import { emitRuleFiles } from '../../src/rules/testing/ruleFiles.js';
import { readRuleFile } from './shippedRules.js';

const TEXT = readFileSync('docs/rules.md', 'utf8');
const EXAMPLES = [...TEXT.matchAll(/```bug\n([\s\S]*?)```/g)].map((match) => match[1]!);

function reading(example: string) {
  return (path: string) => (path === 'session.bug' ? example : readRuleFile(`rules/${path}`));
}

it('every example is a rule file', () => {
  expect(EXAMPLES.length).toBeGreaterThan(5);
  for (const example of EXAMPLES) {
    const { problems, sources } = loadRules(['session.bug'], reading(example));
    expect(formatProblems(problems, sources), example).toBe('');
  }
});

it('shows what is generated and what is complained about as they are', () => {
  const last = EXAMPLES.find((example) => example.includes('closed.session.read'))!;
  const shown = /^ {4}rule closed\.session\.reply[\s\S]*?\n\n/m.exec(TEXT)![0].replaceAll(/^ {4}/gm, '').trim();
  expect(emitRuleFiles(['session.bug'], reading(last))).toContain(shown);
  const wrong = '[closed.session] detect <call send_reply(s)>: Value(s, 4) == 0 && FindLast(k, call, close_session, s) :VPC(s)';
  const complaint = /^ {4}session\.bug:1:1: [\s\S]*?\n\n/m.exec(TEXT)![0].replaceAll(/^ {4}/gm, '').trim();
  const { problems, sources } = loadRules(['session.bug'], reading(wrong));
  expect(formatProblems(problems, sources)).toBe(complaint);
});

it('names everything that is built in', () => {
  for (const name of Object.keys(BUILTINS)) expect(TEXT, name).toContain(`\`${name}(`);
  for (const kind of Object.keys(EVENT_FIELDS)) expect(TEXT, kind).toContain(`| \`${kind}\` |`);
});
