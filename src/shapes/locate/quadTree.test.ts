/** Figures 1, 3 and 4 of the paper: a quad tree, its inconsistencies at four points, and the statement to blame. */
import { expect, it } from 'vitest';
import { ShapeChecker } from '../checking/shapeChecker.js';
import { TestHeap, shapeType } from '../testing/heap.js';
import { FIGURE_2 } from '../testing/paper.js';
import { specificationOf } from '../testing/specification.js';
import { locateFaults } from './locate.js';

const QDTREE = shapeType('qdtree', [
  ['posX', 'signed'], ['posY', 'signed'], ['width', 'signed'], ['height', 'signed'], ['point', 'pointer'],
  ['child[0]', 'pointer', 'qdtree'], ['child[1]', 'pointer', 'qdtree'], ['child[2]', 'pointer', 'qdtree'], ['child[3]', 'pointer', 'qdtree'],
]);

/** n1 with the children n2 to n5, of which n5 is being split: n6, n7, n8 and n9 come. */
function figure3() {
  const heap = new TestHeap();
  const names = new Map<number, string>();
  const make = (name: string) => {
    const node = heap.make(QDTREE, 35);
    names.set(node, name);
    return node;
  };
  const n1 = make('n1');
  const [n5] = ['n2', 'n3', 'n4', 'n5'].map((name, i) => {
    const child = make(name);
    heap.point(n1, `child[${i}]`, child, 37);
    return child;
  }).slice(3);
  const points: number[] = [];
  const grow = (name: string, i: number) => heap.point(n5!, `child[${i}]`, make(name), 37);
  grow('n6', 0);
  grow('n7', 1);
  points.push(heap.length);
  grow('n8', 2);
  points.push(heap.length);
  heap.point(n1, 'child[0]', undefined, 40);
  points.push(heap.length);
  grow('n9', 3);
  points.push(heap.length);
  return { heap, names, points };
}

it('finds what Figure 3 shows at each point', () => {
  const { heap, names, points } = figure3();
  const checker = new ShapeChecker(specificationOf(FIGURE_2));
  let applied = 0;
  const seen = points.map((point) => {
    for (; applied < point; applied++) checker.apply(heap.at(applied));
    return [...checker.inconsistencies().values()].map(({ constraint, nodes }) => `${constraint.name} ${nodes.map((node) => names.get(node)).join('->')}`).sort();
  });
  expect(seen).toEqual([
    ['c3 n5->n6', 'c3 n5->n7'],
    ['c3 n5->n6', 'c3 n5->n7', 'c3 n5->n8'],
    ['c3 n1->n3', 'c3 n1->n4', 'c3 n1->n5', 'c3 n5->n6', 'c3 n5->n7', 'c3 n5->n8'],
    ['c3 n1->n3', 'c3 n1->n4', 'c3 n1->n5'],
  ]);
});

it('blames line 40, as Figure 4 does', () => {
  const { heap, points } = figure3();
  const checker = new ShapeChecker(specificationOf(FIGURE_2));
  for (const operation of heap.operations) checker.apply(operation);
  const found = locateFaults(checker, heap, heap.length, ['qdtree']);
  expect(found.contributions.map(({ operation }) => operation.by.address)).toEqual([40]);
  expect(found.contributions[0]).toMatchObject({ index: points[1]! });
  expect(found.contributions[0]!.introduced).toHaveLength(3);
  // n9 itself is undone without a check.
  expect(found).toMatchObject({ undone: 3, examined: 2 });
});
