/** What blame says, as text for people, and as a list for scripts. */
import type { BlamedFailure, BlamedFrame, BlamedPlace, BlameIteration, BlameReport } from './blameReport.js';
import { frameName } from './frames.js';

type LineOf = (path: string, line: number) => string | undefined;

const CONTEXT = 2;
/** Lines left out that are named. */
const MOST_LINES = 12;

/** One `file:line` a line, the likeliest first. */
export function blameList({ verdict, places }: BlameReport): readonly string[] {
  return verdict === 'corruption' ? [...new Set(places.map(frameName))] : [];
}

export function blameLines(report: BlameReport, lineOf: LineOf): readonly string[] {
  const { places, failure, iterations, remarks, runs } = report;
  const [best, ...others] = places;
  return [
    headline(report),
    ...(best === undefined ? [] : ['', ...placeLines(best, lineOf)]),
    ...(failure === undefined ? [] : ['', `The run itself: ${failureText(failure)}`]),
    ...(iterations.length === 0 ? [] : ['', `Evidence, ${runs} ${runs === 1 ? 'execution' : 'executions'}:`, ...iterations.flatMap(iterationLines)]),
    ...(others.length === 0 ? [] : ['', 'Also possible, less likely:', ...others.map((place) => `  ${frameText(place)}: ${place.what}${ruleText(place)}`)]),
    ...(remarks.length === 0 ? [] : ['', ...remarks.map((remark) => `Note: ${remark}.`)]),
    ...(best === undefined || report.recording === undefined ? [] : ['', `To go there: culprit debug -ex 'goto ${best.time}' ${report.recording}`]),
  ];
}

function headline({ verdict, places, why }: BlameReport): string {
  const [best] = places;
  if (best === undefined) return verdict === 'clean' ? `No corruption: ${why}.` : verdict === 'unknown' ? `Not found: ${why}.` : `No corruption of memory: ${why}.`;
  return `First corruption: ${frameText(best)}`;
}

function placeLines(place: BlamedPlace, lineOf: LineOf): readonly string[] {
  return [
    ...excerpt(place, lineOf),
    `  ${place.what}${ruleText(place)}`,
    ...(place.memory === undefined ? [] : [`  memory: ${place.memory}`]),
    `  named by ${place.by.join(' and ')}`,
    ...place.stack.filter(({ function: name }) => name !== undefined).map((frame, i) => `  #${String(i).padEnd(3)} ${frame.function} ()${frame.line === undefined ? '' : ` at ${frameName(frame)}`}`),
  ];
}

function excerpt({ file, line }: BlamedFrame, lineOf: LineOf): readonly string[] {
  if (file === undefined || line === undefined || lineOf(file, line) === undefined) return [];
  const width = String(line + CONTEXT).length;
  const lines = Array.from({ length: 2 * CONTEXT + 1 }, (_, i) => line - CONTEXT + i);
  return [...lines.flatMap((number) => {
    const text = number > 0 ? lineOf(file, number) : undefined;
    return text === undefined ? [] : [`  ${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`];
  }), ''];
}

function iterationLines({ method, suppressed, leftOut, failure }: BlameIteration, index: number): readonly string[] {
  const end = failure === undefined ? 'nothing fails' : failureText(failure);
  if (method === 'reordering') return [`  ${index + 1}. with its variables laid out anew: ${end}`];
  if (method !== 'suppression') return [`  ${index + 1}. with guards around all objects: ${end}`];
  if (suppressed.length === 0) return [`  ${index + 1}. as it was: ${end}`];
  const without = suppressed.map((one) => `${frameName(one)} (${one.what})`).join(', ');
  const more = leftOut.length > MOST_LINES ? `, and ${leftOut.length - MOST_LINES} lines more` : '';
  return [`  ${index + 1}. without ${without}: ${end}`, ...(leftOut.length === 0 ? [] : [`     left out: ${leftOut.slice(0, MOST_LINES).join(', ')}${more}`])];
}

function failureText({ name, message, place, kind }: BlamedFailure): string {
  const where = place.address === '' ? '' : ` at ${frameText(place)}`;
  return kind === 'finding' ? `${message} [${name}]${where}` : `${name} (${message})${where}`;
}

function frameText(frame: BlamedFrame): string {
  const name = frameName(frame);
  return frame.function === undefined || frame.line === undefined ? name : `${name} in ${frame.function} ()`;
}

function ruleText({ rule }: BlamedPlace): string {
  return rule === undefined ? '' : ` [${rule}]`;
}
