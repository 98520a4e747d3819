/**
 * A slice while it is made: its nodes, how often each was met, and the edges between them. A node stands for all
 * instances of an instruction of the user's own code (of library code: for the call of it), or for one instance, if
 * instances are asked for.
 */
import { type WanterSet, type Wanters } from './wants/wanters.js';

/** What an edge is due to: a cell (ir/dependences/cells.ts), a byte of memory, or control. */
export type EdgeKind = 'data' | 'control';

export interface SliceEdge {
  readonly from: number;
  readonly to: number;
  readonly kind: EdgeKind;
  /** Of data: the first cell, or `MEMORY` + the address, that was found for it. */
  readonly place: number;
  /** When what it depends on happened, the last time. */
  readonly time: number;
}

export interface SliceNode {
  readonly node: number;
  /** Instances, of which each counts once. */
  count: number;
  first: number;
  last: number;
}

/** Places above are addresses. */
export const MEMORY = 0x1_0000;
const KEY = 0x400_0000;

export class SliceGraph {
  readonly nodes = new Map<number, SliceNode>();
  private readonly edgeMap = new Map<number, SliceEdge>();
  private readonly seen = new Set<number>();

  constructor(private readonly wanters: Wanters) {}

  get edges(): Iterable<SliceEdge> {
    return this.edgeMap.values();
  }

  get edgeCount(): number {
    return this.edgeMap.size;
  }

  /** An instance is a member. `counts`: it is one of the node's own, not of what was called there. */
  add(node: number, time: number, counts: boolean): void {
    const known = this.nodes.get(node);
    if (known === undefined) {
      this.nodes.set(node, { node, count: counts ? 1 : 0, first: time, last: time });
      return;
    }
    if (!counts) return;
    known.count++;
    known.first = Math.min(known.first, time);
    known.last = Math.max(known.last, time);
  }

  /** All of a set depend on a node. */
  addEdges(wanters: WanterSet, to: number, kind: EdgeKind, place: number, time: number): void {
    const pair = (wanters * KEY + to) * 2 + (kind === 'data' ? 0 : 1);
    if (this.seen.has(pair)) return;
    this.seen.add(pair);
    for (const from of this.wanters.nodes(wanters)) {
      if (from === to) continue;
      const key = (from * KEY + to) * 2 + (kind === 'data' ? 0 : 1);
      if (!this.edgeMap.has(key)) this.edgeMap.set(key, { from, to, kind, place, time });
    }
  }
}
