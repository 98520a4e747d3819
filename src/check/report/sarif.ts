/**
 * Reports as SARIF 2.1.0, the format of the OASIS for results of analyses:
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/. A chain is a code flow, whose locations are in the order of
 * execution: the oldest first.
 */
import { hex } from '../../base/types.js';
import { how } from '../../flow/chainText.js';
import type { SourceLink } from '../../flow/describe.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { frameName, type ReportedFrame, shownFrames, userFrame } from './frames.js';
import type { Report, ReportedBlock, ReportedChain } from './report.js';
import { placeInBlock } from './reportText.js';
import { messageOf } from './ruleSummary.js';

interface SarifOptions {
  readonly version: string;
  /** All that were on: rules that found nothing belong to the results, too. */
  readonly rules: readonly CheckedRule[];
  readonly commandLine: string;
  readonly exitCode: number;
  /** Files below it are named relative to it. */
  readonly directory: string;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const ROOT = 'SRCROOT';

export function sarifLog(reports: readonly Report[], options: SarifOptions): unknown {
  const files = new Files(options.directory);
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'culprit', semanticVersion: options.version, rules: [...options.rules.map(ruleJson), ...crashRules(reports)] } },
      invocations: [{ commandLine: options.commandLine, exitCode: options.exitCode, executionSuccessful: true }],
      originalUriBaseIds: { [ROOT]: { uri: `file://${encodeURI(options.directory)}/` } },
      results: reports.map((report) => resultOf(report, options.rules, files)),
    }],
  };
}

function ruleJson(rule: CheckedRule): unknown {
  // Braces would be placeholders.
  const text = messageOf(rule).replaceAll(/[{}]/g, '');
  return {
    id: rule.name,
    shortDescription: { text },
    help: { text: `${rule.help ?? text}\n\n${rule.text.split('\n')[0] ?? ''}` },
    defaultConfiguration: { level: rule.severity, enabled: rule.enabled },
  };
}

/** No rule of ours is about them, but tools want to know what results are of. */
function crashRules(reports: readonly Report[]): unknown[] {
  const names = new Map(reports.flatMap(({ rule, crash }) => (crash === undefined ? [] : [[rule, crash.name] as const])));
  return [...names].map(([id, signal]) => ({ id, shortDescription: { text: `The program is ended by ${signal}` }, help: { text: 'A signal that the program raised and has no handler for has ended it.' }, defaultConfiguration: { level: 'error', enabled: true } }));
}

function resultOf(report: Report, rules: readonly CheckedRule[], files: Files): unknown {
  const { rule, severity, message, stack, block, chains, access, thread, time } = report;
  const counted = stack.length > 0 ? stack : (block?.allocated.stack ?? []);
  const place = userFrame(counted) ?? counted[0];
  const flows = chains.filter(({ chain }) => chain.links.length > 0).map((chain) => codeFlow(chain, files));
  const related = block === undefined ? [] : relatedLocations(block, files);
  const ruleIndex = rules.findIndex(({ name }) => name === rule);
  return {
    ruleId: rule,
    ...(ruleIndex < 0 ? {} : { ruleIndex }),
    level: severity,
    message: { text: block === undefined || stack.length === 0 ? message : `${message} (${placeInBlock(block, access?.address)})` },
    locations: place === undefined ? [] : [frameLocation(place, files)],
    ...(stack.length === 0 ? {} : { stacks: [stackJson('where it happened', stack, files)] }),
    ...(related.length === 0 ? {} : { relatedLocations: related }),
    ...(flows.length === 0 ? {} : { codeFlows: flows }),
    properties: { time, thread: thread.tid, process: thread.pid, ...(report.crash === undefined ? {} : { signal: report.crash.name }) },
  };
}

function relatedLocations({ allocated, freed }: ReportedBlock, files: Files): unknown[] {
  const moments = [{ what: 'allocated', ...allocated }, ...(freed === undefined ? [] : [{ what: 'freed', ...freed }])];
  return moments.flatMap(({ what, by, stack }, id) => {
    const frame = userFrame(stack);
    return frame === undefined ? [] : [{ id, message: { text: `${what} by ${by}` }, ...frameLocation(frame, files) }];
  });
}

function stackJson(text: string, stack: readonly ReportedFrame[], files: Files): unknown {
  return { message: { text }, frames: shownFrames(stack).map((frame) => ({ location: frameLocation(frame, files), ...(frame.object === undefined ? {} : { module: frame.object }) })) };
}

function codeFlow({ of, chain }: ReportedChain, files: Files): unknown {
  const oldestFirst = chain.links.map((link, i) => ({ link, text: linkText(link, chain.links[i + 1]) })).toReversed();
  return {
    message: { text: `where ${of} comes from` },
    threadFlows: [{ locations: oldestFirst.map(({ link, text }, i) => ({ executionOrder: i + 1, location: linkLocation(link, text, files) })) }],
  };
}

function linkText(link: SourceLink, next: SourceLink | undefined): string {
  return `${link.target === undefined ? link.value : `${link.target} = ${link.value}`}, ${how(link, next)}`;
}

function linkLocation({ path, line, text: source, functionName }: SourceLink, text: string, files: Files): object {
  return { ...location(files, { file: path, line, column: 0, text: source, name: functionName, address: undefined }), message: { text } };
}

function frameLocation(frame: ReportedFrame, files: Files): object {
  const { file, line, column, text, address } = frame;
  return location(files, { file, line, column, text, address, name: frameName(frame) });
}

interface Somewhere {
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  readonly text: string | undefined;
  readonly name: string | undefined;
  readonly address: bigint | undefined;
}

/** What is not in a file that we know is at an address. */
function location(files: Files, { file, line, column, text, name, address }: Somewhere): object {
  const region = line === 0 ? {} : { region: { startLine: line, ...(column > 0 ? { startColumn: column } : {}), ...(text === undefined ? {} : { snippet: { text } }) } };
  const physical = file !== undefined && file.startsWith('/') ? { artifactLocation: files.locate(file), ...region } : address === undefined ? undefined : { address: addressJson(address) };
  return {
    ...(physical === undefined ? {} : { physicalLocation: physical }),
    ...(name === undefined ? {} : { logicalLocations: [{ name, kind: 'function' }] }),
  };
}

/** Numbers of JSON are doubles: an address that is none is given as text alone. */
function addressJson(address: bigint): object {
  return { ...(address <= Number.MAX_SAFE_INTEGER ? { absoluteAddress: Number(address) } : {}), fullyQualifiedName: hex(address) };
}

class Files {
  constructor(private readonly directory: string) {}

  locate(path: string): object {
    if (path.startsWith(`${this.directory}/`)) return { uri: encodeURI(path.slice(this.directory.length + 1)), uriBaseId: ROOT };
    return { uri: `file://${encodeURI(path)}` };
  }
}
