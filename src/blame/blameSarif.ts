/**
 * What blame says as SARIF 2.1.0: one result, whose locations are the statements that may be to blame. Its code flow
 * goes from the first corruption along the crashes that were found.
 */
import type { BlamedFailure, BlamedFrame, BlamedPlace, BlameReport } from './blameReport.js';
import { frameName } from './frames.js';

interface SarifOptions {
  readonly version: string;
  /** Files below it are named relative to it. */
  readonly directory: string;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const ROOT = 'SRCROOT';
const RULE = {
  id: 'memory.corruption',
  shortDescription: { text: 'The first statement of a run that corrupted memory' },
  help: { text: 'Found by guards around all objects, and by running the program without what defined the values that crashed. See docs/blame.md.' },
  defaultConfiguration: { level: 'error', enabled: true },
};

export function blameSarif(report: BlameReport, { version, directory }: SarifOptions): unknown {
  const base = `${directory}/`;
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'culprit', semanticVersion: version, rules: [RULE] } },
      invocations: [{ executionSuccessful: true }],
      originalUriBaseIds: { [ROOT]: { uri: `file://${encodeURI(directory)}/` } },
      results: report.verdict === 'corruption' ? [resultOf(report, base)] : [],
    }],
  };
}

function resultOf({ places, why, iterations, failure, program }: BlameReport, base: string): unknown {
  const [best, ...others] = places as [BlamedPlace, ...BlamedPlace[]];
  return {
    ruleId: RULE.id,
    ruleIndex: 0,
    level: 'error',
    message: { text: why },
    locations: [locationOf(best, base)],
    stacks: [{ message: { text: 'where memory was first corrupted' }, frames: best.stack.map((frame) => ({ location: locationOf(frame, base), ...(frame.module === undefined ? {} : { module: frame.module }) })) }],
    ...(others.length === 0 ? {} : { relatedLocations: others.map((place, id) => ({ id, message: { text: `less likely: ${place.what}` }, ...locationOf(place, base) })) }),
    codeFlows: [{
      message: { text: 'from the corruption to what failed' },
      threadFlows: [{ locations: stepsOf(best, failures(failure, iterations)).map(({ frame, text }, i) => ({ executionOrder: i + 1, location: { ...locationOf(frame, base), message: { text } } })) }],
    }],
    properties: { program, time: best.time, ...(best.rule === undefined ? {} : { rule: best.rule }), methods: best.by },
  };
}

function failures(failure: BlamedFailure | undefined, iterations: BlameReport['iterations']): readonly BlamedFailure[] {
  const all = iterations.flatMap((one) => one.failure ?? []);
  return failure === undefined || all.includes(failure) ? all : [failure, ...all];
}

/** The newest failure that was found is the nearest to the corruption. */
function stepsOf(best: BlamedPlace, all: readonly BlamedFailure[]): { readonly frame: BlamedFrame; readonly text: string }[] {
  return [{ frame: best, text: best.what }, ...all.toReversed().map(({ place, name, message }) => ({ frame: place, text: `${name}: ${message}` }))];
}

function locationOf(frame: BlamedFrame, base: string): object {
  const { file, line, function: name, address } = frame;
  const relative = file?.startsWith(base) === true ? file.slice(base.length) : undefined;
  return {
    ...(file === undefined || line === undefined ? {} : {
      physicalLocation: { artifactLocation: relative === undefined ? { uri: `file://${encodeURI(file)}` } : { uri: encodeURI(relative), uriBaseId: ROOT }, region: { startLine: line } },
    }),
    ...(name === undefined && line !== undefined ? {} : { logicalLocations: [{ name: name ?? frameName(frame), fullyQualifiedName: address === '' ? frameName(frame) : `${name ?? ''}@${address}`, kind: 'function' }] }),
  };
}
