/** Nodes of a function as jump tables look at them: backward, from a node to those that control may have come from. */
import type { Stretch } from './exploration.js';
import type { Expression } from './expressions.js';
import type { NodeMeaning, NodeMeanings } from './nodeMeaning.js';

/** A condition that holds, or does not. */
export interface Constraint {
  readonly condition: Expression;
  readonly holds: boolean;
}

/** A way by which control may have come to a node. */
interface Arrival {
  readonly from: number;
  readonly constraint: Constraint | undefined;
}

export class NodeFlow {
  private readonly sources: number[][];
  private readonly known: (readonly Arrival[] | undefined)[] = [];
  /** By node, then by the expression's id. */
  private readonly changed: (Map<number, Expression> | undefined)[] = [];
  private readonly means: (NodeMeaning | undefined)[] = [];

  constructor(
    readonly nodes: readonly Stretch[],
    readonly meanings: NodeMeanings,
  ) {
    const indexOf = new Map(nodes.map(({ start }, i) => [start, i]));
    this.sources = nodes.map(() => []);
    nodes.forEach(({ ending }, from) => {
      for (const target of ending.targets) {
        const to = indexOf.get(target);
        if (to !== undefined) this.sources[to]?.push(from);
      }
    });
  }

  /** With the conditions of branches; found out when it is asked for. */
  arrivalsAt(node: number): readonly Arrival[] {
    const { start } = this.nodes[node] as Stretch;
    return (this.known[node] ??= (this.sources[node] as number[]).map((from) => ({ from, constraint: this.constraint(from, start) })));
  }

  /** The node is entered from outside, too. */
  isEntry(node: number): boolean {
    return node === 0;
  }

  /** An expression of what there is after a node, as one of what there was before it. */
  before(expression: Expression, node: number): Expression {
    const known = (this.changed[node] ??= new Map<number, Expression>());
    let found = known.get(expression.id);
    if (found === undefined) {
      this.means[node] ??= this.meanings.of(this.nodes[node] as Stretch);
      known.set(expression.id, (found = this.meanings.before(expression, this.means[node])));
    }
    return found;
  }

  private constraint(from: number, to: number): Constraint | undefined {
    const { ending } = this.nodes[from] as Stretch;
    if (ending.kind !== 'branch' || ending.taken === ending.next) return undefined;
    const { condition } = this.meanings.of(this.nodes[from] as Stretch);
    return condition === undefined ? undefined : { condition, holds: ending.taken === to };
  }
}
