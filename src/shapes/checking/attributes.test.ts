/** User-defined attributes: their values, what NULL has, and cycles, at whichever node one begins. */
import { describe, expect, it } from 'vitest';
import { programOf, shapeType, TestHeap } from '../testing/heap.js';
import { EXAMPLE_5_AVL, EXAMPLE_5_RED_BLACK, EXAMPLE_6 } from '../testing/paper.js';
import { specificationOf } from '../testing/specification.js';
import { ShapeChecker } from './shapeChecker.js';

const AVL = shapeType('avltree', [['val', 'signed'], ['right', 'pointer', 'avltree'], ['left', 'pointer', 'avltree']]);

function checkerOf(text: string, heap: TestHeap): ShapeChecker {
  const checker = new ShapeChecker(specificationOf(text, programOf([AVL, shapeType('rbtree', [['colour', 'signed'], ['right', 'pointer', 'rbtree'], ['left', 'pointer', 'rbtree']])], { BLACK: 1 })));
  for (const operation of heap.operations) checker.apply(operation);
  return checker;
}

/** A way down to the right, as long as told. */
function way(heap: TestHeap, length: number): number[] {
  const nodes = Array.from({ length }, () => heap.make(AVL));
  nodes.forEach((node, i) => heap.point(node, 'right', nodes[i + 1]));
  return nodes;
}

describe("the paper's heights", () => {
  it('are 0 at leaves, and -1 of NULL: two in a row are balanced, three are not', () => {
    for (const length of [1, 2, 3, 4]) {
      const heap = new TestHeap();
      way(heap, length);
      expect(checkerOf(`${EXAMPLE_5_AVL}${EXAMPLE_6}`, heap).inconsistencies().size).toBe(Math.max(0, length - 2));
    }
  });

  it('do not need a stack as deep as the structure', () => {
    const heap = new TestHeap();
    const nodes = way(heap, 20_000);
    const checker = checkerOf(`${EXAMPLE_5_AVL}${EXAMPLE_6}`, heap);
    expect(checker.evaluator.attributes.value(0, nodes[0]!)).toBe(19_999);
  });

  it('of a cycle are none, wherever one begins to ask', () => {
    const heap = new TestHeap();
    const [a, b, c, leaf] = way(heap, 4) as [number, number, number, number];
    heap.point(c, 'left', a);
    heap.point(b, 'left', leaf);
    for (const first of [a, b, c]) {
      const { evaluator } = checkerOf(`${EXAMPLE_5_AVL}${EXAMPLE_6}`, heap);
      evaluator.attributes.value(0, first);
      expect([a, b, c].map((node) => typeof evaluator.attributes.value(0, node))).toEqual(['symbol', 'symbol', 'symbol']);
      expect(evaluator.attributes.value(0, leaf)).toBe(0);
    }
    expect([...checkerOf(`${EXAMPLE_5_AVL}${EXAMPLE_6}`, heap).inconsistencies().values()].map(({ nodes }) => nodes[0]).sort()).toEqual([a, b, c]);
  });
});

it('the black height of Example 5 takes its constant from the program', () => {
  const spec = `${EXAMPLE_5_RED_BLACK}rbtree X; X.BHEIGHT == 1;`;
  const heap = new TestHeap();
  const type = shapeType('rbtree', [['colour', 'signed'], ['right', 'pointer', 'rbtree'], ['left', 'pointer', 'rbtree']]);
  const [top, right] = [heap.make(type, 0, [1, 0, 0]), heap.make(type, 0, [1, 0, 0])];
  heap.point(top, 'right', right);
  const heights = (history: TestHeap) => {
    const { evaluator } = checkerOf(spec, history);
    return [top, right].map((node) => evaluator.attributes.value(0, node));
  };
  expect(heights(heap)).toEqual([1, 0]);
  heap.write(right, 'colour', 0);
  expect(heights(heap)).toEqual([0, 0]);
});
