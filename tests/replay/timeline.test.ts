/** The state at any time is what it was, however one gets there. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { at } from '../../src/replay/log/position.js';
import { StateHasher } from '../../src/replay/timeline/stateHash.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { hashPlayer, record } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const MOMENTS = process.env['CULPRIT_LONG'] === undefined ? 20 : 100;
const ALL: readonly (readonly [string, ...string[]])[] = [['sharedMemory.c'], ['selfModifying.c'], ['forks.c'], ['sorting.c'], ['threadLocks.c'], ['signalsBetween.c']];
const PROGRAMS = process.env['CULPRIT_LONG'] === undefined ? ALL.slice(0, 1) : ALL;

describe('a timeline', () => {
  it.each(PROGRAMS)('%s: is at every remembered moment what it was', async (source, ...args) => {
    const run = await record([await buildProgram(source, VARIANT), ...args], { every: 7 });
    const timeline = new Timeline(run.options);
    expect(timeline.endTime).toBe(run.instructions);
    for (const { time, done, hash } of shuffled(run.moments).slice(0, MOMENTS)) {
      await timeline.seek(at(time, done));
      expect(hashPlayer(timeline.player), `time ${time}, event ${done}`).toBe(hash);
    }
  });

  it('is the same at any time, in any order', async () => {
    const run = await record([await buildProgram('threadLocks.c', VARIANT)]);
    const timeline = new Timeline(run.options);
    const hasher = new StateHasher();
    const seen = new Map<number, string>();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: run.instructions }), async (time) => {
        await timeline.seek(at(time));
        expect(timeline.position.time).toBe(time);
        const hash = hasher.hash(timeline.player.world);
        expect(hash).toBe(seen.get(time) ?? hash);
        seen.set(time, hash);
      }),
      { numRuns: 40 },
    );
    const fresh = new Timeline(run.options);
    for (const time of [...seen.keys()].sort((a, b) => a - b)) {
      await fresh.seek(at(time));
      expect(hasher.hash(fresh.player.world), `time ${time}`).toBe(seen.get(time));
    }
  });
});

function shuffled<T>(list: readonly T[]): T[] {
  return list.map((item, i) => ({ item, key: (i * 7919) % 104729 })).sort((a, b) => a.key - b.key).map(({ item }) => item);
}
