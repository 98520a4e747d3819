/** Chains of random programs against a model that follows every byte forward. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Modules } from '../../src/debugger/program/modules.js';
import { ValueFlow } from '../../src/flow/chain.js';
import { registerPlace } from '../../src/flow/copies/place.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import { dice, RandomMoves, REGISTERS } from './moves.js';

const SEEDS = process.env['CULPRIT_LONG'] === '1' ? 100 : 2;
const LENGTH = 250;

async function flowOf(moves: RandomMoves): Promise<ValueFlow> {
  const folder = mkdtempSync(join(tmpdir(), 'moves-'));
  try {
    writeFileSync(join(folder, 'moves.s'), moves.text);
    execFileSync('gcc', ['-nostdlib', '-static', '-o', join(folder, 'moves'), join(folder, 'moves.s')]);
    const { options } = await record([join(folder, 'moves')]);
    return new ValueFlow(new Timeline(options), new Modules(NEAR_FILES));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))('random moves, seed %i', async (seed) => {
  const moves = new RandomMoves(dice(seed), LENGTH);
  const end = at(moves.lines.length);
  const flow = await flowOf(moves);
  await flow.execution.seek(end);
  const thread = flow.execution.state.current?.id ?? 0;
  let whole = 0;
  for (const name of [...REGISTERS, 'xmm0', 'xmm1', 'xmm2', 'xmm3']) {
    const place = registerPlace(name);
    if (place === undefined) throw new Error(name);
    const { links } = await flow.origin(end, thread, { ...place, size: 8 });
    const times = links.filter(({ kind }) => kind !== 'initial').map(({ position }) => position.time);
    const expected = moves.historyOf(name);
    const isWhole = links.at(-1)?.kind !== 'mixed';
    if (isWhole) whole++;
    // Where the value's bytes are of different origin, the chain ends.
    expect(times, `${name}: ${times.map((time) => `${time} ${moves.lines[time]}`).join('; ')}`).toEqual(isWhole ? expected : expected.slice(0, times.length));
  }
  expect(whole).toBeGreaterThan(8);
});
