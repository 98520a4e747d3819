/** A comparison of two runs, in lines. */
import type { RunComparison } from './compareRuns.js';
import type { FindingsDifference, RunFinding } from './findings.js';
import type { LineReached } from './parting.js';

const MOST_VARIABLES = 20;
/** Characters of a value: whole arrays say too much. */
const LONGEST_VALUE = 100;

/** `names`: of the two, such as `the recording` and `the branch`. */
export function comparisonLines({ output, ends, instructions, parting, variables, findings }: RunComparison, names: readonly [string, string]): string[] {
  const lines: string[] = [];
  const both = (what: string, values: readonly [string, string]): void => {
    if (values[0] === values[1]) lines.push(`both ${values[0]}`);
    else lines.push(`${names[0]} ${values[0]}, ${names[1]} ${values[1]}${what}`);
  };
  both('', ends);
  lines.push(`${names[0]} took ${count(instructions[0])} instructions, ${names[1]} ${count(instructions[1])}`);
  if (parting === undefined) lines.push('they executed the same lines');
  else lines.push(`they part ${parting.last === undefined ? 'at their beginning' : `after ${place(parting.last)}`}: ${names[0]} ${goes(parting.next[0])}, ${names[1]} ${goes(parting.next[1])}`);
  if (output.length === 0) lines.push('they wrote the same');
  for (const { stream, offset, lines: [a, b] } of output) lines.push(`${stream} differs from byte ${count(offset)} on:`, `  - ${a}`, `  + ${b}`);
  if (variables.length === 0) lines.push('variables at the end are the same');
  else lines.push('variables at the end:');
  for (const { name, function: of, values } of variables.slice(0, MOST_VARIABLES)) lines.push(`  ${of === undefined ? '' : `${of}: `}${name} = ${short(values[0])} -> ${short(values[1])}`);
  if (variables.length > MOST_VARIABLES) lines.push(`  and ${variables.length - MOST_VARIABLES} more`);
  return findings === undefined ? lines : [...lines, ...findingsLines(findings, names)];
}

function findingsLines({ vanished, appeared, both, remarks }: FindingsDifference, names: readonly [string, string]): string[] {
  const row = (sign: string, { rule, place, message }: RunFinding): string => `  ${sign} ${place === '' ? '' : `${place}: `}${message} [${rule}]`;
  const title = vanished.length + appeared.length === 0
    ? `findings of culprit check are the same: ${both === 0 ? 'none' : count(both)}`
    : `findings of culprit check: ${count(vanished.length)} only in ${names[0]} (-), ${count(appeared.length)} only in ${names[1]} (+), ${count(both)} in both`;
  return [title, ...vanished.map((one) => row('-', one)), ...appeared.map((one) => row('+', one)), ...remarks.map((line) => `  when it was checked: ${line}`)];
}

function short(value = '(none)'): string {
  return value.length <= LONGEST_VALUE ? value : `${value.slice(0, LONGEST_VALUE - 3)}...`;
}

function place({ path, line, time }: LineReached): string {
  return `${path.slice(path.lastIndexOf('/') + 1)}:${line} (time ${count(time)})`;
}

function goes(reached: LineReached | undefined): string {
  return reached === undefined ? 'ends' : `goes on at ${place(reached)}`;
}

function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
