/** Where paths begin and end. */
import { describe, expect, it } from 'vitest';
import { type CodeBlock, ENDS } from './codeTable.js';
import { Paths } from './paths.js';
import { type Layout, Stretch } from './stretch.js';

interface Sketch {
  readonly start: number;
  readonly ends?: number;
  readonly usesX87?: boolean;
}

/** A stretch of blocks, by their numbers in a list of sketches. */
function stretchOf(sketches: readonly Sketch[], blocks: readonly number[], sites: readonly number[] = []): Stretch {
  const layouts = sketches.map(({ start, ends = ENDS.other, usesX87 = false }, number) => ({ number, code: { start, ends, usesX87 } as CodeBlock }) as Layout);
  const made = new Stretch(0, layouts);
  made.begin(1, 0, [], blocks.length, new Float64Array(0));
  blocks.forEach((layout, i) => {
    made.layouts[i] = layout;
    made.sites[i] = sites[i] ?? -1;
  });
  made.count = blocks.length;
  return made;
}

const INSIDE: readonly Sketch[] = Array.from({ length: 40 }, (_, i) => ({ start: i * 16 }));

describe('paths', () => {
  it('are the same for the rounds of a loop', () => {
    const paths = new Paths();
    const { lasts, numbers } = paths.of(stretchOf(INSIDE, [0, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]));
    expect([...lasts]).toEqual([4, 8, 12]);
    expect(numbers[1]).toBe(numbers[2]);
    expect(numbers[0]).not.toBe(numbers[1]);
    expect([...numbers].map((number) => paths.lengths[number])).toEqual([5, 4, 4]);
  });

  it('hold several rounds of a short loop', () => {
    const paths = new Paths();
    const { lasts, numbers } = paths.of(stretchOf(INSIDE, [1, 1, 1, 1, 1, 1, 1, 1]));
    expect([...lasts]).toEqual([3, 7]);
    expect(numbers[0]).toBe(numbers[1]);
  });

  it('end with a call and a return, and have neither system calls nor the x87', () => {
    const sketches = [{ start: 0 }, { start: 16, ends: ENDS.call }, { start: 32, ends: ENDS.return }, { start: 48, ends: ENDS.syscall }, { start: 64, usesX87: true }];
    expect([...new Paths().of(stretchOf(sketches, [0, 1, 0, 2, 0, 3, 0, 4, 0, 1])).lasts]).toEqual([1, 3, 9]);
  });

  it('end where another site begins', () => {
    expect([...new Paths().of(stretchOf(INSIDE, [0, 1, 2, 3], [-1, -1, 7, 7])).lasts]).toEqual([1, 3]);
  });

  it('have sixteen blocks at most', () => {
    const { lasts } = new Paths().of(stretchOf(INSIDE, INSIDE.map((_, i) => i)));
    expect([...lasts]).toEqual([15, 31, 39]);
  });
});
