import { describe, expect, it } from 'vitest';
import type { Adjacency } from '../ir/dominators.js';
import { EXIT, postDominators } from './postDominators.js';

/** By the definition: without the node, can the exit still be reached? */
function bruteForce(successors: Adjacency, leaves: readonly boolean[]): number[] {
  const count = successors.length;
  const reaches = (from: number, without: number): boolean => {
    const seen = new Set([from]);
    for (const node of seen) {
      if (leaves[node] === true) return true;
      for (const next of successors[node] as readonly number[]) if (next !== without) seen.add(next);
    }
    return false;
  };
  const post = successors.map((_, n) => successors.map((__, d) => d !== n && !reaches(n, d)));
  return successors.map((_, n) => {
    // The nearest one is post-dominated by all others.
    const all = Array.from({ length: count }, (__, d) => d).filter((d) => post[n]?.[d] === true);
    return all.find((d) => all.every((other) => other === d || post[d]?.[other] === true)) ?? EXIT;
  });
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** From every node the exit can be reached, or nodes are made to leave. */
function randomGraph(next: () => number): { successors: number[][]; leaves: boolean[] } {
  const count = 1 + Math.floor(next() * 14);
  const pick = (): number => Math.floor(next() * count);
  const successors = Array.from({ length: count }, () => [...new Set(Array.from({ length: Math.floor(next() * 4) }, pick))]);
  const leaves = successors.map((list) => list.length === 0 || next() < 0.1);
  const ends = (from: number): boolean => {
    const seen = new Set([from]);
    for (const node of seen) for (const to of successors[node] as number[]) seen.add(to);
    return [...seen].some((node) => leaves[node]);
  };
  successors.forEach((_, node) => {
    if (!ends(node)) leaves[node] = true;
  });
  return { successors, leaves };
}

describe('post-dominators', () => {
  it('of a loop with a way out', () => {
    expect([...postDominators([[1], [2, 3], [1], []], [false, false, false, true])]).toEqual([1, 3, 1, EXIT]);
  });

  it('of an endless loop: its head leads to the exit', () => {
    expect([...postDominators([[1], [2, 3], [4], [4], [1]], [false, false, false, false, false])]).toEqual([1, EXIT, 4, 4, 1]);
  });

  it('of an endless loop beside an end', () => {
    expect([...postDominators([[1, 2], [1], []], [false, false, true])]).toEqual([EXIT, EXIT, EXIT]);
  });

  it('of endless loops one after the other: only the last is cut', () => {
    expect([...postDominators([[1], [0, 2], [3], [2]], [false, false, false, false])]).toEqual([1, 2, EXIT, 2]);
  });

  it('agree with their definition', () => {
    const next = random(1);
    for (let i = 0; i < 2000; i++) {
      const { successors, leaves } = randomGraph(next);
      expect([...postDominators(successors, leaves)], JSON.stringify({ successors, leaves })).toEqual(bruteForce(successors, leaves));
    }
  });
});
