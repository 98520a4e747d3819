import { describe, expect, it } from 'vitest';
import { type Adjacency, immediateDominators, positionsIn, reversePostorder } from './dominators.js';

function dominatorsOf(successors: Adjacency): number[] {
  const order = reversePostorder(successors, 0);
  return [...immediateDominators(successors, order, positionsIn(order, successors.length))];
}

describe('dominators', () => {
  it('of a diamond with a loop', () => {
    expect(dominatorsOf([[1], [2, 3], [4], [4], [1, 5], []])).toEqual([0, 0, 1, 1, 1, 4]);
  });

  it('of irreducible loops', () => {
    expect(dominatorsOf([[1, 2], [2], [1, 3], []])).toEqual([0, 0, 0, 2]);
  });

  it('leave out what cannot be reached', () => {
    expect(dominatorsOf([[1], [], [1]])).toEqual([0, 0, -1]);
  });

  it('are found in an order that has each node before those that follow it', () => {
    expect(reversePostorder([[1, 2], [3], [3], []], 0)).toEqual([0, 1, 2, 3]);
  });
});
