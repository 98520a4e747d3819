/** What `culprit shape` says, as text for people, and as a list for scripts. */
import { placeName, type ShapeFrame } from './places.js';
import type { ShapeInconsistency, ShapeReport, ShapeStatement } from './shapeReport.js';

type LineOf = (path: string, line: number) => string | undefined;

/** Inconsistencies and statements that are told in full. */
const MOST_TOLD = 10;

/** One `file:line` a line, the last write first. */
export function shapeList({ statements }: ShapeReport): readonly string[] {
  return statements.map(({ name }) => name);
}

export function shapeLines(report: ShapeReport, lineOf: LineOf): readonly string[] {
  const { verdict, point, statements, inconsistencies, remarks, recording, nodes, operations, points, picture } = report;
  const seen = `${count(nodes, 'node')}, ${count(operations, 'operation')}, ${count(points, 'C-point')}`;
  const notes = remarks.map((remark) => `Note: ${remark}.`);
  if (verdict === 'sound') return [`The structure holds at all C-points (${seen}).`, ...notes];
  const [first] = statements;
  return [
    `Broken at ${point?.what ?? ''}, time ${grouped(point?.time ?? 0)} (${seen}):`,
    ...inconsistencies.slice(0, MOST_TOLD).flatMap(inconsistencyLines),
    ...(inconsistencies.length > MOST_TOLD ? [`  and ${inconsistencies.length - MOST_TOLD} more`] : []),
    '',
    statements.length === 1 ? 'The statement that made it so:' : 'Statements that contributed, the last first:',
    ...statements.flatMap((statement) => statementLines(statement, lineOf)),
    ...(picture === undefined ? [] : ['', 'Before (-) and after (+):', ...picture.map((line) => `  ${line}`)]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(first === undefined || recording === undefined ? [] : ['', `To go there: culprit debug -ex 'goto ${first.time}' ${recording}`]),
  ];
}

export function inconsistencyLines({ constraint, text, message, nodes }: ShapeInconsistency): string[] {
  return [`  [${constraint}] ${message ?? text.replace(/\s+/g, ' ')}`, ...(nodes.length === 0 ? [] : [`    does not hold for ${nodes.join(', ')}`])];
}

function statementLines({ name, function: within, file, line, time, times, what, stack }: ShapeStatement, lineOf: LineOf): string[] {
  const text = file === undefined || line === undefined ? undefined : lineOf(file, line);
  return [
    `  ${name}${within === undefined ? '' : ` in ${within} ()`}`,
    ...(text === undefined ? [] : [`    ${line} | ${text.trim()}`]),
    `    time ${grouped(time)}: ${what}${times > 1 ? ` (${times} times in all)` : ''}`,
    ...callersIn(stack, name).map((frame) => `    from ${frame.function ?? '??'} () at ${placeName(frame)}`),
  ];
}

/** Frames around the statement that have lines. */
function callersIn(stack: readonly ShapeFrame[], name: string): readonly ShapeFrame[] {
  const own = stack.findIndex((frame) => placeName(frame) === name);
  return stack.slice(own + 1).filter((frame) => frame.line !== undefined);
}

function count(number: number, what: string): string {
  return `${grouped(number)} ${what}${number === 1 ? '' : 's'}`;
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
