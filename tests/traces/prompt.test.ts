/** The prompt of `culprit query` at a terminal: completion, await, tables, Ctrl-C, Ctrl-D. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CULPRIT, culprit } from '../cli/culprit.js';
import { compile } from './recordedExecution.js';

const DRIVER = fileURLToPath(new URL('../terminal/throughTerminal.py', import.meta.url));
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const PROMPT = '> ';

type Step = { readonly expect: string } | { readonly send: string };

const folder = mkdtempSync(join(tmpdir(), 'culprit-prompt-'));
const recording = join(folder, 'calls.culprit');

beforeAll(() => void culprit(['record', '-o', recording, compile('calls.c')], { cwd: folder }));
afterAll(() => rmSync(folder, { recursive: true }));

function drive(steps: readonly Step[]): string {
  const request = { command: [CULPRIT, 'query', recording], env: { TERM: 'xterm', NO_COLOR: '1' }, rows: 24, columns: 120, timeout: 60, steps };
  const { text, failed } = JSON.parse(execFileSync('/usr/bin/python3', [DRIVER], { input: JSON.stringify(request), encoding: 'utf8', cwd: folder })) as { text: string; failed: string | null };
  expect(failed, text).toBeNull();
  return text;
}

/** Types a line and waits for what it gives, and for the next prompt. */
function line(text: string, ...expected: readonly string[]): Step[] {
  return [{ send: text }, { expect: text.slice(-8) }, { send: '\n' }, ...expected.map((answer) => ({ expect: answer })), { expect: PROMPT }];
}

function tab(beginning: string, rest: string): Step[] {
  return [{ send: beginning }, { expect: beginning }, { send: '\t' }, { expect: rest }];
}

it('completes from the first line on, awaits, shows tables, survives Ctrl-C, and ends by Ctrl-D', () => {
  const text = drive([
    { expect: 'Ctrl-D leaves.' }, { expect: PROMPT },
    ...tab('execution.breakp', 'oints('), ...line("'foo').length", '16'),
    ...line("const last = await execution.breakpoints('foo').last()"), ...tab('last.value.readV', 'ar('), ...line("'y').number + 1", '16'),
    ...line("execution.watchpoints('counter').slice(0, execution.endTime)", 'thread  access  address', 'foo       calls.c:12'),
    ...line('last.value.nothing()', 'culprit: TypeError: last.value.nothing is not a function'),
    // The first Ctrl-C is for the script, which does not hear it: it is ended.
    { send: 'for (;;) {}\n' }, { expect: '{}' }, { send: CTRL_C }, { expect: 'culprit: interrupted' }, { expect: PROMPT },
    ...line("execution.breakpoints('foo').length", '16'), { send: CTRL_D },
  ]);
  expect(text).not.toMatch(/Error: (?!last\.value)/);
});
