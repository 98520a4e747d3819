/** Maps and sets: trees with red and black nodes, and tables of hashes. */
import { strip, type Type } from '../../../../dwarf/types.js';
import { typeAlignment } from '../../typeMeasures.js';
import { argument, at, integer, type Kind, type Looked, member, type Part, plural, pointerAt, roundUp } from './shape.js';

/** Where a tree's node has what. */
const [PARENT, LEFT, RIGHT, TREE_NODE] = [8n, 16n, 24n, 32];
const HASH_NODE = 8;

export const tree: Kind = (looked) => {
  const impl = member(looked, looked.value, '_M_t', '_M_impl');
  const header = member(looked, impl, '_M_header').address;
  const count = integer(looked, impl, '_M_node_count');
  if (header === undefined) return undefined;
  return collection(looked, count, TREE_NODE, function* () {
    let node = pointerAt(looked, header + LEFT);
    for (let i = 0n; i < count; i++) {
      yield node;
      node = nextInTree(looked, node);
    }
  });
};

function nextInTree(looked: Looked, start: bigint): bigint {
  const right = pointerAt(looked, start + RIGHT);
  if (right !== 0n) {
    let node = right;
    for (let left = pointerAt(looked, node + LEFT); left !== 0n; left = pointerAt(looked, node + LEFT)) node = left;
    return node;
  }
  let [node, parent] = [start, pointerAt(looked, start + PARENT)];
  while (pointerAt(looked, parent + RIGHT) === node) [node, parent] = [parent, pointerAt(looked, parent + PARENT)];
  return parent;
}

export const hashTable: Kind = (looked) => {
  const table = member(looked, looked.value, '_M_h');
  const count = integer(looked, table, '_M_element_count');
  return collection(looked, count, HASH_NODE, function* () {
    for (let node = integer(looked, table, '_M_before_begin', '_M_nxt'); node !== 0n; node = pointerAt(looked, node)) yield node;
  });
};

function collection(looked: Looked, count: bigint, offset: number, nodes: () => Iterable<bigint>): ReturnType<Kind> {
  const name = /^std::\w+/.exec(looked.type.qualifiedName ?? '')?.[0] ?? '';
  const isMap = name.endsWith('map');
  const [key, mapped] = [argument(looked), isMap ? argument(looked, 1) : undefined];
  return { kind: 'parts', head: `${name} with ${plural(count)}`, layout: isMap ? 'map' : 'members', parts: () => entries(looked, nodes(), offset, key, mapped) };
}

function* entries(looked: Looked, nodes: Iterable<bigint>, offset: number, key: Type, mapped: Type | undefined): Generator<Part> {
  const alignments = [typeAlignment(key), mapped === undefined ? 1 : typeAlignment(mapped)] as const;
  const inside = BigInt(roundUp(offset, Math.max(...alignments)));
  let i = 0;
  for (const node of nodes) {
    const first = at(looked, key, node + inside);
    const name = `[${i++}]`;
    if (mapped === undefined) yield { name, value: first };
    else yield { name, key: first, value: at(looked, mapped, node + inside + BigInt(roundUp(strip(key).size, alignments[1]))) };
  }
}
