/** Nodes of a function as jump tables look at them: backward, from a node to those that control may have come from. */
import type { Stretch } from './exploration.js';
import type { Expression } from './expressions.js';
import type { NodeMeanings } from './nodeMeaning.js';

/** A condition that holds, or does not. */
export interface Constraint {
  readonly condition: Expression;
  readonly holds: boolean;
}

/** A way by which control may have come to a node. */
export interface Arrival {
  readonly from: number;
  readonly constraint: Constraint | undefined;
}

export class NodeFlow {
  private readonly arrivals: Arrival[][];

  constructor(
    readonly nodes: readonly Stretch[],
    readonly meanings: NodeMeanings,
  ) {
    const indexOf = new Map(nodes.map(({ start }, i) => [start, i]));
    this.arrivals = nodes.map(() => []);
    nodes.forEach(({ ending }, from) => {
      for (const target of ending.targets) {
        const to = indexOf.get(target);
        if (to !== undefined) this.arrivals[to]?.push({ from, constraint: undefined });
      }
    });
  }

  /** With the conditions of branches; found out when it is asked for. */
  arrivalsAt(node: number): readonly Arrival[] {
    const { start } = this.nodes[node] as Stretch;
    return (this.arrivals[node] as Arrival[]).map(({ from }) => ({ from, constraint: this.constraint(from, start) }));
  }

  /** The node is entered from outside, too. */
  isEntry(node: number): boolean {
    return node === 0;
  }

  /** An expression of what there is after a node, as one of what there was before it. */
  before(expression: Expression, node: number): Expression {
    return this.meanings.before(expression, this.meanings.of(this.nodes[node] as Stretch));
  }

  private constraint(from: number, to: number): Constraint | undefined {
    const { ending } = this.nodes[from] as Stretch;
    if (ending.kind !== 'branch' || ending.taken === ending.next) return undefined;
    const { condition } = this.meanings.of(this.nodes[from] as Stretch);
    return condition === undefined ? undefined : { condition, holds: ending.taken === to };
  }
}
