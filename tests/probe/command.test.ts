/** `culprit probe`, as scripts use it, and what users do wrong; and `probe` in `culprit debug`. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, type Outcome } from '../cli/culprit.js';
import { talk } from '../terminal/transcripts.js';
import { compiled, lineOf, named } from './probed.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'probe-'));
const inFolder = (...args: string[]): Outcome => culprit(args, { cwd: folder });
const CRITICAL = ['suppress @show#1', 'switch @guard#1', 'switch @key#2', 'switch @key#1'];

beforeAll(() => {
  inFolder('record', '-o', 'a.culprit', compiled('guard', 'O0'));
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true }));

describe('culprit probe', () => {
  it('lists what made the failure go away, the same with two jobs', () => {
    const list = `${named('guard', CRITICAL).join('\n')}\n`;
    for (const jobs of ['1', '2']) expect(inFolder('probe', 'a.culprit', '--list', '--jobs', jobs)).toEqual({ stdout: list, stderr: '', status: 0 });
    for (const line of named('guard', CRITICAL).slice(0, 2)) {
      const [what, place] = line.split(' ') as [string, string];
      const branch = inFolder('branch', 'a.culprit', `--${what}`, place, '--output');
      expect([branch.status, branch.stdout]).toEqual([0, 'done\n']);
    }
  });

  it('tries no more than it may, and says all as JSON', () => {
    const { stdout, status } = inFolder('probe', 'a.culprit', '--json', '--most', '2', '--run', '5');
    const { failure, limit, untried, critical, tried, refused } = JSON.parse(stdout);
    expect({ failure, limit, status, refused, critical }).toEqual({ failure: { kind: 'signal', signal: 11 }, limit: 5, status: 0, refused: [], critical: named('guard', CRITICAL).slice(0, 2) });
    expect(untried).toBeGreaterThan(3);
    expect(tried[1]).toMatchObject({ what: 'switch', line: lineOf('guard', 'guard'), instance: 1, text: 'if (found != NULL || verbose) // @guard', verdict: 'gone', end: { kind: 'limit' } });
  });

  it.each([
    ['another failure', ['--signal', 'FPE'], /does not end with killed by SIGFPE: it was killed by SIGSEGV/],
    ['a text that was not written', ['--output', 'nothing'], /did not write "nothing"/],
    ['an expression that never holds', ['--expression', 'verbose == 2', '--at', `guard.c:${lineOf('guard', 'guard')}`], /never true/],
    ['an expression without a place', ['--expression', 'verbose == 2'], /--at/],
    ['two failures', ['--exit', '1', '--signal', 'SEGV'], /one failure/],
    ['an unknown signal', ['--signal', 'NONE'], /no such signal/],
    ['a number that is none', ['--most', 'x'], /number/],
  ] as const)('refuses %s in one line', (_name, args, message) => {
    const { stdout, stderr, status } = inFolder('probe', 'a.culprit', ...args);
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });
});

it('probes at the prompt, and stays where it is', async () => {
  const { say } = await talk(compiled('status', 'O0'));
  await say(`break status.c:${lineOf('status', 'many')}`);
  await say('reverse-continue');
  const before = await say('where');
  const shown = await say('probe');
  expect(shown).toMatch(/^The failure: an exit with another status than 0\. 3 conditions in its slice\.\nTried: 4 decisions/);
  expect(shown).toContain(`  switch status.c:${lineOf('status', 'errors')}#1  exits with status 0  if (errors > 0) { // @errors\n`);
  expect(await say('where')).toBe(before);
  expect(await say('probe exit 4')).toMatch(/does not end with an exit with status 4: it exited with status 3/);
  expect(await say('probe nonsense')).toMatch(/Usage: probe/);
});

describe('culprit slice', () => {
  beforeAll(() => {
    inFolder('record', '-o', 'o.culprit', compiled('omission', 'O0'));
  }, 60_000);

  it('adds relevant conditions to its list, and to JSON', () => {
    const [place] = named('omission', ['@kind']) as [string];
    const { stdout, status } = inFolder('slice', 'o.culprit', place, 'flags', '--relevant', '--json', '--most', '20');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).relevant).toMatchObject({ conditions: [{ line: lineOf('omission', 'mode'), instance: 2, effect: 'changed' }, { instance: 1 }], untried: 0 });
    expect(JSON.parse(stdout).members).toEqual([]);
    expect(inFolder('slice', 'o.culprit', place, 'flags', '--relevant', '--list').stdout).toBe(`omission.c:${lineOf('omission', 'mode')}\n`);
    expect(inFolder('slice', 'o.culprit', place, '--forward', '--relevant')).toMatchObject({ stdout: '', status: 2 });
  });
});
