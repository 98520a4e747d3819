/**
 * Reports as text: each line of code that the projection shows as its number, a tab and the code, below a line with its
 * file and function; calls below the line that makes them. After a call the head of the caller comes again, so that
 * every line is below its own. Lines that begin with `#` are about the path, and no code.
 */
import type { Path, PathReport, Step } from '../model/path.js';
import { visible, visibleLine } from '../../base/visible.js';
import type { CodeBase } from '../folding/codeBase.js';
import { projected, type ProjectionEvent } from '../folding/projection.js';
import type { SegmentView } from '../folding/segmentView.js';

interface TextStyle {
  head(text: string): string;
  step(text: string): string;
  remark(text: string): string;
}

export const PLAIN_TEXT: TextStyle = { head: (text) => text, step: (text) => text, remark: (text) => text };
export const COLOURED_TEXT: TextStyle = { head: (text) => `\u001b[1m${text}\u001b[m`, step: (text) => `\u001b[33m${text}\u001b[m`, remark: (text) => `\u001b[2m${text}\u001b[m` };

interface TextOptions {
  readonly style: TextStyle;
  /** Say why each step is there, and the state. */
  readonly withReasons: boolean;
}

/** Steps of the paths that were written. */
export interface StepTally {
  shown: number;
  missing: number;
}

export function* reportLines(report: PathReport, number: number, base: CodeBase, options: TextOptions, tally: StepTally): Generator<string> {
  const { message, level, rule, paths, suppressions } = report;
  const { remark } = options.style;
  yield remark(`# report ${number}: ${level === undefined ? '' : `${level}: `}${visible(message)}${rule === undefined ? '' : ` [${visible(rule)}]`}${suppressions === undefined ? '' : ' (suppressed)'}`);
  for (const [i, path] of paths.entries()) {
    yield remark(`# path ${i + 1} of ${paths.length}: ${aboutPath(path)}`);
    yield* pathLines(path, base, options, tally);
  }
}

function aboutPath({ role, title, thread }: Path): string {
  return visible(`${role}${thread === undefined ? '' : `, thread ${thread}`}${title === undefined ? '' : `, ${title}`}`);
}

function* pathLines(path: Path, base: CodeBase, { style, withReasons }: TextOptions, tally: StepTally): Generator<string> {
  const projection = projected(path, base);
  tally.shown += projection.shown;
  tally.missing += projection.missing;
  /** Whose head the last line is below. */
  let below: SegmentView | undefined;
  for (const event of projection.events()) {
    if (event.kind === 'leave') below = undefined;
    if ((event.kind === 'enter' || event.kind === 'line' || event.kind === 'missing') && below !== event.view) {
      yield style.head(`${visible(event.view.file)}:${visible(event.view.function)}`);
      below = event.view;
    }
    yield* eventLines(event, style, withReasons);
  }
}

function* eventLines(event: ProjectionEvent, style: TextStyle, withReasons: boolean): Generator<string> {
  switch (event.kind) {
    case 'enter':
      if (event.view.changed !== undefined) yield style.remark(`# changed since the report: ${visible(event.view.changed)}`);
      return;
    case 'line': {
      const text = `${event.number}\t${visibleLine(event.code)}`;
      yield event.steps.length === 0 ? text : style.step(text);
      if (withReasons) for (const remark of remarksOf(event.steps)) yield style.remark(remark);
      return;
    }
    case 'missing':
      yield style.remark(missingText(event.step, event.reason));
      return;
    case 'alike':
      yield style.remark(`# ${event.count} more ${event.what === 'calls' ? (event.count === 1 ? 'call' : 'calls') : 'levels of recursion'} like this`);
      return;
    case 'leave':
      return;
  }
}

function missingText({ line, why, module }: Step, reason: string): string {
  const about = [line === undefined ? undefined : `line ${line}`, module, why].filter((part) => part !== undefined).join(', ');
  return `# not found: ${visible(about === '' ? reason : `${about}: ${reason}`)}`;
}

/** The same reason again, as in loops, is said once, with how often. */
function remarksOf(steps: readonly Step[]): string[] {
  const counts = new Map<string, number>();
  for (const { why, state } of steps) {
    const said = [why, ...Object.entries(state ?? {}).map(([name, value]) => `${name} = ${value}`)].filter((part) => part !== undefined).map(visible).join('; ');
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  return [...counts].filter(([said, count]) => said !== '' || count > 1).map(([said, count]) => `# ^ ${said}${count > 1 ? ` (${count} times)` : ''}`);
}
