/**
 * A small structure that a specification calls healthy, found by trying: nodes whose fields are changed one at a time,
 * more and more of those changes kept that leave less broken and more connected. If a specification allows nothing
 * that is connected, there is no example, which says something about it, too.
 */
import { bindShapes } from '../checking/bind.js';
import { ShapeChecker } from '../checking/shapeChecker.js';
import type { Item } from '../language/ast.js';
import type { FieldValue, NodeId, ShapeField } from '../model.js';
import { pictureOf, type Picture } from './picture.js';
import { synthesizeProgram } from './synthesize.js';

const STEPS = 2500;
const NODES = 5;

export function exampleOf(items: readonly Item[]): Picture | undefined {
  const program = synthesizeProgram(items);
  const { specification, problems } = bindShapes(items, program);
  return problems.length > 0 ? undefined : new Trial(new ShapeChecker(specification), program, specification.rules.roots).run();
}

interface Change {
  readonly node: NodeId;
  readonly field: number;
  readonly value: FieldValue;
}

class Trial {
  private readonly nodes: { node: NodeId; type: string; fields: readonly ShapeField[] }[] = [];
  private readonly values: FieldValue[][] = [];
  private readonly numbers: readonly number[];
  private state = 20250101;

  constructor(
    private readonly checker: ShapeChecker,
    { types, numbers }: ReturnType<typeof synthesizeProgram>,
    roots: ReadonlySet<string>,
  ) {
    this.numbers = [...Array.from({ length: 10 }, (_, i) => i), ...numbers];
    const most = types.toSorted((a, b) => b.fields.filter(({ kind }) => kind === 'pointer').length - a.fields.filter(({ kind }) => kind === 'pointer').length)[0];
    for (const type of types) {
      for (let i = 0; i < (type === most && !roots.has(type.name) ? NODES : 1); i++) {
        const node = this.nodes.length;
        const values = type.fields.map(() => 0);
        checker.apply({ kind: 'made', time: 0, by: { address: 0, thread: 0 }, node, type, address: this.addressOf(node), bytes: Math.max(8, type.bytes), values });
        this.nodes.push({ node, type: type.name, fields: type.fields });
        this.values.push(values);
      }
    }
  }

  run(): Picture | undefined {
    if (this.nodes.every(({ fields }) => fields.length === 0)) return undefined;
    let cost = this.cost();
    let best: FieldValue[][] | undefined;
    let bestCost = Number.POSITIVE_INFINITY;
    for (let step = 0; step < STEPS; step++) {
      const changes = this.changes();
      const before = changes.map(({ node, field }) => ({ node, field, value: this.values[node]![field - 1]! }));
      for (const { node, field, value } of changes) this.write(node, field, value);
      const changed = this.cost();
      const warmth = 1.2 * (1 - step / STEPS) + 0.02;
      if (changed > cost && this.below(1000) / 1000 > Math.exp((cost - changed) / warmth)) {
        for (const { node, field, value } of before.reverse()) this.write(node, field, value);
        continue;
      }
      cost = changed;
      if (cost < bestCost && this.checker.inconsistencies().size === 0) [best, bestCost] = [this.values.map((values) => [...values]), cost];
    }
    if (best === undefined) return undefined;
    best.forEach((values, node) => values.forEach((value, i) => this.write(node, i + 1, value)));
    return this.picture();
  }

  private addressOf(node: NodeId): number {
    return 0x1000 + 0x1000 * node;
  }

  private below(limit: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * limit);
  }

  /** Edges are good, above all from and to nodes that have few; what is broken is bad. */
  private cost(): number {
    const { graph } = this.checker;
    let edges = 0;
    for (const { node } of this.nodes) edges += graph.outDegree(node) + (graph.inDegree(node) > 0 ? 0.5 : 0);
    return 1.4 * this.checker.inconsistencies().size - edges;
  }

  /** A field; two nodes that lead to each other; all pointers of a node, or none of them. */
  private changes(): Change[] {
    const all = this.nodes.filter(({ fields }) => fields.length > 0);
    const one = all[this.below(all.length)]!;
    const pointers = one.fields.filter(({ kind }) => kind === 'pointer');
    switch (this.below(8)) {
      case 0:
      case 1:
        return this.mutual(one.node, pointers);
      case 2:
        return pointers.map((field, i) => ({ node: one.node, field: field.index, value: this.target(field, this.nodes[(one.node + 1 + i) % this.nodes.length]!.node) }));
      case 3:
        return pointers.map((field) => ({ node: one.node, field: field.index, value: 0 }));
      default: {
        const field = one.fields[this.below(one.fields.length)]!;
        const target = this.nodes[this.below(this.nodes.length + 1)];
        const value = field.kind !== 'pointer' ? this.numbers[this.below(this.numbers.length)]! : target === undefined ? 0 : this.target(field, target.node);
        return [{ node: one.node, field: field.index, value }];
      }
    }
  }

  private mutual(node: NodeId, pointers: readonly ShapeField[]): Change[] {
    const other = this.nodes[this.below(this.nodes.length)]!;
    const back = other.fields.filter(({ kind }) => kind === 'pointer');
    const [there, here] = [pointers[this.below(pointers.length)], back[this.below(back.length)]];
    if (there === undefined || here === undefined) return [];
    return [{ node, field: there.index, value: this.target(there, other.node) }, { node: other.node, field: here.index, value: this.target(here, node) }];
  }

  /** A pointer to a node; one that is not said to lead to a type may lead to a member of it, too. */
  private target({ pointee }: ShapeField, node: NodeId): number {
    const { type, fields } = this.nodes[node]!;
    if (pointee !== undefined && pointee !== type) return 0;
    const doors = this.checker.graph.layout(node).doors;
    const offset = pointee === undefined ? [doors.at(-1)!, 8 * this.below(fields.length)][this.below(2)]! : doors.at(-1)!;
    return this.addressOf(node) + offset;
  }

  private write(node: NodeId, field: number, after: FieldValue): void {
    const before = this.values[node]![field - 1]!;
    this.values[node]![field - 1] = after;
    this.checker.apply({ kind: 'written', time: 0, by: { address: 0, thread: 0 }, node, field, before, after });
  }

  private picture(): Picture | undefined {
    const { graph } = this.checker;
    const shown = this.nodes.filter(({ node }) => graph.outDegree(node) + graph.inDegree(node) > 0).map(({ node }) => node);
    return pictureOf(graph, shown.length > 0 ? shown : this.nodes.slice(0, 1).map(({ node }) => node), new Set(), 0, (node) => `n${node + 1}`);
  }
}
