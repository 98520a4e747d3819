/** The four runs of Figure 2, exactly: where each crashes, which lines it leaves out, and the answer. */
import { expect, it } from 'vitest';
import { blame, lineOfPlace } from './blamed.js';
import { compiled } from './corpus.js';
import { FIGURE_ANSWER, FIGURE_RUNS, FIGURE_STDIN, figureLine, figureNumber } from './figure.js';

/** Lines that the figure numbers. */
function numbersOf(places: readonly string[]): number[] {
  const lines = places.flatMap((place) => /figure1\.c:(\d+)/.exec(place)?.[1] ?? []);
  return [...new Set(lines.flatMap((line) => figureNumber(Number(line)) ?? []))].sort((a, b) => a - b);
}

it('leaves out what the figure leaves out, and answers line 4', () => {
  const path = compiled('figure1');
  const { status, report } = blame({ path, stdin: FIGURE_STDIN, options: ['--method', 'suppression'] });
  const runs = report?.iterations.map(({ failure, leftOut }) => ({ crash: failure?.place.line === undefined ? undefined : figureNumber(failure.place.line), leftOut: numbersOf(leftOut) }));
  expect(runs).toEqual(FIGURE_RUNS);
  expect(report?.places.map((place) => lineOfPlace(place, path, undefined))[0]).toBe(figureLine(FIGURE_ANSWER));
  expect({ status, runs: report?.runs }).toEqual({ status: 99, runs: FIGURE_RUNS.length });
}, 900_000);
