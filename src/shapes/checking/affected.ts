/**
 * From what operations touched to the checks that may have another result now. On the way it forgets the values of
 * attributes that may have changed, and those of the attributes that depend on them.
 */
import type { NodeId } from '../model.js';
import type { Evaluator } from './evaluator.js';
import { footprintOfAttribute, footprintOfConstraint, forEachStart, readsField, type Footprint, type FootprintEntry } from './footprint.js';
import type { BoundSpecification } from './terms.js';
import type { TouchedCells } from './touchedCells.js';

interface Affected {
  /** By the number of a constraint: the nodes of each variable that checks must be repeated for. */
  readonly starts: ReadonlyMap<number, readonly ReadonlySet<NodeId>[]>;
  /** Constraints to check altogether. */
  readonly whole: ReadonlySet<number>;
}

export class AffectedChecks {
  private readonly ofConstraints: readonly Footprint[];
  private readonly ofAttributes: readonly Footprint[];

  constructor(
    private readonly specification: BoundSpecification,
    private readonly evaluator: Evaluator,
    /** Constraints that are checked altogether whenever something changes. */
    private readonly unlinked: ReadonlySet<number>,
  ) {
    this.ofConstraints = specification.constraints.map(footprintOfConstraint);
    this.ofAttributes = specification.attributes.map(footprintOfAttribute);
  }

  /** Attributes only: where none is known, none that depends on it is. */
  forgetAttributes(touched: TouchedCells): void {
    if (this.ofAttributes.length > 0) new Search(this.specification, this.evaluator, [], this.ofAttributes, this.unlinked, true).run(touched);
  }

  find(touched: TouchedCells): Affected {
    return new Search(this.specification, this.evaluator, this.ofConstraints, this.ofAttributes, this.unlinked).run(touched);
  }
}

class Search {
  private readonly starts = new Map<number, Set<NodeId>[]>();
  private readonly whole = new Set<number>();
  private readonly forgotten = new Set<string>();
  private readonly waiting: { attribute: number; node: NodeId }[] = [];

  constructor(
    private readonly specification: BoundSpecification,
    private readonly evaluator: Evaluator,
    private readonly ofConstraints: readonly Footprint[],
    private readonly ofAttributes: readonly Footprint[],
    private readonly unlinked: ReadonlySet<number>,
    private readonly knownOnly = false,
  ) {}

  run(touched: TouchedCells): Affected {
    const { graph } = this.evaluator;
    if (touched.bornOrDied.size > 16 && touched.bornOrDied.size > graph.liveCount / 2) return this.everything();
    this.findWhole(touched);
    this.ofAttributes.forEach(({ entries }, attribute) => {
      const { type } = this.specification.attributes[attribute]!;
      for (const node of touched.bornOrDied) if (graph.typeName(node) === type) this.forget(attribute, node);
      this.touching(entries, touched, (_, node) => this.forget(attribute, node));
    });
    this.forgetDependents();
    this.ofConstraints.forEach(({ entries }, constraint) => {
      if (this.whole.has(constraint)) return;
      const { variables, universal } = this.specification.constraints[constraint]!;
      for (const node of touched.bornOrDied) {
        const type = graph.typeName(node);
        for (let variable = 0; variable < universal; variable++) if (variables[variable]!.type === type) this.start(constraint, variable, node);
      }
      this.touching(entries, touched, (variable, node) => this.start(constraint, variable, node));
    });
    return { starts: this.starts, whole: this.whole };
  }

  /** Most of the graph is new: going back from everything would be dearer than to check everything. */
  private everything(): Affected {
    this.evaluator.attributes.forgetAll();
    return { starts: this.starts, whole: new Set(this.specification.constraints.keys()) };
  }

  private findWhole(touched: TouchedCells): void {
    if (touched.isEmpty) return;
    const pointers = touched.degrees.size > 0;
    this.ofConstraints.forEach(({ anyEdge, anything }, constraint) => {
      if (anything || this.unlinked.has(constraint) || (anyEdge && pointers)) this.whole.add(constraint);
    });
  }

  private start(constraint: number, variable: number, node: NodeId): void {
    let starts = this.starts.get(constraint);
    if (starts === undefined) this.starts.set(constraint, (starts = this.specification.constraints[constraint]!.variables.map(() => new Set<NodeId>())));
    starts[variable]!.add(node);
  }

  private touching(entries: readonly FootprintEntry[], touched: TouchedCells, visit: (variable: number, node: NodeId) => void): void {
    const { graph } = this.evaluator;
    for (const { way, read } of entries) {
      if (read.kind === 'attribute') continue;
      for (const [node, fields] of touched.fields) {
        if (!graph.isLive(node)) continue;
        for (const field of fields) {
          if (!readsField(graph, read, node, field)) continue;
          forEachStart(graph, way, node, visit);
          break;
        }
      }
      if (read.kind === 'edges') for (const node of touched.degrees) if (graph.isLive(node)) forEachStart(graph, way, node, visit);
    }
  }

  private forget(attribute: number, node: NodeId): void {
    const key = `${attribute} ${node}`;
    if (this.forgotten.has(key)) return;
    this.forgotten.add(key);
    const known = this.evaluator.attributes.forget(attribute, node);
    if (this.evaluator.graph.isLive(node) && (known || !this.knownOnly)) this.waiting.push({ attribute, node });
  }

  private forgetDependents(): void {
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) {
      const { attribute, node } = next;
      const reading = (entries: readonly FootprintEntry[], visit: (variable: number, start: NodeId) => void) => {
        for (const { way, read } of entries) if (read.kind === 'attribute' && read.attribute === attribute) forEachStart(this.evaluator.graph, way, node, visit);
      };
      this.ofAttributes.forEach(({ entries }, dependent) => reading(entries, (_, start) => this.forget(dependent, start)));
      this.ofConstraints.forEach(({ entries }, constraint) => {
        if (!this.whole.has(constraint)) reading(entries, (variable, start) => this.start(constraint, variable, start));
      });
    }
  }
}
