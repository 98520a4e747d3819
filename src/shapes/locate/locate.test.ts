/** Algorithm 1 with prediction and incremental checks names the operations that it names to the letter. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ShapeChecker } from '../checking/shapeChecker.js';
import { naiveLocation } from '../testing/naive.js';
import { randomHistory, randomPaths, randomSpecification } from '../testing/randomHistories.js';
import { locateFaults } from './locate.js';

it.each([
  ['any constraints', randomSpecification],
  ['paths', randomPaths],
])('is Algorithm 1 with %s', (_, specifications) => {
  fc.assert(
    fc.property(specifications, randomHistory(60), (specification, history) => {
      const checker = new ShapeChecker(specification);
      for (let i = 0; i < history.length; i++) checker.apply(history.at(i));
      expect(locateFaults(checker, history, history.length).contributions.map(({ index }) => index)).toEqual(naiveLocation(specification, history, history.length));
    }),
    { numRuns: process.env['CULPRIT_LONG'] === undefined ? 25 : 3000, endOnFailure: true },
  );
}, 3_600_000);
