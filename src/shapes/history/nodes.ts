/**
 * Which memory is a node of what type, and when: blocks whose site is known, one node or several in a row, and
 * variables. A node is there from when its block is handed out, or its function is entered, until it is freed or its
 * function returns.
 */
import type { NodeId, StatementRef } from '../model.js';
import type { NodeType } from './debugTypes.js';

export interface NodeLife {
  readonly id: NodeId;
  readonly type: NodeType;
  readonly address: number;
  readonly bytes: number;
  readonly made: number;
  readonly madeBy: StatementRef;
  /** Infinity if it is there at the end. */
  readonly gone: number;
  readonly goneBy: StatementRef;
}

/** Memory that nodes are in. */
export interface NodeMemory {
  readonly type: NodeType;
  readonly address: number;
  /** 0: as many as one node has. */
  readonly bytes: number;
  readonly made: number;
  readonly madeBy: StatementRef;
  readonly gone: number;
  readonly goneBy: StatementRef;
  /** All of it is one node, whose fields are those of elements one after the other. */
  readonly isArray?: boolean;
}

/** Arrays of more elements are cut: no structure is that large. */
const MOST_ELEMENTS = 1 << 20;

/** Numbered in the order in which they are made. */
export function nodesOf(memory: readonly NodeMemory[]): NodeLife[] {
  const nodes: NodeLife[] = [];
  for (const { type, address, bytes, isArray, ...rest } of [...memory].sort((a, b) => a.made - b.made)) {
    if (type.bytes === 0) continue;
    const count = isArray === true || bytes === 0 ? 1 : Math.min(MOST_ELEMENTS, Math.floor(bytes / type.bytes));
    const own = isArray === true ? arrayType(type, bytes) : type;
    for (let i = 0; i < count; i++) nodes.push({ id: nodes.length, type: own, address: address + i * type.bytes, bytes: own.bytes, ...rest });
  }
  return nodes;
}

const arrays = new WeakMap<NodeType, Map<number, NodeType>>();

/** An array's type by its length: elements are flattened one after the other. */
function arrayType(element: NodeType, bytes: number): NodeType {
  let known = arrays.get(element);
  if (known === undefined) arrays.set(element, (known = new Map()));
  let made = known.get(bytes);
  if (made === undefined) {
    const { length } = element.fields;
    const count = Math.min(MOST_ELEMENTS, Math.floor(bytes / element.bytes));
    const fields = Array.from({ length: count }, (_, i) => element.fields.map((field) => ({
      ...field, index: i * length + field.index, name: `[${i}]${field.name === '' ? '' : '.'}${field.name}`, offset: i * element.bytes + field.offset,
    }))).flat();
    known.set(bytes, (made = { ...element, bytes, fields }));
  }
  return made;
}
