/** Figures 1 and 2 of "Execution Suppression": `programs/figure1.c`, and what its four runs leave out. Lines are the paper's. */
import { marksOf, sourceOf } from './corpus.js';

/** A crash at 12; the others would come after it. */
export const FIGURE_STDIN = '1 2 3 900000\n';

/** Runs A to D: the line that crashes, and lines that are left out, of which the first is where suppression began anew. */
export const FIGURE_RUNS: readonly { readonly crash: number | undefined; readonly leftOut: readonly number[] }[] = [
  { crash: 12, leftOut: [] },
  { crash: 13, leftOut: [11, 12] },
  { crash: 15, leftOut: [8, 9, 10, 11, 12, 13] },
  { crash: undefined, leftOut: [4, 8, 9, 10, 11, 12, 13, 15] },
];

export const FIGURE_ANSWER = 4;

/** The three crashes, each by an input that reaches it. */
export const FIGURE_INPUTS: readonly { readonly stdin: string; readonly line: number }[] = [
  { stdin: FIGURE_STDIN, line: 12 },
  { stdin: '1 2 3 900\n', line: 13 },
  { stdin: '1 2 3 4\n', line: 15 },
];

export function figureLine(number: number): number {
  return marksOf(sourceOf('figure1')).get(String(number)) as number;
}

/** Undefined for lines that the figure does not number. */
export function figureNumber(line: number): number | undefined {
  const mark = [...marksOf(sourceOf('figure1'))].find(([, at]) => at === line)?.[0];
  return mark === undefined ? undefined : Number(mark);
}
