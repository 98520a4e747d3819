/**
 * A constraint checked over nodes: an *inconsistency* is the constraint with the nodes (and the index of its range)
 * that it does not hold for (definition 1 of the paper).
 */
import type { NodeId } from '../model.js';
import { isAcyclicity } from './bind.js';
import { Bindings } from './bindings.js';
import type { Evaluator } from './evaluator.js';
import type { BoundConstraint, EdgeFilter } from './terms.js';
import { FALSE, TRUE, UNKNOWN, type Truth } from './values.js';

/** Thrown to end an enumeration; nothing is wrong. */
const ENOUGH = Symbol('enough');

export interface Inconsistency {
  readonly constraint: BoundConstraint;
  /** Of the variables that it must hold for all of. */
  readonly nodes: readonly NodeId[];
  /** Of the range; 0 without one. */
  readonly index: number;
  /** The same for the same constraint, nodes and index. */
  readonly key: string;
}

export class ConstraintCheck {
  readonly bindings: Bindings;
  /** Of `X -> Y => Y /->> X`: the edges that are meant, which components answer for all at once. */
  readonly acyclic: { readonly through: EdgeFilter | undefined; readonly from: number; readonly to: number } | undefined;

  constructor(
    readonly constraint: BoundConstraint,
    private readonly evaluator: Evaluator,
  ) {
    this.bindings = new Bindings(constraint, evaluator);
    const { guard, body } = constraint;
    if (guard !== undefined && isAcyclicity(guard, body)) this.acyclic = { through: guard.through, from: guard.from.kind === 'variable' ? guard.from.variable : 0, to: guard.to.kind === 'variable' ? guard.to.variable : 0 };
  }

  /** Everything that it does not hold for; with a variable given, only where that is the node. */
  forEachInconsistency(visit: (inconsistency: Inconsistency) => void, given?: { variable: number; node: NodeId }): void {
    this.bindings.forEach((binding) => {
      this.bindings.forEachIndex(binding, (index) => {
        if (!this.holdsQuickly(binding, index)) visit(this.inconsistency(binding, index));
      });
    }, given);
  }

  /** For how many nodes it says something that holds, and whether it holds for all; up to a number of them. */
  tally(most: number): { tested: number; holds: boolean } {
    let tested = 0;
    try {
      this.bindings.forEach((binding) => {
        this.bindings.forEachIndex(binding, (index) => {
          const truth = this.truthOf(binding, index);
          if (truth === FALSE || tested >= most) throw ENOUGH;
          if (truth === TRUE) tested++;
        });
      });
    } catch (thrown) {
      if (thrown !== ENOUGH) throw thrown;
      return { tested, holds: tested >= most };
    }
    return { tested, holds: true };
  }

  /** UNKNOWN where its guard does not hold, or where it asks something of NULL. */
  private truthOf(binding: NodeId[], index: number): Truth {
    const { guard, body, universal, variables } = this.constraint;
    if (guard !== undefined && this.evaluator.truth(guard, binding, index) !== TRUE) return UNKNOWN;
    if (this.acyclic !== undefined || universal < variables.length) return this.holdsQuickly(binding, index) ? TRUE : FALSE;
    return this.evaluator.truth(body, binding, index);
  }

  /** Of nodes that may be gone, and an index that may be out of its range: then there is nothing to hold. */
  holds(nodes: readonly NodeId[], index: number): boolean {
    const { guard, body, universal, variables } = this.constraint;
    const binding = [...nodes];
    for (let variable = 0; variable < universal; variable++) if (!this.isLive(binding[variable]!)) return true;
    if (!this.inRange(binding, index)) return true;
    if (guard !== undefined && this.evaluator.truth(guard, binding, index) !== TRUE) return true;
    if (this.acyclic !== undefined) return !this.isOnCycle(binding, this.acyclic);
    return universal === variables.length ? this.evaluator.truth(body, binding, index) !== FALSE : this.isSome(universal, binding, index);
  }

  /** The path back from where the edge leads; all edges of a cycle have the same answer. */
  private isOnCycle(binding: readonly NodeId[], { from, to, through }: NonNullable<ConstraintCheck['acyclic']>): boolean {
    const [source, target] = [binding[from]!, binding[to]!];
    const found = this.evaluator.paths.onCycle(source, target, through);
    this.evaluator.record?.(`path ${target} ${source}`, found, target, { to: source, through, isCycle: true });
    return found;
  }

  private isLive(node: NodeId): boolean {
    const live = this.evaluator.graph.isLive(node);
    this.evaluator.record?.(`live ${node}`, live, node);
    return live;
  }

  inconsistency(binding: readonly NodeId[], index: number): Inconsistency {
    const nodes = binding.slice(0, this.constraint.universal);
    return { constraint: this.constraint, nodes, index, key: `${this.constraint.index}:${nodes.join(',')}:${index}` };
  }

  private inRange(binding: readonly NodeId[], index: number): boolean {
    if (this.constraint.range === undefined) return true;
    let found = false;
    this.bindings.forEachIndex(binding, (candidate) => {
      found ||= candidate === index;
    });
    return found;
  }

  /** For bindings that were enumerated: their nodes are live and the index is in its range. */
  private holdsQuickly(binding: NodeId[], index: number): boolean {
    const { guard, body, universal, variables } = this.constraint;
    if (this.acyclic !== undefined) return !this.evaluator.paths.onCycle(binding[this.acyclic.from]!, binding[this.acyclic.to]!, this.acyclic.through);
    if (guard !== undefined && this.evaluator.truth(guard, binding, index) !== TRUE) return true;
    return universal === variables.length ? this.evaluator.truth(body, binding, index) !== FALSE : this.isSome(universal, binding, index);
  }

  private isSome(variable: number, binding: NodeId[], index: number): boolean {
    if (variable === this.constraint.variables.length) return this.evaluator.truth(this.constraint.body, binding, index) !== FALSE;
    let found = false;
    this.bindings.forEachSome(variable, binding, index, (node) => {
      if (found) return;
      binding[variable] = node;
      found = this.isSome(variable + 1, binding, index);
    });
    binding[variable] = -1;
    return found;
  }
}

export function isAbout({ variables }: BoundConstraint, types: readonly string[]): boolean {
  return types.length === 0 || variables.some(({ type }) => types.includes(type));
}
