/**
 * Paths as most tools write them: a list of steps, with a level of nesting or without. Readers that know how segments
 * are nested give segments instead. What is not in the report (the function of a line, whether a line calls another
 * function) is asked of the code, where that is at hand.
 */
import type { Path, PathReport, Segment, Step } from './path.js';

export interface FlatStep {
  readonly step: Step;
  readonly function?: string;
  /** How deep the call is that it is in. */
  readonly level?: number;
}

export interface FlatPath extends Omit<Path, 'segments'> {
  readonly flow: readonly FlatStep[];
}

export interface FlatReport extends Omit<PathReport, 'paths'> {
  readonly paths: readonly (Path | FlatPath)[];
}

/** What the sources say. */
export interface CodeLookup {
  /** The function around a line, and the line that it begins at. */
  functionAt(file: string, line: number): { readonly name: string; readonly line: number } | undefined;
  lineText(file: string, line: number): string | undefined;
}

/** A stack as segments: the outermost function first, each with one step, which calls the next. */
export function stackSegments(innermostFirst: readonly FlatStep[]): Segment[] {
  return innermostFirst.toReversed().map(({ step, function: name }, i) => {
    const { file, ...rest } = step;
    const isLast = i === innermostFirst.length - 1;
    return { ...(name === undefined ? {} : { function: name }), ...(file === undefined ? {} : { file }), steps: [isLast ? rest : { ...rest, detour: i + 1 }] };
  });
}
