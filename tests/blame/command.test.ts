/** `culprit blame`, as scripts use it: what it names, what it says is no corruption, and what users do wrong. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { compiledText } from './corpus.js';

const SOURCES = fileURLToPath(new URL('others/', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'blame-'));
const LONG = 'A'.repeat(60);

afterAll(() => fs.rmSync(folder, { recursive: true }));

function compiled(name: string, ...flags: string[]): string {
  return compiledText(name, fs.readFileSync(`${SOURCES}${name}.c`, 'utf8'), flags);
}

/** The first answer. */
function list(program: string, args: readonly string[], ...options: string[]): { readonly status: number | null; readonly first: string | undefined; readonly stderr: string } {
  const { status, stdout, stderr } = culprit(['blame', '--list', ...options, '--', program, ...args]);
  return { status, first: stdout.split('\n')[0], stderr };
}

describe('the first corruption', () => {
  it.each([
    ['dangling', ['-g', '-O0'], [], 'dangling.c:13'],
    ['returnAddress', ['-g', '-O2'], [LONG], 'returnAddress.c:7'],
    ['assertion', ['-g', '-O0'], ['ABCDEFGHIJ'], 'assertion.c:4'],
    ['index', ['-g', '-O0'], ['13'], 'index.c:4'],
    ['thread', ['-g', '-O0'], [], 'thread.c:7'],
    ['undefined', ['-g', '-O1'], [], 'undefined.c:5'],
    ['returned', ['-g', '-O1'], [], 'returned.c:10'],
    ['copiedOver', ['-O3'], [], 'put'],
  ] as const)('%s %s', (name, flags, args, expected) => {
    expect(list(compiled(name, ...flags), args)).toEqual({ status: 99, first: expected, stderr: '' });
  }, 120_000);

  it('within one object, where guards see no more than the crash: the report says how the guarded run ended', () => {
    const { status, stdout } = culprit(['blame', '--', compiled('member', '-g', '-O0'), 'a_rather_long_name_']);
    expect(status).toBe(99);
    expect(stdout).toContain('First corruption: member.c:12 in named ()');
    expect(stdout).toMatch(/1\. with guards around all objects: .*\[crash\.segv\] at member\.c:19 in main \(\)\n/);
  }, 120_000);

  it('shown by nothing but memory between variables that a layout has put there', () => {
    expect(list(compiled('beneath', '-g', '-O0'), [], '--method', 'suppression')).toEqual({ status: 99, first: 'beneath.c:6', stderr: '' });
  }, 120_000);

  it('without debug information it is the function', () => {
    const { status, first } = list(compiled('returnAddress', '-O2', '-fno-ipa-sra'), [LONG]);
    expect([status, first]).toEqual([99, 'parse']);
  }, 120_000);

  it('suppression alone goes from a return address to the loop that wrote it', () => {
    expect(list(compiled('returnAddress', '-g', '-O2'), [LONG], '--method', 'suppression')).toEqual({ status: 99, first: 'returnAddress.c:7', stderr: '' });
  }, 120_000);
});

describe('what is no corruption', () => {
  it.each([
    ['failedCall', [], /fopen failed and gave NULL/],
    ['recursion', [], /the stack is exhausted/],
    ['division', [], /a division that has no result/],
    ['noBug', [], /nothing crashed/],
  ] as const)('%s', (name, args, why) => {
    const { status, stdout } = culprit(['blame', '--json', compiled(name, '-g', '-O0'), ...args]);
    const { verdict, why: said, places } = JSON.parse(stdout);
    expect([status, places, verdict]).toEqual([0, [], name === 'noBug' ? 'clean' : 'otherFailure']);
    expect(said).toMatch(why);
  }, 120_000);
});

describe('a recording', () => {
  it('is enough: the program is gone; text, SARIF, and the way there', () => {
    const program = path.join(folder, 'gone');
    fs.copyFileSync(compiled('index', '-g', '-O0'), program);
    fs.chmodSync(program, 0o755);
    culprit(['record', '-o', 'gone.culprit', program, '13'], { cwd: folder });
    fs.rmSync(program);
    const { stdout, status } = culprit(['blame', '--sarif', 'gone.sarif', 'gone.culprit'], { cwd: folder });
    expect([status, stdout.split('\n')[0]]).toEqual([99, 'First corruption: index.c:4 in set ()']);
    const { runs } = JSON.parse(fs.readFileSync(path.join(folder, 'gone.sarif'), 'utf8'));
    expect(runs[0].results[0].locations[0].physicalLocation.region).toEqual({ startLine: 4 });
    const time = /goto (\d+)/.exec(stdout)?.[1];
    const there = culprit(['debug', '-batch', '-ex', `goto ${time}`, '-ex', 'bt 1', 'gone.culprit'], { cwd: folder });
    expect(there.stdout).toContain('set (i=13, v=77)');
  }, 120_000);

  it('is asked in the debugger, and its executions are opened', () => {
    culprit(['record', '-o', 'smash.culprit', compiled('returnAddress', '-g', '-O2'), LONG], { cwd: folder });
    const commands = ['blame suppression', 'blame open 1', 'blame open 2', 'branch drop', 'blame open 9', 'blame what'];
    const { stdout, stderr } = culprit(['debug', '-batch', ...commands.flatMap((command) => ['-ex', command]), 'smash.culprit'], { cwd: folder });
    const said = `${stdout}${stderr}`;
    expect(said).toContain('First corruption: returnAddress.c:7 in parse ()');
    expect(said).toContain('execution 1 left nothing out: it is the recording itself');
    expect(said).toContain('In the branch of execution 2, at its end');
    expect(said).toContain('there is no such execution');
    expect(said).toContain('Usage: blame');
  }, 120_000);
});

describe('mistakes', () => {
  it.each([
    ['no such program', ['./nothing-here'], 127, /no such recording or program/],
    ['no recording', ['package.json.culprit'], 2, /package\.json\.culprit/],
    ['a method that there is not', ['--method', 'magic', 'demo/tally'], 2, /magic/],
    ['nothing', [], 2, /NAME|argument/],
  ] as const)('%s', (_, args, expected, message) => {
    const { status, stderr, stdout } = culprit(['blame', ...args]);
    expect([status, stdout, stderr.split('\n').length]).toEqual([expected, '', 2]);
    expect(stderr).toMatch(message);
  });
});
