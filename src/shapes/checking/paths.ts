/**
 * Paths: which nodes are reached from which, and strongly connected components (Tarjan's, without recursion: a list of
 * a million nodes is a million calls deep). Answers are kept until a pointer changes.
 */
import type { NodeId } from '../model.js';
import { forEachSuccessor } from './edges.js';
import type { MemoryGraph } from './memoryGraph.js';
import type { EdgeFilter } from './terms.js';

/** So many starts are remembered: one for each root and for the pair that is looked at. */
const KEPT = 8;

export class Paths {
  private version = -1;
  private reached = new Map<NodeId, Map<EdgeFilter | undefined, Set<NodeId>>>();
  private components = new Map<EdgeFilter | undefined, Map<NodeId, number>>();

  constructor(private readonly graph: MemoryGraph) {}

  /** Whether a path of at least one edge leads from one node to another. */
  leads(from: NodeId, to: NodeId, through: EdgeFilter | undefined): boolean {
    return this.from(from, through).has(to);
  }

  from(start: NodeId, through: EdgeFilter | undefined): ReadonlySet<NodeId> {
    this.refresh();
    let ofStart = this.reached.get(start);
    if (ofStart === undefined) {
      if (this.reached.size >= KEPT) this.reached.delete(this.reached.keys().next().value!);
      this.reached.set(start, (ofStart = new Map()));
    }
    let found = ofStart.get(through);
    if (found === undefined) ofStart.set(through, (found = reachable(this.graph, start, through)));
    return found;
  }

  /** Of two nodes with an edge between them: whether the edge is on a cycle. */
  onCycle(from: NodeId, to: NodeId, through: EdgeFilter | undefined): boolean {
    this.refresh();
    let components = this.components.get(through);
    if (components === undefined) this.components.set(through, (components = componentsOf(this.graph, through)));
    return from === to || components.get(from) === components.get(to);
  }

  private refresh(): void {
    if (this.version === this.graph.edgeVersion) return;
    this.version = this.graph.edgeVersion;
    this.reached = new Map();
    this.components = new Map();
  }
}

function reachable(graph: MemoryGraph, start: NodeId, through: EdgeFilter | undefined): Set<NodeId> {
  const found = new Set<NodeId>();
  const waiting = [start];
  while (waiting.length > 0) {
    forEachSuccessor(graph, waiting.pop()!, through, (target) => {
      if (found.has(target)) return;
      found.add(target);
      waiting.push(target);
    });
  }
  return found;
}

/** The component of each node, by a number. */
function componentsOf(graph: MemoryGraph, through: EdgeFilter | undefined): Map<NodeId, number> {
  const component = new Map<NodeId, number>();
  const order = new Map<NodeId, number>();
  const lowest = new Map<NodeId, number>();
  const open: NodeId[] = [];
  let components = 0;
  for (const start of graph.liveNodes()) {
    if (order.has(start)) continue;
    const calls: { node: NodeId; targets: NodeId[] }[] = [];
    const enter = (node: NodeId) => {
      order.set(node, order.size);
      lowest.set(node, order.get(node)!);
      open.push(node);
      const targets: NodeId[] = [];
      forEachSuccessor(graph, node, through, (target) => targets.push(target));
      calls.push({ node, targets });
    };
    const lower = (node: NodeId, to: number) => {
      if (to < lowest.get(node)!) lowest.set(node, to);
    };
    enter(start);
    while (calls.length > 0) {
      const { node, targets } = calls.at(-1)!;
      const target = targets.pop();
      if (target !== undefined) {
        if (!order.has(target)) enter(target);
        else if (!component.has(target)) lower(node, order.get(target)!);
        continue;
      }
      calls.pop();
      const caller = calls.at(-1);
      if (caller !== undefined) lower(caller.node, lowest.get(node)!);
      if (lowest.get(node) !== order.get(node)) continue;
      let member: NodeId;
      do component.set((member = open.pop()!), components);
      while (member !== node);
      components++;
    }
  }
  return component;
}
