/** What matters about structures of the library is among the first ten proposals, and fresh runs do not refute it. */
import { describe, expect, it } from 'vitest';
import type { ShapeType } from '../model.js';
import { TestHeap } from '../testing/heap.js';
import { LIBRARY_GRAPHS, type Chance } from '../testing/libraryGraphs.js';
import { learnConstraints, type LearnedRun } from './learn.js';

function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return {
    below: (limit) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    },
  };
}

/** Structures of several sizes, each with a C-point when it is complete. */
function runOf(name: string, seed: number): LearnedRun {
  const heap = new TestHeap();
  const points = [5, 9, 14, 23, 31].map((size, i) => {
    const chance = chanceOf(seed + i);
    LIBRARY_GRAPHS[name]!.build(heap, size + chance.below(6), chance);
    return { time: heap.length, types: [], what: `structure ${i}` };
  });
  return { history: heap, points };
}

/** Constants of the library's graphs that only a program knows are those that learning tries. */
function learned(name: string, runs: number): string[] {
  const { types } = LIBRARY_GRAPHS[name]!;
  return learnConstraints(types as ShapeType[], Array.from({ length: runs }, (_, i) => runOf(name, 1000 * (i + 1)))).map(({ text }) => text);
}

const ESSENTIAL: Readonly<Record<string, readonly string[]>> = {
  'circular-linked-list': ['node X; X.INDEGREE(node.next) == 1;'],
  'doubly-linked-list': ['node X; X.next->prev == X;', 'node X; X.prev->next == X;'],
  'linked-list': ['node X; node Y; X ->> Y => Y /->> X;'],
  'ordered-list': ['node X; X.next->key >= X.key;'],
  'binary-tree': ['node X; X.INDEGREE <= 1;', 'node X; node Y; X ->> Y => Y /->> X;'],
  'search-tree': ['node X; X.left->key < X.key;', 'node X; X.right->key > X.key;'],
  'binary-heap': ['node X; node Y; X -> Y => X.key <= Y.key;'],
  'b-tree': ['node X; X.ISLEAF == false => X.OUTDEGREE == X.count + 1;'],
  'quad-tree': ['node X; node Y; X -> Y => X.OUTDEGREE == 4;'],
  'full-k-ary-tree': ['node X; node Y; X -> Y => X.OUTDEGREE == 3;'],
  'bipartite-graph': ['node X; node Y; X -> Y => X.side != Y.side;'],
  'union-find': ['node X; X.parent != X => X.parent->rank > X.rank;'],
  'malloc-chunks': ['chunk X; X.fd->bk == X;', 'chunk X; X.bk->fd == X;'],
};

const FRESH = process.env['CULPRIT_LONG'] === undefined ? 8 : 20;

describe('learning', () => {
  it.each(Object.entries(ESSENTIAL))('%s', (name, essential) => {
    const proposals = learned(name, 1);
    for (const text of essential) expect(proposals.slice(0, 10)).toContain(text);
  });

  it('proposes balance for an AVL tree, and equal numbers of black nodes for a red-black tree', () => {
    expect(learned('avl-tree', 1).slice(0, 10).some((text) => text.includes('|X.left.HEIGHT_left_right - X.right.HEIGHT_left_right| <= 1;'))).toBe(true);
    expect(learned('red-black-tree', 1).slice(0, 10).some((text) => text.includes('X.left.OTHERS_left_right_colour'))).toBe(true);
  });

  it.each(['doubly-linked-list', 'search-tree'])('no proposal for %s is refuted by fresh runs', (name) => {
    const held = new Set(learned(name, FRESH));
    expect(learned(name, 4).filter((text) => !held.has(text))).toEqual([]);
  });
});
