/**
 * What is recorded runs again as it was: the same output, the same ends, the same instructions, registers and memory.
 */
import { describe, expect, it } from 'vitest';
import { nameOf, RECORDED, type RecordedProgram } from './programs.js';
import { openBytes, replayRun } from './recordedRun.js';
import { commandOf, DYNAMIC, recordProgram, STATIC } from './runProgram.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const TIMEOUT = 600_000;
/** Static programs are over sooner; what libraries do is in the tools, which have many. */
const VARIANTS = LONG ? [STATIC, DYNAMIC] : [STATIC];

async function check(command: readonly string[], program: RecordedProgram): Promise<void> {
  const live = await recordProgram(command, program);
  expect(live.outcome.ends).not.toEqual([]);
  expect(openBytes(live.bytes)).toMatchObject({ isComplete: true, damage: undefined, summary: { instructions: live.outcome.instructions } });
  expect(replayRun(live.bytes)).toEqual(live.outcome);
  if (LONG) expect(replayRun(live.bytes, true)).toEqual(live.outcome);
}

describe('replay is the run that was recorded', () => {
  // For one in three there is time in the usual run.
  it.each(RECORDED.filter(({ long }, i) => LONG || (long !== true && i % 5 === 0)).map((program) => [nameOf(program), program] as const))('%s', async (_, program) => {
    const commands = new Set(await Promise.all(VARIANTS.map(async (variant) => JSON.stringify(await commandOf(program, variant)))));
    for (const command of commands) await check(JSON.parse(command) as string[], program);
  }, TIMEOUT);
});

it('there are at least 40 programs', () => {
  expect(new Set(RECORDED.map(({ argv: [program] }) => program)).size).toBeGreaterThanOrEqual(40);
});
