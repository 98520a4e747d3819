/**
 * Reports as SARIF 2.1.0, piece by piece. Other tools see code flows with nesting levels, stacks and locations; what
 * SARIF has no words for is in properties (readers/sarif/marks.ts), so that what is read again is what was written.
 */
import { jsonText } from '../../base/visible.js';
import type { Path, PathReport, ReportedFile, Segment, Step } from '../model/path.js';
import { fileOf } from '../model/path.js';
import { uriOfPath } from '../model/uri.js';
import { nodesOf } from '../model/walk.js';
import { DERIVED_MARK, ROLE_MARK, SEGMENT_MARK, TEXT_MARK, TOOL_MARK } from '../readers/sarif/marks.js';

interface SarifOptions {
  /** Of culprit. */
  readonly version: string;
}

/** The text of a log, in pieces. Rules come after the results: by then it is known which there are. */
export function* sarifPieces(reports: Iterable<PathReport>, files: Iterable<ReportedFile>, { version }: SarifOptions): Generator<string> {
  const rules = new Set<string>();
  const known = [...files];
  const bases = new Map([...new Set(known.flatMap((file) => baseOf(file) ?? []))].map((base, i) => [base, `ROOT${i + 1}`]));
  const originalUriBaseIds = Object.fromEntries([...bases].map(([base, id]) => [id, { uri: uriOfPath(base) }]));
  yield `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"originalUriBaseIds":${jsonText(originalUriBaseIds)},"artifacts":[`;
  let isFirst = true;
  for (const file of known) {
    yield `${isFirst ? '' : ',\n'}${jsonText(artifactOf(file, bases))}`;
    isFirst = false;
  }
  yield '],\n"results":[';
  isFirst = true;
  for (const report of reports) {
    if (report.rule !== undefined) rules.add(report.rule);
    yield `${isFirst ? '\n' : ',\n'}${jsonText(resultOf(report))}`;
    isFirst = false;
  }
  const tool = { driver: { name: 'culprit', semanticVersion: version, rules: [...rules].map((id) => ({ id })) } };
  yield `],\n"invocations":[{"executionSuccessful":true}],"tool":${jsonText(tool)}}]}\n`;
}

/** The folder that a file's name is relative to; undefined if that is not known. */
function baseOf({ name, path }: ReportedFile): string | undefined {
  return path !== undefined && path.startsWith('/') && path.endsWith(`/${name}`) ? path.slice(0, -name.length) : undefined;
}

function artifactOf(file: ReportedFile, bases: ReadonlyMap<string, string>): unknown {
  const { name, hashes, text } = file;
  const base = baseOf(file);
  const location = { uri: uriOfPath(name), ...(base === undefined ? {} : { uriBaseId: bases.get(base) }) };
  return { location, ...(hashes === undefined ? {} : { hashes }), ...(text === undefined ? {} : { contents: { text } }) };
}

function resultOf(report: PathReport): unknown {
  const { rule, level, message, tool, paths, suppressions, text } = report;
  const [stacks, locations, related, flows] = parted(paths);
  const place = locations.length > 0 || paths.length === 0 ? undefined : lastPlace(paths[0]!);
  const properties = { ...(tool === undefined ? {} : { [TOOL_MARK]: tool }), ...(text === undefined ? {} : { [TEXT_MARK]: text }) };
  return {
    ...(rule === undefined ? {} : { ruleId: rule }),
    ...(level === undefined ? {} : { level }),
    message: { text: message },
    locations: [...(place === undefined ? [] : [{ ...place, properties: { [DERIVED_MARK]: true } }]), ...locations.map((path) => ({ ...locationOf(path.segments[0]!.steps[0]!, path.segments[0]!), properties: { [ROLE_MARK]: path.role } }))],
    ...(stacks.length === 0 ? {} : { stacks: stacks.map(stackOf) }),
    ...(related.length === 0 ? {} : { relatedLocations: related.flatMap(({ segments }) => segments.flatMap((segment) => segment.steps.map((step) => locationOf(step, segment)))) }),
    ...(flows.length === 0 ? {} : { codeFlows: flows.map(codeFlowOf) }),
    ...(suppressions === undefined ? {} : { suppressions }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

/** Stacks, locations and related locations have forms of their own; all else are flows. */
function parted(paths: readonly Path[]): [Path[], Path[], Path[], Path[]] {
  const parts: [Path[], Path[], Path[], Path[]] = [[], [], [], []];
  const stacks = new Set<string>();
  for (const path of paths) {
    // The standard has no stack twice; readers give one path of all that is related.
    const isNewStack = isStack(path) && !stacks.has(JSON.stringify(stackOf(path)));
    if (isNewStack) stacks.add(JSON.stringify(stackOf(path)));
    parts[isNewStack ? 0 : isLocation(path) ? 1 : isRelated(path) && parts[2].length === 0 ? 2 : 3].push(path);
  }
  return parts;
}

function isPlain({ title, group, thread }: Path): boolean {
  return title === undefined && group === undefined && thread === undefined;
}

function isLocation(path: Path): boolean {
  return path.role === 'location' && isPlain(path) && path.segments.length === 1 && path.segments[0]!.steps.length === 1 && isPlace(path.segments[0]!.steps[0]!);
}

function isRelated(path: Path): boolean {
  const { segments } = path;
  const places = segments.flatMap((segment) => segment.steps.map((step) => JSON.stringify(locationOf(step, segment))));
  return path.role === 'related' && isPlain(path) && segments.length > 0 && new Set(places).size === places.length && segments.every(({ steps }) => steps.length > 0 && steps.every(isPlace))
    && segments.every((segment, i) => i === 0 || segment.file !== segments[i - 1]!.file || segment.function !== segments[i - 1]!.function);
}

/** No more than a location can say. */
function isPlace({ kinds, importance, state, order, module, detour, file }: Step): boolean {
  return [kinds, importance, state, order, module, detour, file].every((field) => field === undefined);
}

/** Each frame calls the next. */
function isStack({ role, group, thread, segments }: Path): boolean {
  return role === 'stack' && group === undefined && thread === undefined && segments.length > 0 && segments.every(({ steps }, i) => {
    const [step] = steps;
    return steps.length === 1 && step!.detour === (i + 1 < segments.length ? i + 1 : undefined) && step!.file === undefined && [step!.kinds, step!.importance, step!.order].every((field) => field === undefined);
  }) && segments.every(({ steps: [step] }) => Object.keys(step!.state ?? {}).every((name) => !name.includes('=')));
}

function stackOf({ title, segments }: Path): unknown {
  return {
    ...(title === undefined ? {} : { message: { text: title } }),
    frames: segments.toReversed().map((segment) => {
      const [step] = segment.steps;
      const { state, module, ...place } = step!;
      return {
        location: locationOf(place, segment),
        ...(module === undefined ? {} : { module }),
        ...(state === undefined ? {} : { parameters: Object.entries(state).map(([name, value]) => (value === '' ? name : `${name}=${value}`)) }),
      };
    }),
  };
}

function codeFlowOf(path: Path): unknown {
  const { role, title, group, thread } = path;
  const locations = [...flowLocations(path)];
  return {
    threadFlows: [{ ...(thread === undefined ? {} : { id: thread }), ...(title === undefined ? {} : { message: { text: title } }), locations, properties: { [ROLE_MARK]: role } }],
    properties: { [ROLE_MARK]: group ?? -1 },
  };
}

function* flowLocations(path: Path): Generator<unknown> {
  for (const node of nodesOf(path)) {
    if (node.kind === 'segment') yield { location: locationOf({}, node.segment), kinds: ['enter'], nestingLevel: node.depth, properties: { [SEGMENT_MARK]: true } };
    else if (node.kind === 'step') yield flowLocation(node.step, node.segment, node.depth);
  }
}

function flowLocation(step: Step, segment: Segment, depth: number): unknown {
  const { kinds, importance, state, order, module } = step;
  return {
    location: locationOf(step, segment),
    nestingLevel: depth,
    ...(kinds === undefined ? {} : { kinds }),
    ...(importance === undefined ? {} : { importance }),
    ...(order === undefined ? {} : { executionOrder: order }),
    ...(module === undefined ? {} : { module }),
    ...(state === undefined ? {} : { state: Object.fromEntries(Object.entries(state).map(([name, text]) => [name, { text }])) }),
  };
}

function locationOf(step: Step, segment: Segment): object {
  const { line, column, endLine, endColumn, snippet, why } = step;
  const file = fileOf(step, segment);
  const region = line === undefined ? undefined : { startLine: line, ...(column === undefined ? {} : { startColumn: column }), ...(endLine === undefined ? {} : { endLine }), ...(endColumn === undefined ? {} : { endColumn }), ...(snippet === undefined ? {} : { snippet: { text: snippet } }) };
  return {
    ...(file === undefined && region === undefined ? {} : { physicalLocation: { artifactLocation: file === undefined ? {} : { uri: uriOfPath(file) }, ...(region === undefined ? {} : { region }) } }),
    ...(segment.function === undefined ? {} : { logicalLocations: [{ name: segment.function, kind: 'function' }] }),
    ...(why === undefined ? {} : { message: { text: why } }),
  };
}

/** Where the report is, for tools that show one place: the last step that has a line. */
function lastPlace(path: Path): object | undefined {
  let found: object | undefined;
  for (const node of nodesOf(path)) if (node.kind === 'step' && node.step.line !== undefined && fileOf(node.step, node.segment) !== undefined) found = locationOf({ ...node.step, why: undefined } as Step, node.segment);
  return found;
}
