/** What is recorded runs again as it was: the same output, the same ends, the same instructions, registers and memory. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import type { Variant } from '../programs/variants.js';
import { placeFiles } from '../table/sandbox.js';
import { nameOf, RECORDED, type RecordedProgram } from './programs.js';
import { openBytes, recordRun, replayRun } from './recordedRun.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const TIMEOUT = 600_000;
const STATIC: Variant = { name: '-O1 static', compiler: 'gcc', flags: ['-O1', '-static'] };
const DYNAMIC: Variant = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] };
/** Static programs are over sooner; what libraries do is in the tools, which have many. */
const VARIANTS = LONG ? [STATIC, DYNAMIC] : [STATIC];

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-replay-')));
const before = process.cwd();
beforeAll(() => process.chdir(directory));
afterAll(() => {
  process.chdir(before);
  rmSync(directory, { recursive: true });
});

async function* commands({ argv: [program, ...args] }: RecordedProgram): AsyncIterable<string[]> {
  if (!/\.cc?$/.test(program)) yield [program, ...args];
  else for (const variant of VARIANTS) yield [await buildProgram(program, variant), ...args];
}

async function check(command: readonly string[], { files = {}, seed = 0, stdin = '' }: RecordedProgram): Promise<void> {
  const fresh = mkdtempSync(join(directory, 'run-'));
  process.chdir(fresh);
  placeFiles(fresh, files);
  const live = await recordRun(command, { seed, stdin: Buffer.from(stdin) });
  process.chdir(directory);
  // Nothing of it is needed any more.
  rmSync(fresh, { recursive: true });
  expect(live.outcome.ends).not.toEqual([]);
  expect(openBytes(live.bytes)).toMatchObject({ isComplete: true, damage: undefined, summary: { instructions: live.outcome.instructions } });
  expect(replayRun(live.bytes)).toEqual(live.outcome);
  if (LONG) expect(replayRun(live.bytes, true)).toEqual(live.outcome);
}

describe('replay is the run that was recorded', () => {
  // For one in three there is time in the usual run.
  it.each(RECORDED.filter(({ long }, i) => LONG || (long !== true && i % 3 === 0)).map((program) => [nameOf(program), program] as const))('%s', async (_, program) => {
    for await (const command of commands(program)) await check(command, program);
  }, TIMEOUT);
});

it('there are at least 40 programs', () => {
  expect(new Set(RECORDED.map(({ argv: [program] }) => program)).size).toBeGreaterThanOrEqual(40);
});
