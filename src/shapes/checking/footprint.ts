/**
 * What a check can depend on, known before it runs: for each of its reads the way from a variable to the node that is
 * read, and what is read there. When something changes at a node, the way is gone back, by the pointers that lead to
 * the node: at its start are the nodes whose checks may have another result. No check has to remember what it read.
 *
 * Going back in the graph of now is enough, even after many changes: of all reads of a check whose result changed, the
 * first that has another answer lies at the end of a way that has not changed.
 */
import { assertNever } from '../../base/assert.js';
import type { NodeId } from '../model.js';
import { forEachSource, linksOf, mayChoose, rootOf } from './bindings.js';
import { forEachPredecessor } from './edges.js';
import type { MemoryGraph } from './memoryGraph.js';
import type { BoundAttribute, BoundConstraint, EdgeFilter, FieldChoice, Formula, Term, Vertex } from './terms.js';

type Read =
  | { readonly kind: 'field'; readonly field: FieldChoice }
  /** Edges from it, or to it. */
  | { readonly kind: 'edges' }
  | { readonly kind: 'attribute'; readonly attribute: number }
  /** Any of its fields: a text. */
  | { readonly kind: 'all' };

/** A way to a node: a vertex; or from the variable of such a way along an edge, for `some` variables found by one. */
type Way = { readonly kind: 'vertex'; readonly vertex: Vertex } | { readonly kind: 'edge'; readonly from: number; readonly through?: EdgeFilter; readonly vertex: Vertex };

export interface FootprintEntry {
  readonly way: Way;
  readonly read: Read;
}

export interface Footprint {
  readonly entries: readonly FootprintEntry[];
  /** A path is asked for: every pointer matters. */
  readonly anyEdge: boolean;
  /** A variable is not linked with the others: every change matters. */
  readonly anything: boolean;
}

export function footprintOfAttribute(attribute: BoundAttribute): Footprint {
  const collector = new Collector(1, []);
  if (attribute.guard !== undefined) collector.formula(attribute.guard);
  for (const term of [attribute.terminal, attribute.otherwise]) if (term !== undefined) collector.term(term);
  return collector.footprint();
}

export function footprintOfConstraint(constraint: BoundConstraint): Footprint {
  const collector = new Collector(constraint.universal, [...linksOf(constraint.guard), ...linksOf(constraint.body)]);
  if (constraint.range !== undefined) {
    collector.term(constraint.range.from);
    collector.term(constraint.range.to);
  }
  if (constraint.guard !== undefined) collector.formula(constraint.guard);
  collector.formula(constraint.body);
  return collector.footprint();
}

class Collector {
  private readonly entries = new Map<string, FootprintEntry>();
  private anyEdge = false;
  private anything = false;

  constructor(
    private readonly universal: number,
    private readonly links: ReturnType<typeof linksOf>,
  ) {}

  footprint(): Footprint {
    return { entries: [...this.entries.values()], anyEdge: this.anyEdge, anything: this.anything };
  }

  formula(formula: Formula): void {
    switch (formula.kind) {
      case 'constant':
        return;
      case 'compare':
        this.term(formula.left);
        return this.term(formula.right);
      case 'same':
        this.vertex(formula.left);
        return this.vertex(formula.right);
      case 'edge':
        this.vertex(formula.to);
        return this.add(formula.from, { kind: 'edges' });
      case 'path':
        this.anyEdge = true;
        this.vertex(formula.from);
        return this.vertex(formula.to);
      case 'and':
      case 'or':
        this.formula(formula.left);
        return this.formula(formula.right);
      case 'not':
        return this.formula(formula.of);
      default:
        return assertNever(formula);
    }
  }

  term(term: Term): void {
    switch (term.kind) {
      case 'value':
      case 'text':
      case 'index':
        return;
      case 'field':
        return this.field(term.vertex, term.field);
      case 'address':
        return this.vertex(term.vertex);
      case 'degree':
        return this.add(term.vertex, { kind: 'edges' });
      case 'attribute':
        return this.add(term.vertex, { kind: 'attribute', attribute: term.attribute });
      case 'arithmetic':
        this.term(term.left);
        return this.term(term.right);
      case 'negative':
      case 'absolute':
        return this.term(term.of);
      case 'choose':
        this.formula(term.test);
        this.term(term.yes);
        return this.term(term.no);
      case 'call':
        return term.of.forEach((argument) => this.argument(argument));
      default:
        return assertNever(term);
    }
  }

  /** A function may be given the text that a pointer leads to. */
  private argument(term: Term): void {
    this.term(term);
    if (term.kind === 'field') this.add({ kind: 'pointee', vertex: term.vertex, field: term.field }, { kind: 'all' });
  }

  private field(vertex: Vertex, field: FieldChoice): void {
    if (field.kind === 'computed') this.term(field.index);
    this.add(vertex, { kind: 'field', field });
  }

  private vertex(vertex: Vertex): void {
    if (vertex.kind === 'at') {
      // Whatever comes to be there or goes.
      this.anything = true;
      this.term(vertex.address);
    } else if (vertex.kind !== 'variable') this.field(vertex.vertex, vertex.field);
  }

  private add(vertex: Vertex, read: Read): void {
    this.vertex(vertex);
    const way = this.wayOf(vertex);
    if (way === undefined) {
      this.anything = true;
      return;
    }
    this.entries.set(JSON.stringify([way, read], (_, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value)), { way, read });
  }

  /** A variable of which there is some is reached from one that it is linked with. */
  private wayOf(vertex: Vertex): Way | undefined {
    const root = rootOf(vertex);
    if (root < 0) return undefined;
    if (root < this.universal) return { kind: 'vertex', vertex };
    const link = this.links.find((candidate) => candidate.to === root && candidate.from < this.universal);
    if (link === undefined || link.kind === 'path') return undefined;
    if (link.kind === 'same') return { kind: 'vertex', vertex: replaceRoot(vertex, link.vertex) };
    return { kind: 'edge', from: link.from, ...(link.through !== undefined && { through: link.through }), vertex };
  }
}

function replaceRoot(vertex: Vertex, by: Vertex): Vertex {
  if (vertex.kind === 'at') return vertex;
  return vertex.kind === 'variable' ? by : { ...vertex, vertex: replaceRoot(vertex.vertex, by) };
}

/** The variables, and the nodes for them, from which a way leads to a node. */
export function forEachStart(graph: MemoryGraph, way: Way, node: NodeId, visit: (variable: number, start: NodeId) => void): void {
  if (way.kind === 'vertex') {
    const variable = rootOf(way.vertex);
    return forEachSource(graph, way.vertex, node, (start) => visit(variable, start));
  }
  forEachSource(graph, way.vertex, node, (target) => forEachPredecessor(graph, target, way.through, (start) => visit(way.from, start)));
}

/** Whether a field of a node that changed is what is read. */
export function readsField(graph: MemoryGraph, read: Read, node: NodeId, field: number): boolean {
  switch (read.kind) {
    case 'field':
      return mayChoose(graph, read.field, node, field);
    case 'edges':
      return graph.layout(node).roleOf(field) !== 0;
    case 'all':
      return true;
    default:
      return false;
  }
}
