import { describe, expect, it } from 'vitest';
import { isName, sourceStatements } from './sourceStatements.js';

/** Names in statements that have to do with a line. */
function names(text: string, line: number): string[] {
  return [...new Set(sourceStatements(text.split('\n')).at(line).filter(isName))];
}

describe('statements', () => {
  it.each([
    ['a;\nb;\nc;', 2, ['b']],
    ['f(a,\n  b,\n\n  // d\n  c);\ne;', 2, ['f', 'a', 'b', 'c']],
    ['a; b;\nc;', 1, ['a', 'b']],
    ['for (a; b; c) {\n  d;\n}', 1, ['for', 'a', 'b', 'c']],
    ['for (a;\n  b;\n  c) {\n  d;\n}', 2, ['for', 'a', 'b', 'c']],
    ['if (a)\n  b;\nelse\n  c;', 4, ['else', 'c']],
    ['s = {\n  a,\n  { b }\n};\nc;', 1, ['s', 'a', 'b']],
    ['s = {\n  a,\n  { b }\n};\nc;', 3, ['s', 'a', 'b']],
    ['f(a, (struct s) {\n  b });\nc;', 1, ['f', 'a', 'struct', 's', 'b']],
    ['x = (struct s) {\n  b };\nc;', 1, ['x', 'struct', 's', 'b']],
    ['return (struct s) {\n  b };\nc;', 1, ['return', 'struct', 's', 'b']],
    ['struct { int a; } b[] = {\n  c };', 2, ['b', 'c']],
    ['a = ({\n  b;\n  c; });\nd;', 2, ['a', 'b', 'c']],
    ['f(a,\n#ifdef X\n  b,\n#endif\n  c);', 1, ['f', 'a', 'b', 'c']],
    ['int f(void) {\n  a;\n}', 2, ['a']],
    ['a = "b;" + \'c\' /* d; */ + e; // f', 1, ['a', 'e']],
    ['a = "b\\\n c";\nd;', 1, ['a']],
    ['a = b + \\\n c;\nd;', 3, ['d']],
    ['BEGIN(\na;\nb;', 3, ['BEGIN', 'a', 'b']],
    ['\na;', 1, []],
  ])('%j at %d', (text, line, found) => expect(names(text, line)).toEqual(found));
});

describe('macros', () => {
  const found = sourceStatements(['#define ONE (a + 1)', '#define TWO(b, ...) \\', '  b + c + __VA_ARGS__', '# define ONE d', '#include "other.h"', '#include <stdio.h>', 'e;']);

  it('stand for all that they are defined as, without parameters', () => {
    expect(found.macros.get('ONE')).toEqual(['(', 'a', '+', '1', ')', 'd']);
    expect(found.macros.get('TWO')?.filter(isName)).toEqual(['c', '__VA_ARGS__']);
  });
  it('may be in other files', () => expect(found.included).toEqual(['other.h']));
  it('are not statements', () => {
    expect(found.at(1)).toEqual([]);
    expect(found.at(7)).toEqual(['e', ';']);
  });
});
