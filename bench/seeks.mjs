/** node seeks.mjs RECORDING VARIABLE: opens a recording and says, as JSON, how long it takes to travel in it. Seconds. */
import { openRecordingFile } from '../dist/host/nodeRecordingFile.js';
import { DEFAULT_ENGINE_OPTIONS } from '../dist/machine/engine.js';
import { Player } from '../dist/replay/play/player.js';
import { at } from '../dist/replay/play/position.js';
import { StoredModules } from '../dist/replay/play/storedModules.js';
import { openRecording } from '../dist/replay/recordingFile/openRecording.js';
import { Timeline } from '../dist/replay/timeline/timeline.js';

const SEEKS = 41;
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

await timeline.seek(at(endTime));
const symbol = new StoredModules().find(timeline.player.space.machine.space, variable);
const range = { start: symbol.address, end: symbol.address + symbol.size };
let hit;
// The first time the engine is exchanged for one that watches: everything is translated again.
result.firstLastWrite = await timed(async () => {
  hit = await timeline.lastWrite([range]);
});
result.lastWrite = await timed(() => timeline.lastWrite([range]));
result.lastWriteTime = hit.position.time;
const plain = new Player(options);
plain.advance(hit.position.time);
result.partReplay = await timed(() => plain.advance(endTime));
result.checkpoints = timeline.checkpoints.all.length;
result.checkpointMegabytes = timeline.store.bytes / 2 ** 20;
process.stdout.write(`${JSON.stringify(result)}\n`);
