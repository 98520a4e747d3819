/**
 * Healthy graphs for the library's specifications, of a given size and by a given chance, each with ways to break it.
 * A way to break a structure is one write that makes it another one than it should be.
 */
import type { NodeId, ShapeType } from '../model.js';
import { shapeType, type TestHeap } from './heap.js';

export interface Chance {
  /** From 0 to below the given number. */
  below(limit: number): number;
}

export interface LibraryGraph {
  readonly types: readonly ShapeType[];
  readonly constants?: Readonly<Record<string, number>>;
  build(heap: TestHeap, size: number, chance: Chance): NodeId[];
  /** Each writes once into a healthy graph of at least 4 nodes. */
  readonly breakages: Readonly<Record<string, (heap: TestHeap, nodes: NodeId[], chance: Chance) => void>>;
}

const p = 'pointer' as const;
const s = 'signed' as const;

function fields(name: string, ...names: readonly string[]): ShapeType {
  return shapeType(name, names.map((field) => (field.startsWith('*') ? [field.slice(1), p, name] : [field, s])));
}

function pick<T>(items: readonly T[], chance: Chance): T {
  return items[chance.below(items.length)]!;
}

/** Nodes in a row, each pointing to the next by the first field and back by the second. */
function row(heap: TestHeap, type: ShapeType, size: number, next: string, prev: string | undefined, round: boolean): NodeId[] {
  const nodes = Array.from({ length: size }, () => heap.make(type));
  nodes.forEach((node, i) => {
    const after = nodes[i + 1] ?? (round ? nodes[0] : undefined);
    heap.point(node, next, after);
    if (prev !== undefined && after !== undefined) heap.point(after, prev, node);
  });
  return nodes;
}

/** A complete binary tree with keys in order; the shape is that of a heap, so it is balanced, too. */
function tree(heap: TestHeap, type: ShapeType, size: number, left: string, right: string): NodeId[] {
  const nodes = Array.from({ length: size }, () => heap.make(type));
  nodes.forEach((node, i) => {
    heap.point(node, left, nodes[2 * i + 1]);
    heap.point(node, right, nodes[2 * i + 2]);
  });
  return nodes;
}

function inOrder(nodes: readonly NodeId[], visit: (node: NodeId, place: number) => void): void {
  let place = 0;
  const walk = (i: number): void => {
    if (i >= nodes.length) return;
    walk(2 * i + 1);
    visit(nodes[i]!, place++);
    walk(2 * i + 2);
  };
  walk(0);
}

function kAry(heap: TestHeap, type: ShapeType, inner: number, k: number): NodeId[] {
  const nodes = Array.from({ length: k * inner + 1 }, () => heap.make(type));
  for (let i = 0; i < inner; i++) for (let j = 0; j < k; j++) heap.point(nodes[i]!, `child[${j}]`, nodes[k * i + j + 1]);
  return nodes;
}

const WILD = 0x7777_7000;

/** What breaks any list or tree: a pointer to memory that is none of it, to a freed node, to an ancestor. */
function pointerBreakages(field: string): LibraryGraph['breakages'] {
  return {
    'a pointer back': (heap, nodes) => heap.point(nodes.at(-1)!, field, nodes[0]),
    'a second pointer': (heap, nodes) => heap.point(nodes.at(-1)!, field, nodes[2]),
  };
}

const BINARY = fields('node', 'key', '*left', '*right');
const RED_BLACK = fields('node', 'key', 'colour', '*left', '*right', '*parent');
const LIST = fields('node', 'key', '*next', '*prev');
const EMBEDDED = shapeType('node', [['key', s], ['list.next', p], ['list.prev', p]]);
const HEAD = shapeType('head', [['next', p], ['prev', p]]);

function redBlack(heap: TestHeap, size: number): NodeId[] {
  // The last, incomplete row is red, all others are black.
  const nodes = tree(heap, RED_BLACK, size, 'left', 'right');
  const firstOfLast = 2 ** Math.floor(Math.log2(size)) - 1;
  inOrder(nodes, (node, place) => heap.write(node, 'key', place));
  nodes.forEach((node, i) => {
    heap.write(node, 'colour', i >= firstOfLast && firstOfLast > 0 ? 7 : 1);
    if (i > 0) heap.point(node, 'parent', nodes[(i - 1) >> 1]);
  });
  return nodes;
}

const searchTree = (heap: TestHeap, size: number): NodeId[] => {
  const nodes = tree(heap, BINARY, size, 'left', 'right');
  inOrder(nodes, (node, place) => heap.write(node, 'key', place));
  return nodes;
};

const heapTree = (heap: TestHeap, size: number, chance: Chance): NodeId[] => {
  const nodes = tree(heap, BINARY, size, 'left', 'right');
  const keys: number[] = [];
  nodes.forEach((node, i) => heap.write(node, 'key', (keys[i] = (keys[(i - 1) >> 1] ?? 0) + chance.below(3))));
  return nodes;
};

/** Lists that are the same with other names. */
function listGraph(next: string, prev: string | undefined, round: (chance: Chance) => boolean): LibraryGraph {
  const type = fields('node', 'key', `*${next}`, ...(prev === undefined ? [] : [`*${prev}`]));
  return {
    types: [type],
    build: (heap, size, chance) => row(heap, type, size, next, prev, round(chance)),
    breakages: {
      'a second pointer': (heap, nodes) => heap.point(nodes[0]!, next, nodes[2]),
      'a pointer back': (heap, nodes) => heap.point(nodes[2]!, next, nodes[1]),
      ...(prev === undefined ? {} : { 'a wrong prev': (heap: TestHeap, nodes: NodeId[]) => heap.point(nodes[1]!, prev, nodes[2]) }),
    },
  };
}

/** Lists whose nodes have the address of the pointer that leads to them. */
function backAddressGraph(next: string, prev: string, base: string): LibraryGraph {
  const type = shapeType('node', [['key', s], [`${base}.${next}`, p, 'node'], [`${base}.${prev}`, p]]);
  const door = base === 'hash' ? 8 : 0;
  return {
    types: [type],
    build: (heap, size) => {
      const nodes = Array.from({ length: size }, () => heap.make(type));
      nodes.forEach((node, i) => {
        const after = nodes[i + 1];
        if (after === undefined) return;
        heap.write(node, `${base}.${next}`, heap.addressOf(after) + door);
        heap.write(after, `${base}.${prev}`, heap.addressOf(node) + 8);
      });
      return nodes;
    },
    breakages: {
      'a node skipped': (heap, nodes) => heap.write(nodes[0]!, `${base}.${next}`, heap.addressOf(nodes[2]!) + door),
      'a wrong back address': (heap, nodes) => heap.write(nodes[2]!, `${base}.${prev}`, heap.addressOf(nodes[0]!) + 8),
      'a pointer to nothing': (heap, nodes) => heap.write(nodes[1]!, `${base}.${next}`, WILD),
    },
  };
}

/** Search trees with other names, with parents and colours if they have fields for them; `black` is what black is. */
function treeGraph(names: { left: string; right: string; key?: string; parent?: string; colour?: string; black?: number }): LibraryGraph {
  const { left, right, key, parent, colour, black = 0 } = names;
  const type = fields('node', ...(key === undefined ? [] : [key]), ...(colour === undefined ? [] : [colour]), `*${left}`, `*${right}`, ...(parent === undefined ? [] : [`*${parent}`]));
  return {
    types: [type],
    build: (heap, size) => {
      const nodes = tree(heap, type, size, left, right);
      const firstOfLast = 2 ** Math.floor(Math.log2(size)) - 1;
      inOrder(nodes, (node, place) => key !== undefined && heap.write(node, key, place));
      nodes.forEach((node, i) => {
        if (colour !== undefined) heap.write(node, colour, i >= firstOfLast ? 1 - black : black);
        if (parent !== undefined && i > 0) heap.point(node, parent, nodes[(i - 1) >> 1]);
      });
      return nodes;
    },
    breakages: {
      'a ring': (heap, nodes) => heap.point(nodes.at(-1)!, left, nodes[0]),
      ...(key === undefined ? {} : { 'a key out of order': (heap: TestHeap, nodes: NodeId[]) => heap.write(nodes[1]!, key, 999) }),
      ...(parent === undefined ? {} : { 'a wrong parent': (heap: TestHeap, nodes: NodeId[]) => heap.point(nodes[3]!, parent, nodes[2]) }),
      ...(colour === undefined ? {} : { 'a red node too many': (heap: TestHeap, nodes: NodeId[]) => heap.write(nodes[(nodes.length - 2) >> 1]!, colour, 1 - black) }),
    },
  };
}

const LINUX_RB = shapeType('node', [['key', s], ['rb.__rb_parent_color', 'unsigned'], ['rb.rb_right', p], ['rb.rb_left', p]]);

function linuxRedBlack(heap: TestHeap, size: number): NodeId[] {
  const nodes = Array.from({ length: size }, () => heap.make(LINUX_RB));
  const link = (i: number) => (i >= 0 && i < size ? heap.addressOf(nodes[i]!) + 8 : 0);
  const firstOfLast = 2 ** Math.floor(Math.log2(size)) - 1;
  nodes.forEach((node, i) => {
    heap.write(node, 'rb.rb_left', link(2 * i + 1));
    heap.write(node, 'rb.rb_right', link(2 * i + 2));
    heap.write(node, 'rb.__rb_parent_color', (i === 0 ? 0 : link((i - 1) >> 1)) + (i >= firstOfLast ? 0 : 1));
  });
  return nodes;
}

/** By the name of the specification. */
export const LIBRARY_GRAPHS: Readonly<Record<string, LibraryGraph>> = {
  'circular-linked-list': {
    types: [LIST],
    build: (heap, size) => row(heap, LIST, size, 'next', undefined, true),
    breakages: {
      'a node cut off': (heap, nodes, chance) => heap.point(pick(nodes, chance), 'next', undefined),
      'a node skipped': (heap, nodes) => heap.point(nodes[0]!, 'next', nodes[2]),
      'a pointer to nothing': (heap, nodes) => heap.write(nodes[1]!, 'next', WILD),
    },
  },
  'doubly-linked-list': {
    types: [LIST],
    build: (heap, size, chance) => row(heap, LIST, size, 'next', 'prev', chance.below(2) === 0),
    breakages: {
      'a node skipped forward': (heap, nodes) => heap.point(nodes[0]!, 'next', nodes[2]),
      'a node skipped backward': (heap, nodes) => heap.point(nodes[3]!, 'prev', nodes[1]),
      'a pointer to nothing': (heap, nodes) => heap.write(nodes[2]!, 'prev', WILD),
      'a freed node': (heap, nodes) => heap.release(nodes[1]!),
    },
  },
  'linked-list': {
    types: [LIST],
    build: (heap, size) => row(heap, LIST, size, 'next', undefined, false),
    breakages: { ...pointerBreakages('next'), 'a pointer to nothing': (heap, nodes) => heap.write(nodes[2]!, 'next', WILD) },
  },
  'ordered-list': {
    types: [LIST],
    build: (heap, size, chance) => {
      const nodes = row(heap, LIST, size, 'next', undefined, false);
      let key = 0;
      for (const node of nodes) heap.write(node, 'key', (key += chance.below(3)));
      return nodes;
    },
    breakages: { 'a small key': (heap, nodes) => heap.write(nodes[2]!, 'key', -1), 'a second pointer': (heap, nodes) => heap.point(nodes[0]!, 'next', nodes[3]) },
  },
  'binary-tree': { types: [BINARY], build: (heap, size) => tree(heap, BINARY, size, 'left', 'right'), breakages: pointerBreakages('left') },
  'search-tree': {
    types: [BINARY],
    build: searchTree,
    breakages: { ...pointerBreakages('left'), 'a key out of order': (heap, nodes) => heap.write(nodes[1]!, 'key', 999), 'children swapped': (heap, nodes) => heap.point(nodes[1]!, 'left', nodes[4]) },
  },
  'binary-heap': {
    types: [BINARY],
    build: heapTree,
    breakages: { ...pointerBreakages('right'), 'a small key': (heap, nodes) => heap.write(nodes[3]!, 'key', -1), 'a large key': (heap, nodes) => heap.write(nodes[1]!, 'key', 999) },
  },
  'array-heap': {
    types: [fields('heap', 'size', ...Array.from({ length: 20 }, (_, i) => `item[${i}]`))],
    build: (heap, size, chance) => {
      const type = LIBRARY_GRAPHS['array-heap']!.types[0]!;
      const used = Math.min(size, 20);
      const items: number[] = [];
      for (let i = 0; i < used; i++) items.push((items[(i - 1) >> 1] ?? 0) + chance.below(4));
      return [heap.make(type, 0, [used, ...items, ...new Array<number>(20 - used).fill(0)])];
    },
    breakages: { 'a small item': (heap, [node]) => heap.write(node!, 'item[3]', -1), 'a large top': (heap, [node]) => heap.write(node!, 'item[0]', 999) },
  },
  'b-tree': {
    types: [shapeType('node', [['count', s], ['key[0]', s], ['key[1]', s], ['child[0]', p, 'node'], ['child[1]', p, 'node'], ['child[2]', p, 'node']])],
    build: (heap, size) => {
      const nodes = kAry(heap, LIBRARY_GRAPHS['b-tree']!.types[0]!, Math.max(1, size >> 2), 3);
      for (const node of nodes) heap.write(node, 'count', 2);
      return nodes;
    },
    breakages: {
      'a child lost': (heap, nodes) => heap.point(nodes[0]!, 'child[1]', undefined),
      'a wrong count': (heap, nodes) => heap.write(nodes[0]!, 'count', 1),
      'too many keys': (heap, nodes) => heap.write(nodes[1]!, 'count', 3),
      'a second parent': (heap, nodes) => heap.point(nodes.at(-1)!, 'child[0]', nodes[1]),
    },
  },
  'quad-tree': {
    types: [fields('node', '*child[0]', '*child[1]', '*child[2]', '*child[3]')],
    build: (heap, size) => kAry(heap, LIBRARY_GRAPHS['quad-tree']!.types[0]!, Math.max(1, size >> 2), 4),
    breakages: {
      'a child lost': (heap, nodes) => heap.point(nodes[0]!, 'child[0]', undefined),
      'a leaf with one child': (heap, nodes) => heap.point(nodes.at(-1)!, 'child[0]', nodes[1]),
      'a pointer to nothing': (heap, nodes) => heap.write(nodes[0]!, 'child[2]', WILD),
    },
  },
  'avl-tree': {
    types: [BINARY],
    build: searchTree,
    breakages: {
      ...pointerBreakages('left'),
      'a subtree lost': (heap, nodes) => heap.point(nodes[0]!, 'left', undefined),
      'keys out of order': (heap, nodes) => heap.write(nodes[0]!, 'key', -1),
    },
  },
  'red-black-tree': {
    types: [RED_BLACK],
    constants: { RED: 7 },
    build: redBlack,
    breakages: {
      'a red root': (heap, nodes) => heap.write(nodes[0]!, 'colour', 7),
      'a node with another colour': (heap, nodes) => heap.write(nodes[1]!, 'colour', 7),
      'a wrong parent': (heap, nodes) => heap.point(nodes[3]!, 'parent', nodes[2]),
      'a key out of order': (heap, nodes) => heap.write(nodes[1]!, 'key', 999),
      'a subtree lost': (heap, nodes) => heap.point(nodes[0]!, 'right', undefined),
    },
  },
  'leftist-heap': {
    types: [BINARY],
    build: heapTree,
    breakages: {
      'the left lost': (heap, nodes) => heap.point(nodes[0]!, 'left', undefined),
      'a small key': (heap, nodes) => heap.write(nodes[2]!, 'key', -1),
      'a second parent': (heap, nodes) => heap.point(nodes[2]!, 'left', nodes[3]),
    },
  },
  'full-k-ary-tree': {
    types: [fields('node', '*child[0]', '*child[1]', '*child[2]')],
    build: (heap, size) => kAry(heap, LIBRARY_GRAPHS['full-k-ary-tree']!.types[0]!, Math.max(1, size >> 1), 3),
    breakages: { 'a child lost': (heap, nodes) => heap.point(nodes[0]!, 'child[0]', undefined), 'a ring': (heap, nodes) => heap.point(nodes.at(-1)!, 'child[1]', nodes[0]) },
  },
  'bipartite-graph': {
    types: [fields('node', 'side', '*edge[0]', '*edge[1]')],
    build: (heap, size, chance) => {
      const nodes = Array.from({ length: size }, () => heap.make(LIBRARY_GRAPHS['bipartite-graph']!.types[0]!));
      nodes.forEach((node, i) => {
        heap.write(node, 'side', i % 2);
        heap.point(node, 'edge[0]', nodes[(i + 1 + 2 * chance.below(size)) % (size - (size % 2))]);
      });
      if (size % 2 === 1) heap.point(nodes.at(-1)!, 'edge[0]', nodes[1]);
      return nodes;
    },
    breakages: { 'an edge on one side': (heap, nodes) => heap.point(nodes[0]!, 'edge[1]', nodes[2]), 'another side': (heap, nodes) => heap.write(nodes[0]!, 'side', 1) },
  },
  'linux-list': {
    types: [EMBEDDED, HEAD],
    build: (heap, size) => {
      const head = heap.make(HEAD);
      const nodes = Array.from({ length: size }, () => heap.make(EMBEDDED));
      const link = (at: NodeId) => heap.addressOf(at) + (at === head ? 0 : 8);
      const ring = [head, ...nodes];
      ring.forEach((node, i) => {
        const next = ring[(i + 1) % ring.length]!;
        heap.write(node, node === head ? 'next' : 'list.next', link(next));
        heap.write(next, next === head ? 'prev' : 'list.prev', link(node));
      });
      return nodes;
    },
    breakages: {
      'a node skipped': (heap, nodes) => heap.write(nodes[0]!, 'list.next', heap.addressOf(nodes[2]!) + 8),
      'a pointer to the start of a node': (heap, nodes) => heap.write(nodes[0]!, 'list.next', heap.addressOf(nodes[1]!) + 16),
      'a broken prev': (heap, nodes) => heap.write(nodes[2]!, 'list.prev', 0x1234),
      'a freed node': (heap, nodes) => heap.release(nodes[1]!),
    },
  },
  'bsd-tailq': {
    types: [shapeType('node', [['key', s], ['link.tqe_next', p, 'node'], ['link.tqe_prev', p]]), shapeType('head', [['tqh_first', p, 'node'], ['tqh_last', p]])],
    build: (heap, size) => {
      const [type, headType] = LIBRARY_GRAPHS['bsd-tailq']!.types as [ShapeType, ShapeType];
      const head = heap.make(headType);
      const nodes = Array.from({ length: size }, () => heap.make(type));
      heap.point(head, 'tqh_first', nodes[0]);
      heap.write(head, 'tqh_last', heap.addressOf(nodes.at(-1)!) + 8);
      nodes.forEach((node, i) => {
        heap.point(node, 'link.tqe_next', nodes[i + 1]);
        heap.write(node, 'link.tqe_prev', i === 0 ? heap.addressOf(head) : heap.addressOf(nodes[i - 1]!) + 8);
      });
      return nodes;
    },
    breakages: {
      'a node skipped': (heap, nodes) => heap.point(nodes[0]!, 'link.tqe_next', nodes[2]),
      'a wrong prev': (heap, nodes) => heap.write(nodes[0]!, 'link.tqe_prev', heap.addressOf(nodes[1]!)),
    },
  },
  uthash: {
    types: [
      shapeType('node', [['key', s], ['hh.tbl', p, 'struct UT_hash_table'], ['hh.prev', p, 'node'], ['hh.next', p, 'node'], ['hh.hh_prev', p], ['hh.hh_next', p], ['hh.hashv', 'unsigned']]),
      shapeType('table', [['num_buckets', 'unsigned'], ['num_items', 'unsigned']]),
    ],
    build: (heap, size) => {
      const [type, tableType] = LIBRARY_GRAPHS['uthash']!.types as [ShapeType, ShapeType];
      const table = heap.make(tableType, 0, [4, size]);
      const nodes = row(heap, type, size, 'hh.next', 'hh.prev', false);
      nodes.forEach((node, i) => {
        heap.point(node, 'hh.tbl', table);
        heap.write(node, 'hh.hashv', 100 + (i % 4));
        const next = nodes[i + 4];
        if (next === undefined) return;
        heap.write(node, 'hh.hh_next', heap.addressOf(next) + 8);
        heap.write(next, 'hh.hh_prev', heap.addressOf(node) + 8);
      });
      return nodes;
    },
    breakages: {
      'the list by age': (heap, nodes) => heap.point(nodes[1]!, 'hh.prev', nodes[2]),
      'another hash': (heap, nodes) => heap.write(nodes[0]!, 'hh.hashv', 3),
      'a bucket': (heap, nodes) => heap.write(nodes[0]!, 'hh.hh_next', heap.addressOf(nodes[1]!) + 8),
    },
  },
  'skip-list': {
    types: [fields('node', 'key', 'level', '*forward[0]', '*forward[1]', '*forward[2]')],
    build: (heap, size, chance) => {
      const nodes = Array.from({ length: size }, () => heap.make(LIBRARY_GRAPHS['skip-list']!.types[0]!));
      const levels = nodes.map((_, i) => (i === 0 ? 2 : chance.below(3)));
      nodes.forEach((node, i) => {
        heap.write(node, 'key', 10 * i);
        heap.write(node, 'level', levels[i]!);
        for (let level = 0; level <= levels[i]!; level++) heap.point(node, `forward[${level}]`, nodes.find((_, j) => j > i && levels[j]! >= level));
      });
      return nodes;
    },
    breakages: {
      'a key out of order': (heap, nodes) => heap.write(nodes[1]!, 'key', -1),
      'a node skipped': (heap, nodes) => heap.point(nodes[0]!, 'forward[0]', nodes[2]),
      'a level too low': (heap, nodes) => heap.write(nodes[1]!, 'level', -1),
    },
  },
  'hash-table': {
    types: [fields('node', 'hash', '*next'), shapeType('table', [['size', s], ...Array.from({ length: 4 }, (_, i) => [`bucket[${i}]`, p, 'node'] as const)])],
    build: (heap, size) => {
      const [type, tableType] = LIBRARY_GRAPHS['hash-table']!.types as [ShapeType, ShapeType];
      const table = heap.make(tableType, 0, [4, 0, 0, 0, 0]);
      return Array.from({ length: size }, (_, i) => {
        const node = heap.make(type, 0, [i * 4 + (i % 4), 0]);
        heap.write(node, 'next', heap.value(table, `bucket[${i % 4}]`));
        heap.point(table, `bucket[${i % 4}]`, node);
        return node;
      });
    },
    breakages: {
      'another hash': (heap, nodes) => heap.write(nodes.at(-1)!, 'hash', (nodes.length - 1) % 4 + 1),
      'two chains': (heap, nodes) => heap.point(nodes[1]!, 'next', nodes[0]),
      'a ring': (heap, nodes) => heap.point(nodes[0]!, 'next', nodes[0]),
    },
  },
  trie: {
    types: [fields('node', 'is_word', '*child[0]', '*child[1]', '*child[2]')],
    build: (heap, size) => {
      const nodes = kAry(heap, LIBRARY_GRAPHS['trie']!.types[0]!, Math.max(1, size >> 2), 3);
      for (const node of nodes) heap.write(node, 'is_word', 1);
      return nodes;
    },
    breakages: { 'a way to no word': (heap, nodes) => heap.write(nodes.at(-1)!, 'is_word', 0), ...pointerBreakages('child[0]') },
  },
  'ring-buffer': {
    types: [fields('ring', 'head', 'tail', 'count', 'size')],
    build: (heap, size, chance) => {
      const head = chance.below(size);
      const count = chance.below(size + 1);
      return [heap.make(LIBRARY_GRAPHS['ring-buffer']!.types[0]!, 0, [head, (head + count) % size, count, size])];
    },
    breakages: {
      'a tail outside': (heap, [node]) => heap.write(node!, 'tail', -1),
      'a count of one too many': (heap, [node]) => heap.write(node!, 'count', Number(heap.value(node!, 'count')) + 1),
      'another size': (heap, [node]) => heap.write(node!, 'size', 0),
    },
  },
  'intrusive-lru': {
    types: [fields('node', '*hash_next', '*newer', '*older'), shapeType('cache', [['newest', p, 'node'], ['oldest', p, 'node']])],
    build: (heap, size) => {
      const [type, cacheType] = LIBRARY_GRAPHS['intrusive-lru']!.types as [ShapeType, ShapeType];
      const nodes = row(heap, type, size, 'older', 'newer', false);
      const cache = heap.make(cacheType);
      heap.point(cache, 'newest', nodes[0]);
      heap.point(cache, 'oldest', nodes.at(-1));
      return nodes;
    },
    breakages: {
      'a node skipped': (heap, nodes) => heap.point(nodes[0]!, 'older', nodes[2]),
      'a newer one than the newest': (heap, nodes) => heap.point(nodes[0]!, 'newer', nodes[1]),
      'a freed node': (heap, nodes) => heap.release(nodes[2]!),
    },
  },
  'glib-list': listGraph('next', 'prev', () => false),
  'glib-slist': listGraph('next', undefined, () => false),
  'bsd-slist': listGraph('link.sle_next', undefined, () => false),
  'bsd-list': backAddressGraph('le_next', 'le_prev', 'link'),
  'linux-hlist': backAddressGraph('next', 'pprev', 'hash'),
  'std-unordered-map': listGraph('_M_nxt', undefined, () => false),
  'splay-tree': treeGraph({ key: 'key', left: 'left', right: 'right' }),
  'bsd-splay': treeGraph({ key: 'key', left: 'entry.spe_left', right: 'entry.spe_right' }),
  'bsd-rb': treeGraph({ key: 'key', left: 'entry.rbe_left', right: 'entry.rbe_right', parent: 'entry.rbe_parent', colour: 'entry.rbe_color' }),
  'std-map': treeGraph({ left: '_M_left', right: '_M_right', parent: '_M_parent', colour: '_M_color', black: 1 }),
  'linux-rbtree': {
    types: [LINUX_RB],
    build: linuxRedBlack,
    breakages: {
      'a wrong parent': (heap, nodes) => heap.write(nodes[3]!, 'rb.__rb_parent_color', heap.addressOf(nodes[2]!) + 9),
      'another colour': (heap, nodes) => heap.write(nodes[1]!, 'rb.__rb_parent_color', Number(heap.value(nodes[1]!, 'rb.__rb_parent_color')) - 1),
      'a subtree lost': (heap, nodes) => heap.write(nodes[0]!, 'rb.rb_left', 0),
    },
  },
  'std-list': {
    types: [shapeType('node', [['_M_next', p], ['_M_prev', p], ['value', s]]), shapeType('head', [['_M_next', p], ['_M_prev', p]])],
    build: (heap, size) => {
      const [type, headType] = LIBRARY_GRAPHS['std-list']!.types as [ShapeType, ShapeType];
      const head = heap.make(headType);
      const nodes = row(heap, type, size, '_M_next', '_M_prev', false);
      heap.point(head, '_M_next', nodes[0]);
      heap.point(nodes[0]!, '_M_prev', head);
      heap.point(head, '_M_prev', nodes.at(-1));
      heap.point(nodes.at(-1)!, '_M_next', head);
      return nodes;
    },
    breakages: {
      'a node skipped': (heap, nodes) => heap.point(nodes[0]!, '_M_next', nodes[2]),
      'the end lost': (heap, nodes) => heap.point(nodes.at(-1)!, '_M_next', undefined),
      'the start lost': (heap, nodes) => heap.write(nodes[0]!, '_M_prev', WILD),
    },
  },
  'bsd-stailq': {
    types: [fields('node', 'key', '*link.stqe_next'), shapeType('head', [['stqh_first', p, 'node'], ['stqh_last', p]])],
    build: (heap, size) => {
      const [type, headType] = LIBRARY_GRAPHS['bsd-stailq']!.types as [ShapeType, ShapeType];
      const empty = heap.make(headType);
      heap.write(empty, 'stqh_last', heap.addressOf(empty));
      const nodes = row(heap, type, size, 'link.stqe_next', undefined, false);
      heap.point(heap.make(headType), 'stqh_first', nodes[0]);
      return nodes;
    },
    breakages: {
      'a second pointer': (heap, nodes) => heap.point(nodes[0]!, 'link.stqe_next', nodes[2]),
      'an empty queue with a last': (heap) => heap.write(0, 'stqh_last', WILD),
    },
  },
  'glib-node': {
    types: [fields('node', 'data', '*next', '*prev', '*parent', '*children')],
    build: (heap, size) => {
      const nodes = Array.from({ length: size }, () => heap.make(LIBRARY_GRAPHS['glib-node']!.types[0]!));
      nodes.forEach((node, i) => {
        heap.point(node, 'children', nodes[3 * i + 1]);
        if (i === 0) return;
        heap.point(node, 'parent', nodes[Math.floor((i - 1) / 3)]);
        if (i % 3 !== 0) heap.point(node, 'next', nodes[i + 1]);
        if (i % 3 !== 1) heap.point(node, 'prev', nodes[i - 1]);
      });
      return nodes;
    },
    breakages: {
      'another parent': (heap, nodes) => heap.point(nodes[2]!, 'parent', nodes[1]),
      'a sibling skipped': (heap, nodes) => heap.point(nodes[1]!, 'next', nodes[3]),
      'a child that is not the first': (heap, nodes) => heap.point(nodes[0]!, 'children', nodes[2]),
    },
  },
  'glib-tree': {
    types: [fields('node', 'key', '*left', '*right', 'balance', 'left_child', 'right_child')],
    build: (heap, size) => {
      const nodes = tree(heap, LIBRARY_GRAPHS['glib-tree']!.types[0]!, size, 'left', 'right');
      inOrder(nodes, (node, place) => heap.write(node, 'key', place));
      nodes.forEach((node, i) => {
        heap.write(node, 'left_child', 2 * i + 1 < size ? 1 : 0);
        heap.write(node, 'right_child', 2 * i + 2 < size ? 1 : 0);
      });
      return nodes;
    },
    breakages: {
      'a balance of 2': (heap, nodes) => heap.write(nodes[1]!, 'balance', 2),
      'a child that it is itself': (heap, nodes) => heap.point(nodes[0]!, 'left', nodes[0]),
      'a pointer to nothing': (heap, nodes) => heap.write(nodes[0]!, 'right', WILD),
    },
  },
  'glib-hash': {
    types: [fields('table', 'size', 'mask', 'nnodes', 'noccupied')],
    build: (heap, size) => [heap.make(LIBRARY_GRAPHS['glib-hash']!.types[0]!, 0, [64, 63, size, size + 1])],
    breakages: { 'another mask': (heap, [node]) => heap.write(node!, 'mask', 31), 'too many': (heap, [node]) => heap.write(node!, 'nnodes', 65) },
  },
  'union-find': {
    types: [fields('node', '*parent', 'rank')],
    build: (heap, size) => {
      const nodes = Array.from({ length: size }, () => heap.make(LIBRARY_GRAPHS['union-find']!.types[0]!));
      nodes.forEach((node, i) => {
        heap.point(node, 'parent', nodes[i === 0 ? 0 : (i - 1) >> 1]);
        heap.write(node, 'rank', 20 - Math.floor(Math.log2(i + 1)));
      });
      return nodes;
    },
    breakages: {
      'a ring': (heap, nodes) => heap.point(nodes[0]!, 'parent', nodes[1]),
      'a lost parent': (heap, nodes) => heap.point(nodes[1]!, 'parent', undefined),
      'a wrong rank': (heap, nodes) => heap.write(nodes[1]!, 'rank', 99),
    },
  },
  'malloc-chunks': {
    types: [shapeType('chunk', [['mchunk_prev_size', 'unsigned'], ['mchunk_size', 'unsigned'], ['fd', p, 'chunk'], ['bk', p, 'chunk']])],
    build: (heap, size) => {
      const nodes = row(heap, LIBRARY_GRAPHS['malloc-chunks']!.types[0]!, size, 'fd', 'bk', true);
      for (const node of nodes) heap.write(node, 'mchunk_size', 0x91);
      return nodes;
    },
    breakages: {
      'an overflow into the size': (heap, nodes) => heap.write(nodes[1]!, 'mchunk_size', 0x4141_4141),
      'a size of 0': (heap, nodes) => heap.write(nodes[1]!, 'mchunk_size', 0),
      'an overflow into fd': (heap, nodes) => heap.point(nodes[1]!, 'fd', nodes[3]),
    },
  },
  'std-vector': {
    types: [fields('vector', '_M_impl._M_start', '_M_impl._M_finish', '_M_impl._M_end_of_storage')],
    build: (heap, size, chance) => [heap.make(LIBRARY_GRAPHS['std-vector']!.types[0]!, 0, [0x5000, 0x5000 + chance.below(size), 0x5000 + size])],
    breakages: { 'an end before the start': (heap, [node]) => heap.write(node!, 2, 0x4000), 'an end behind the storage': (heap, [node]) => heap.write(node!, 2, 0x6000) },
  },
};

