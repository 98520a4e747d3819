/**
 * The shape of a region's control flow, as structured WebAssembly needs it: an order of the nodes,
 * who dominates whom, which nodes are loop headers and which are reached by several forward edges.
 * See N. Ramsey, "Beyond Relooper" (ICFP 2022), for the use made of it in regionCompiler.ts.
 *
 * A root before all nodes leads to those that control can come to from outside. Edges that would make
 * the graph irreducible (into the middle of a loop) become hops: they go back to the root, which then
 * leads to their target, too.
 */
import { immediateDominators, positionsIn, reversePostorder } from '../ir/dominators.js';
import type { Edge, Region, RegionEnd, RegionNode } from './region.js';

export interface Shape {
  /** The number of the root: one more than that of the last node. */
  readonly root: number;
  /** The nodes that the root leads to: those of the region's entries, then those that are only hopped to. */
  readonly targets: readonly number[];
  /** Whether there are hops. */
  readonly hasHops: boolean;
  /** Position of each node in reverse postorder; -1 if unreachable. */
  readonly position: Int32Array;
  readonly isLoopHeader: Uint8Array;
  /** Needs a label because it is reached by more than one forward edge, or by one of several from the root. */
  readonly isMerge: Uint8Array;
  /** For each node the nodes it immediately dominates, in reverse postorder. */
  readonly children: readonly (readonly number[])[];
}

export function edgesOf(end: RegionEnd): Edge[] {
  switch (end.kind) {
    case 'jump':
    case 'call':
    case 'expect':
      return [end.edge];
    case 'branch':
      return [end.taken, end.fall];
    case 'indirect':
      return end.edge === undefined ? [] : [end.edge];
    case 'switch':
      return end.cases.map(({ edge }) => edge);
    default:
      return [];
  }
}

/** The same with other edges. */
function withEdges(end: RegionEnd, change: (edge: Edge) => Edge): RegionEnd {
  switch (end.kind) {
    case 'jump':
    case 'call':
    case 'expect':
      return { ...end, edge: change(end.edge) };
    case 'branch':
      return { ...end, taken: change(end.taken), fall: change(end.fall) };
    case 'indirect':
      return end.edge === undefined ? end : { ...end, edge: change(end.edge) };
    case 'switch':
      return { ...end, cases: end.cases.map(({ address, edge }) => ({ address, edge: change(edge) })) };
    default:
      return end;
  }
}

/** The nodes that follow a node directly. */
export function successorsOf(node: RegionNode): number[] {
  return edgesOf(node.end).flatMap((edge) => ('node' in edge ? [edge.node] : []));
}

/**
 * Instructions on the longest way from one look at the ticks to the next: they are looked at on entry, at loop headers,
 * after calls and before hops.
 */
export function longestWay({ nodes }: Region, { position, isLoopHeader }: Shape): number {
  const order = nodes.map((_, n) => n).filter((n) => (position[n] as number) >= 0).sort((a, b) => (position[b] as number) - (position[a] as number));
  const after = new Float64Array(nodes.length);
  let longest = 0;
  for (const n of order) {
    const node = nodes[n] as RegionNode;
    const next = node.end.kind === 'call' ? [] : successorsOf(node).filter((to) => isLoopHeader[to] === 0 && (position[to] as number) > (position[n] as number));
    after[n] = node.block.instructions + next.reduce((most, to) => Math.max(most, after[to] as number), 0);
    longest = Math.max(longest, after[n] as number);
  }
  return longest;
}

/** Changes the region's edges where they would be irreducible. */
export function analyseShape(region: Region): Shape {
  const targets = [...new Set(region.entries.map(({ node }) => node))];
  for (;;) {
    const graph = new Graph(region.nodes, targets);
    const more = graph.cutIrreducibleEdges();
    if (more === null) return graph.shape();
    for (const target of more) if (!targets.includes(target)) targets.push(target);
  }
}

class Graph {
  private readonly root: number;
  private readonly successors: readonly (readonly number[])[];
  private readonly order: readonly number[];
  private readonly position: Int32Array;
  private readonly idom: Int32Array;

  constructor(
    private readonly nodes: readonly RegionNode[],
    private readonly targets: readonly number[],
  ) {
    this.root = nodes.length;
    this.successors = [...nodes.map(successorsOf), targets];
    this.order = reversePostorder(this.successors, this.root);
    this.position = positionsIn(this.order, this.root + 1);
    this.idom = immediateDominators(this.successors, this.order, this.position);
  }

  shape(): Shape {
    const isLoopHeader = new Uint8Array(this.root + 1);
    const forward = new Uint16Array(this.root + 1);
    for (const from of this.order) {
      for (const to of this.successors[from] as readonly number[]) {
        if (this.isBackward(from, to)) isLoopHeader[to] = 1;
        else forward[to] = (forward[to] as number) + 1;
      }
    }
    if (this.targets.length > 1) for (const target of this.targets) forward[target] = 2;
    const children: number[][] = this.successors.map(() => []);
    for (const node of this.order) {
      if (node !== this.root) (children[this.idom[node] as number] as number[]).push(node);
    }
    return {
      root: this.root, targets: this.targets, hasHops: this.nodes.some(({ end }) => edgesOf(end).some((edge) => 'hop' in edge)),
      position: this.position, isLoopHeader, isMerge: Uint8Array.from(forward, (n) => (n > 1 ? 1 : 0)), children,
    };
  }

  /** Turns edges into the middle of a loop into hops. Returns their targets, null if there were none. */
  cutIrreducibleEdges(): Set<number> | null {
    const targets = new Set<number>();
    for (const from of this.order) {
      if (from === this.root) continue;
      const node = this.nodes[from] as RegionNode;
      const cut = (edge: Edge): Edge => {
        if (!('node' in edge) || !this.isBackward(from, edge.node) || this.dominates(edge.node, from)) return edge;
        targets.add(edge.node);
        return { hop: edge.node };
      };
      node.end = withEdges(node.end, cut);
    }
    return targets.size === 0 ? null : targets;
  }

  private isBackward(from: number, to: number): boolean {
    return (this.position[to] as number) <= (this.position[from] as number);
  }

  private dominates(a: number, b: number): boolean {
    while ((this.position[b] as number) > (this.position[a] as number)) b = this.idom[b] as number;
    return a === b;
  }
}
