/** Histories for tests: a small heap whose writes become operations, with statements by number. */
import type { FieldValue, History, NodeId, Operation, ProgramTypes, ShapeField, ShapeType } from '../model.js';

type FieldSpec = readonly [name: string, kind: ShapeField['kind'], pointee?: string];

export function shapeType(name: string, fields: readonly FieldSpec[]): ShapeType {
  const made = fields.map(([fieldName, kind, pointee], i): ShapeField => ({ index: i + 1, name: fieldName, offset: 8 * i, bytes: 8, kind, ...(pointee !== undefined && { pointee }) }));
  return { name, bytes: 8 * fields.length, fields: made };
}

export function arrayType(name: string, kind: ShapeField['kind'], pointee?: string): ShapeType {
  return { name, bytes: 0, fields: [], element: { index: 1, name: '', offset: 0, bytes: 8, kind, ...(pointee !== undefined && { pointee }) } };
}

export function programOf(types: readonly ShapeType[], constants: Readonly<Record<string, number>> = {}): ProgramTypes {
  const byName = new Map(types.map((type) => [type.name, type]));
  return {
    type: (name) => byName.get(name),
    constant: (name) => constants[name],
    offsetOf: (type, path) => byName.get(type)?.fields.find(({ name }) => name === path || name.startsWith(`${path}.`))?.offset,
  };
}

export class TestHeap implements History {
  readonly operations: Operation[] = [];
  private readonly types: ShapeType[] = [];
  private readonly addresses: number[] = [];
  private readonly values: FieldValue[][] = [];
  private readonly alive = new Set<NodeId>();
  private readonly free: { address: number; bytes: number }[] = [];
  private next = 0x1000;

  get length(): number {
    return this.operations.length;
  }

  get live(): readonly NodeId[] {
    return [...this.alive];
  }

  at(index: number): Operation {
    return this.operations[index]!;
  }

  /** A node; fields are 0 if no values are given. Freed memory is used again. */
  make(type: ShapeType, line = 0, values?: readonly FieldValue[], reuse = true): NodeId {
    const node = this.types.length;
    const filled = values ?? new Array<FieldValue>(type.fields.length).fill(0);
    const bytes = Math.max(type.bytes, 8 * filled.length);
    const place = reuse ? this.free.findIndex((candidate) => candidate.bytes === bytes) : -1;
    const address = place >= 0 ? this.free.splice(place, 1)[0]!.address : this.next;
    if (place < 0) this.next += bytes + 16;
    this.types.push(type);
    this.addresses.push(address);
    this.values.push([...filled]);
    this.alive.add(node);
    this.add({ kind: 'made', time: 0, by: by(line), node, type, address, bytes, values: filled });
    return node;
  }

  release(node: NodeId, line = 0): void {
    this.alive.delete(node);
    this.free.push({ address: this.addresses[node]!, bytes: Math.max(this.types[node]!.bytes, 8 * this.values[node]!.length) });
    this.add({ kind: 'gone', time: 0, by: by(line), node });
  }

  write(node: NodeId, field: number | string, value: FieldValue, line = 0): void {
    const index = typeof field === 'number' ? field : this.types[node]!.fields.find(({ name }) => name === field)!.index;
    const before = this.values[node]![index - 1]!;
    this.values[node]![index - 1] = value;
    this.add({ kind: 'written', time: 0, by: by(line), node, field: index, before, after: value });
  }

  /** A pointer to a node; to none without one. */
  point(node: NodeId, field: number | string, to: NodeId | undefined, line = 0): void {
    this.write(node, field, to === undefined ? 0 : this.addresses[to]!, line);
  }

  value(node: NodeId, field: number | string): FieldValue {
    const index = typeof field === 'number' ? field : this.types[node]!.fields.find(({ name }) => name === field)!.index;
    return this.values[node]![index - 1]!;
  }

  /** Where a pointer leads. */
  follow(node: NodeId, field: number | string): NodeId | undefined {
    const address = this.value(node, field);
    return address === 0 ? undefined : [...this.alive].find((candidate) => this.addresses[candidate] === address);
  }

  addressOf(node: NodeId): number {
    return this.addresses[node]!;
  }

  isLive(node: NodeId): boolean {
    return this.alive.has(node);
  }

  private add(operation: Operation): void {
    this.operations.push({ ...operation, time: this.operations.length });
  }
}

/** Statements of tests are lines: the address is the line. */
function by(line: number): { address: number; thread: number } {
  return { address: line, thread: 1 };
}
