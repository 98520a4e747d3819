import { describe, expect, it } from 'vitest';
import { BlockIndex, type CachedBlock } from './blockIndex.js';

const SIZE = 100;

/** The n-th block of bytecode, for code of `length` bytes at `start`. */
function block(n: number, start: number, length = 10): CachedBlock {
  return {
    start, next: start + length, instructions: 1, bytecode: n * SIZE, bytecodeEnd: (n + 1) * SIZE,
    map: { offsets: [], addresses: [] }, compiled: 0, copies: 0, reports: 0,
  };
}

function indexOf(count: number): BlockIndex {
  const index = new BlockIndex();
  for (let i = 0; i < count; i++) index.add(block(i, 0x1000 + i * 0x800), 'block');
  return index;
}

const starts = (blocks: readonly CachedBlock[]): number[] => blocks.map(({ start }) => start);

describe('BlockIndex', () => {
  it('finds blocks by address, page and bytecode', () => {
    const index = indexOf(4);
    index.add(block(4, 0x1ffa), 'block');
    index.add(block(5, 0x1000, 3), 'single');
    expect(index.get(0x1800)?.bytecode).toBe(SIZE);
    expect(index.get(0x1801)).toBeUndefined();
    expect(index.single(0x1000)?.bytecode).toBe(5 * SIZE);
    expect(index.findByPc(3 * SIZE + 50).start).toBe(0x2800);
    // 0x1ffa lies on two pages.
    expect(starts(index.removePage(0x2000))).toEqual([0x2000, 0x2800, 0x1ffa]);
    expect(index.get(0x1ffa)).toBeUndefined();
    expect(index.get(0x1000)?.start).toBe(0x1000);
    expect(starts(index.removePage(0x1000))).toEqual([0x1000, 0x1800, 0x1ffa, 0x1000]);
    expect(index.single(0x1000)).toBeUndefined();
  });

  it.each([1, 500])('keeps changes after a fork apart, generation after generation (%d new blocks each)', (fresh) => {
    const first = indexOf(10);
    let n = 10;
    let parent = first;
    const added: number[] = [];
    for (let generation = 0; generation < 4; generation++) {
      const child = parent.fork(n * SIZE);
      for (let i = 0; i < fresh; i++) {
        const start = 0x10_0000 + n * 16;
        child.add(block(n++, start), 'block');
        added.push(start);
      }
      const last = added.at(-1) as number;
      expect(parent.get(last)).toBeUndefined();
      (child.get(0x1000) as CachedBlock).compiled = generation + 7;
      expect(parent.get(0x1000)?.compiled).toBe(generation === 0 ? 0 : generation + 6);
      for (const start of added) expect(child.get(start)?.start).toBe(start);
      expect(child.findByPc((n - 1) * SIZE + 1).start).toBe(last);
      expect(child.findByPc(SIZE + 1).start).toBe(0x1800);
      parent = child;
    }
    expect(first.get(0x1000)?.compiled).toBe(0);
    for (const start of added) expect(first.get(start)).toBeUndefined();
  });

  it('does not bring back what was removed before or after a fork', () => {
    const parent = indexOf(4);
    expect(starts(parent.removePage(0x1000))).toEqual([0x1000, 0x1800]);
    const child = parent.fork(4 * SIZE);
    expect(child.get(0x1000)).toBeUndefined();
    expect(starts(child.removePage(0x2000))).toEqual([0x2000, 0x2800]);
    expect(child.removePage(0x2000)).toEqual([]);
    expect(child.get(0x2000)).toBeUndefined();
    expect(parent.get(0x2000)?.start).toBe(0x2000);
    child.add(block(4, 0x2000), 'block');
    const grandchild = child.fork(5 * SIZE);
    expect(grandchild.get(0x2000)?.bytecode).toBe(4 * SIZE);
    expect(grandchild.get(0x2800)).toBeUndefined();
    expect(starts(grandchild.removePage(0x2000))).toEqual([0x2000]);
    expect(grandchild.get(0x2000)).toBeUndefined();
    expect(child.get(0x2000)?.bytecode).toBe(4 * SIZE);
  });

  it('has nothing after clear', () => {
    const child = indexOf(3).fork(3 * SIZE);
    child.clear();
    expect(child.get(0x1000)).toBeUndefined();
    expect(child.removePage(0x1000)).toEqual([]);
  });
});
