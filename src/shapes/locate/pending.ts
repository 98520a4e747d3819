/**
 * An inconsistency that the search carries backward: its arguments as they are now, and what an operation must touch to
 * change one of them (the paper's dependency list, from which modification is predicted).
 *
 * Paths depend on more nodes than can be looked at again for every operation. A path that is there depends on its own
 * nodes; one that is not there needs a new pointer from a node that is reached to one that is not.
 */
import type { ConstraintCheck, Inconsistency } from '../checking/checks.js';
import { forEachSuccessor } from '../checking/edges.js';
import type { ArgumentValue, Evaluator } from '../checking/evaluator.js';
import type { MemoryGraph } from '../checking/memoryGraph.js';
import type { EdgeFilter } from '../checking/terms.js';
import type { NodeId } from '../model.js';

export interface Arguments {
  readonly holds: boolean;
  readonly values: ReadonlyMap<string, ArgumentValue>;
  readonly nodes: ReadonlySet<NodeId>;
  readonly paths: readonly PathWatch[];
  /** It reads attributes, or looks for some node: what it depends on is more than what it has read. */
  readonly isDemanding: boolean;
}

/** Evaluates a check of nodes in the graph of now, and notes what it read. */
export function argumentsOf(evaluator: Evaluator, check: ConstraintCheck, { nodes, index }: Inconsistency): Arguments {
  const values = new Map<string, ArgumentValue>();
  const readAt = new Set<NodeId>(nodes);
  const paths: PathWatch[] = [];
  let isDemanding = nodes.length < check.constraint.variables.length;
  evaluator.record = (key, value, node, path) => {
    if (path !== undefined && !values.has(key)) paths.push(new PathWatch(evaluator.graph, node, path.to, path.through, value === true));
    values.set(key, value);
    readAt.add(node);
    isDemanding ||= key.startsWith('at');
  };
  const holds = check.holds(nodes, index);
  evaluator.record = undefined;
  return { holds, values, nodes: readAt, paths, isDemanding };
}

/** Whether an operation between the two changed an argument of the check. */
export function differ(a: Arguments, b: Arguments): boolean {
  if (a.holds !== b.holds || a.values.size !== b.values.size) return true;
  for (const [key, value] of a.values) if (!Object.is(b.values.get(key), value)) return true;
  return false;
}

class PathWatch {
  private readonly nodes: Set<NodeId>;

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

  /** Pointers of a node have changed, and may make the path come or go. */
  mayChange(node: NodeId): boolean {
    if (!this.nodes.has(node)) return false;
    return this.isThere || !this.graph.isLive(node) || this.reach([node]);
  }

  /** Adds what is reached from there; whether the end is. What is no longer reached stays: it does no harm. */
  private reach(waiting: NodeId[]): boolean {
    let found = false;
    while (waiting.length > 0) {
      forEachSuccessor(this.graph, waiting.pop()!, this.through, (target) => {
        if (target === this.to) found = true;
        if (this.nodes.has(target)) return;
        this.nodes.add(target);
        waiting.push(target);
      });
    }
    return found;
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
