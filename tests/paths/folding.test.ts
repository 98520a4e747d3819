/** Folding by its definition: a second implementation says which lines belong to a line (randomC.ts). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Path } from '../../src/paths/model/path.js';
import { codeBase, codeLines, grammars, textOf } from './harness.js';
import { randomFunctions, randomStyle, writtenSource } from './randomC.js';

const RUNS = process.env['CULPRIT_LONG'] === undefined ? 60 : 5000;

/** Numbers of the lines that are shown. */
function numbersIn(lines: readonly string[]): number[] {
  return codeLines(lines).flatMap((line) => /^(\d+)\t/.exec(line)?.[1] ?? []).map(Number);
}

describe('folding', () => {
  it.each(['a.c', 'a.cc'])('shows the steps of random paths through random sources, and nothing else but what a rule says: %s', async (name) => {
    const loaded = await grammars();
    fc.assert(fc.property(randomFunctions, randomStyle, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), (functions, style, picks) => {
      const source = writtenSource(functions, style);
      const inFunctions = source.lines.flatMap((_, i) => (source.functions.some(({ from, to }) => from <= i + 1 && i + 1 <= to) ? [i + 1] : []));
      const steps = picks.map((pick) => inFunctions[pick % inFunctions.length]!);
      const path: Path = { role: 'flow', segments: [{ file: name, steps: steps.map((line) => ({ line })) }] };
      const { lines, tally } = textOf({ message: '', paths: [path] }, codeBase({ [`/work/${name}`]: source.lines.join('\n') }, { grammars: loaded }));
      const expected = [...new Set(steps.flatMap((line) => [...source.shown[line - 1]!]))].sort((a, b) => a - b);
      expect(numbersIn(lines), source.lines.map((text, i) => `${i + 1}\t${text}`).join('\n')).toEqual(expected);
      expect(tally).toEqual({ shown: steps.length, missing: 0 });
    }), { numRuns: RUNS });
  });

  it('finds the function of every line, and its name', async () => {
    const loaded = await grammars();
    fc.assert(fc.property(randomFunctions, randomStyle, (functions, style) => {
      const source = writtenSource(functions, style);
      const code = codeBase({ '/work/a.c': source.lines.join('\n') }, { grammars: loaded });
      for (const { name, from, to } of source.functions) for (let line = from; line <= to; line++) expect(code.functionAt('a.c', line)).toEqual({ name, line: from });
    }), { numRuns: Math.ceil(RUNS / 3) });
  });

  it('does much the same by indentation where there is no grammar: every step is there, with its head and its function', () => {
    fc.assert(fc.property(randomFunctions, fc.nat(), (functions, pick) => {
      const source = writtenSource(functions, { isTall: false });
      const { from, to } = source.functions[pick % source.functions.length]!;
      const line = from + (pick % (to - from + 1));
      const { lines, tally } = textOf({ message: '', paths: [{ role: 'flow', segments: [{ file: 'a.zig', steps: [{ line }] }] }] }, codeBase({ '/work/a.zig': source.lines.join('\n') }));
      expect(numbersIn(lines)).toContain(line);
      expect(tally).toEqual({ shown: 1, missing: 0 });
    }), { numRuns: RUNS });
  });

  it('shows else lines of a chain, but not what is in them', async () => {
    const source = ['int f(int a)', '{', '  if (a) {', '    a = 1;', '  } else if (a > 1) {', '    a = 2;', '  } else', '    a = 3;', '  return a;', '}'];
    const code = codeBase({ '/work/a.c': source.join('\n') }, { grammars: await grammars() });
    const shown = (line: number): number[] => numbersIn(textOf({ message: '', paths: [{ role: 'flow', segments: [{ file: 'a.c', steps: [{ line }] }] }] }, code).lines);
    expect(shown(4)).toEqual([1, 2, 3, 4, 5, 7, 10]);
    expect(shown(6)).toEqual([1, 2, 3, 5, 6, 7, 10]);
    expect(shown(8)).toEqual([1, 2, 3, 5, 7, 8, 10]);
    expect(shown(9)).toEqual([1, 2, 9, 10]);
  });

  it('knows C++: methods, lambdas, try and catch, range loops', async () => {
    const source = ['struct A {', '  int f(int x) const;', '};', 'int A::f(int x) const {', '  try {', '    for (int y : {1, 2}) {', '      auto g = [&](int z) {', '        return z + y;', '      };', '      x += g(x);', '    }', '  } catch (...) {', '    x = 0;', '  }', '  return x;', '}'];
    const code = codeBase({ '/work/a.cpp': source.join('\n') }, { grammars: await grammars() });
    const shown = (line: number): string[] => codeLines(textOf({ message: '', paths: [{ role: 'flow', segments: [{ file: 'a.cpp', steps: [{ line }] }] }] }, code).lines).map((text) => text.split('\t')[0]!);
    expect(shown(8)).toEqual(['a.cpp:A::f', '4', '5', '6', '7', '8', '9', '11', '12', '16']);
    expect(shown(13)).toEqual(['a.cpp:A::f', '4', '5', '12', '13', '14', '16']);
    expect(shown(2)).toEqual(['a.cpp:-', '1', '2', '3']);
  });

  it('folds Python by its indentation', () => {
    const source = ['import os', '', 'def f(a):', '    for b in a:', '        if b:', '            print(b)', '        else:', '            print(a)', '    return a', '', 'f([1])'];
    const { lines } = textOf({ message: '', paths: [{ role: 'flow', segments: [{ file: 'a.py', steps: [{ line: 6 }] }] }] }, codeBase({ '/work/a.py': source.join('\n') }));
    expect(codeLines(lines)).toEqual(['a.py:f', '3\tdef f(a):', '4\t    for b in a:', '5\t        if b:', '6\t            print(b)', '7\t        else:']);
  });
});
