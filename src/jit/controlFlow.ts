/**
 * The shape of a region's control flow, as structured WebAssembly needs it: an order of the nodes,
 * who dominates whom, which nodes are loop headers and which are reached by several forward edges.
 * See N. Ramsey, "Beyond Relooper" (ICFP 2022), for the use made of it in regionCompiler.ts.
 *
 * Edges that would make the graph irreducible (into the middle of a loop) are turned into exits:
 * such a jump leaves the region and comes back through the dispatcher.
 */
import { assert } from '../base/assert.js';
import type { Edge, Region, RegionEnd, RegionNode } from './region.js';

export interface Shape {
  /** Position of each node in reverse postorder; -1 if unreachable. */
  readonly position: Int32Array;
  readonly isLoopHeader: Uint8Array;
  /** Reached by more than one forward edge. */
  readonly isMerge: Uint8Array;
  /** For each node the nodes it immediately dominates, in reverse postorder. */
  readonly children: readonly (readonly number[])[];
}

export function edgesOf(end: RegionEnd): Edge[] {
  switch (end.kind) {
    case 'jump':
    case 'expect':
      return [end.edge];
    case 'branch':
      return [end.taken, end.fall];
    default:
      return [];
  }
}

function successors(node: RegionNode): number[] {
  return edgesOf(node.end).flatMap((edge) => ('node' in edge ? [edge.node] : []));
}

export function analyseShape(region: Region): Shape {
  const { nodes } = region;
  const order = reversePostorder(nodes);
  const position = new Int32Array(nodes.length).fill(-1);
  order.forEach((node, i) => {
    position[node] = i;
  });
  const idom = dominators(nodes, order, position);
  cutIrreducibleEdges(nodes, order, position, idom);

  const isLoopHeader = new Uint8Array(nodes.length);
  const forward = new Uint16Array(nodes.length);
  for (const from of order) {
    for (const to of successors(nodes[from] as RegionNode)) {
      if ((position[to] as number) <= (position[from] as number)) isLoopHeader[to] = 1;
      else forward[to] = (forward[to] as number) + 1;
    }
  }
  const children: number[][] = nodes.map(() => []);
  for (const node of order) {
    if (node !== 0) (children[idom[node] as number] as number[]).push(node);
  }
  return { position, isLoopHeader, isMerge: Uint8Array.from(forward, (n) => (n > 1 ? 1 : 0)), children };
}

function reversePostorder(nodes: readonly RegionNode[]): number[] {
  const order: number[] = [];
  const seen = new Uint8Array(nodes.length);
  const stack: { node: number; rest: number[] }[] = [];
  const visit = (node: number): void => {
    seen[node] = 1;
    stack.push({ node, rest: successors(nodes[node] as RegionNode) });
  };
  visit(0);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.rest.pop();
    if (next === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (seen[next] === 0) visit(next);
  }
  return order.reverse();
}

/** Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm". */
function dominators(nodes: readonly RegionNode[], order: readonly number[], position: Int32Array): Int32Array {
  const predecessors: number[][] = nodes.map(() => []);
  for (const from of order) {
    for (const to of successors(nodes[from] as RegionNode)) (predecessors[to] as number[]).push(from);
  }
  const idom = new Int32Array(nodes.length).fill(-1);
  idom[0] = 0;
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
      if (node === 0) continue;
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

function cutIrreducibleEdges(nodes: readonly RegionNode[], order: readonly number[], position: Int32Array, idom: Int32Array): void {
  const dominates = (a: number, b: number): boolean => {
    while ((position[b] as number) > (position[a] as number)) b = idom[b] as number;
    return a === b;
  };
  for (const from of order) {
    const node = nodes[from] as RegionNode;
    const cut = (edge: Edge): Edge => {
      if (!('node' in edge)) return edge;
      const backward = (position[edge.node] as number) <= (position[from] as number);
      return backward && !dominates(edge.node, from) ? { exit: (nodes[edge.node] as RegionNode).block.start } : edge;
    };
    const { end } = node;
    if (end.kind === 'jump' || end.kind === 'expect') node.end = { ...end, edge: cut(end.edge) };
    else if (end.kind === 'branch') node.end = { ...end, taken: cut(end.taken), fall: cut(end.fall) };
  }
}
