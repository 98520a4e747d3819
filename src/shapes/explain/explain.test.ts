import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ShapeChecker } from '../checking/shapeChecker.js';
import { messageOf } from '../checking/messages.js';
import { loadShapes } from '../language/load.js';
import { programOf, shapeType, TestHeap } from '../testing/heap.js';
import { EXAMPLE_5_AVL, EXAMPLE_6, EXAMPLE_8, FIGURE_2 } from '../testing/paper.js';
import { specificationOf } from '../testing/specification.js';
import { drawSvg } from './drawSvg.js';
import { drawText } from './drawText.js';
import { exampleOf } from './example.js';
import { changesBetween, pictureAround, pictureOf } from './picture.js';
import { explainShapes } from './words.js';

const read = (name: string) => readFileSync(`shapes/${name}.shape`, 'utf8');

describe('words', () => {
  const words = (text: string) => explainShapes(loadShapes(text, 'a.shape').file);

  it("say what the paper's specifications say", () => {
    expect(words(FIGURE_2)).toEqual([
      'qdtree is a node with 9 fields of which 5 are pointers.',
      '[c1] For every qdtree X: if X is no root, then the number of edges to X is 1.',
      '[c2] For every qdtree X and every qdtree Y: if an edge leads from X to Y, then no edge leads from Y to X.',
      '[c3] For every qdtree X and every qdtree Y: if an edge leads from X to Y, then the number of edges from X is 4.',
    ]);
    expect(words(EXAMPLE_8).at(-1)).toBe('[c1] For every node X: if field 2 of X is not NULL, then there is a node Y so that field 2 of X is Y.');
    expect(words(`${EXAMPLE_5_AVL}${EXAMPLE_6}`)).toEqual([
      'HEIGHT of a avltree X is 0 if X is a leaf, otherwise HEIGHT of field 2 of X + 1 if HEIGHT of field 2 of X is at least HEIGHT of field 3 of X, otherwise HEIGHT of field 3 of X + 1.',
      '[c1] For every avltree X: HEIGHT of field 2 of X - HEIGHT of field 3 of X is at most 1 and HEIGHT of field 2 of X - HEIGHT of field 3 of X is at least -1.',
    ]);
  });

  it('say the rest', () => {
    expect(words('node EDGE left, right; node EMBED link; node TAG p 3; ROOT head; TYPE node = "struct n"; C-POINT(node) exit insert; C-POINT every 1;\nnode X; for I in 0 to 3, |X.a| <= 1 or head ->>{left} X message "m";')).toEqual([
      'node is a node whose edges are left and right.',
      'A pointer to link of a node leads to that node.',
      'The bits 3 of node.p are no part of the address.',
      'head is a variable of the program.',
      'node is struct n of the program.',
      'Checked when insert returns (node).',
      'Checked after every 1 operation.',
      '[c1] For every node X and every I from 0 to 3: the size of X.a is at most 1 or a path through left leads from head to X. Otherwise: m.',
    ]);
  });
});

const NODE = shapeType('node', [['key', 'signed'], ['left', 'pointer', 'node'], ['right', 'pointer', 'node']]);

function broken() {
  const heap = new TestHeap();
  const [a, b, c] = [10, 5, 12].map((key) => heap.make(NODE, 1, [key, 0, 0])) as [number, number, number];
  heap.point(a, 'left', b);
  heap.point(a, 'right', c);
  const checker = new ShapeChecker(specificationOf('[full] node X; node Y; X -> Y => X.OUTDEGREE == 2 message "{X.key} has {X.OUTDEGREE}";', programOf([NODE])));
  for (const operation of heap.operations) checker.apply(operation);
  const before = pictureAround(checker.graph, [a]);
  heap.write(a, 'right', 0xdead);
  checker.apply(heap.operations.at(-1)!);
  return { heap, checker, before, nodes: [a, b, c] as const };
}

describe('pictures', () => {
  it('as text, before and after', () => {
    const { before, checker, nodes } = broken();
    expect(drawText(before)).toEqual([
      '! n0 node key=10 ◀',
      '  ├─left──▶ n1 node key=5',
      '  │   ├─left──▶ NULL',
      '  │   └─right─▶ NULL',
      '  └─right─▶ n2 node key=12',
      '      ├─left──▶ NULL',
      '      └─right─▶ NULL',
    ]);
    const after = pictureOf(checker.graph, nodes, new Set([0]), 0, (node) => `n${node}`);
    expect(drawText(changesBetween(before, after))).toEqual([
      '! n0 node key=10 ◀',
      '  ├─left──▶ n1 node key=5',
      '  │   ├─left──▶ NULL',
      '  │   └─right─▶ NULL',
      '+ ├─right─▶ 0xdead (no node)',
      '- └─right─▶ n2',
      '  n2 node key=12',
      '  ├─left──▶ NULL',
      '  └─right─▶ NULL',
    ]);
  });

  it('as SVG, escaped, with what is broken marked', () => {
    const { before, checker, nodes } = broken();
    const after = pictureOf(checker.graph, nodes, new Set([0]), 3, () => '<b>"&\u0007');
    const svg = drawSvg(changesBetween(before, after), 'a < b');
    expect(svg).toContain('<title>a &lt; b</title>');
    expect(svg).toContain('&lt;b&gt;&quot;&amp;\uFFFD node');
    expect(svg).not.toContain('<b>');
    expect(svg.match(/class="broken"/g)!.length).toBeGreaterThan(1);
    expect(svg.match(/<(?!\/|\?)[a-z]+/g)!.length).toBeGreaterThan(10);
  });

  it('messages have values', () => {
    const { checker } = broken();
    expect([...checker.inconsistencies().values()].map((found) => messageOf(found, checker.evaluator))).toEqual(['10 has 1']);
  });

  it('large graphs are cut', () => {
    const heap = new TestHeap();
    const nodes = Array.from({ length: 100 }, () => heap.make(NODE));
    nodes.forEach((node, i) => i > 0 && heap.point(nodes[i - 1]!, 'left', node));
    const checker = new ShapeChecker(specificationOf('node X; X.ISROOT or X.INDEGREE == 1;', programOf([NODE])));
    for (const operation of heap.operations) checker.apply(operation);
    const picture = pictureAround(checker.graph, [50], { limit: 5 });
    expect(picture.nodes.map(({ node }) => node)).toEqual([48, 49, 50, 51, 52]);
    expect(drawText(picture).at(-1)).toBe('  (and 2 more around them)');
  });
});

describe('examples', () => {
  const all = readdirSync('shapes').filter((name) => name.endsWith('.shape')).map((name) => name.slice(0, -'.shape'.length));
  const names = process.env['CULPRIT_LONG'] === undefined ? ['doubly-linked-list', 'avl-tree', 'linux-list', 'hash-table'] : all;

  it.each(names)('of %s is there', (name) => {
    const { file, problems } = loadShapes(read(name), `${name}.shape`, read);
    expect(problems).toEqual([]);
    expect(exampleOf(file.items)).toBeDefined();
  });

  it('of the quad tree has four children', () => {
    const picture = exampleOf(loadShapes(read('quad-tree'), 'a', read).file.items)!;
    expect(picture.edges.filter(({ to }) => to !== undefined)).toHaveLength(4);
  });
});
