/**
 * One recording of probeLoop.c in a process of its own, in seconds of the processor: its plain replay, a probe of some
 * candidates, what is left of the run after an alteration with it and without; and in milliseconds what a rollback to
 * the end takes. Prints them as JSON.
 *
 *     node bench/alterationOnce.mjs FILE.culprit CANDIDATES LINE
 *
 * No probe with 0 CANDIDATES. LINE: of a condition in probeLoop.c that is altered in all its instances.
 */
import { openedDebugger } from '../dist/cli/opening/openedDebugger.js';
import { openedRecording, timelineOf } from '../dist/cli/opening/openedRecording.js';
import { at } from '../dist/replay/log/position.js';
import { probe } from '../dist/probe/probe.js';
import { ProgramView } from '../dist/debugger/program/programView.js';
import { parseAlteration } from '../dist/whatIf/alteration.js';
import { beginningOf } from '../dist/whatIf/apply.js';

const ROUNDS = 5;
const [file, candidates, line] = process.argv.slice(2);
const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const least = async (action) => {
  const taken = [];
  for (let i = 0; i < ROUNDS; i++) taken.push(await action());
  return Math.min(...taken);
};

const timeline = timelineOf(openedRecording(file), {});
const before = seconds();
await timeline.seekEnd();
const plain = seconds() - before;

const { debug } = await openedDebugger(file);
const { recording } = debug;

const checkpoint = debug.checkpoint('end');
const rollback = await least(async () => {
  await debug.goTo(at(Math.floor(recording.endTime / 3)));
  const start = performance.now();
  await debug.rollback(checkpoint.id);
  return performance.now() - start;
});

const whatIf = { maker: debug.branchMaker, recording, program: new ProgramView(debug.state, debug.thread, debug.modules), modules: debug.modules, statements: debug.named.statements };
const alteration = parseAlteration('switch', `probeLoop.c:${line}`);
const { start, writes } = await beginningOf(whatIf, [alteration], {});
const after = recording.endTime - start.time;
const rest = async (deeds) => {
  const branch = await whatIf.maker.trialAt(start);
  for (const deed of deeds) await branch.alter(deed);
  const from = seconds();
  await branch.run(after);
  const taken = seconds() - from;
  branch.drop();
  return taken;
};
// After each has been done once: what is compiled by then, is for both.
await rest([]);
await rest(writes);
// In turns, so that load on the machine hits both alike.
const pairs = [];
for (let i = 0; i < ROUNDS; i++) pairs.push([await rest([]), await rest(writes)]);
const [without, withIt] = [0, 1].map((which) => Math.min(...pairs.map((pair) => pair[which])));

const begun = seconds();
const { tried } = Number(candidates) === 0 ? { tried: [] } : await probe(debug, { most: Number(candidates) });
const probed = seconds() - begun;
console.log(JSON.stringify({ instructions: recording.endTime, plain, rollback, without, withIt, probed, tried: tried.length, gone: tried.filter(({ outcome }) => outcome.verdict === 'gone').length }));
process.exit(0);
