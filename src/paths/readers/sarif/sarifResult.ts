/** One result of SARIF as a report: all its flows with all their threads, stacks, graphs and locations. */
import type { FlatPath, FlatReport } from '../../model/flat.js';
import { stackSegments } from '../../model/flat.js';
import type { Path, PathReport, Step, Suppression, TextRange } from '../../model/path.js';
import { type Fields, fieldsOf, indexIn, objectsOf, textIn } from '../json/fields.js';
import { defined } from '../reading.js';
import { DERIVED_MARK, ROLE_MARK, TEXT_MARK, TOOL_MARK } from './marks.js';
import type { SarifRun } from './sarifRun.js';
import { besideEachOther, flowStep, frameStep, isOwnFlow, locationStep, ownSegments, stepsOfGraph, stepsOfTraversal } from './sarifSteps.js';

type AnyPath = Path | FlatPath;

export function reportOfResult(result: Fields, run: SarifRun): FlatReport {
  const rule = run.ruleOf(result);
  const paths = [...flowsOf(result, run), ...stacksOf(result, run), ...graphsOf(result, run)];
  const suppressions = objectsOf(result['suppressions']).flatMap(suppressionOf);
  return defined<FlatReport>({
    rule: textIn(result['ruleId']) ?? textIn(fieldsOf(result['rule'])['id']) ?? textIn(rule['id']),
    level: levelOf(result, rule),
    message: run.messageOf(fieldsOf(result['message']), rule) ?? '',
    tool: textIn(fieldsOf(result['properties'])[TOOL_MARK]) ?? run.tables.tool,
    paths: [...paths, ...locationsOf(result, paths, run), ...relatedOf(result, run)],
    suppressions: suppressions.length === 0 ? undefined : suppressions,
    text: textOfResult(result),
  });
}

function textOfResult(result: Fields): PathReport['text'] | undefined {
  const { whole, ranges } = fieldsOf(fieldsOf(result['properties'])[TEXT_MARK]);
  if (typeof whole !== 'string') return undefined;
  return Array.isArray(ranges) && ranges.every(isRange) ? { whole, ranges } : { whole };
}

function isRange(value: unknown): value is TextRange {
  return Array.isArray(value) && value.length === 2 && value.every((one) => indexIn(one) !== undefined);
}

function levelOf(result: Fields, rule: Fields): PathReport['level'] {
  const kind = textIn(result['kind']);
  const level = textIn(result['level']) ?? (kind !== undefined && kind !== 'fail' ? 'none' : textIn(fieldsOf(rule['defaultConfiguration'])['level']));
  return level === 'error' || level === 'note' || level === 'none' ? level : 'warning';
}

function suppressionOf(value: Fields): Suppression[] {
  const [kind, status] = [textIn(value['kind']), textIn(value['status'])];
  if (kind !== 'inSource' && kind !== 'external') return [];
  const known = status === 'accepted' || status === 'underReview' || status === 'rejected' ? status : undefined;
  return [defined<Suppression>({ kind, status: known, justification: textIn(value['justification']) })];
}

/** Every thread of every flow is a path; those of one flow are a group. */
function flowsOf(result: Fields, run: SarifRun): AnyPath[] {
  const flows = objectsOf(result['codeFlows']);
  return flows.flatMap((flow, group) => {
    const threads = objectsOf(flow['threadFlows']);
    return threads.flatMap((thread) => {
      const entries = objectsOf(thread['locations']);
      const title = run.messageOf(fieldsOf(thread['message'])) ?? run.messageOf(fieldsOf(flow['message']));
      const own = fieldsOf(thread['properties'])[ROLE_MARK];
      const about = defined<Omit<Path, 'segments'>>({ role: textIn(own) ?? 'flow', title, group: threads.length > 1 || textIn(own) !== undefined ? groupOf(flow, group) : undefined, thread: textIn(thread['id']) });
      const path: AnyPath = isOwnFlow(entries) ? { ...about, segments: ownSegments(entries, run) } : { ...about, flow: entries.map((entry) => flowStep(entry, run)) };
      return [path, ...stacksOfSteps(entries, run)];
    });
  });
}

/** We say whether it has one. */
function groupOf(flow: Fields, group: number): number | undefined {
  const own = fieldsOf(flow['properties'])[ROLE_MARK];
  return own === undefined ? group : indexIn(own);
}

/** Steps may have stacks of their own. */
function stacksOfSteps(entries: readonly Fields[], run: SarifRun): AnyPath[] {
  return entries.flatMap((entry, i) => (entry['stack'] === undefined ? [] : [stackOf(fieldsOf(entry['stack']), run, `at step ${i + 1}`)]));
}

function stacksOf(result: Fields, run: SarifRun): AnyPath[] {
  return objectsOf(result['stacks']).map((stack) => stackOf(stack, run));
}

function stackOf(stack: Fields, run: SarifRun, otherwise?: string): Path {
  const title = run.messageOf(fieldsOf(stack['message'])) ?? otherwise;
  return defined<Path>({ role: 'stack', title, group: undefined, thread: undefined, segments: stackSegments(objectsOf(stack['frames']).map((frame) => frameStep(frame, run))) });
}

function graphsOf(result: Fields, run: SarifRun): AnyPath[] {
  const graphs = objectsOf(result['graphs']);
  const traversals = objectsOf(result['graphTraversals']);
  const walked = traversals.map((traversal): FlatPath => {
    const [own, shared] = [indexIn(traversal['resultGraphIndex']), indexIn(traversal['runGraphIndex'])];
    const graph = (own === undefined ? undefined : graphs[own]) ?? (shared === undefined ? undefined : run.tables.graphs[shared]) ?? {};
    return defined<FlatPath>({ role: 'traversal', title: run.messageOf(fieldsOf(traversal['description'])), group: undefined, thread: undefined, flow: stepsOfTraversal(traversal, graph, run) });
  });
  const used = new Set(traversals.map((traversal) => indexIn(traversal['resultGraphIndex'])));
  const whole = graphs.filter((_, i) => !used.has(i)).map((graph): FlatPath => defined<FlatPath>({ role: 'graph', title: run.messageOf(fieldsOf(graph['description'])), group: undefined, thread: undefined, flow: stepsOfGraph(graph, run) }));
  return [...walked, ...whole];
}

/** Where it is, unless a path is there already. */
function locationsOf(result: Fields, paths: readonly AnyPath[], run: SarifRun): Path[] {
  return objectsOf(result['locations']).flatMap((location) => {
    const marks = fieldsOf(location['properties']);
    if (marks[DERIVED_MARK] === true) return [];
    const flat = locationStep(location, run);
    const isOwn = marks[ROLE_MARK] !== undefined;
    if (!isOwn && (paths.some((path) => isThere(path, flat.step)) || Object.keys(flat.step).length === 0)) return [];
    return [{ role: 'location', segments: besideEachOther([flat]) }];
  });
}

/** Whether a path has a step in the same line. */
function isThere(path: AnyPath, { file, line }: Step): boolean {
  if ('flow' in path) return path.flow.some(({ step }) => step.line === line && step.file === file);
  return path.segments.some((segment) => segment.steps.some((step) => step.line === line && (step.file ?? segment.file) === file));
}

function relatedOf(result: Fields, run: SarifRun): Path[] {
  const related = objectsOf(result['relatedLocations']).map((location) => locationStep(location, run));
  return related.length === 0 ? [] : [{ role: 'related', segments: besideEachOther(related) }];
}
