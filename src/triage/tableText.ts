/** The table for people: what was looked at, the groups, and what could not be told. */
import { shellWord, visible } from '../base/visible.js';
import { fileText, kindName, placeText } from './culprits.js';
import { commandFor } from './triageJob.js';
import type { TriageInput } from './triageInput.js';
import type { TriageGroup, TriageTable } from './triageTable.js';

export interface ShownCommand {
  /** The program, as the user wrote it. */
  readonly shown: string;
  readonly args: readonly string[];
  /** Files below it are named from there. */
  readonly directory: string;
}

/** How parts of a line are set off on a terminal. */
export interface TableStyle {
  readonly strong: (text: string) => string;
  readonly weak: (text: string) => string;
}

export const PLAIN_TABLE: TableStyle = { strong: (text) => text, weak: (text) => text };

const MOST_SITES = 4;
const MOST_NAMED = 10;

export function tableText(table: TriageTable, command: ShownCommand, style = PLAIN_TABLE): string[] {
  const lines = [summaryLine(table), ...remarkLines(table)];
  table.groups.forEach((group, i) => lines.push('', ...groupLines(group, i + 1, command, style)));
  const named = (title: string, names: readonly string[]): void => {
    if (names.length === 0) return;
    lines.push('', style.strong(title), ...names.slice(0, MOST_NAMED).map((name) => `   ${name}`));
    if (names.length > MOST_NAMED) lines.push(`   and ${names.length - MOST_NAMED} more (--json names them all)`);
  };
  named('flaky: runs differ', table.flaky.map(({ input, said }) => `${shownName(input)}: ${said.map(visible).join('; ')}`));
  named('not done', table.lost.map(({ input, why }) => `${shownName(input)}: ${visible(why)}`));
  named('undecided', table.undecided.map(shownName));
  return lines;
}

/** `12 inputs: 9 corrupt memory, in 2 groups; 1 fails otherwise; 2 are clean`. */
export function summaryLine({ groups, clean, flaky, lost, undecided, pending, inputs, files }: TriageTable): string {
  const of = (isCorruption: boolean): readonly TriageGroup[] => groups.filter(({ culprit }) => (culprit.kind === 'corruption') === isCorruption);
  const total = (some: readonly TriageGroup[]): number => some.reduce((sum, group) => sum + group.inputs.length, 0);
  const grouped = (some: readonly TriageGroup[]): string => (some.length === 1 ? ', for one reason' : `, for ${some.length} reasons`);
  const [corrupting, others] = [of(true), of(false)];
  const parts = [
    ...(corrupting.length === 0 ? [] : [`${total(corrupting)} corrupt memory${grouped(corrupting)}`]),
    ...(others.length === 0 ? [] : [`${total(others)} fail otherwise${grouped(others)}`]),
    ...(clean.length === 0 ? [] : [`${clean.length} clean`]),
    ...(flaky.length === 0 ? [] : [`${flaky.length} flaky`]),
    ...(undecided.length === 0 ? [] : [`${undecided.length} undecided`]),
    ...(lost.length === 0 ? [] : [`${lost.length} not done`]),
    ...(pending === 0 ? [] : [`${pending} still to do`]),
  ];
  return `${counted(inputs, 'input')}${files === inputs ? '' : ` in ${counted(files, 'file')}`}: ${parts.join('; ')}`;
}

function remarkLines({ quietCrashes }: TriageTable): string[] {
  return quietCrashes === 0 ? [] : [`${counted(quietCrashes, 'input')} that the fuzzer calls ${quietCrashes === 1 ? 'a crash does' : 'crashes do'} not fail here`];
}

function groupLines(group: TriageGroup, number: number, command: ShownCommand, style: TableStyle): string[] {
  const { culprit, inputs: [smallest], answer, rules, sites } = group;
  const memory = answer.places[0]?.memory;
  const label = culprit.kind === 'corruption' ? rules.join(', ') : kindName(culprit.kind);
  return [
    style.strong(`${String(number).padStart(2)}. ${counted(group.inputs.length, 'input')}: ${groupPlace(group, command.directory)}${label === '' || label === groupPlace(group, command.directory) ? '' : ` [${label}]`}`),
    `    ${visible(answer.places[0]?.what ?? answer.why)}`,
    ...(memory === undefined ? [] : [style.weak(`    memory: ${visible(memory)}`)]),
    ...(culprit.kind === 'corruption' && sites.length > 0 ? [style.weak(`    fails at: ${sitesText(group, command.directory)}`)] : []),
    ...(smallest === undefined ? [] : [`    smallest: ${shownName(smallest)} (${counted(smallest.size, 'byte')})`, style.weak(`    to see it: ${seeingCommand(command, smallest)}`)]),
  ];
}

/** Where it is, or what it is if it is at no place. */
export function groupPlace({ culprit }: TriageGroup, directory: string): string {
  return culprit.place === undefined ? kindName(culprit.kind) : visible(placeText(culprit.place, directory));
}

function sitesText({ sites }: TriageGroup, directory: string): string {
  const some = sites.slice(0, MOST_SITES).map(({ text, place, count }) => `${visible(place === undefined ? text : text.replace(place.file ?? '', () => fileText(place.file ?? '', directory)))} (${count})`);
  return `${some.join(', ')}${sites.length > MOST_SITES ? `, and ${sites.length - MOST_SITES} more places` : ''}`;
}

/** What the user types to have it explained. */
export function seeingCommand(command: ShownCommand, input: TriageInput): string {
  const { words, stdin } = commandFor(command, input);
  return `culprit blame -- ${words.map(shellWord).join(' ')}${stdin === undefined ? '' : ` < ${shellWord(stdin)}`}`;
}

/** `--list`: count, place, smallest input, with tabs between them. */
export function tableList({ groups }: TriageTable, directory: string): string[] {
  return groups.map((group) => [group.inputs.length, groupPlace(group, directory), visible(group.inputs[0]?.name ?? '')].join('\t'));
}

function shownName({ name }: TriageInput): string {
  return visible(name);
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
