/**
 * Paths depend on more nodes than can be looked at again for every operation. A path that is there depends on its own
 * nodes; one that is not there needs a new pointer from a node that is reached to one that is not. All edges of a cycle
 * depend on the nodes of its component.
 */
import { forEachSuccessor } from '../checking/edges.js';
import type { MemoryGraph } from '../checking/memoryGraph.js';
import type { Paths } from '../checking/paths.js';
import type { EdgeFilter } from '../checking/terms.js';
import type { NodeId } from '../model.js';

export interface PointerWatch {
  /** Pointers of a node have changed, and may make the path come or go. */
  mayChange(node: NodeId): boolean;
}

export class PathWatch implements PointerWatch {
  private readonly nodes: Set<NodeId>;
  /** Once it is, the path has to be looked for. */
  private endIsReached = false;

  constructor(
    private readonly graph: MemoryGraph,
    from: NodeId,
    private readonly to: NodeId,
    private readonly through: EdgeFilter | undefined,
    private readonly isThere: boolean,
  ) {
    this.nodes = new Set([from]);
    if (isThere) this.findWay(from);
    else this.reach([from]);
  }

  mayChange(node: NodeId): boolean {
    if (this.isThere) return this.nodes.has(node);
    if (this.nodes.has(node) && this.graph.isLive(node)) this.reach([node]);
    return this.endIsReached;
  }

  /** Adds what is reached from there. What is no longer reached stays: it does no harm. */
  private reach(waiting: NodeId[]): void {
    while (waiting.length > 0) {
      forEachSuccessor(this.graph, waiting.pop()!, this.through, (target) => {
        if (target === this.to) this.endIsReached = true;
        if (this.nodes.has(target)) return;
        this.nodes.add(target);
        waiting.push(target);
      });
    }
  }

  /** The nodes of one way to the end, the end left out. */
  private findWay(from: NodeId): void {
    const before = new Map<NodeId, NodeId>();
    let layer = [from];
    while (layer.length > 0 && !before.has(this.to)) {
      const next: NodeId[] = [];
      for (const node of layer) {
        forEachSuccessor(this.graph, node, this.through, (target) => {
          if (before.has(target)) return;
          before.set(target, node);
          next.push(target);
        });
      }
      layer = next;
    }
    for (let node = before.get(this.to); node !== undefined && !this.nodes.has(node); node = before.get(node)) this.nodes.add(node);
  }
}

/** Watches that several inconsistencies have in common: those of one cycle. */
export type SharedWatches = Map<EdgeFilter | undefined, Map<number, CycleWatch>>;

export class CycleWatch implements PointerWatch {
  private constructor(private readonly nodes: ReadonlySet<NodeId>) {}

  /** That of a node's component, made once for all of its nodes. */
  static of(paths: Paths, graph: MemoryGraph, node: NodeId, through: EdgeFilter | undefined, shared: SharedWatches): CycleWatch {
    const component = paths.component(node, through);
    let watches = shared.get(through);
    if (watches === undefined) shared.set(through, (watches = new Map()));
    let watch = watches.get(component);
    if (watch === undefined) {
      const nodes = new Set([node]);
      const waiting = [node];
      while (waiting.length > 0) {
        forEachSuccessor(graph, waiting.pop()!, through, (target) => {
          if (nodes.has(target) || paths.component(target, through) !== component) return;
          nodes.add(target);
          waiting.push(target);
        });
      }
      watches.set(component, (watch = new CycleWatch(nodes)));
    }
    return watch;
  }

  mayChange(node: NodeId): boolean {
    return this.nodes.has(node);
  }
}
