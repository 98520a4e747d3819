/**
 * node seeks.mjs RECORDING VARIABLE: opens a recording and says, as JSON, how long it takes to travel in it. Seconds.
 */
import { openRecordingFile } from '../dist/host/nodeRecordingFile.js';
import { DEFAULT_ENGINE_OPTIONS } from '../dist/machine/engine.js';
import { Player } from '../dist/replay/play/player.js';
import { at } from '../dist/replay/log/position.js';
import { StoredModules } from '../dist/replay/play/storedModules.js';
import { openRecording } from '../dist/replay/recordingFile/openRecording.js';
import { Timeline } from '../dist/replay/timeline/timeline.js';

const SEEKS = 41;
const ROUNDS = 5;
const MANY = 20;
const [path, variable] = process.argv.slice(2);
const recording = openRecording(openRecordingFile(path).reader, path);
const options = { log: recording.log, blobs: recording.blobs, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: recording.header.startSeconds };

async function timed(action) {
  const began = performance.now();
  await action();
  return (performance.now() - began) / 1000;
}

/** Always the same places, spread over the whole run. */
function places(endTime) {
  return Array.from({ length: SEEKS }, (_, i) => Math.floor(((i * 0.618034) % 1) * endTime));
}

const result = {};
let timeline;
result.open = await timed(() => {
  timeline = new Timeline(options);
});
const { endTime } = timeline;
result.instructions = endTime;
result.firstPass = await timed(() => timeline.seek(at(endTime)));
const seeks = [];
for (const time of places(endTime)) seeks.push(await timed(() => timeline.seek(at(time))));
seeks.sort((a, b) => a - b);
result.seekMedian = seeks[SEEKS >> 1];
result.seekWorst = seeks.at(-1);

/** Seconds of processor time: a search has one thread, but others may be at work on this machine. */
async function processorTime(action) {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

await timeline.seek(at(endTime));
const modules = new StoredModules();
const { space } = timeline.player.space.machine;
const rangeOf = (name) => {
  const { address, size } = modules.find(space, name);
  return { start: address, end: address + size };
};
const range = rangeOf(variable);
/**
 * Spread over memory that the program does not write to. The last one of `near` lies within 64 bytes of what is written
 * all the time.
 */
const { start, end } = rangeOf('apart');
const near = [range, ...Array.from({ length: MANY }, (_, i) => start + Math.floor(((i + 1) * (end - start - 8)) / MANY)).map((address) => ({ start: address, end: address + 4 }))];
const many = near.slice(0, MANY);
const write = (ranges) => [{ kind: 'memory', access: 'write', ranges }];
let hit;
result.firstLastWrite = await processorTime(async () => {
  hit = await timeline.lastWrite([range]);
});
result.lastWriteTime = hit.position.time;
const after = at(hit.position.time + 1);
const plain = new Player(options);
plain.advance(after.time);
const there = plain.save(timeline.store);
plain.advance(endTime);
/** In turns, so that what disturbs disturbs all of them. */
const actions = {
  partReplay: () => {
    plain.restore(there, timeline.store);
    return processorTime(() => plain.advance(endTime));
  },
  lastWrite: () => processorTime(() => timeline.lastWrite([range])),
  backward: async () => {
    await timeline.seek(at(endTime));
    return processorTime(() => timeline.backward(write([range])));
  },
  forwardWatchingMany: () => processorTime(() => timeline.each(write(many), () => 'go on', after, at(endTime))),
  forwardWatchingNear: () => processorTime(() => timeline.each(write(near), () => 'go on', after, at(endTime))),
};
const seconds = Object.fromEntries(Object.keys(actions).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) for (const [name, action] of Object.entries(actions)) seconds[name].push(await action());
for (const [name, list] of Object.entries(seconds)) result[name] = list.sort((a, b) => a - b)[ROUNDS >> 1];
result.checkpoints = timeline.checkpoints.all.length;
result.checkpointMegabytes = timeline.store.bytes / 2 ** 20;
process.stdout.write(`${JSON.stringify(result)}\n`);
