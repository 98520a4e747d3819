/**
 * npm run bench:calls [-- RECORDING [CONDITION...]]: what breakpoints on calls cost beside a plain replay of the same
 * run, and rollbacks to a checkpoint at its end. JSON; seconds of processor time. Without a recording: of manyCalls.c,
 * with 10^6 calls that are not meant.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecordingFile } from '../dist/host/nodeRecordingFile.js';
import { DEFAULT_ENGINE_OPTIONS } from '../dist/machine/engineOptions.js';
import { NODE_FILES } from '../dist/cli/opening/nodeFiles.js';
import { Debugger } from '../dist/debugger/control/debugger.js';
import { ValueEvaluator } from '../dist/debugger/values/valueEvaluator.js';
import { at } from '../dist/replay/log/position.js';
import { openRecording } from '../dist/replay/recordingFile/openRecording.js';
import { Timeline } from '../dist/replay/timeline/timeline.js';

const here = dirname(fileURLToPath(import.meta.url));
const NOT_MEANT = ['malloc if arg1 == 5', 'malloc if ret == 5', 'malloc if arg1 == 16 && ret == 5'];

function recorded() {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-calls-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const [program, file] = [join(folder, 'manyCalls'), join(folder, 'many.culprit')];
  execFileSync('gcc', ['-O2', '-g', '-o', program, join(here, 'manyCalls.c')]);
  execFileSync(process.execPath, [join(here, '..', 'bin', 'culprit'), 'record', '-o', file, '--', program]);
  return file;
}

const [given, ...asked] = process.argv.slice(2);
const path = given ?? recorded();
const conditions = given === undefined ? NOT_MEANT : asked;
const recording = openRecording(openRecordingFile(path).reader, path);
const options = { log: recording.log, blobs: recording.blobs, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: recording.header.startSeconds };

async function timed(action) {
  const began = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

async function open() {
  return Debugger.open(new Timeline(options), { files: NODE_FILES, evaluator: new ValueEvaluator() });
}

const result = {};
const plain = new Timeline(options);
result.instructions = plain.endTime;
result.plainFirst = await timed(() => plain.seek(at(plain.endTime)));
await plain.seek(at(0));

/** A pass over all of it that looks out for what never happens: a plain replay in the same state of warmth. */
for (const [i, condition] of conditions.entries()) {
  const session = await open();
  const [name, ...rest] = condition.split(' if ');
  await session.goTo(at(0));
  const again = await timed(() => session.execution.forward([{ kind: 'address', addresses: [1] }]));
  await session.goTo(at(0));
  const point = await session.addCallBreakpoint(name, { condition: rest.join(' if ') || undefined });
  let stop;
  const forward = await timed(async () => (stop = await session.continue()));
  const at1 = session.position.time;
  await session.goToEnd();
  const backward = await timed(() => session.continue('backward'));
  result[`condition${i + 1}`] = { condition, plain: again, forward, stop: stop.kind, time: at1, backward, ratio: forward / again, backwardRatio: backward / again, entries: point.entries.length, returns: point.returns.size };
}

const session = await open();
const end = session.position;
session.checkpoint?.('end');
const rollbacks = [];
const seeks = [];
for (let i = 0; i < 11; i++) {
  await session.goTo(at(Math.floor(((i * 0.618034) % 1) * end.time)));
  rollbacks.push(await timed(() => (session.rollback === undefined ? session.goTo(end) : session.rollback('end'))));
}
const other = await open();
// Other places come in between, and displace what is not kept.
for (let i = 0; i < 41; i++) await other.goTo(at(Math.floor(((i * 0.618034) % 1) * end.time * 0.9)));
seeks.push(await timed(() => other.goTo(end)));
for (let i = 0; i < 41; i++) await session.goTo(at(Math.floor(((i * 0.618034) % 1) * end.time * 0.9)));
result.rollbackAfterMany = session.rollback === undefined ? undefined : await timed(() => session.rollback('end'));
result.seekAfterMany = seeks[0];
rollbacks.sort((a, b) => a - b);
result.rollbackMedian = rollbacks[5];
result.rollbackWorst = rollbacks.at(-1);
console.log(JSON.stringify(result, undefined, 2));
process.exit(0);
