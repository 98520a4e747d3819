/** Unions of sets are sorted, have each number once, and are shared where they are one of the two. */
import { expect, it } from 'vitest';
import { CONSTANT, union, unionOf } from './refs.js';

it.each([
  [[1, 3], [2, 4], [1, 2, 3, 4]],
  [[1, 2], [2, 3], [1, 2, 3]],
  [[5], [1, 2], [1, 2, 5]],
  [[1, 9], [4, 5, 6, 12], [1, 4, 5, 6, 9, 12]],
])('%j and %j', (a, b, both) => {
  expect(union(a, b)).toEqual(both);
  expect(union(b, a)).toEqual(both);
  expect(unionOf([a, b, CONSTANT])).toEqual(both);
});

it('shares the larger set where it has the other', () => {
  const [large, small] = [[1, 2, 3], [2, 3]];
  expect(union(large, small)).toBe(large);
  expect(union(small, large)).toBe(large);
  expect(union(large, CONSTANT)).toBe(large);
});
