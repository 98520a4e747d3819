/** Whatever stands in a file, the answer is statements or problems with places; what is printed means the same. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bindShapes } from '../checking/bind.js';
import { EXAMPLE_5_AVL, EXAMPLE_6, EXAMPLE_7, EXAMPLE_8, FIGURE_2 } from '../testing/paper.js';
import { loadShapes } from './load.js';
import { printShapes } from '../testing/printItems.js';

const WORDS = ['node', 'X', 'Y', 'node X;', 'FIELD', 'EDGE', 'ARRAY', 'TYPE', 'ROOT head;', 'head', 'C-POINT', 'end', ';', '.', '..(c1)', '(', ')', '[', ']', '{', '}', '->', '/->', '->>', '⇒', '||', '|', '&', '==', '≤', '=', '+', '-', '3', '1.', 'NULL', 'TRUE', 'X.ISLEAF', 'X[2]', 'X.INDEGREE(', 'T.H;', 'X.H = 1', 'for I in 0 to 8,', 'some', 'and', 'not', '? 1 : 2', 'message "m"', '"text"', 'container_of(', '– remark\n', '/* c */', '\n'];
const SOUND = `ROOT head; node TAG p 3;\n[a.b] node X; node Y; X.left == Y and head ->> X => strcmp(X.name, "x") <= 0 message "m";\n${FIGURE_2}${EXAMPLE_5_AVL}${EXAMPLE_8}`;

function load(text: string): void {
  const { file, problems } = loadShapes(text, 'a.shape');
  const lines = text.split('\n');
  for (const { place } of [...problems, ...bindShapes(file.items).problems]) {
    expect(place.line).toBeLessThanOrEqual(lines.length);
    expect(place.column).toBeGreaterThan(0);
    expect(place.column).toBeLessThanOrEqual((lines[place.line - 1]?.length ?? 0) + 1);
  }
  if (problems.length > 0 || file.items.length === 0) return;
  const printed = printShapes(file);
  const again = loadShapes(printed, 'a.shape');
  expect(again.problems).toEqual([]);
  expect(printShapes(again.file)).toBe(printed);
}

it('any words', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }), (words) => load(words.join(' '))), { numRuns: 500 });
});

it('any characters', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => load(text)), { numRuns: 300 });
});

it('specifications with something missing or something more', () => {
  const tokens = SOUND.split(/(?<=\W)|(?=\W)/);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(tokens.length - 1), fc.constantFrom('', ...WORDS)), { minLength: 1, maxLength: 3 }), (changes) => {
      const changed = [...tokens];
      for (const [at, word] of changes) changed[at] = word;
      load(changed.join(''));
    }),
    { numRuns: 250 },
  );
});

it('what is sound, and what is nested too deeply', () => {
  for (const text of [SOUND, EXAMPLE_6, EXAMPLE_7]) {
    expect(loadShapes(text, 'a.shape').problems).toEqual([]);
    load(text);
  }
  for (const deep of ['('.repeat(5000), '-'.repeat(5000), 'not '.repeat(5000), '|'.repeat(5000), 'X' + '[1]'.repeat(5000)]) {
    expect(loadShapes(`node X; X[1] == ${deep}`, 'a.shape').problems).toHaveLength(1);
  }
});
