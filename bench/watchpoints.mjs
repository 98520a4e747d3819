/**
 * node watchpoints.mjs RECORDING: what watchpoints cost in the debugger, as JSON. Seconds of processor time, medians of
 * rounds that take turns. The recording is of longRun.c: `rare` is written once, long before the end; `apart` never.
 */
import { NODE_FILES } from '../dist/cli/opening/nodeFiles.js';
import { Debugger } from '../dist/debugger/control/debugger.js';
import { ValueEvaluator } from '../dist/debugger/values/valueEvaluator.js';
import { openRecordingFile } from '../dist/host/nodeRecordingFile.js';
import { DEFAULT_ENGINE_OPTIONS } from '../dist/machine/engine.js';
import { at } from '../dist/replay/log/position.js';
import { openRecording } from '../dist/replay/recordingFile/openRecording.js';
import { Timeline } from '../dist/replay/timeline/timeline.js';
import { Player } from '../dist/replay/play/player.js';

const ROUNDS = 3;
const MANY = 20;
const [path] = process.argv.slice(2);
const { log, blobs, header } = openRecording(openRecordingFile(path).reader, path);
const options = { log, blobs, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: header.startSeconds };
const timeline = new Timeline(options);
const session = await Debugger.open(timeline, { files: NODE_FILES, evaluator: new ValueEvaluator() });

async function processorTime(action) {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function expectStop(kind, going) {
  const stop = await going;
  if (stop.kind !== kind) throw new Error(`a ${kind} was to be found, not ${JSON.stringify(stop)}`);
}

/** From the end back to the write. */
async function back() {
  await session.goToEnd();
  session.breakpoints.deleteAll();
  session.addWatchpoint('rare');
  return processorTime(() => expectStop('watchpoint', session.continue('backward')));
}

await back();
const { time } = session.position;
const after = at(time + 1);
const plain = new Player(options);
plain.advance(after.time);
const there = plain.save(timeline.store);
plain.advance(timeline.endTime);

function replay() {
  plain.restore(there, timeline.store);
  return processorTime(() => plain.advance(timeline.endTime));
}

/** From the write on to the end. */
async function forward(expressions) {
  await session.goTo(after);
  session.breakpoints.deleteAll();
  for (const expression of expressions) session.addWatchpoint(expression);
  return processorTime(() => expectStop('end', session.continue()));
}

const many = ['rare', ...Array.from({ length: MANY - 1 }, (_, i) => `apart[${Math.floor(((i + 1) * 8000) / MANY)}]`)];
const actions = { replay, back, none: () => forward([]), many: () => forward(many) };
const seconds = Object.fromEntries(Object.keys(actions).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) for (const [name, action] of Object.entries(actions)) seconds[name].push(await action());
const medians = Object.fromEntries(Object.entries(seconds).map(([name, list]) => [name, list.sort((a, b) => a - b)[ROUNDS >> 1]]));
process.stdout.write(`${JSON.stringify({ instructions: timeline.endTime - time, ...medians })}\n`);
process.exit(0);
