/**
 * One program and one specification in a process of its own: the plain replay, an observed one, the whole history, what
 * it takes to check it at the end, and to locate, in seconds of the processor. Prints them as JSON.
 *
 *     node bench/shapesOnce.mjs FILE.culprit FILE.shape
 */
import { readFileSync } from 'node:fs';
import { NODE_FILES } from '../dist/cli/opening/nodeFiles.js';
import { openedRecording, timelineOf } from '../dist/cli/opening/openedRecording.js';
import { Modules } from '../dist/debugger/program/modules.js';
import { SourceText } from '../dist/debugger/program/sourceText.js';
import { bindShapes } from '../dist/shapes/checking/bind.js';
import { ShapeChecker } from '../dist/shapes/checking/shapeChecker.js';
import { gatherHistory } from '../dist/shapes/history/gather.js';
import { loadShapes } from '../dist/shapes/language/load.js';
import { locateFaults } from '../dist/shapes/locate/locate.js';
import { questionOf } from '../dist/shapes/report/question.js';

const [file, specification] = process.argv.slice(2);
const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const timed = async (action) => {
  const before = seconds();
  const result = await action();
  return { result, took: seconds() - before };
};

/** Of several: V8 makes code better as it goes. */
const quickest = async (action) => {
  const times = [];
  for (let i = 0; i < 4; i++) times.push((await timed(action)).took);
  return Math.min(...times);
};

const { file: { items } } = loadShapes(readFileSync(specification, 'utf8'), specification);
const execution = timelineOf(openedRecording(file), {});
/** Nothing is asked for, and code is as it is. */
const nothing = { spots: { memory: [], passes: new Set(), calls: new Set() } };
const { took: cold } = await timed(() => execution.observe(nothing, {}));
const plain = await quickest(() => execution.observe(nothing, {}));
const run = { execution, modules: new Modules(NODE_FILES), sources: new SourceText(NODE_FILES) };
const { result: gathered, took: gathering } = await timed(() => gatherHistory(run, questionOf(items)));
const memory = gathered.lives.map(({ address, bytes }) => ({ start: address, end: address + bytes }));
const spots = { memory, passes: new Set(), calls: new Set() };
const observing = await quickest(() => execution.observe({ spots }, { stored() {} }));
const { specification: bound } = bindShapes(items, gathered.types);
const { operations } = gathered;
const checker = new ShapeChecker(bound);
/** Operations after the last check but one. */
const LAST = 20;
for (let i = 0; i < operations.length - LAST; i++) checker.apply(operations.at(i));
const { took: full } = await timed(() => checker.inconsistencies().size);
for (let i = operations.length - LAST; i < operations.length; i++) checker.apply(operations.at(i));
const { result: found, took: matching } = await timed(() => checker.inconsistencies().size);
const { result: located, took: locating } = await timed(() => locateFaults(checker, operations, operations.length));
console.log(JSON.stringify({
  instructions: execution.endTime, cold, plain, observing, gathering, full, matching, locating, nodes: gathered.lives.length, operations: operations.length,
  inconsistencies: found, statements: new Set(located.contributions.map(({ operation }) => operation.by.address)).size, megabytes: process.resourceUsage().maxRSS / 1024,
}));
