/** What is shown of a segment: the lines of its steps, those that rules of folding add, and what has no line here. */
import type { Segment, Step } from '../model/path.js';
import type { FoundSource } from '../sources/sources.js';
import type { CodeBase } from './codeBase.js';

/** Something that comes after a line of a segment. */
export type Attached =
  | { readonly kind: 'detour'; readonly segment: number }
  | { readonly kind: 'missing'; readonly step: Step; readonly reason: string };

export interface SegmentView {
  /** As heads show it. */
  readonly file: string;
  readonly function: string;
  /** Why the source is taken for another version than the report is about. */
  readonly changed: string | undefined;
  /** In ascending order. */
  readonly lines: readonly number[];
  readonly code: readonly string[];
  readonly stepsAt: ReadonlyMap<number, readonly Step[]>;
  /** By line; 0: before the first. */
  readonly after: ReadonlyMap<number, readonly Attached[]>;
  readonly steps: { readonly shown: number; readonly missing: number };
}

const NO_FUNCTION = '-';
const NO_FILE = '-';

export function segmentView(segment: Segment, base: CodeBase): SegmentView {
  const { file, steps } = segment;
  const evidence = steps.flatMap(({ line, snippet }) => (line === undefined ? [] : [{ line, ...(snippet === undefined ? {} : { snippet }) }]));
  const choice = file === undefined ? undefined : base.find(file, evidence);
  const code = choice?.source.lines ?? [];
  const stepsAt = new Map<number, Step[]>();
  const after = new Map<number, Attached[]>();
  const attach = (line: number, attached: Attached): void => {
    const there = after.get(line);
    if (there === undefined) after.set(line, [attached]);
    else there.push(attached);
  };
  let [current, missing] = [0, 0];
  for (const step of steps) {
    const reason = reasonOf(step, file, choice === undefined ? undefined : code.length);
    if (reason === undefined) {
      current = step.line!;
      const there = stepsAt.get(current);
      if (there === undefined) stepsAt.set(current, [step]);
      else there.push(step);
    } else if (isOfReport(step)) {
      missing++;
      attach(current, { kind: 'missing', step, reason });
    }
    if (step.detour !== undefined) attach(current, { kind: 'detour', segment: step.detour });
  }
  const first = stepsAt.keys().next().value;
  const visible = choice === undefined ? new Set<number>() : visibleLines(choice.source, stepsAt.keys(), segment.function, base);
  return {
    file: file === undefined ? NO_FILE : base.shown(file),
    function: segment.function ?? (first === undefined || choice === undefined ? undefined : base.structure(choice.source).functionAt(first)?.name) ?? NO_FUNCTION,
    changed: choice?.changed,
    lines: [...visible].filter((line) => line >= 1 && line <= code.length).sort((a, b) => a - b),
    code,
    stepsAt,
    after: ordered(after, visible),
    steps: { shown: [...stepsAt.values()].reduce((sum, list) => sum + list.length, 0), missing },
  };
}

/** Steps and what is around them; of a segment without steps, the head and end of its function. */
function visibleLines(source: FoundSource, steps: Iterable<number>, name: string | undefined, base: CodeBase): Set<number> {
  const visible = new Set<number>();
  for (const line of steps) {
    visible.add(line);
    for (const other of base.around(source, line)) visible.add(other);
  }
  if (visible.size === 0 && name !== undefined) for (const line of base.functionNamed(source, name)?.frame ?? []) visible.add(line);
  return visible;
}

/** What comes before the first step comes after the first line that is shown: code stays around it. */
function ordered(after: Map<number, Attached[]>, visible: ReadonlySet<number>): Map<number, Attached[]> {
  const early = after.get(0);
  if (early === undefined || visible.size === 0) return after;
  const first = [...visible].reduce((least, line) => Math.min(least, line));
  after.delete(0);
  after.set(first, [...early, ...(after.get(first) ?? [])]);
  return after;
}

/** Why a step cannot be shown; undefined if it can. */
function reasonOf({ line }: Step, file: string | undefined, count: number | undefined): string | undefined {
  if (file === undefined) return 'the report names no file';
  if (count === undefined) return `${file} is not found`;
  if (line === undefined) return 'the report names no line';
  return line > count ? `${file} has only ${count} lines` : undefined;
}

/** A detour may be there for its segment only: then it is no step that the report has. */
function isOfReport({ detour: _detour, ...step }: Step): boolean {
  return Object.keys(step).length > 0;
}
