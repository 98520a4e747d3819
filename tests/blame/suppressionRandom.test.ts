/** Random programs without bugs, random points: nothing crashes that did not before, and nothing hangs. */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../src/base/types.js';
import { at } from '../../src/replay/log/position.js';
import { dice } from '../slices/comparing.js';
import { randomProgram } from '../slices/generator.js';
import { addressOf, KEPT, subject, suppressed } from './suppressed.js';

void KEPT;

const LONG = process.env['CULPRIT_LONG'] === '1';
const SEEDS = Array.from({ length: LONG ? 100 : 3 }, (_, i) => i + 1);
const POINTS = LONG ? 5 : 3;
const VARIANTS: readonly (readonly string[])[] = [['-O0', '-static'], ['-O1', '-static'], ['-O2', '-static']];
const STEPS = 10_000;

describe('a random program', () => {
  it.each(SEEDS)('%i comes to its end without some instruction', async (seed) => {
    const one = await subject(`suppressed${seed}.c`, randomProgram(dice(seed)), VARIANTS[seed % VARIANTS.length] ?? []);
    await one.recording.seek(at(0));
    const main = await one.recording.forward([{ kind: 'address', addresses: [guestAddr(await addressOf(one, 'main'))] }]);
    const begun = main?.position.time ?? 0;
    const roll = dice(seed + 1000);
    for (let i = 0; i < POINTS; i++) {
      const time = begun + Math.floor(((one.instructions - begun) * roll(STEPS)) / STEPS);
      await one.recording.seek(at(time));
      const thread = one.recording.state.current?.id;
      if (thread === undefined) continue;
      const { end, branch } = await suppressed(one, [{ position: at(time), thread }]);
      expect(end, `without the instruction at ${time}`).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
      branch.drop();
    }
  });
});
