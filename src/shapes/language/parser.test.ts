import { describe, expect, it } from 'vitest';
import { EXAMPLE_4, EXAMPLE_5_AVL, EXAMPLE_5_RED_BLACK, EXAMPLE_6, EXAMPLE_7, EXAMPLE_8, FIGURE_2, FIGURE_6 } from '../testing/paper.js';
import type { ConstraintItem, Item } from './ast.js';
import { loadShapes } from './load.js';
import { parseShapes } from './parser.js';
import { printItem } from '../testing/printItems.js';
import { printRule } from './printer.js';

function parsed(text: string): readonly Item[] {
  const { file, problems } = parseShapes(text, 'a.shape');
  expect(problems).toEqual([]);
  return file.items;
}

function rules(text: string): string[] {
  return parsed(text).flatMap((item) => (item.kind === 'constraint' ? [`${item.name}: ${printRule(item)}`] : []));
}

/** The first problem as line:column: message (hint). */
function problem(text: string): string {
  const [first] = loadShapes(text, 'a.shape').problems;
  return first === undefined ? 'none' : `${first.place.line}:${first.place.column}: ${first.message}${first.hint === undefined ? '' : ` (${first.hint})`}`;
}

describe('what the paper prints', () => {
  it('Figure 2', () => {
    expect(parsed(FIGURE_2)[0]).toMatchObject({ kind: 'structure', type: 'qdtree', fields: 9, edges: 5 });
    expect(rules(FIGURE_2)).toEqual(['c1: X.ISROOT == false => X.INDEGREE == 1', 'c2: X -> Y => Y /-> X', 'c3: X -> Y => X.OUTDEGREE == 4']);
  });

  it('Figure 6', () => {
    expect(rules(FIGURE_6)).toEqual([
      'c1: X.ISROOT == false => X.INDEGREE == 1',
      'c2: X -> Y => Y /-> X',
      'c3: X -> Y => 2 <= X.OUTDEGREE',
      'c4: X -> Y => X.OUTDEGREE <= 3',
      'c5: X.OUTDEGREE == X[1] + 1',
    ]);
  });

  it('Examples 4 to 8', () => {
    expect(parsed(EXAMPLE_4).map(printItem)).toEqual(['btree FIELD 6 EDGE 3;', 'avltree FIELD 3 EDGE 2;']);
    expect(parsed(EXAMPLE_5_AVL).map(printItem)).toEqual(['avltree.HEIGHT; avltree X;\n  X.ISLEAF == true => X.HEIGHT = 0 || X.HEIGHT = X[2].HEIGHT >= X[3].HEIGHT ? X[2].HEIGHT + 1 : X[3].HEIGHT + 1;']);
    expect(parsed(EXAMPLE_5_RED_BLACK).map(printItem)).toEqual(['rbtree.BHEIGHT; rbtree X;\n  X.ISLEAF == true => X.BHEIGHT = 0 || X.BHEIGHT = X[2][1] != BLACK ? X[2].BHEIGHT : X[2].BHEIGHT + 1;']);
    expect(rules(EXAMPLE_6)).toEqual(['c1: X[2].HEIGHT - X[3].HEIGHT <= 1 and X[2].HEIGHT - X[3].HEIGHT >= -1']);
    expect(rules(EXAMPLE_7)).toEqual(['c1: for I in 0 to 8, X[I * 4 + 1] < X[(I + 1) * 4 + 1]']);
    expect(rules(EXAMPLE_8)).toEqual(['c1: X[2] != NULL => X[2] == Y']);
  });
});

describe('statements', () => {
  it('beyond the paper', () => {
    const text = `TYPE node = "struct entry";
node EDGE left, right;
node EMBED link;
node TAG parent 3;
ROOT head;
CONSTANT RED = -1;
node AT "tree.c:19";
ALLOCATOR "pool_alloc";
C-POINT(node) entry "insert";
C-POINT line "tree.c:40";
C-POINT every 100;
C-POINT crash;`;
    expect(parsed(text).map(printItem).join('\n')).toBe(text);
    expect(parsed('##C-POINT(qdtree) insert;')).toMatchObject([{ types: ['qdtree'], point: { kind: 'entry', function: 'insert' } }, { point: { kind: 'exit', function: 'insert' } }]);
  });

  it('names, messages and quantifiers', () => {
    const [item] = parsed('[tree.ordered] node X; some node Y; X.left->key < X.key and X -> Y message "not in order";') as [ConstraintItem];
    expect(item).toMatchObject({ name: 'tree.ordered', message: 'not in order', variables: [{ name: 'X', some: false }, { name: 'Y', some: true }] });
    expect(printRule(item)).toBe('X.left->key < X.key and X -> Y');
  });

  it('arrows lead to variables or to members', () => {
    expect(rules('node X; node Y; X.next->prev == X;')).toEqual(['c1: X.next->prev == X']);
    expect(rules('node X; node Y; X.next -> Y => X ->>{left, right} Y and Y /->> X;')).toEqual(['c1: X.next -> Y => X ->>{left, right} Y and Y /->> X']);
    expect(rules('node X; node Y; X ↠ Y ⇒ Y /→→ X;')).toEqual(['c1: X ->> Y => Y /->> X']);
  });

  it('values', () => {
    for (const rule of ['|X.a - X.b| <= 1', 'strcmp(X.name, "a\\"b") < 0', 'X.flags & 3 == 1', '(X.a == 1 or X.b == 2) and not X.c > 3', '-X.a * (2 - X.b) % 3 >= 0', 'X.a == (X.b < 1 ? 0 : 1)', 'X.INDEGREE(node.next, head) == 1', '&X.link == container_of(X.link.next, node, link).link.prev', 'X.child[2].pos.x != 0xff']) {
      expect(rules(`node X; ${rule};`)).toEqual([`c1: ${rule.replace('0xff', '255')}`]);
    }
  });
});

describe('mistakes', () => {
  it.each([
    ['node X; X.a = 1;', "1:13: found '=', expected ';' (equality is written ==)"],
    ['node X; X.a == 1', "1:17: found the end of the file, expected 'and', 'or', '=>' or ';'"],
    ['node FIELD x;', "1:12: found 'x', expected the number of fields"],
    ['node X; node X; X.a == 1;', '1:14: X is declared twice in this constraint'],
    ['node X; X.a < 1 < 2;', "1:17: found '<', expected 'and', 'or', '=>' or ';' (comparisons do not chain: write a < b and b < c)"],
    ['node X; X.a;', '1:10: found a value, expected a condition (compare it with something, like X[1] > 0)'],
    ['node X; Z.a == 1;', '1:9: there is no variable Z (did you mean X?)'],
    ['node X; X.INDEGRE == 1;', '1:10: there is no attribute INDEGRE (did you mean INDEGREE?)'],
    ['t.H; t X; X.ISLEAF => X.G = 1 || X.H = 2;', "1:23: found 'X', expected 'X.H = '"],
    ['t.H; t X; X.ISLEAF => X.H = 1;', "1:30: found ';', expected '||' (what follows || is the value where the guard does not hold)"],
    ['node X; (X.a == 1;', "1:18: found ';', expected ')' (a parenthesis is still open)"],
    ['node X; X.a == #;', '1:16: found "#", which no specification contains'],
    ['C-POINT 7;', "1:9: found '7', expected entry, exit, line, every, end, crash or the name of a function"],
    ['node FIELD 2;', '1:1: there is no constraint in this file'],
    ['[a] node X; X.a == 1; [a] node X; X.b == 1;', '1:23: there is a constraint a already'],
  ])('%s', (text, expected) => {
    expect(problem(text)).toBe(expected);
  });

  it('all of a file', () => {
    expect(parseShapes('node X; X.a = 1;\nnode X; X[;\nnode X; X.a == 1;', 'a.shape').problems.map(({ place }) => place.line)).toEqual([1, 2]);
  });
});
