import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearMemory } from '../linearMemory.js';
import { UnwrittenBytes } from './unwrittenBytes.js';

const START = 0x7fff_0000_1003;

function unwrittenIn(bytes: UnwrittenBytes, length: number): number[] {
  return [...Array(length).keys()].filter((i) => bytes.has(START + i));
}

describe('UnwrittenBytes', () => {
  const linear = new LinearMemory();

  it('knows each byte', () => {
    const bytes = new UnwrittenBytes(linear);
    bytes.add(START, 40);
    bytes.remove(START + 2, 30);
    expect(unwrittenIn(bytes, 50)).toEqual([0, 1, 32, 33, 34, 35, 36, 37, 38, 39]);
    expect(bytes.firstIn(START + 2, 48)).toBe(START + 32);
    expect(bytes.firstIn(START + 2, 30)).toBeUndefined();
    bytes.remove(START, 50);
    expect(unwrittenIn(bytes, 50)).toEqual([]);
  });

  it('finds the first one wherever it is', () => {
    const bytes = new UnwrittenBytes(linear);
    fc.assert(fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 160 }), fc.integer({ min: 1, max: 30 }), (from, length, at, count) => {
      bytes.add(START + at, count);
      const expected = [...Array(length).keys()].map((i) => from + i).find((i) => i >= at && i < at + count);
      expect(bytes.firstIn(START + from, length)).toBe(expected === undefined ? undefined : START + expected);
      bytes.remove(START + at, count);
    }));
  });

  it('copies bits and origins, also to where they overlap', () => {
    const bytes = new UnwrittenBytes(linear);
    bytes.store(START + 4, 2, 0xf8ffn, 77);
    bytes.copy(START + 5, START + 3, 4);
    expect(unwrittenIn(bytes, 20)).toEqual([4, 6, 7]);
    expect(bytes.bitsOf(START + 5, 4)).toBe(0xf8ff00n);
    expect(bytes.originOf(START + 7, 1)).toBe(77);
    bytes.remove(START, 20);
  });

  it('knows where copies come from, also copies of copies, until the bytes are new', () => {
    const bytes = new UnwrittenBytes(linear);
    const [first, second] = [START + 0x1ff0, START + 0x5ff8];
    bytes.add(START, 60);
    bytes.remove(START + 8, 4);
    bytes.copy(first, START, 60);
    bytes.remove(START, 60);
    bytes.copy(second, first + 4, 50);
    expect(bytes.firstIn(second, 50)).toBe(second);
    expect([0, 3, 10, 49].map((i) => bytes.originOf(second + i, 1))).toEqual([START + 4, START + 7, START + 14, START + 53]);
    expect([4, 5, 6, 7].some((i) => bytes.has(second + i))).toBe(false);
    bytes.add(second + 10, 5);
    expect([10, 14].map((i) => bytes.originOf(second + i, 1))).toEqual([second + 10, second + 14]);
    for (const at of [first, second]) bytes.remove(at, 60);
  });

  it('forgets what was known of bytes that are new, on every page', () => {
    const bytes = new UnwrittenBytes(linear);
    for (const at of [START, START + 0x1000, START + 0x2000]) bytes.store(at, 1, 1n, 5);
    bytes.add(START, 0x1800);
    expect([0, 0x1000, 0x2000].map((i) => bytes.bitsOf(START + i, 1))).toEqual([0xffn, 0xffn, 1n]);
    bytes.remove(START, 0x3000);
  });
});
