/**
 * The table as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/): one result for each group, at the
 * statement that is to blame, with how often it occurred, and where the program failed then as related locations.
 */
import type { BlamedFrame } from '../blame/blameReport.js';
import { kindName } from './culprits.js';
import { seeingCommand, type ShownCommand } from './tableText.js';
import type { TriageGroup, TriageTable } from './triageTable.js';

interface SarifOptions {
  /** Of culprit. */
  readonly version: string;
  readonly commandLine: string;
  readonly exitCode: number;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const ROOT = 'SRCROOT';
const MOST_RELATED = 20;

export function tableSarif({ groups, pending }: TriageTable, command: ShownCommand, { version, commandLine, exitCode }: SarifOptions): unknown {
  const ids = [...new Set(groups.map(ruleId))].sort();
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'culprit', semanticVersion: version, rules: ids.map((id) => ({ id, shortDescription: { text: ruleText(id, groups) } })) } },
      invocations: [{ commandLine, exitCode, executionSuccessful: pending === 0 }],
      originalUriBaseIds: { [ROOT]: { uri: `file://${encodeURI(command.directory)}/` } },
      results: groups.map((group) => resultOf(group, ids, command)),
    }],
  };
}

function ruleId({ culprit, rules }: TriageGroup): string {
  return rules[0] ?? `triage.${culprit.kind}`;
}

function ruleText(id: string, groups: readonly TriageGroup[]): string {
  const group = groups.find((one) => ruleId(one) === id);
  return group === undefined ? id : kindName(group.culprit.kind);
}

function resultOf(group: TriageGroup, ids: readonly string[], command: ShownCommand): unknown {
  const { culprit: { kind, place, key }, inputs, answer, sites } = group;
  const [first] = answer.places;
  const related = sites.flatMap((site, id) => (site.place === undefined || id >= MOST_RELATED ? [] : [{ id, message: { text: `${site.text}: ${site.count} times` }, ...location(site.place, command.directory) }]));
  const stack = first?.stack ?? [];
  return {
    ruleId: ruleId(group),
    ruleIndex: ids.indexOf(ruleId(group)),
    level: 'error',
    kind: 'fail',
    message: { text: `${first?.what ?? answer.why} (${inputs.length} ${inputs.length === 1 ? 'input' : 'inputs'}, the smallest is ${inputs[0]?.name ?? ''}; ${inputs[0] === undefined ? '' : seeingCommand(command, inputs[0])})` },
    locations: place === undefined ? [] : [location(place, command.directory)],
    ...(stack.length === 0 ? {} : { stacks: [{ message: { text: 'where it happened' }, frames: stack.map((frame) => ({ location: location(frame, command.directory), ...(frame.module === undefined ? {} : { module: frame.module }) })) }] }),
    ...(related.length === 0 ? {} : { relatedLocations: related }),
    occurrenceCount: inputs.length,
    partialFingerprints: { 'culprit/triage/v1': key },
    properties: { kind, inputs: inputs.map(({ name }) => name) },
  };
}

function location(frame: BlamedFrame, directory: string): object {
  const { file, line, address } = frame;
  const region = line === undefined || line <= 0 ? {} : { region: { startLine: line } };
  const physical = file !== undefined && file.startsWith('/') ? { artifactLocation: artifact(file, directory), ...region } : { address: { fullyQualifiedName: address } };
  return { physicalLocation: physical, ...(frame.function === undefined ? {} : { logicalLocations: [{ name: frame.function, kind: 'function' }] }) };
}

function artifact(file: string, directory: string): object {
  if (file.startsWith(`${directory}/`)) return { uri: encodeURI(file.slice(directory.length + 1)), uriBaseId: ROOT };
  return { uri: `file://${encodeURI(file)}` };
}
