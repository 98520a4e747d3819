/**
 * The memory graph at one time, moved forward and backward by operations. It keeps what questions need: nodes by
 * address, the pointers that lead to each address (whether a node is there or not), degrees, and the live nodes of
 * each type. An operation costs what it changes, not what the graph has.
 *
 * A node that is gone keeps its values: they come back when its end is undone (the unified memory graph of section 5).
 */
import { assert } from '../../base/assert.js';
import type { FieldValue, NodeId, Operation, ShapeType } from '../model.js';
import { DATA, EDGE, layoutOf, withoutTag, type GraphRules, type NodeLayout } from './graphRules.js';
import { GrowingIntegers, GrowingValues } from './growing.js';

/** Where a pointer leads that leads to no node: it is NULL, or something else. */
export const NOWHERE = -1;
export const WILD = -2;

/** What an operation touched, told while it happens. A touched field may have kept its value, and lead elsewhere. */
export interface Touched {
  field(node: NodeId, field: number): void;
  /** Pointers from or to it came or went. */
  degree(node: NodeId): void;
  born(node: NodeId): void;
  died(node: NodeId): void;
}

const UNSEEN: Touched = { field: () => {}, degree: () => {}, born: () => {}, died: () => {} };

export class MemoryGraph {
  /** How often it has been changed. */
  version = 0;
  /** How often its pointers have changed: paths stay as they are in between. */
  edgeVersion = 0;
  private readonly layouts = new Map<ShapeType, NodeLayout>();
  private readonly nodeLayout: NodeLayout[] = [];
  private readonly address: number[] = [];
  private readonly count: number[] = [];
  private readonly live = new GrowingIntegers(0);
  /** The first of a node's slots; each field has one, forever. */
  private readonly base = new GrowingIntegers(-1);
  private readonly owner = new GrowingIntegers(-1);
  private readonly values = new GrowingValues();
  private slots = 0;
  private readonly inDegrees = new GrowingIntegers(0);
  private readonly outDegrees = new GrowingIntegers(0);
  /** Pointers by where they lead: the first slot of each address, and the slots before and after each. */
  private readonly leading = new Map<number, number>();
  private readonly nextLeading = new GrowingIntegers(-1);
  private readonly previousLeading = new GrowingIntegers(-1);
  private readonly byAddress = new Map<number, NodeId>();
  /** Of the few addresses with several nodes: all of them. */
  private readonly shared = new Map<number, NodeId[]>();
  private readonly ofType = new Map<string, NodeId[]>();
  private readonly position = new GrowingIntegers(-1);
  /** Of all types; 0 is the first. */
  private readonly doors: readonly number[];

  constructor(private readonly rules: GraphRules) {
    this.doors = [...new Set([0, ...[...rules.types.values()].flatMap(({ doors }) => doors)])];
  }

  apply(operation: Operation, touched: Touched = UNSEEN): void {
    this.version++;
    switch (operation.kind) {
      case 'made':
        this.make(operation);
        return this.enter(operation.node, touched);
      case 'gone':
        return this.leave(operation.node, touched);
      default:
        return this.write(operation.node, operation.field, operation.after, touched);
    }
  }

  undo(operation: Operation, touched: Touched = UNSEEN): void {
    this.version++;
    switch (operation.kind) {
      case 'made':
        return this.leave(operation.node, touched);
      case 'gone':
        return this.enter(operation.node, touched);
      default:
        return this.write(operation.node, operation.field, operation.before, touched);
    }
  }

  isLive(node: NodeId): boolean {
    return this.live.get(node) === 1;
  }

  layout(node: NodeId): NodeLayout {
    return this.nodeLayout[node]!;
  }

  addressOf(node: NodeId): number {
    return this.address[node]!;
  }

  typeName(node: NodeId): string {
    return this.nodeLayout[node]!.type.name;
  }

  fieldCount(node: NodeId): number {
    return this.count[node]!;
  }

  has(node: NodeId, field: number): boolean {
    return field >= 1 && field <= this.count[node]! && Number.isInteger(field);
  }

  value(node: NodeId, field: number): FieldValue {
    return this.values.get(this.base.get(node) + field - 1);
  }

  /** Where a pointer leads: to a node, NOWHERE or, if it is no pointer either, WILD. */
  target(node: NodeId, field: number): NodeId {
    const layout = this.nodeLayout[node]!;
    const address = withoutTag(this.value(node, field), layout.masks.get(field));
    if (address === 0) return NOWHERE;
    return address === undefined || layout.roleOf(field) === DATA ? WILD : this.nodeAt(address);
  }

  /** The node that a pointer with this value leads to, or WILD. */
  nodeAt(value: number): NodeId {
    const node = this.byAddress.get(value);
    if (node !== undefined) return node;
    for (let i = 1; i < this.doors.length; i++) {
      const embedding = this.byAddress.get(value - this.doors[i]!);
      if (embedding !== undefined && this.nodeLayout[embedding]!.doors.includes(this.doors[i]!)) return embedding;
    }
    return WILD;
  }

  inDegree(node: NodeId): number {
    return this.inDegrees.get(node);
  }

  outDegree(node: NodeId): number {
    return this.outDegrees.get(node);
  }

  /** Live nodes of a type, in no particular order. */
  nodesOf(type: string): readonly NodeId[] {
    return this.ofType.get(type) ?? [];
  }

  /** Nodes that have ever been, gone ones too. */
  get nodeCount(): number {
    return this.nodeLayout.length;
  }

  get liveCount(): number {
    let count = 0;
    for (const nodes of this.ofType.values()) count += nodes.length;
    return count;
  }

  *liveNodes(): Iterable<NodeId> {
    for (const nodes of this.ofType.values()) yield* nodes;
  }

  /** The edges of a node: its fields that lead to nodes. */
  forEachEdge(node: NodeId, visit: (target: NodeId, field: number) => void): void {
    const layout = this.nodeLayout[node]!;
    for (let field = 1; field <= this.count[node]!; field++) {
      if (layout.roleOf(field) !== EDGE) continue;
      const target = this.target(node, field);
      if (target >= 0) visit(target, field);
    }
  }

  /** All pointers that lead to a node, edges or not. */
  forEachPointerTo(node: NodeId, visit: (source: NodeId, field: number) => void): void {
    for (const door of this.nodeLayout[node]!.doors) {
      const value = this.address[node]! + door;
      if (this.nodeAt(value) === node) this.forEachLeading(value, visit);
    }
  }

  isEdge(node: NodeId, field: number): boolean {
    return this.nodeLayout[node]!.roleOf(field) === EDGE;
  }

  /** All pointers with a value, tags left out, whatever is there. */
  forEachLeading(value: number, visit: (source: NodeId, field: number) => void): void {
    for (let slot = this.leading.get(value) ?? -1; slot >= 0; slot = this.nextLeading.get(slot)) {
      const source = this.owner.get(slot);
      visit(source, slot - this.base.get(source) + 1);
    }
  }

  private make({ node, type, address, values }: Operation & { kind: 'made' }): void {
    let layout = this.layouts.get(type);
    if (layout === undefined) this.layouts.set(type, (layout = layoutOf(type, this.rules)));
    const known = this.nodeLayout[node] !== undefined;
    assert(!this.isLive(node) && (!known || this.count[node] === values.length), `node ${node} is made a second time`);
    if (!known) {
      this.base.set(node, this.slots);
      for (let i = 0; i < values.length; i++) this.owner.set(this.slots + i, node);
      this.slots += values.length;
    }
    this.nodeLayout[node] = layout;
    this.address[node] = address;
    this.count[node] = values.length;
    values.forEach((value, i) => this.values.set(this.base.get(node) + i, value));
  }

  /** It appears, with the values that it has: pointers to it lead somewhere now, and its own pointers are pointers. */
  private enter(node: NodeId, touched: Touched): void {
    assert(!this.isLive(node), `node ${node} is there already`);
    this.live.set(node, 1);
    this.inDegrees.set(node, 0);
    this.outDegrees.set(node, 0);
    this.redirect(node, () => this.putAt(node), touched);
    this.list(node);
    for (let field = 1; field <= this.count[node]!; field++) this.lead(node, field, 1, touched);
    touched.born(node);
    touched.degree(node);
  }

  private leave(node: NodeId, touched: Touched): void {
    assert(this.isLive(node), `node ${node} is not there`);
    for (let field = this.count[node]!; field >= 1; field--) this.lead(node, field, -1, touched);
    this.redirect(node, () => this.takeFrom(node), touched);
    this.unlist(node);
    this.live.set(node, 0);
    touched.died(node);
  }

  private write(node: NodeId, field: number, value: FieldValue, touched: Touched): void {
    assert(this.isLive(node) && this.has(node, field), `field ${field} of node ${node} is written, which is not there`);
    this.lead(node, field, -1, touched);
    this.values.set(this.base.get(node) + field - 1, value);
    this.lead(node, field, 1, touched);
    touched.field(node, field);
  }

  /** A pointer begins (1) or ceases (-1) to lead to where its value says. */
  private lead(node: NodeId, field: number, change: 1 | -1, touched: Touched): void {
    const layout = this.nodeLayout[node]!;
    const role = layout.roleOf(field);
    if (role === DATA) return;
    const slot = this.base.get(node) + field - 1;
    const address = withoutTag(this.values.get(slot), layout.masks.get(field));
    if (address === undefined || address === 0) return;
    if (change === 1) this.link(slot, address);
    else this.unlink(slot, address);
    const target = this.nodeAt(address);
    if (target >= 0) this.countPointer(node, role === EDGE, target, change, touched);
  }

  private countPointer(source: NodeId, isEdge: boolean, target: NodeId, change: 1 | -1, touched: Touched): void {
    this.edgeVersion++;
    if (isEdge) {
      this.outDegrees.add(source, change);
      if (!this.nodeLayout[source]!.isRoot) this.inDegrees.add(target, change);
    }
    touched.degree(source);
    touched.degree(target);
  }

  private link(slot: number, address: number): void {
    const first = this.leading.get(address) ?? -1;
    this.nextLeading.set(slot, first);
    this.previousLeading.set(slot, -1);
    if (first >= 0) this.previousLeading.set(first, slot);
    this.leading.set(address, slot);
  }

  private unlink(slot: number, address: number): void {
    const next = this.nextLeading.get(slot);
    const previous = this.previousLeading.get(slot);
    if (next >= 0) this.previousLeading.set(next, previous);
    if (previous >= 0) this.nextLeading.set(previous, next);
    else if (next >= 0) this.leading.set(address, next);
    else this.leading.delete(address);
  }

  /** Something changes at a node's address: pointers to it and to its doors may lead to another node after it. */
  private redirect(node: NodeId, change: () => void, touched: Touched): void {
    const values = this.nodeLayout[node]!.doors.map((door) => this.address[node]! + door);
    const before = values.map((value) => this.nodeAt(value));
    change();
    values.forEach((value, i) => {
      const after = this.nodeAt(value);
      const was = before[i]!;
      if (after === was) return;
      this.forEachLeading(value, (source, field) => {
        touched.field(source, field);
        if (was >= 0) this.countPointer(source, this.isEdge(source, field), was, -1, touched);
        if (after >= 0) this.countPointer(source, this.isEdge(source, field), after, 1, touched);
      });
    });
  }

  /** Of several nodes at an address the youngest is meant. */
  private putAt(node: NodeId): void {
    const address = this.address[node]!;
    const other = this.byAddress.get(address);
    if (other === undefined) this.byAddress.set(address, node);
    else {
      const all = [...(this.shared.get(address) ?? [other]), node].sort((a, b) => a - b);
      this.shared.set(address, all);
      this.byAddress.set(address, all.at(-1)!);
    }
  }

  private takeFrom(node: NodeId): void {
    const address = this.address[node]!;
    const others = (this.shared.get(address) ?? [node]).filter((other) => other !== node);
    if (others.length < 2) this.shared.delete(address);
    else this.shared.set(address, others);
    if (others.length === 0) this.byAddress.delete(address);
    else this.byAddress.set(address, others.at(-1)!);
  }

  private list(node: NodeId): void {
    const type = this.typeName(node);
    let nodes = this.ofType.get(type);
    if (nodes === undefined) this.ofType.set(type, (nodes = []));
    this.position.set(node, nodes.length);
    nodes.push(node);
  }

  private unlist(node: NodeId): void {
    const nodes = this.ofType.get(this.typeName(node))!;
    const last = nodes.pop()!;
    if (last === node) return;
    const position = this.position.get(node);
    nodes[position] = last;
    this.position.set(last, position);
  }
}
