import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from './compiled.js';

const DRIVER = fileURLToPath(new URL('throughTerminal.py', import.meta.url));
const CULPRIT = fileURLToPath(new URL('../../bin/culprit', import.meta.url));
const PROMPT = '(culprit) ';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const UP = '\u001b[A';

type Step = { readonly expect: string } | { readonly send: string } | { readonly wait: number };

let folder = '';
let short = '';
let long = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-terminal-'));
  const record = (path: string, name: string): string => {
    const file = join(folder, name);
    try {
      execFileSync(CULPRIT, ['record', '-o', file, path], { stdio: 'ignore' });
    } catch {
      // It crashes: that is what is recorded.
    }
    return file;
  };
  short = record(compile('terminal/programs/overwritten.c', ['-O0', '-g']), 'short.culprit');
  long = record(compile('terminal/programs/busy.c', ['-O0', '-g']), 'long.culprit');
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function drive(args: readonly string[], steps: readonly Step[], { columns = 100, env = {} }: { readonly columns?: number; readonly env?: Record<string, string> } = {}): string {
  const request = { command: [CULPRIT, 'debug', ...args], env: { TERM: 'xterm', XDG_STATE_HOME: folder, NO_COLOR: '1', ...env }, rows: 24, columns, timeout: 60, steps };
  const answer = execFileSync('/usr/bin/python3', [DRIVER], { input: JSON.stringify(request), encoding: 'utf8', maxBuffer: 1 << 26 });
  const { text, failed } = JSON.parse(answer) as { text: string; failed: string | null };
  expect(failed, text).toBeNull();
  return text;
}

/** A user who types Tab: what arrives in one piece counts as pasted. */
function completing(beginning: string, rest: string): Step[] {
  return [{ send: beginning }, { expect: beginning }, { send: '\t' }, { expect: rest }, { send: '\n' }];
}

describe('at a terminal', () => {
  it('completes commands, members and locations, and remembers what was typed', () => {
    const text = drive([short], [
      { expect: PROMPT }, ...completing('print to->bal', 'ance'), { expect: '$1 = (long *)' }, { expect: PROMPT },
      ...completing('break rename_', 'account'), { expect: 'Breakpoint 1 at' }, { expect: PROMPT },
      ...completing('reverse-c', 'ontinue'), { expect: 'Breakpoint 1, rename_account' }, { expect: PROMPT },
      ...completing('info loc', 'als'), { expect: 'No locals.' }, { expect: PROMPT }, { send: CTRL_D },
    ]);
    expect(text).toContain('killed by SIGSEGV');
    // A few lines around, with a marker.
    expect(text).toMatch(/->\s+\d+ {2}\s+\*to->balance \+= amount;/);
    expect(readFileSync(join(folder, 'culprit', 'history'), 'utf8').split('\n')).toContain('print to->balance');
    drive([short], [{ expect: PROMPT }, { send: `${UP}\n` }, { expect: 'info locals' }, { expect: 'No locals' }, { expect: PROMPT }, { send: 'quit\n' }]);
  }, 120_000);

  it('gives up a long search at Ctrl-C, and stands where it did', () => {
    const text = drive(['-q', long], [
      { expect: PROMPT }, { send: 'when\n' }, { expect: '(100.0%)' }, { expect: PROMPT },
      // Met thirty million times, and never true: the search lasts as long as we like.
      { send: 'watch counter.count if counter.count < 0\n' }, { expect: 'watchpoint 1' }, { expect: PROMPT },
      { send: 'reverse-continue\n' }, { expect: 'Continuing.' }, { wait: 6 }, { send: CTRL_C }, { expect: 'Quit' }, { expect: PROMPT },
      { send: 'when\n' }, { expect: '(100.0%)' }, { expect: PROMPT }, { send: CTRL_C }, { expect: 'Quit' }, { send: 'print counter.limit\n' }, { expect: '= 30000000' }, { expect: PROMPT }, { send: 'quit\n' },
    ]);
    const percents = [...text.matchAll(/culprit: reverse-continue: (\d+)%/g)].map(([, percent]) => Number(percent));
    expect(percents.length).toBeGreaterThan(3);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  }, 120_000);

  it('fits into a narrow window, and is coloured only if wanted', () => {
    const text = drive([short], [{ expect: PROMPT }, { send: 'help\n' }, { expect: 'apropos WORD' }, { expect: PROMPT }, { send: 'quit\n' }], { columns: 40, env: { NO_COLOR: '' } });
    expect(text).toContain('\u001b[1;33m');
    const listed = text.split(/\r?\n/).filter((line) => /^ {2}[a-z]/.test(line));
    expect(listed.length).toBeGreaterThan(10);
    expect(Math.max(...listed.map((line) => line.length))).toBeLessThanOrEqual(40);
  }, 60_000);
});
