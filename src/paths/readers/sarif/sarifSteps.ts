/** Steps from the locations of SARIF: of results, flows, stacks and graphs. */
import type { FlatStep } from '../../model/flat.js';
import type { Importance, Path, Segment, Step } from '../../model/path.js';
import { type Fields, fieldsOf, indexIn, listOf, objectsOf, textIn } from '../json/fields.js';
import { defined, positive } from '../reading.js';
import { SEGMENT_MARK } from './marks.js';
import type { SarifRun } from './sarifRun.js';

const IMPORTANCES: ReadonlySet<string> = new Set(['important', 'essential', 'unimportant']);

export function locationStep(location: Fields, run: SarifRun): FlatStep {
  const step: Mutable<Step> = {};
  const name = placeInto(step, location, run);
  return name === undefined ? { step } : { step, function: name };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Sets what a location says of a step; the result is the function. There are many: so no object is made in between. */
function placeInto(step: Mutable<Step>, location: Fields, run: SarifRun): string | undefined {
  const physical = fieldsOf(location['physicalLocation']);
  const region = fieldsOf(physical['region']);
  const file = run.files.nameOf(fieldsOf(physical['artifactLocation']));
  if (file !== undefined) step.file = file;
  const line = positive(region['startLine']);
  if (line !== undefined) {
    step.line = line;
    const [column, endLine, endColumn] = [positive(region['startColumn']), positive(region['endLine']), positive(region['endColumn'])];
    if (column !== undefined) step.column = column;
    if (endLine !== undefined) step.endLine = endLine;
    if (endColumn !== undefined) step.endColumn = endColumn;
  }
  const why = run.messageOf(fieldsOf(location['message']));
  if (why !== undefined) step.why = why;
  const snippet = lineOfSnippet(textIn(fieldsOf(region['snippet'])['text']));
  if (snippet !== undefined) step.snippet = snippet;
  const module = textIn(fieldsOf(physical['address'])['fullyQualifiedName']);
  if (module !== undefined) step.module = module;
  return run.functionOf(location);
}

/** A snippet of several lines begins with the line of the step. */
function lineOfSnippet(text: string | undefined): string | undefined {
  const end = text?.indexOf('\n') ?? -1;
  return end < 0 ? text : text!.slice(0, text![end - 1] === '\r' ? end - 1 : end);
}

/** A location of a thread flow, which may be one of the run's table. */
export function flowStep(entry: Fields, run: SarifRun): FlatStep {
  const index = indexIn(entry['index']);
  const full: Fields = index === undefined ? entry : { ...run.tables.threadFlowLocations[index], ...entry };
  const step: Mutable<Step> = {};
  const name = placeInto(step, fieldsOf(full['location']), run);
  const kinds = listOf(full['kinds']).filter((kind): kind is string => typeof kind === 'string');
  if (kinds.length > 0) step.kinds = kinds;
  const importance = textIn(full['importance']);
  if (importance !== undefined && IMPORTANCES.has(importance)) step.importance = importance as Importance;
  const state = full['state'] === undefined ? undefined : stateOf(full['state'], run);
  if (state !== undefined) step.state = state;
  const order = indexIn(full['executionOrder']);
  if (order !== undefined) step.order = order;
  const module = textIn(full['module']);
  if (module !== undefined) step.module = module;
  const frames = listOf(fieldsOf(full['stack'])['frames']).length;
  const level = indexIn(full['nestingLevel']) ?? (frames === 0 ? undefined : frames - 1);
  return { step, ...(name === undefined ? {} : { function: name }), ...(level === undefined ? {} : { level }) };
}

function stateOf(value: unknown, run: SarifRun): Step['state'] | undefined {
  const entries = Object.entries(fieldsOf(value)).map(([name, message]): [string, string] => [name, run.messageOf(fieldsOf(message)) ?? '']);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A frame of a stack: parameters are its state. */
export function frameStep(frame: Fields, run: SarifRun): FlatStep {
  const flat = locationStep(fieldsOf(frame['location']), run);
  const parameters = listOf(frame['parameters']).filter((one): one is string => typeof one === 'string').map((one): [string, string] => {
    const at = one.indexOf('=');
    return at < 0 ? [one, ''] : [one.slice(0, at), one.slice(at + 1)];
  });
  return { ...flat, step: defined<Step>({ ...flat.step, module: textIn(frame['module']) ?? flat.step.module, state: parameters.length === 0 ? undefined : Object.fromEntries(parameters) }) };
}

/** Locations that stand beside each other: none calls another. */
export function besideEachOther(steps: readonly FlatStep[]): Segment[] {
  const segments: { function?: string; file?: string; steps: Step[] }[] = [];
  for (const { step: { file, ...rest }, function: name } of steps) {
    const last = segments.at(-1);
    if (last !== undefined && last.file === file && last.function === name) last.steps.push(rest);
    else segments.push({ ...(name === undefined ? {} : { function: name }), ...(file === undefined ? {} : { file }), steps: [rest] });
  }
  return segments;
}

export function isOwnFlow(entries: readonly Fields[]): boolean {
  const [first] = entries;
  return first !== undefined && fieldsOf(first['properties'])[SEGMENT_MARK] === true;
}

/** A flow that we wrote: it says where each segment begins. */
export function ownSegments(entries: readonly Fields[], run: SarifRun): Path['segments'] {
  const segments: { function?: string; file?: string; steps: Step[] }[] = [];
  const open: number[] = [];
  for (const entry of entries) {
    const { step, function: name, level = 0 } = flowStep(entry, run);
    const isSegment = fieldsOf(entry['properties'])[SEGMENT_MARK] === true;
    open.length = Math.min(open.length, isSegment ? level : level + 1);
    const around = segments[open.at(-1) ?? -1];
    if (isSegment) {
      const last = around?.steps.at(-1);
      if (around !== undefined && last !== undefined) around.steps[around.steps.length - 1] = { ...last, detour: segments.length };
      open.push(segments.length);
      segments.push({ ...(name === undefined ? {} : { function: name }), ...(step.file === undefined ? {} : { file: step.file }), steps: [] });
    } else {
      const { file, ...rest } = step;
      around?.steps.push(file === undefined || file === around.file ? rest : step);
    }
  }
  return segments;
}

export function stepsOfGraph(graph: Fields, run: SarifRun): FlatStep[] {
  const steps: FlatStep[] = [];
  const waiting = objectsOf(graph['nodes']).map((node) => ({ node, level: 0 })).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, level } = next;
    steps.push({ ...nodeStep(node, run), level });
    waiting.push(...objectsOf(node['children']).map((child) => ({ node: child, level: level + 1 })).toReversed());
  }
  return steps;
}

function nodeStep(node: Fields, run: SarifRun): FlatStep {
  const flat = locationStep(fieldsOf(node['location']), run);
  const why = flat.step.why ?? run.messageOf(fieldsOf(node['label']));
  return why === undefined ? flat : { ...flat, step: { ...flat.step, why } };
}

/** A way through a graph: the node that its first edge comes from, then where each edge leads. */
export function stepsOfTraversal(traversal: Fields, graph: Fields, run: SarifRun): FlatStep[] {
  const nodes = new Map<string, Fields>();
  const waiting = [...objectsOf(graph['nodes'])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes.set(textIn(node['id']) ?? '', node);
    waiting.push(...objectsOf(node['children']));
  }
  const edges = new Map(objectsOf(graph['edges']).map((edge) => [textIn(edge['id']) ?? '', edge]));
  const steps: FlatStep[] = [];
  const inside: number[] = [];
  for (const one of objectsOf(traversal['edgeTraversals'])) {
    const edge = edges.get(textIn(one['edgeId']) ?? '') ?? {};
    const at = (key: string): FlatStep => nodeStep(nodes.get(textIn(edge[key]) ?? '') ?? {}, run);
    if (steps.length === 0) {
      const first = at('sourceNodeId');
      steps.push({ ...first, level: 0, step: defined<Step>({ ...first.step, state: stateOf(traversal['initialState'], run) }) });
    }
    const target = at('targetNodeId');
    while (inside.length > 0 && inside.at(-1) === 0) inside.pop();
    if (inside.length > 0) inside[inside.length - 1]!--;
    steps.push({ ...target, level: inside.length, step: defined<Step>({ ...target.step, why: run.messageOf(fieldsOf(one['message'])) ?? target.step.why, state: stateOf(one['finalState'], run) }) });
    const over = indexIn(one['stepOverEdgeCount']) ?? 0;
    if (over > 0) inside.push(over);
  }
  return steps;
}
