/**
 * An analysis gets what it wants of engines in a live run, in a replay and in a branch alike, in all processes and
 * programs.
 */
import { expect, it } from 'vitest';
import { NodeHost } from '../../src/host/nodeHost.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { looking } from '../../src/machine/testing/lookingPass.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { Player } from '../../src/replay/play/player.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { record } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const coreModule = buildCoreModule();
/** Before the first fork. */
const START = 0.1;

it('a pass sees the same in a live run, its replay and a branch of it', async () => {
  const live = new Set<number>();
  const run = await record([await buildProgram('forksAndExecutes.c', VARIANT)], { engine: { coreModule }, instrumentation: looking((address) => live.add(address)) });
  expect(run.output).toBe('child\nprogram\nparent\n');
  expect(live.size).toBeGreaterThan(1000);

  const [played, early] = [new Set<number>(), new Set<number>()];
  const start = Math.floor(run.instructions * START);
  const player = new Player({ ...run.options, instrumentation: looking((address) => (player.time < start ? early : played).add(address)) });
  player.advance(start);
  expect(player.world.spaces.size).toBe(1);
  player.advance(Infinity);
  expect(player.time).toBe(run.instructions);
  expect(new Set([...early, ...played])).toEqual(live);

  const branched = new Set<number>();
  const timeline = new Timeline(run.options);
  const branches = new TimelineBranches(timeline, { ...run.options, instrumentation: looking((address) => branched.add(address)) }, new NodeHost());
  const branch = await branches.at(at(start));
  branch.leaveAtNextCall();
  expect(await branch.run()).toEqual({ kind: 'ended', status: run.status });
  expect(branch.isFollowing).toBe(false);
  expect(branched).toEqual(played);
  branch.drop();
});
