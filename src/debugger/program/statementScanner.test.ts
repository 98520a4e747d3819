import { describe, expect, it } from 'vitest';
import { scanStatements } from './statementScanner.js';

/** Texts of the parts of each line; braces in brackets. */
function parts(...lines: string[]): string[][] {
  return scanStatements(lines).map((found, i) => found.map(({ start, end, isBrace }) => {
    const text = Buffer.from(lines[i] as string).subarray(start - 1, end - 1).toString().trim();
    return isBrace ? `[${text}]` : text;
  }));
}

describe('scanStatements', () => {
  it.each<[string, string[]]>([
    ['a(); b();', ['a();', 'b();']],
    ['x = f(y) + g(z);', ['x = f(y) + g(z);']],
    ['for (int i = 0; i < n; i++) s += i;', ['for (int i = 0;', 'i < n;', 'i++)', 's += i;']],
    ['for (;;) x++;', ['for (;', 'x++;']],
    ['if (a && b) c();', ['if (a', '&& b)', 'c();']],
    ['if (a) b(); else c();', ['if (a)', 'b();', 'c();']],
    ['while (f(a, b) || !c);', ['while (f(a, b)', '|| !c)']],
    ['do { s--; } while (s > 2);', ['[{]', 's--;', '[}]', 'while (s > 2)']],
    ['int r = x ? y : z;', ['int r = x', '? y', ': z;']],
    ['r = a ? b ? 1 : 2 : 3;', ['r = a', '? b', '? 1', ': 2', ': 3;']],
    ['int f(int x) { return x + 1; }', ['int f(int x) {', 'return x + 1;', '[}]']],
    ['switch (x) { case 1: a(); break; default: b(); }', ['switch (x)', '[{]', 'a();', 'break;', 'b();', '[}]']],
    ['int a[] = { 1, 2 }; b();', ['int a[] = { 1, 2 };', 'b();']],
    ['puts("a; b && c"); x = \';\';', ['puts("a; b && c");', 'x = \';\';']],
    ['a(); // b(); c();', ['a();']],
    ['a(); /* b(); */ c();', ['a();', '/* b(); */ c();']],
    ['again: a();', ['a();']],
    ['std::string s; n::f();', ['std::string s;', 'n::f();']],
    ['#define X a; b;', []],
    ['struct pair p = { 1, 2 }, *q; do x(); while (y);', ['struct pair p = { 1, 2 }, *q;', 'x();', 'while (y)']],
    ['} else {', ['[}]', '[{]']],
    ['} else if (x) {', ['[}]', 'if (x)', '[{]']],
    ['/* ä */ a(); b();', ['/* ä */ a();', 'b();']],
    ['', []],
  ])('%s', (line, expected) => {
    expect(parts(line)).toEqual([expected]);
  });

  it('carries comments, raw strings, parentheses and directives over lines', () => {
    expect(parts('a(); /* b();', 'c(); */ d();')).toEqual([['a();'], ['c(); */ d();']]);
    expect(parts('for (i = 0;', '     i < n; i++)', '  x();')).toEqual([['for (i = 0;'], ['i < n;', 'i++)'], ['x();']]);
    expect(parts('x = a', '  && b;')).toEqual([['x = a'], ['&& b;']]);
    expect(parts('#define X \\', '  a; b;', 'c(); d();')).toEqual([[], [], ['c();', 'd();']]);
    expect(parts('s = R"x(a; b;', 'c; )x"; d();')).toEqual([['s = R"x(a; b;'], ['d();']]);
  });

  it('puts operands of one statement into one group', () => {
    const [found = []] = scanStatements(['if (a && b || c) d(); e();']);
    expect(found.map(({ group, begins }) => [group, begins])).toEqual([[0, 'statement'], [0, '&&'], [0, '||'], [1, 'statement'], [2, 'statement']]);
  });
});
