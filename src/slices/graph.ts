/**
 * A slice while it is made: its nodes, how often each was met, and the edges between them. A node stands for all
 * instances of an instruction of the user's own code (of library code: for the call of it), or for one instance, if
 * instances are asked for.
 */
import { PairTable } from './wants/pairTable.js';
import type { WanterSet, Wanters } from './wants/wanters.js';

export type EdgeKind = 'data' | 'control';

export interface SliceEdge {
  readonly from: number;
  readonly to: number;
  readonly kind: EdgeKind;
  /** Of data: the first cell (ir/dependences/cells.ts), or `MEMORY` + the address, that was found for it. */
  readonly place: number;
  /** When what it depends on happened, the last time. */
  readonly time: number;
}

export interface SliceNode {
  readonly node: number;
  /** Instances, of which each counts once. */
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** Places above are addresses. */
export const MEMORY = 0x1_0000;
const FIRST_CAPACITY = 1024;

export class SliceGraph {
  private counts = new Float64Array(FIRST_CAPACITY);
  private firsts = new Float64Array(FIRST_CAPACITY);
  private lasts = new Float64Array(FIRST_CAPACITY);
  /** Of each node: what it was last found to depend on for control. */
  private parents = new Int32Array(FIRST_CAPACITY).fill(-1);
  private readonly members: number[] = [];
  private readonly edgeList: SliceEdge[] = [];
  /** Of edges, and of sets all of whose edges to a node are there. */
  private readonly dataEdges = new PairTable();
  private readonly controlEdges = new PairTable();
  private readonly setEdges = new PairTable();

  constructor(private readonly wanters: Wanters) {}

  get nodes(): SliceNode[] {
    return this.members.map((node) => ({ node, count: this.counts[node] as number, first: this.firsts[node] as number, last: (this.lasts[node] as number) - 1 }));
  }

  get edges(): readonly SliceEdge[] {
    return this.edgeList;
  }

  has(node: number): boolean {
    return (this.lasts[node] ?? 0) !== 0;
  }

  /**
   * An instance is a member. Instances come in the order of time, or against it. `counts`: it is one of the node's own,
   * not of what was called there.
   */
  add(node: number, time: number, counts: boolean): void {
    if (node >= this.counts.length) this.grow(node);
    if (this.lasts[node] === 0) {
      this.members.push(node);
      this.lasts[node] = time + 1;
      this.firsts[node] = time;
    } else if (time < (this.firsts[node] as number)) this.firsts[node] = time;
    else if (time >= (this.lasts[node] as number)) this.lasts[node] = time + 1;
    if (counts) this.counts[node] = (this.counts[node] as number) + 1;
  }

  /** So many more instances of a node that is a member: the first of them was at `time`. */
  addMany(node: number, time: number, count: number): void {
    this.counts[node] = (this.counts[node] as number) + count;
    if (time < (this.firsts[node] as number)) this.firsts[node] = time;
  }

  /** All of a set depend on a node for some data. */
  addData(wanters: WanterSet, to: number, place: number, time: number): void {
    if (this.setEdges.get(wanters, to + 1) !== 0) return;
    this.setEdges.set(wanters, to + 1, 1);
    const nodes = this.wanters.nodes(wanters);
    const { dataEdges, edgeList } = this;
    for (let i = 0; i < nodes.length; i++) {
      const from = nodes[i] as number;
      if (dataEdges.get(from + 1, to + 1) === 0) dataEdges.set(from + 1, to + 1, edgeList.push({ from, to, kind: 'data', place, time }));
    }
  }

  /** The node that one was last found to depend on for control, or what was set in place of it. */
  lastParent(node: number): number {
    return this.parents[node] as number;
  }

  setLastParent(node: number, parent: number): void {
    this.parents[node] = parent;
  }

  addControl(from: number, to: number, time: number): void {
    this.parents[from] = to;
    if (this.controlEdges.get(from + 1, to + 1) === 0) this.controlEdges.set(from + 1, to + 1, this.edgeList.push({ from, to, kind: 'control', place: 0, time }));
  }

  private grow(node: number): void {
    const capacity = Math.max(node + 1, this.counts.length * 2);
    const enlarged = (array: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(capacity);
      larger.set(array);
      return larger;
    };
    this.counts = enlarged(this.counts);
    this.firsts = enlarged(this.firsts);
    this.lasts = enlarged(this.lasts);
    const parents = new Int32Array(capacity).fill(-1);
    parents.set(this.parents);
    this.parents = parents;
  }
}
