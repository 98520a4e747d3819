/** Shares have every test of a file once, and the table names files that exist. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isTaken, ONE_OF, ONE_SUITE_OF } from './testShares.js';

it('has only files that are there', () => {
  const missing = Object.keys({ ...ONE_OF, ...ONE_SUITE_OF }).filter((path) => !existsSync(fileURLToPath(new URL(`../${path}`, import.meta.url))));
  expect(missing).toEqual([]);
});

it('takes every test in exactly one of its shares, and the first test in the first', () => {
  for (let oneOf = 1; oneOf <= 8; oneOf++) {
    const shares = Array.from({ length: oneOf }, (_, i) => i + 1);
    for (let index = 0; index < 20; index++) expect(shares.filter((share) => isTaken(index, oneOf, share))).toHaveLength(1);
    expect(isTaken(0, oneOf, 1)).toBe(true);
  }
});

it('goes round: a share beyond the last of a file is one of its shares', () => {
  expect(isTaken(0, 3, 4)).toBe(true);
  expect(isTaken(1, 3, 5)).toBe(true);
});
