/**
 * A graph, a specification and what is inconsistent in it: kept up to date while operations are done and undone. A
 * change repeats only the checks that it may have changed, when their results are asked for.
 */
import type { NodeId, Operation } from '../model.js';
import { AffectedChecks } from './affected.js';
import { ConstraintCheck, isAbout, type Inconsistency } from './checks.js';
import { Evaluator } from './evaluator.js';
import { MemoryGraph } from './memoryGraph.js';
import type { BoundSpecification } from './terms.js';
import { TouchedCells } from './touchedCells.js';

/** So many nodes are asked one by one whether they are on a cycle. */
const FEW = 64;

export class ShapeChecker {
  readonly graph: MemoryGraph;
  readonly evaluator: Evaluator;
  readonly checks: readonly ConstraintCheck[];
  private readonly affected: AffectedChecks;
  private readonly touched = new TouchedCells();
  private readonly found = new Map<string, Inconsistency>();
  /** Keys of what is found, by constraint and node. */
  private readonly byNode: Map<NodeId, Set<string>>[];

  constructor(readonly specification: BoundSpecification) {
    this.graph = new MemoryGraph(specification.rules);
    this.evaluator = new Evaluator(this.graph, specification);
    this.checks = specification.constraints.map((constraint) => new ConstraintCheck(constraint, this.evaluator));
    this.affected = new AffectedChecks(specification, this.evaluator, new Set(this.checks.flatMap(({ bindings }, index) => (bindings.isLinked ? [] : [index]))));
    this.byNode = this.checks.map(() => new Map<NodeId, Set<string>>());
  }

  apply(operation: Operation): void {
    this.graph.apply(operation, this.touched);
  }

  undo(operation: Operation): void {
    this.graph.undo(operation, this.touched);
  }

  /** What is inconsistent now, by key; with types, of the constraints that are about one of them. */
  inconsistencies(types: readonly string[] = []): ReadonlyMap<string, Inconsistency> {
    this.update();
    if (types.length === 0) return this.found;
    return new Map([...this.found].filter(([, { constraint }]) => isAbout(constraint, types)));
  }

  /** Brings the answer up to date. */
  private update(): void {
    const affected = this.affected.find(this.touched);
    for (const constraint of affected.whole) {
      if (this.staysAcyclic(constraint)) continue;
      for (const [key] of [...this.found].filter(([, found]) => found.constraint.index === constraint)) this.remove(key);
      this.checks[constraint]!.forEachInconsistency((inconsistency) => this.add(inconsistency));
    }
    for (const [constraint, variables] of affected.starts) {
      variables.forEach((nodes, variable) => {
        for (const node of nodes) this.repeat(constraint, variable, node);
      });
    }
    this.touched.clear();
  }

  /**
   * What had no cycle can have one only through a pointer that is new, and those are of nodes that were touched. Asking
   * those is dearer than looking for components if they are many.
   */
  private staysAcyclic(constraint: number): boolean {
    const { acyclic } = this.checks[constraint]!;
    if (acyclic === undefined || this.byNode[constraint]!.size > 0) return false;
    const sources = new Set([...this.touched.fields.keys(), ...this.touched.bornOrDied]);
    if (sources.size > FEW) return false;
    for (const node of sources) if (this.graph.isLive(node) && this.evaluator.paths.closesCycle(node, acyclic.through)) return false;
    return true;
  }

  private repeat(constraint: number, variable: number, node: NodeId): void {
    for (const key of [...(this.byNode[constraint]!.get(node) ?? [])]) if (this.found.get(key)?.nodes[variable] === node) this.remove(key);
    if (this.graph.isLive(node)) this.checks[constraint]!.forEachInconsistency((inconsistency) => this.add(inconsistency), { variable, node });
  }

  private add(inconsistency: Inconsistency): void {
    if (this.found.has(inconsistency.key)) return;
    this.found.set(inconsistency.key, inconsistency);
    const byNode = this.byNode[inconsistency.constraint.index]!;
    for (const node of inconsistency.nodes) {
      const keys = byNode.get(node);
      if (keys === undefined) byNode.set(node, new Set([inconsistency.key]));
      else keys.add(inconsistency.key);
    }
  }

  private remove(key: string): void {
    const { constraint, nodes } = this.found.get(key)!;
    this.found.delete(key);
    for (const node of nodes) {
      const keys = this.byNode[constraint.index]!.get(node);
      keys?.delete(key);
      if (keys?.size === 0) this.byNode[constraint.index]!.delete(node);
    }
  }
}
