/** What holds for whole runs with several processes. */
import { spawn } from 'node:child_process';
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
  it('comes when the last process has ended; the status is that of the first', () => {
    const { status, stdout } = culprit(['run', '--', 'sh', '-c', '(sleep 0.3; echo late; exit 4) & echo early; exit 3']);
    expect([status, stdout]).toEqual([3, 'early\nlate\n']);
  });

  it('leaves nothing behind when culprit is ended from outside', async () => {
    const child = spawn(process.execPath, [CULPRIT, 'run', '--', 'sh', '-c', 'sleep 100 & echo up; sleep 100'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGTERM'), 300));
    const began = Date.now();
    const status = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(['SIGTERM', 143]).toContain(status);
  }, 60_000);
});
