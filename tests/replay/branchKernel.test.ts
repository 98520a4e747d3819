/**
 * A branch that leaves the recording anywhere finds in its own kernel what the recorded one had, and so does what was
 * recorded.
 */
import { expect, it } from 'vitest';
import { NodeHost } from '../../src/host/nodeHost.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { record } from './recorded.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const KINDS = ['timers', 'memory', 'unix sockets', 'tcp sockets'] as const;
const PLACES = LONG ? 60 : 3;
/** Before that the C library is busy. */
const START = 0.25;
const coreModule = buildCoreModule();

it.each(KINDS)('%s', async (kind) => {
  const run = await record([await buildProgram('kernelState.c', VARIANT), kind], { engine: { coreModule } });
  expect(run.output).toMatch(/done\n$/);
  const timeline = new Timeline(run.options);
  const branches = new TimelineBranches(timeline, run.options, new NodeHost());
  for (let i = 1; i <= PLACES; i++) {
    const branch = await branches.at(at(Math.floor(run.instructions * (START + ((1 - START) * (i - 0.3)) / PLACES))));
    branch.leaveAtNextCall();
    const stop = await branch.run();
    const output = branch.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
    expect({ stop, output }, `place ${i}`).toEqual({ stop: { kind: 'ended', status: run.status }, output: run.output.slice(run.output.length - output.length) });
    branch.drop();
  }
});
