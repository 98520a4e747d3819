/**
 * One recording in a process of its own: the plain replay, then two slices of the same thing at the end, in seconds of
 * the processor. Prints them, and the peak of memory, as JSON.
 *
 *     node bench/sliceOnce.mjs FILE.culprit SYMBOL|write BYTES
 *
 * `write`: the bytes that the last `write` of the program wrote.
 */
import { NODE_FILES } from '../dist/cli/opening/nodeFiles.js';
import { openedRecording, timelineOf } from '../dist/cli/opening/openedRecording.js';
import { Modules } from '../dist/debugger/program/modules.js';
import { at } from '../dist/replay/log/position.js';
import { SliceGraph } from '../dist/slices/graph.js';
import { Slicer } from '../dist/slices/slicer.js';
import { linearOf } from '../dist/slices/wants/memoryWants.js';

const SYS_WRITE = 1;
/** Stands for what is asked for. */
const ASKED = 0x3f_fffe;
const OPTIONS = { data: true, control: true, frames: false, nodeOf: (instruction, site) => (site >= 0 ? site : instruction.id) };

const [file, symbol, size] = process.argv.slice(2);
const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const timeline = timelineOf(openedRecording(file), {});
const before = seconds();
await timeline.seekEnd();
const plain = seconds() - before;

const modules = new Modules(NODE_FILES);
const criterion = symbol === 'write' ? await lastWrite() : variable();
const slicer = new Slicer(timeline, modules);
const slices = [];
let graph;
for (let i = 0; i < 2; i++) {
  const start = seconds();
  ({ graph } = await slicer.slice(criterion, OPTIONS, undefined, (wanters) => new SliceGraph(wanters)));
  slices.push(seconds() - start);
}
const { nodes, edges } = graph;
console.log(JSON.stringify({
  instructions: timeline.endTime, plain, first: slices[0], second: slices[1], nodes: nodes.length, edges: edges.length,
  members: nodes.reduce((sum, { count }) => sum + count, 0), megabytes: process.resourceUsage().maxRSS / 1024,
}));

function variable() {
  const { id } = timeline.state.threads[0];
  const module = modules.of(timeline.state, id).all.find((one) => one.symbolAddress(symbol) !== undefined);
  return wanting(module.symbolAddress(symbol) + Number(module.bias), Number(size), timeline.endTime);
}

async function lastWrite() {
  await timeline.backward([{ kind: 'syscall', numbers: [SYS_WRITE] }]);
  const { state, position } = timeline;
  const { id } = state.current ?? state.threads[0];
  const [address, bytes] = [Number(state.register(id, 'rsi')), Number(state.register(id, 'rdx'))];
  const made = wanting(address, Math.min(bytes, Number(size)), position.time);
  await timeline.seekEnd();
  return made;
}

/** Programs of the bench have one process: which number its memory has is of no account. */
function wanting(address, bytes, time) {
  return {
    to: at(time),
    begin(walk) {
      for (const space of [0, 1]) for (let i = 0; i < bytes; i++) walk.memoryOf(space).set(linearOf(address + i), walk.wanters.of(ASKED));
    },
  };
}
