/**
 * Which nodes a constraint's variables may stand for. A guard like `X -> Y`, or `X.left == Y`, leads from one variable
 * to the next: then only pairs that are connected are looked at, rather than all pairs. It works from either end, so
 * that a check can begin at the node that has changed.
 */
import { assertNever } from '../../base/assert.js';
import type { NodeId } from '../model.js';
import { forEachPredecessor, forEachSuccessor } from './edges.js';
import type { Evaluator } from './evaluator.js';
import type { MemoryGraph } from './memoryGraph.js';
import type { BoundConstraint, EdgeFilter, FieldChoice, Formula, Vertex } from './terms.js';
import { isMissing } from './values.js';

/** How one variable is found from another. */
type Link =
  | { readonly kind: 'edge' | 'path'; readonly from: number; readonly to: number; readonly through?: EdgeFilter }
  /** `to` is what the vertex, which begins at `from`, leads to. */
  | { readonly kind: 'same'; readonly from: number; readonly to: number; readonly vertex: Vertex };

/** Links that must hold for the formula to hold: parts of an `and`. */
export function linksOf(formula: Formula | undefined): Link[] {
  if (formula === undefined) return [];
  if (formula.kind === 'and') return [...linksOf(formula.left), ...linksOf(formula.right)];
  if (formula.kind === 'edge' || formula.kind === 'path') return formula.negated ? [] : connectionLink(formula);
  if (formula.kind !== 'same' || formula.negated) return [];
  const { left, right } = formula;
  if (rootOf(left) < 0 || rootOf(right) < 0) return [];
  if (right.kind === 'variable' && rootOf(left) !== right.variable) return [{ kind: 'same', from: rootOf(left), to: right.variable, vertex: left }];
  if (left.kind === 'variable' && rootOf(right) !== left.variable) return [{ kind: 'same', from: rootOf(right), to: left.variable, vertex: right }];
  return [];
}

function connectionLink({ kind, from, to, through }: Formula & { kind: 'edge' | 'path' }): Link[] {
  if (from.kind !== 'variable' || to.kind !== 'variable' || from.variable === to.variable) return [];
  return [{ kind, from: from.variable, to: to.variable, ...(through !== undefined && { through }) }];
}

/** The variable that a vertex begins at; of one at an address none. */
export function rootOf(vertex: Vertex): number {
  if (vertex.kind === 'at') return -1;
  return vertex.kind === 'variable' ? vertex.variable : rootOf(vertex.vertex);
}

function isComputed(vertex: Vertex): boolean {
  return vertex.kind !== 'variable' && vertex.kind !== 'at' && (vertex.field.kind === 'computed' || isComputed(vertex.vertex));
}

/** Better ones first: at most one node, some, those of whole paths. */
const RANK = { same: 0, edge: 1, path: 2 } as const;

export class Bindings {
  private readonly guardLinks: readonly Link[];
  private readonly bodyLinks: readonly Link[];

  constructor(
    private readonly constraint: BoundConstraint,
    private readonly evaluator: Evaluator,
  ) {
    // Variables are bound before there is an index.
    this.guardLinks = rank(linksOf(constraint.guard).filter((link) => link.kind !== 'same' || !isComputed(link.vertex)));
    this.bodyLinks = rank([...linksOf(constraint.guard), ...linksOf(constraint.body)]);
  }

  /** Whether every further variable is found from another one: then a change is local. */
  get isLinked(): boolean {
    const { universal, variables } = this.constraint;
    const reached = (links: readonly Link[], start: number, among: number) => {
      const found = new Set([start]);
      for (let grew = true; grew; ) {
        grew = false;
        for (const { from, to } of links) {
          if (found.has(from) === found.has(to)) continue;
          found.add(from).add(to);
          grew = true;
        }
      }
      return [...found].filter((variable) => variable < among).length === among;
    };
    return reached(this.guardLinks, 0, universal) && (universal === variables.length || reached(this.bodyLinks, 0, variables.length));
  }

  /** All bindings of the variables that must hold for all; if one is given, those with it. The array is reused. */
  forEach(visit: (binding: NodeId[]) => void, given?: { variable: number; node: NodeId }): void {
    const binding: NodeId[] = new Array<NodeId>(this.constraint.variables.length).fill(-1);
    if (given === undefined) return this.extend(binding, visit);
    if (!this.fits(given.variable, given.node)) return;
    binding[given.variable] = given.node;
    this.extend(binding, visit);
  }

  /** Nodes for a variable of which there must be some. */
  forEachSome(variable: number, binding: readonly NodeId[], index: number, visit: (node: NodeId) => void): void {
    this.candidates(variable, binding, index, this.bodyLinks, visit);
  }

  /** Those of the range, as far as a node can have fields by them. */
  forEachIndex(binding: readonly NodeId[], visit: (index: number) => void): void {
    const { range, universal } = this.constraint;
    if (range === undefined) return visit(0);
    const [from, to] = [range.from, range.to].map((bound) => {
      const value = this.evaluator.value(bound, binding);
      return isMissing(value) ? Number.NaN : Number(value);
    }) as [number, number];
    let fields = 0;
    for (let variable = 0; variable < universal; variable++) fields = Math.max(fields, this.evaluator.graph.fieldCount(binding[variable]!));
    // A broken count may be any number.
    const last = Math.min(to, Math.max(from, 0) + fields);
    for (let index = from; index <= last; index++) visit(index);
  }

  private fits(variable: number, node: NodeId): boolean {
    const { graph } = this.evaluator;
    return graph.isLive(node) && graph.typeName(node) === this.constraint.variables[variable]!.type;
  }

  private extend(binding: NodeId[], visit: (binding: NodeId[]) => void): void {
    const next = this.nextVariable(binding);
    if (next < 0) return visit(binding);
    this.candidates(next, binding, 0, this.guardLinks, (node) => {
      binding[next] = node;
      this.extend(binding, visit);
      binding[next] = -1;
    });
  }

  /** One that is linked with what is bound, or the first. */
  private nextVariable(binding: readonly NodeId[]): number {
    const { universal } = this.constraint;
    for (const { from, to } of this.guardLinks) {
      if (from >= universal || to >= universal) continue;
      if (binding[from]! >= 0 && binding[to]! < 0) return to;
      if (binding[to]! >= 0 && binding[from]! < 0) return from;
    }
    return binding.findIndex((node, variable) => node < 0 && variable < universal);
  }

  private candidates(variable: number, binding: readonly NodeId[], index: number, links: readonly Link[], visit: (node: NodeId) => void): void {
    const { graph } = this.evaluator;
    const link = links.find(({ from, to }) => (to === variable && binding[from]! >= 0) || (from === variable && binding[to]! >= 0));
    if (link === undefined) {
      // Nothing changes the graph meanwhile.
      const nodes = graph.nodesOf(this.constraint.variables[variable]!.type);
      for (let i = 0; i < nodes.length; i++) visit(nodes[i]!);
      return;
    }
    // Two pointers to the same node make one binding.
    const found: NodeId[] = [];
    this.follow(link, variable, binding, index, (node) => found.push(node));
    const distinct = found.length < 2 ? found : new Set(found);
    for (const node of distinct) if (this.fits(variable, node)) visit(node);
  }

  private follow(link: Link, variable: number, binding: readonly NodeId[], index: number, visit: (node: NodeId) => void): void {
    const { graph, paths } = this.evaluator;
    const forward = link.to === variable;
    const known = binding[forward ? link.from : link.to]!;
    switch (link.kind) {
      case 'same': {
        if (!forward) return forEachSource(graph, link.vertex, known, visit);
        const node = this.evaluator.node(link.vertex, binding, index);
        if (node >= 0) visit(node);
        return;
      }
      case 'edge':
        return (forward ? forEachSuccessor : forEachPredecessor)(graph, known, link.through, visit);
      case 'path':
        // Backward there may be any number of starts: each is asked.
        if (forward) for (const node of paths.from(known, link.through)) visit(node);
        else for (const node of graph.nodesOf(this.constraint.variables[variable]!.type)) visit(node);
        return;
      default:
        return assertNever(link);
    }
  }
}

function rank(links: Link[]): Link[] {
  return links.sort((a, b) => RANK[a.kind] - RANK[b.kind]);
}

/** The nodes from which a vertex may lead to a node: its way backward, by the pointers that are there. */
export function forEachSource(graph: MemoryGraph, vertex: Vertex, node: NodeId, visit: (source: NodeId) => void): void {
  if (vertex.kind === 'variable') return visit(node);
  if (vertex.kind === 'at') return;
  const sources = new Set<NodeId>();
  const collect = (source: NodeId, field: number) => {
    if (mayChoose(graph, vertex.field, source, field)) sources.add(source);
  };
  if (vertex.kind === 'pointee') graph.forEachPointerTo(node, collect);
  else graph.forEachLeading(graph.addressOf(node) + vertex.offset, collect);
  for (const source of sources) forEachSource(graph, vertex.vertex, source, visit);
}

/** Whether a field of a node may be the one that is chosen; computed ones may be any. */
export function mayChoose(graph: MemoryGraph, choice: FieldChoice, node: NodeId, field: number): boolean {
  switch (choice.kind) {
    case 'fixed':
      return choice.index === field;
    case 'named':
      return choice.byType.get(graph.typeName(node)) === field;
    default:
      return field >= choice.first && field <= choice.last;
  }
}
