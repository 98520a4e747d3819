/** What holds for whole runs with several processes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, culprit, type Outcome } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';

const VARIANT = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] } as const;

beforeAll(() => ensureBuilt(), 300_000);

function summary({ status, stdout, stderr }: Outcome): unknown {
  const { instructions } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { instructions: number };
  return { status, stdout, instructions };
}

describe('the same run twice', () => {
  it.each(['forks.c', 'sharedMemory.c', 'orphans.c'])('%s is the same run, also in the interpreter', async (source) => {
    const program = await buildProgram(source, VARIANT);
    const first = summary(culprit(['run', '--json', '--', program]));
    expect(summary(culprit(['run', '--json', '--', program]))).toEqual(first);
    expect(summary(culprit(['run', '--json', '--interpret', '--', program]))).toEqual(first);
    const seeded = summary(culprit(['run', '--json', '--schedule-seed', '4', '--', program]));
    expect(summary(culprit(['run', '--json', '--schedule-seed', '4', '--', program]))).toEqual(seeded);
  }, 300_000);

  it('of a shell script is the same run', () => {
    const script = 'for i in 1 2 3; do echo $i $$ $! | tr 1 x; done; x=$(seq 100 | sort -r | head -1); (exit 3) & wait $!; echo $x $? $!';
    const first = summary(culprit(['run', '--json', '--', 'bash', '-c', script]));
    expect(summary(culprit(['run', '--json', '--', 'bash', '-c', script]))).toEqual(first);
  }, 300_000);
});

describe('the end of a run', () => {
  const LATE = ['sh', '-c', '(sleep 0.3; echo late; exit 4) & echo early; exit 3'];

  it('comes with the end of the first process, whose status it is', () => {
    for (const command of ['run', 'record', 'check']) {
      const { status, stdout } = culprit([command, '--', ...LATE]);
      expect([command, status, stdout]).toEqual([command, 3, 'early\n']);
      // It would never end.
      expect([command, culprit([command, '--', 'sh', '-c', 'cat /dev/zero > /dev/null & sleep 1000000 & exit 3']).status]).toEqual([command, 3]);
    }
  }, 120_000);

  it('comes with the last process, if that is wanted; the status is that of the first', () => {
    const { status, stdout } = culprit(['run', '--children', 'wait', '--', ...LATE]);
    expect([status, stdout]).toEqual([3, 'early\nlate\n']);
  });

  it('is the first one\'s even if those left behind wait for each other', () => {
    const { status, stderr } = culprit(['run', '--children', 'wait', '--', 'perl', '-e', 'pipe R, W; if (fork) { exit 3 } <R>']);
    expect(status).toBe(3);
    expect(stderr).toMatch(/^culprit: the program has ended, and what it left behind waits for ever:\nculprit: {3}thread 20001 /);
  });

  it('leaves time to who has something to do, and to clean up', () => {
    const filter = culprit(['run', '--', 'bash', '-c', 'seq 1 3 > >(sort -r); exit 4']);
    expect([filter.status, filter.stdout]).toEqual([4, '3\n2\n1\n']);
    const script = '(trap "echo bye; exit" TERM; echo up; while :; do sleep 0.01; done) & read x < "$0"; sleep 0.1; exit 6';
    const polite = culprit(['run', '--', 'sh', '-c', script, '/dev/null']);
    expect([polite.status, polite.stdout]).toEqual([6, 'up\nbye\n']);
    expect(culprit(['run', '--', 'sh', '-c', '(trap "" TERM; while :; do :; done) & exit 7']).status).toBe(7);
  }, 60_000);

  it('is recorded, and replayed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'culprit-left-'));
    try {
      for (const [what, output] of [['end', 'early\n'], ['wait', 'early\nlate\n']] as const) {
        expect(culprit(['record', '-o', what, '--children', what, '--', ...LATE], { cwd: folder }).status).toBe(3);
        expect(culprit(['replay', what], { cwd: folder })).toEqual({ status: 3, stdout: output, stderr: '' });
        expect(culprit(['info', what], { cwd: folder }).stdout).toMatch(/ended +exited with status 3\n(.*\n)*state +complete/);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it('leaves nothing behind when culprit is ended from outside', async () => {
    const child = spawn(process.execPath, [CULPRIT, 'run', '--', 'sh', '-c', 'sleep 100 & echo up; sleep 100'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGTERM'), 300));
    const began = Date.now();
    const status = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(status).toBe('SIGTERM');
  }, 60_000);
});
