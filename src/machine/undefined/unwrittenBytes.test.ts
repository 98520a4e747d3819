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

  it('keeps what was not written after all', () => {
    const bytes = new UnwrittenBytes(linear);
    bytes.add(START + 1, 29);
    const keepRest = bytes.keepRest(START, 25);
    bytes.remove(START, 25);
    keepRest(3);
    expect(unwrittenIn(bytes, 40)).toEqual([...Array(27).keys()].map((i) => i + 3));
    bytes.remove(START, 40);
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
});
