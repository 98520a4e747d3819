/**
 * Paths: which nodes are reached from which, and strongly connected components (Tarjan's, without recursion: a list of
 * a million nodes is a million calls deep). Answers are kept until a pointer changes.
 */
import type { NodeId } from '../model.js';
import { forEachPredecessor, forEachSuccessor } from './edges.js';
import type { MemoryGraph } from './memoryGraph.js';
import type { EdgeFilter } from './terms.js';

/** So many starts are remembered: one for each root and for the pair that is looked at. */
const KEPT = 8;

export class Paths {
  private version = -1;
  private reached = new Map<NodeId, Map<EdgeFilter | undefined, Set<NodeId>>>();
  private components = new Map<EdgeFilter | undefined, Int32Array>();

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
    return from === to || this.component(from, through) === this.component(to, through);
  }

  /** A number that a node has in common with those that it is on cycles with. */
  component(node: NodeId, through: EdgeFilter | undefined): number {
    this.refresh();
    let components = this.components.get(through);
    if (components === undefined) this.components.set(through, (components = componentsOf(this.graph, through)));
    return components[node]!;
  }

  /**
   * Whether a node is on a cycle, without looking at the whole graph if one side of it is small: forward from what it
   * leads to, and backward from itself, in turn.
   */
  closesCycle(node: NodeId, through: EdgeFilter | undefined): boolean {
    const ahead = new Set<NodeId>();
    const behind = new Set<NodeId>([node]);
    const [forward, backward]: [NodeId[], NodeId[]] = [[], [node]];
    const stepForward = (from: NodeId): boolean => {
      let met = false;
      forEachSuccessor(this.graph, from, through, (target) => {
        met ||= behind.has(target);
        if (ahead.has(target)) return;
        ahead.add(target);
        forward.push(target);
      });
      return met;
    };
    const stepBackward = (to: NodeId): boolean => {
      let met = false;
      forEachPredecessor(this.graph, to, through, (source) => {
        met ||= ahead.has(source);
        if (behind.has(source)) return;
        behind.add(source);
        backward.push(source);
      });
      return met;
    };
    if (stepForward(node)) return true;
    while (forward.length > 0 && backward.length > 0) if (stepForward(forward.pop()!) || stepBackward(backward.pop()!)) return true;
    return false;
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

/**
 * The component of each node, by a number. The targets of all nodes on the way lie in one stack; each node knows where
 * its own begin, so that nothing is made for a node.
 */
function componentsOf(graph: MemoryGraph, through: EdgeFilter | undefined): Int32Array {
  const component = new Int32Array(graph.nodeCount).fill(-1);
  const order = new Int32Array(graph.nodeCount).fill(-1);
  const lowest = new Int32Array(graph.nodeCount);
  const begins = new Int32Array(graph.nodeCount);
  const open: NodeId[] = [];
  const way: NodeId[] = [];
  const targets: NodeId[] = [];
  const push = (target: NodeId): void => {
    targets.push(target);
  };
  let entered = 0;
  let components = 0;
  const enter = (node: NodeId): void => {
    order[node] = lowest[node] = entered++;
    open.push(node);
    way.push(node);
    begins[node] = targets.length;
    forEachSuccessor(graph, node, through, push);
  };
  const leave = (node: NodeId): void => {
    way.pop();
    const caller = way.at(-1);
    if (caller !== undefined && lowest[node]! < lowest[caller]!) lowest[caller] = lowest[node]!;
    if (lowest[node] !== order[node]) return;
    let member: NodeId;
    do component[(member = open.pop()!)] = components;
    while (member !== node);
    components++;
  };
  for (const start of graph.liveNodes()) {
    if (order[start]! >= 0) continue;
    enter(start);
    while (way.length > 0) {
      const node = way.at(-1)!;
      if (targets.length === begins[node]) {
        leave(node);
        continue;
      }
      const target = targets.pop()!;
      if (order[target]! < 0) enter(target);
      else if (component[target]! < 0 && order[target]! < lowest[node]!) lowest[node] = order[target]!;
    }
  }
  return component;
}
