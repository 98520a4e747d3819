/**
 * Random structures and random edits, for properties: nodes of several types come and go, fields get numbers, pointers
 * to nodes of any type, into embedded members, with tags, to freed memory and to nowhere.
 */
import fc from 'fast-check';
import { specificationOf } from './specification.js';
import type { BoundSpecification } from '../checking/terms.js';
import type { ProgramTypes, ShapeType } from '../model.js';
import { arrayType, programOf, shapeType, TestHeap } from './heap.js';

const NODE = shapeType('node', [['key', 'signed'], ['left', 'pointer', 'node'], ['right', 'pointer', 'node'], ['parent', 'pointer', 'node'], ['link.next', 'pointer'], ['link.prev', 'pointer'], ['colour', 'unsigned']]);
const TABLE = arrayType('table', 'pointer', 'node');
const HEAD = shapeType('head', [['head', 'pointer', 'node']]);
const NUMBERS = arrayType('numbers', 'signed');
const PROGRAM: ProgramTypes = programOf([NODE, TABLE, HEAD, NUMBERS], { RED: 1 });

/** Each is one kind of constraint; properties take some of them together. */
const DECLARED = 'node EDGE left, right; node TAG colour 3; node EMBED link; ARRAY table; ARRAY numbers; ROOT head;\nnode.HEIGHT; node X; X.left == NULL and X.right == NULL => X.HEIGHT = 0 || X.HEIGHT = (X.left->HEIGHT >= X.right->HEIGHT ? X.left->HEIGHT : X.right->HEIGHT) + 1;\nnode.DEPTH = 0; node X; X.DEPTH = X.parent->DEPTH + 1;';
const CONSTRAINTS: readonly string[] = [
  'node X; X.ISROOT == false => X.INDEGREE == 1;',
  'node X; node Y; X -> Y => Y /-> X;',
  'node X; node Y; X ->> Y => Y /->> X;',
  'node X; node Y; X -> Y => X.OUTDEGREE == 2;',
  'node X; X.left->key < X.key and X.right->key > X.key;',
  'node X; X.left->parent == X and X.right->parent == X;',
  'node X; node Y; X.left == Y => Y.key < X.key;',
  'node X; node Y; X.left->right == Y => Y.key < X.key;',
  'node X; X.left != NULL => X.left->HEIGHT < X.HEIGHT;',
  'node X; |X.left.HEIGHT - X.right.HEIGHT| <= 1;',
  'node X; X.parent != NULL => X.DEPTH > 1;',
  'node X; X.link.next->link.prev == X;',
  'node X; X.next != NULL => container_of(X.link.next, node, link).key >= X.key;',
  'node X; node Y; X.left != NULL => X.left == Y;',
  'node X; some node Y; X -> Y => Y.key == X.key + 1;',
  'node X; some node Y; X.key != 0 => Y.key == 0;',
  'node X; X.colour & 3 == 1 => X.colour != NULL;',
  'node X; head ->> X;',
  'node X; head == X => X.key > 0;',
  'node X; node Y; X ->> Y => X.key <= Y.key;',
  'node X; node Y; X ->>{parent} Y => Y /->>{parent} X;',
  'node X; X.INDEGREE(table) <= 1 and X.INDEGREE(node.parent) <= 2 and X.OUTDEGREE(node) <= 2;',
  'node X; node Y; X != Y and X.key == Y.key => X.colour == Y.colour;',
  'table T; for I in 1 to 4, T[I]->key == I;',
  'table T; node X; T -> X => X.INDEGREE <= 2;',
  'numbers N; for I in 1 to N[1], N[I] <= N[I + 1];',
  'node X; X.ISLEAF or X.INTERNAL or X.EXTERNAL == true;',
];

export const randomSpecification: fc.Arbitrary<BoundSpecification> = fc
  .uniqueArray(fc.constantFrom(...CONSTRAINTS), { minLength: 1, maxLength: 5 })
  .map((constraints) => specificationOf(`${DECLARED}\n${constraints.join('\n')}`, PROGRAM));

/** Those that ask for paths. */
export const randomPaths: fc.Arbitrary<BoundSpecification> = fc
  .uniqueArray(fc.constantFrom(...CONSTRAINTS.filter((constraint) => constraint.includes('->>'))), { minLength: 1, maxLength: 3 })
  .map((constraints) => specificationOf(`${DECLARED}\n${constraints.join('\n')}`, PROGRAM));

export const everySpecification: BoundSpecification = specificationOf(`${DECLARED}\n${CONSTRAINTS.join('\n')}`, PROGRAM);

type Edit = readonly [kind: number, a: number, b: number, c: number];

export function randomHistory(maxLength: number): fc.Arbitrary<TestHeap> {
  return fc.array(fc.tuple(fc.nat(19), fc.nat(), fc.nat(), fc.nat()), { minLength: 5, maxLength, size: 'max' }).map(play);
}

function play(edits: readonly Edit[]): TestHeap {
  const heap = new TestHeap();
  heap.make(HEAD, 1);
  for (let i = 0; i < 3; i++) heap.make(NODE, 2);
  edits.forEach(([kind, a, b, c], i) => edit(heap, kind, a, b, c, 10 + (i % 7)));
  return heap;
}

function edit(heap: TestHeap, kind: number, a: number, b: number, c: number, line: number): void {
  const live = heap.live;
  const node = live[a % live.length]!;
  if (kind === 0) heap.make(NODE, line);
  else if (kind === 1) heap.make(TABLE, line, [0, 0, 0]);
  else if (kind === 2) heap.make(NUMBERS, line, [b % 4, 1, 2]);
  else if (kind === 3 && live.length > 3 && node !== 0) heap.release(node, line);
  else writeSomething(heap, node, b, c, line);
}

function writeSomething(heap: TestHeap, node: number, b: number, c: number, line: number): void {
  const type = typeOf(heap, node);
  const fields = type.element === undefined ? type.fields : [type.element, type.element, type.element];
  const index = b % fields.length;
  const field = fields[index]!;
  const live = heap.live;
  const target = heap.addressOf(live[c % live.length]!);
  const pointers = [0, target, target, target, target + 32, target + 8, 0x99999];
  if (field.name === 'colour') heap.write(node, index + 1, [c % 4, target + (c % 4), 2 ** 60][c % 3]!, line);
  else if (field.kind === 'pointer') heap.write(node, index + 1, pointers[(b >> 3) % pointers.length]!, line);
  else heap.write(node, index + 1, c % 5, line);
}

function typeOf(heap: TestHeap, node: number): ShapeType {
  for (const operation of heap.operations) if (operation.kind === 'made' && operation.node === node) return operation.type;
  return NODE;
}
