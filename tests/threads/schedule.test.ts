/** Schedules: the same for the same seed, others for others; and what is said when nothing can go on. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, culprit, type Outcome } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';

const VARIANT = { name: '-O0 dynamic', compiler: 'gcc', flags: ['-O0', '-pie', '-fPIE'] } as const;

/**
 * One for all: where a program runs, its environment and what it was called are its input, and the size of all that is
 * where its stack begins.
 */
const folder = mkdtempSync(join(tmpdir(), 'culprit-schedule-'));
const environment = { ...process.env };

beforeAll(() => ensureBuilt());
afterAll(() => rmSync(folder, { recursive: true }));

function run(options: readonly string[], program: string, ...args: readonly string[]): Outcome {
  return culprit(['run', ...options, '--', program, ...args], { cwd: folder, env: environment });
}

function instructions({ stderr }: Outcome): number {
  const { instructions: count } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { instructions: number };
  return count;
}

describe('a schedule', () => {
  it.each(['racyCounter.c', 'threadLocks.c', 'threadCancel.c', 'sharedLocks.c'])('of %s is the same every time', async (source) => {
    const program = await buildProgram(source, VARIANT);
    for (const seed of ['0', '3']) {
      const [one, two] = [0, 1].map(() => run(['--json', '--schedule-seed', seed], program)) as [Outcome, Outcome];
      expect([two.status, two.stdout]).toEqual([one.status, one.stdout]);
      expect(instructions(two)).toBe(instructions(one));
    }
  });

  it('is the same in the interpreter', async () => {
    const program = await buildProgram('racyCounter.c', VARIANT);
    const [compiled, interpreted] = [[], ['--interpret']].map((how) => run([...how, '--json', '--schedule-seed', '5'], program)) as [Outcome, Outcome];
    expect(interpreted.stdout).toBe(compiled.stdout);
    expect(instructions(interpreted)).toBe(instructions(compiled));
  });

  it('depends on the seed: some lose updates of a counter without lock', async () => {
    const program = await buildProgram('racyCounter.c', VARIANT);
    const results = Array.from({ length: 8 }, (_, seed) => Number(run(['--schedule-seed', String(seed + 1)], program).stdout));
    expect(new Set(results).size).toBeGreaterThan(3);
    expect(Math.min(...results)).toBeLessThan(8000);
    expect(Math.max(...results)).toBeLessThanOrEqual(8000);
  });
});

describe('a deadlock', () => {
  it('is reported: who waits for what, and where', async () => {
    const { status, stdout, stderr } = run([], await buildProgram('deadlock.c', VARIANT));
    expect([status, stdout]).toEqual([124, 'waiting\n']);
    const lines = stderr.trim().split('\n');
    expect(lines[0]).toBe('culprit: deadlock: all threads wait for each other:');
    expect(lines[1]).toMatch(/thread 20000 \(deadlock\) waits for the end of thread 20001 \[futex\], in .*, called from main\+0x[0-9a-f]+ \(deadlock\)$/);
    expect(lines[2]).toMatch(/thread 20001 .* waits for futex 0x[0-9a-f]+ <secondLock>, held by thread 20002 .*, called from forwards\+/);
    expect(lines[3]).toMatch(/thread 20002 .* waits for futex 0x[0-9a-f]+ <firstLock>, held by thread 20001 .*, called from backwards\+/);
  });

  it('waits for a signal if the program would handle one', async () => {
    const program = await buildProgram('deadlock.c', VARIANT);
    const child = spawn(process.execPath, [CULPRIT, 'run', program, 'interruptible']);
    let said = '';
    child.stderr.on('data', (data: Buffer) => {
      if (said === '') child.kill('SIGTERM');
      said += data.toString();
    });
    const status = await new Promise((resolve) => child.on('exit', resolve));
    expect(said).toContain('only a signal can end this');
    expect(status).toBe(9);
  });
});

describe('--timeout', () => {
  it('ends what takes too long, and says what it was doing', () => {
    const began = Date.now();
    const sleeping = run(['--timeout', '0.5'], 'sleep', '100');
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(sleeping.status).toBe(124);
    expect(sleeping.stderr).toMatch(/^culprit: not done after 0\.5 s:\nculprit: {3}thread 20000 \(sleep\) waits for the end of a sleep \[clock_nanosleep\], in /);
    const busy = run(['--timeout', '0.5'], 'sh', '-c', 'while :; do :; done');
    expect([busy.status, busy.stderr]).toEqual([124, expect.stringMatching(/thread 20000 \(sh\) runs, in /)]);
  });

  it('leaves alone what ends in time', () => {
    expect(run(['--timeout', '60'], 'true')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each(['0', '-1', 'x', ''])('does not take %j', (value) => {
    expect(culprit(['run', '--timeout', value, 'true'])).toMatchObject({ status: 2, stderr: expect.stringContaining('number of seconds') as string });
  });
});
