/** `culprit branch`: another course of events, told and not done. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { culprit, type Outcome } from './culprit.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'branch-'));
const inFolder = (...args: string[]): Outcome => culprit(args, { cwd: folder });

interface Told {
  readonly time: number;
  readonly end: { readonly kind: string; readonly status?: unknown };
  readonly departure: { readonly time: number; readonly why: string } | null;
  readonly output: readonly { readonly text: string }[];
  readonly differences: { readonly registers: readonly unknown[]; readonly memory: readonly unknown[] };
}

function told(...args: string[]): Told {
  const { stdout, stderr } = inFolder('branch', '--json', ...args);
  expect(stderr).not.toMatch(/culprit/);
  return JSON.parse(stdout) as Told;
}

function contents(): string[] {
  return fs.readdirSync(folder).sort().map((name) => `${name} ${fs.readFileSync(path.join(folder, name)).toString('latin1')}`);
}

beforeAll(async () => {
  const program = await buildProgram('choices.c', { compiler: 'gcc', flags: ['-O1', '-static'] } as never);
  fs.writeFileSync(path.join(folder, 'input'), 'some bytes to add up'.repeat(10));
  fs.writeFileSync(path.join(folder, 'victim'), 'as it was');
  expect(inFolder('record', '-o', 'plain.culprit', program, '.', 'plain').stdout).toMatch(/^first \d+\nleft\nsecond \d+\n$/);
  expect(inFolder('record', '-o', 'crash.culprit', program, '.', 'crash').status).toBe(139);
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true }));

describe('culprit branch', () => {
  it('goes the other way, says how it differs, and leaves everything as it is', () => {
    const before = contents();
    const { stdout, stderr, status } = inFolder('branch', 'plain.culprit', '--at', '0', '--write', 'choice=0');
    expect(stdout).toMatch(/^first \d+\nright\ninput is gone: -1\nsecond \d+\n$/);
    expect(status).toBeLessThan(100);
    expect(stderr).toMatch(/^culprit: the branch exited with status \d+ at time [\d,]+ \(the recording: exited with status \d+ at [\d,]+\)$/m);
    expect(stderr).toMatch(/^culprit: it left the recording at time [\d,]+: /m);
    expect(stderr).toMatch(/^culprit: at time [\d,]+ it differs from the recording in \d+ registers? and [\d,]+ bytes? of memory$/m);
    expect(contents()).toEqual(before);
  });

  it('goes on after a crash', () => {
    const { end, output, departure } = told('crash.culprit', '--at', 'end', '--skip');
    expect(end).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
    expect(output.map(({ text }) => text).join('')).toMatch(/^left\nsecond \d+\n$/);
    expect(departure?.why).toMatch(/system call|argument|other bytes/);
  });

  it('does what was recorded if nothing is changed, as far as one wants', () => {
    expect(told('plain.culprit', '--at', '1000', '--run', '500')).toMatchObject({ time: 1500, end: { kind: 'reached' }, departure: null, differences: { registers: [], memory: [] } });
    const { differences } = told('plain.culprit', '--at', '1000', '--set', 'r15=0x1234', '--set', 'xmm9=-1', '--run', '0');
    expect(differences.registers).toMatchObject([{ register: 'r15', values: [expect.anything(), '0x1234'] }, { register: 'xmm9' }]);
    expect(told('plain.culprit', '--at', '2000', '--flip', '--run', '100').differences.registers).not.toEqual([]);
  });

  it.each([
    [['--at', '10', '--set', 'foo=1'], 'no register is called foo'],
    [['--at', '10', '--set', 'rax'], '--set rax: cannot be understood; for example --set rax=0x10'],
    [['--at', '10', '--write', 'nonsense=1'], 'nonsense: no such symbol in the recorded program; give an address (0x...) and a size (:8)'],
    [['--at', '10', '--write', '0x10:00'], 'nothing is mapped at 0x10, or not 1 bytes of it'],
    [['--at', '999,999,999'], 'no such time: 999,999,999'],
    [[], 'say where the branch begins, as --at 67,981 or --at end'],
  ])('says what is wrong with %j', (args, message) => {
    const { status, stderr, stdout } = inFolder('branch', 'plain.culprit', ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
