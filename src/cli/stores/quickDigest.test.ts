import { expect, it } from 'vitest';
import { quickDigest } from './quickDigest.js';

it('is of one length, the same for the same text, and different for all of ten thousand that are much alike', () => {
  const digests = Array.from({ length: 10_000 }, (_, i) => quickDigest(`/home/user/program${i}`));
  expect(new Set(digests).size).toBe(digests.length);
  // Each half by itself, too.
  expect(new Set(digests.map((digest) => digest.slice(0, 16))).size).toBe(digests.length);
  expect(digests.every((digest) => /^[\da-f]{32}$/.test(digest))).toBe(true);
  expect(quickDigest('/home/user/program7')).toBe(digests[7]);
  expect(quickDigest('')).not.toBe(quickDigest('\0'));
});
