/**
 * Who dominates whom in a graph, on plain arrays: node n leads to successors[n]. Turned around, from the exit, the same
 * says who post-dominates whom.
 */
import { assert } from '../base/assert.js';

export type Adjacency = readonly (readonly number[])[];

/** The nodes that can be reached from the root, each before those that follow it, but for loops. */
export function reversePostorder(successors: Adjacency, root: number): number[] {
  const order: number[] = [];
  const seen = new Uint8Array(successors.length);
  const stack: number[] = [root];
  /** How many of a node's successors are still to be visited: the last comes first. */
  const rest = new Int32Array(successors.length);
  seen[root] = 1;
  rest[root] = (successors[root] as readonly number[]).length;
  while (stack.length > 0) {
    const node = stack[stack.length - 1] as number;
    const left = (rest[node] as number) - 1;
    if (left < 0) {
      order.push(node);
      stack.pop();
      continue;
    }
    rest[node] = left;
    const next = (successors[node] as readonly number[])[left] as number;
    if (seen[next] !== 0) continue;
    seen[next] = 1;
    rest[next] = (successors[next] as readonly number[]).length;
    stack.push(next);
  }
  return order.reverse();
}

/** Where each node is in an order; -1 if it is not there. */
export function positionsIn(order: readonly number[], count: number): Int32Array {
  const position = new Int32Array(count).fill(-1);
  order.forEach((node, i) => {
    position[node] = i;
  });
  return position;
}

/** The same edges, the other way round. Only those that begin at nodes of `order`, if there is one. */
export function turnedAround(successors: Adjacency, order?: readonly number[]): number[][] {
  const predecessors: number[][] = successors.map(() => []);
  const turn = (from: number): void => {
    for (const to of successors[from] as readonly number[]) (predecessors[to] as number[]).push(from);
  };
  if (order === undefined) successors.forEach((_, from) => turn(from));
  else for (const from of order) turn(from);
  return predecessors;
}

/**
 * The immediate dominator of each node in `order`, a reverse postorder with the root first, whose own is itself; -1 for
 * other nodes. Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
 */
export function immediateDominators(successors: Adjacency, order: readonly number[], position: Int32Array): Int32Array {
  const root = order[0] as number;
  const predecessors = turnedAround(successors, order);
  const idom = new Int32Array(successors.length).fill(-1);
  idom[root] = root;
  const meet = (a: number, b: number): number => {
    while (a !== b) {
      while ((position[a] as number) > (position[b] as number)) a = idom[a] as number;
      while ((position[b] as number) > (position[a] as number)) b = idom[b] as number;
    }
    return a;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order) {
      if (node === root) continue;
      let best = -1;
      for (const p of predecessors[node] as number[]) {
        if (idom[p] !== -1) best = best === -1 ? p : meet(best, p);
      }
      assert(best !== -1, 'every node in the order is reachable');
      if (idom[node] !== best) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  return idom;
}
