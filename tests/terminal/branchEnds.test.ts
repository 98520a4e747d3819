/** A what-if branch has an end of its own: what is said of it is not what is said of the recording. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { compile } from './compiled.js';

let folder = '';
const recording = (name: 'aborts' | 'exits'): string => join(folder, `${name}.culprit`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-branch-ends-'));
  const program = compile('terminal/programs/whatIf.c', ['-O0', '-g']);
  expect(culprit(['record', '-o', recording('aborts'), program]).status).toBe(134);
  expect(culprit(['record', '-o', recording('exits'), program, 'well']).status).toBe(7);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function batch(file: string, ...commands: readonly string[]): string {
  const { status, stdout, stderr } = culprit(['debug', '-batch', ...commands.flatMap((command) => ['-ex', command]), file]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const TO_DECISION = ['break decided', 'reverse-continue', 'delete'];
const EXITED = /^\[Inferior 1 \(process \d+\) exited with code 07\]$/gm;
const ABORTED = /^Program terminated with signal SIGABRT, Aborted\.$/gm;

describe('the end of a branch', () => {
  it('is an exit where the recording ends by a signal, and dropping it returns to that', () => {
    const [branch = '', dropped = ''] = batch(recording('aborts'), ...TO_DECISION, 'set var good = 1', 'continue', 'info program', 'branch drop', 'goto end', 'info program').split('Back in the recording, ');
    expect(branch).toMatch(/^\[A branch begins here, at time [\d,]+: .*"branch drop" returns to what was\]$/m);
    expect(branch).not.toContain('SIGABRT');
    expect(branch.match(EXITED)).toHaveLength(1);
    expect(branch).toContain('It stopped at the end: exited with status 7.');
    expect(dropped.match(ABORTED)).toHaveLength(1);
    expect(dropped).toContain('It stopped at the end: killed by SIGABRT.');
    expect(dropped).not.toContain('exited');
  });

  it('is a signal where the recording ends by an exit', () => {
    const text = batch(recording('exits'), ...TO_DECISION, 'print good = 0', 'continue', 'continue', 'goto 1', 'goto end');
    const [branch = '', after = ''] = text.split(/^\[Back in the recording, .*\]$/m);
    expect(branch).toMatch(/^\$1 = 0\n\[A branch begins here, /m);
    expect(branch).toContain('Program received signal SIGABRT, Aborted.');
    expect(branch.match(ABORTED)).toHaveLength(1);
    expect(branch).not.toContain('exited');
    expect(after.match(EXITED)).toHaveLength(1);
    expect(after).not.toContain('SIGABRT');
  });

  it('is not known before the branch has been run to it', () => {
    const branching = [...TO_DECISION, 'set var good = 1'];
    const { stdout, stderr } = culprit(['debug', '-batch', ...[...branching, 'when', 'goto 50%', 'goto 999,999,999', 'when'].flatMap((command) => ['-ex', command]), recording('aborts')]);
    expect(stdout).toContain('(the branch has not been run to its end)');
    expect(stderr).toMatch(/^How long this branch is, is not known .*\nno such time: 999999999; there are times from \d+ to \d+\n$/);
    const text = batch(recording('aborts'), ...branching, 'goto end', 'when', 'goto 99.9%');
    expect(text.match(EXITED)).toHaveLength(1);
    expect(text).toMatch(/^time ([\d,]+) of \1 \(100\.0%\)/m);
  });

  it('is not that of the recording where the branch begins at it', () => {
    const text = batch(recording('aborts'), 'info program', 'set var good = 1', 'info program', 'continue');
    const [before = '', after = ''] = text.split(/^\[A branch begins here, .*\]$/m);
    expect(before).toContain('It stopped at the end: killed by SIGABRT.');
    expect(after).not.toContain('It stopped at the end');
    expect(after.match(ABORTED)).toHaveLength(1);
  });
});
