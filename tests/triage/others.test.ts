/** `culprit triage`: failures that corrupt nothing, flaky inputs, and what users do wrong. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { compiled, fourBugs, lineOf, shortGroups, temporaryFolder, triage } from './triaged.js';

const PATIENCE = 600_000;
const folder = temporaryFolder();

afterAll(() => rmSync(folder, { recursive: true }));

describe('other failures', () => {
  it('are named as what they are, read from standard input; hangs, too', async () => {
    const inputs = join(folder, 'others');
    mkdirSync(inputs);
    for (const [name, text] of [['division', 'q0'], ['assertion', 'a0'], ['null', 'n0'], ['hang', 'l0'], ['clean', 'x1'], ['copy', 'x1']] as const) writeFileSync(join(inputs, name), text);
    const result = await triage(folder, '--json', '--instructions', '50,000,000', '--state', 'others-state', 'others', '--', fourBugs());
    expect(shortGroups(result)).toEqual([`assertion ${lineOf('assertion')} x 1`, `division ${lineOf('division')} x 1`, 'hang - x 1', `nullPointer ${lineOf('null')} x 1`]);
    expect(JSON.parse(result.stdout)).toMatchObject({ inputs: 5, files: 6, clean: [{ name: 'others/clean', copies: ['others/copy'] }] });
    expect(result.status).toBe(1);
  }, PATIENCE);

  it('are none: status 0, and files of the user stay as they are', async () => {
    writeFileSync(join(folder, 'kept'), 'x1');
    const result = await triage(folder, '--list', '--state', 'kept-state', 'kept', '--', '/bin/sh', '-c', 'rm @@; echo changed > other');
    expect(result).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
    expect([readFileSync(join(folder, 'kept'), 'utf8'), existsSync(join(folder, 'other'))]).toEqual(['x1', false]);
  }, PATIENCE);

  it('that differ between runs are flaky', async () => {
    writeFileSync(join(folder, 'any'), 'x1');
    const result = await triage(folder, '--repeat', '3', '--state', 'flaky-state', 'any', '--', compiled('race', '-pthread'));
    expect(result.stdout).toMatch(/^1 input: 1 flaky\n\nflaky: runs differ\n {3}any: abort at .*race\.c:\d+ in main; .*; clean\n$/);
    expect(result.status).toBe(1);
  }, PATIENCE);
});

describe('what users do wrong', () => {
  it.each([
    [[], 'which program? culprit triage INPUTS... -- PROGRAM [ARG...]', 2],
    [['--', '/bin/true'], 'which inputs? culprit triage INPUTS... -- PROGRAM [ARG...]', 2],
    [['nothing', '--', '/bin/true'], 'nothing: No such file or directory', 2],
    [['.', '--', './nothing'], './nothing: No such file or directory', 127],
    [['--jobs', '0', '.', '--', '/bin/true'], "option '--jobs <N>' argument '0' is invalid. It should be a number from 1 to 64.", 2],
    [['--queue', 'http://me:secret@host', '/bin/true', '--', '/bin/true'], '--queue: it should look like redis://[USER:PASSWORD@]HOST[:PORT][/DB]', 2],
    [['--worker', 'redis://127.0.0.1:1', 'x'], '--worker takes its work from the queue, and no inputs or program', 2],
    [['--html', '/nowhere/x.html', '/bin/true', '--', '/bin/true'], '--html /nowhere/x.html: No such file or directory', 2],
  ] as const)('%j', (words, message, status) => {
    expect(culprit(['triage', ...words])).toEqual({ status, stdout: '', stderr: `culprit: ${message}\n` });
  });

  it('an empty folder has no inputs', () => {
    mkdirSync(join(folder, 'empty'));
    expect(culprit(['triage', 'empty', '--', '/bin/true'], { cwd: folder })).toEqual({ status: 2, stdout: '', stderr: 'culprit: no inputs in empty\n' });
  });
});
