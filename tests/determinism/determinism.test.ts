/** The same run twice is the same run: every instruction, every byte of output, every byte of memory. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { isShort, PROGRAMS } from './programs.js';
import { type Run, steadyRun } from './steadyRun.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const RUNS = LONG ? 5 : 2;
const SEEDS = 50;
const TIMEOUT = 600_000;
const VARIANT = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] } as const;

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-determinism-')));
afterAll(() => rmSync(directory, { recursive: true }));

async function run(source: string, seed: number, interpreted = false): Promise<Run> {
  return steadyRun(await buildProgram(source, VARIANT), [], { seed, directory, interpreted });
}

describe(`${RUNS} runs are one`, () => {
  // Every program has a seed of its own, so that all kinds of schedules have their turn. The usual run takes every
  // other one.
  it.each(PROGRAMS.filter((source, i) => LONG || (isShort(source) && i % 12 === 0)).map((source, i) => [source, LONG ? [0, i + 1] : [i % 3 === 0 ? 0 : i]] as const))('of %s with seeds %j', async (source, seeds) => {
    for (const seed of seeds) {
      const first = await run(source, seed);
      expect(first.stdout).not.toBe('');
      for (let i = 1; i < RUNS; i++) expect(await run(source, seed)).toEqual(first);
    }
  }, TIMEOUT);

  it('also if one of them is interpreted', async () => {
    for (const source of ['determinism/interleaving.c', 'determinism/ticks.c', 'determinism/forkTree.c']) {
      expect(await run(source, 3, true)).toEqual(await run(source, 3));
    }
  }, TIMEOUT);
});

it('there are at least 30 programs', () => {
  expect(new Set(PROGRAMS).size).toBeGreaterThanOrEqual(30);
});

describe('seeds', () => {
  it('give other runs', async () => {
    const runs: Run[] = [];
    for (const seed of [0, 1, 2, 3]) runs.push(await run('determinism/interleaving.c', seed));
    for (const what of ['stdout', 'memory', 'instructions'] as const) expect(new Set(runs.map((one) => one[what])).size, what).toBe(runs.length);
  }, TIMEOUT);

  it('find the lost update of a counter without lock', async () => {
    const counts: number[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      counts.push(Number((await run('racyCounter.c', seed)).stdout));
      // One is enough; the long run looks at all of them.
      if (!LONG && Math.min(...counts) < 8000) break;
    }
    expect(Math.min(...counts)).toBeLessThan(8000);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8000);
  }, TIMEOUT);
});
