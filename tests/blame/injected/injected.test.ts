/**
 * Random programs with one bug each: blame names the first corruption.
 *
 *     CULPRIT_SEED=7 npx vitest run tests/blame/injected                 # one
 *     CULPRIT_SEED=1 CULPRIT_COUNT=200 npx vitest run tests/blame/injected
 *     CULPRIT_LONG=1 npx vitest run tests/blame/injected                 # 1,000
 *
 * The table goes to tests/build/blame/injected-SEED.txt, too.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { LONG } from '../../table/testTable.js';
import { injectedProgram } from './injectedProgram.js';
import { judge, type Judgement, wayOf } from './judge.js';
import { shareFound, tally } from './tally.js';

const BUILD_FOLDER = fileURLToPath(new URL('../../build/blame/', import.meta.url));
const FIRST = Number(process.env['CULPRIT_SEED'] ?? 1);
const COUNT = Number(process.env['CULPRIT_COUNT'] ?? (process.env['CULPRIT_SEED'] !== undefined ? 1 : LONG ? 1000 : 8));
const SHARE = 0.95;
const KINDS = 8;

it('finds the first corruption of random programs', () => {
  const all: Judgement[] = [];
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const found = judge(injectedProgram(seed), wayOf(seed + Math.floor(seed / KINDS)));
    if (found === undefined) continue;
    all.push(found);
    mkdirSync(BUILD_FOLDER, { recursive: true });
    writeFileSync(`${BUILD_FOLDER}injected-${FIRST}.txt`, `${tally(all)}\n`);
  }
  const table = tally(all);
  process.stdout.write(`${table}\n`);
  expect(all.length).toBeGreaterThan(0);
  expect(shareFound(all), table).toBeGreaterThanOrEqual(SHARE);
}, 8 * 3600_000);

it('names the loop that copied text over an index, and not what made the text', () => {
  expect(judge(injectedProgram(1), wayOf(1))?.reason).toBe('');
}, 900_000);

it('makes the same program of the same seed, with a line that counts', () => {
  for (let seed = 0; seed < 100; seed++) {
    expect(injectedProgram(seed)).toEqual(injectedProgram(seed));
    expect(injectedProgram(seed).corrupt).toHaveLength(1);
  }
});
