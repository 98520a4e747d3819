/** The projection: what is called is below its call, what repeats itself is shown once, and depth has no limit. */
import { describe, expect, it } from 'vitest';
import type { Path, Segment, Step } from '../../src/paths/model/path.js';
import { codeBase, codeLines, textOf } from './harness.js';

const SOURCE = ['void f() {', '  g();', '  f();', '}', 'void g() {', '  h();', '}'].join('\n');
const code = codeBase({ '/work/a.x': SOURCE, '/work/m.x': 'macro' });
const at = (line: number, detour?: number): Step => ({ line, ...(detour === undefined ? {} : { detour }) });
const segment = (name: string, ...steps: Step[]): Segment => ({ function: name, file: 'a.x', steps });

function shown(...segments: Segment[]): string[] {
  const path: Path = { role: 'flow', segments };
  return textOf({ message: '', paths: [path] }, code).lines.slice(2).map((line) => line.split('\t')[0]!);
}

describe('calls', () => {
  it('are below their line, in the order of the path; the caller goes on below its head', () => {
    expect(shown(segment('f', at(2, 1), at(3, 2)), segment('g', at(6)), segment('f', at(2)))).toEqual(['a.x:f', '1', '2', 'a.x:g', '5', '6', '7', 'a.x:f', '3', 'a.x:f', '1', '2', '4', 'a.x:f', '4']);
  });

  it('without a line are where the path is', () => {
    expect(shown(segment('f', at(2), { detour: 1 }, at(3)), segment('g', at(6)))).toEqual(['a.x:f', '1', '2', 'a.x:g', '5', '6', '7', 'a.x:f', '3', '4']);
    expect(shown(segment('f', { detour: 1 }, at(3)), segment('g', at(6)))).toEqual(['a.x:f', '1', 'a.x:g', '5', '6', '7', 'a.x:f', '3', '4']);
  });

  it('of one line are alike: the first is shown, and how many more there are', () => {
    const alike = [1, 2, 3, 4].map((i) => at(2, i));
    const called = alike.map(() => segment('g', at(6)));
    expect(shown(segment('f', ...alike), ...called)).toEqual(['a.x:f', '1', '2', 'a.x:g', '5', '6', '7', '# 3 more calls like this', 'a.x:f', '4']);
    // One that is not is shown.
    called[2] = segment('g', at(7));
    expect(shown(segment('f', ...alike), ...called)).toEqual(['a.x:f', '1', '2', 'a.x:g', '5', '6', '7', '# 2 more calls like this', 'a.x:g', '5', '7', 'a.x:f', '4']);
    expect(shown(segment('f', at(2, 1), at(2, 2)), segment('g', at(6)), segment('g', at(6)))).toEqual(['a.x:f', '1', '2', 'a.x:g', '5', '6', '7', 'a.x:g', '5', '6', '7', 'a.x:f', '4']);
  });

  it('of a recursion are shown to where they differ, however deep they are', () => {
    const deep = (levels: number): Segment[] => [...Array.from({ length: levels }, (_, i) => segment('f', at(3, i + 1))), segment('g', at(6))];
    expect(shown(...deep(5))).toEqual(['a.x:f', '1', '3', '# 4 more levels of recursion like this', 'a.x:g', '5', '6', '7', 'a.x:f', '4']);
    expect(shown(...deep(20_000))).toEqual(['a.x:f', '1', '3', '# 19999 more levels of recursion like this', 'a.x:g', '5', '6', '7', 'a.x:f', '4']);
  });

  it('of functions that call each other in turns, too', () => {
    const turns = (levels: number): Segment[] => [...Array.from({ length: levels }, (_, i) => (i % 2 === 0 ? segment('f', at(2, i + 1)) : segment('g', at(6, i + 1)))), segment('g', at(7))];
    expect(shown(...turns(11))).toEqual(['a.x:f', '1', '2', 'a.x:g', '5', '6', '# 8 more levels of recursion like this', 'a.x:f', '1', '2', 'a.x:g', '5', '7', 'a.x:f', '4', 'a.x:g', '7', 'a.x:f', '4']);
    expect(shown(...turns(5)).filter((line) => line.startsWith('#'))).toEqual([]);
    expect(shown(...turns(10_000)).length).toBeLessThan(30);
  });

  it('that are all different are as deep as they are', () => {
    const levels = 5000;
    const path = Array.from({ length: levels }, (_, i) => segment(`f${i}`, at(2, i + 1)));
    const { tally } = textOf({ message: '', paths: [{ role: 'flow', segments: [...path, segment('g', at(6))] }] }, code);
    expect(tally).toEqual({ shown: levels + 1, missing: 0 });
  });
});

it('steps in other files than their segment are below a head of their own', () => {
  expect(shown(segment('f', at(2), { ...at(1), file: 'm.x' }, at(3)))).toEqual(['a.x:f', '1', '2', 'm.x:-', '1', 'a.x:f', '3', '4']);
});

it('why steps are there, and the state, is said on demand; the same again is counted', () => {
  const loop: Step = { line: 2, why: 'again', state: { i: '1' } };
  const { lines } = textOf({ message: '', paths: [{ role: 'flow', segments: [segment('f', loop, loop, { line: 2, why: 'other' })] }] }, code, true);
  expect(lines.slice(2)).toEqual(['a.x:f', '1\tvoid f() {', '2\t  g();', '# ^ again; i = 1 (2 times)', '# ^ other', '4\t}']);
});

it('what a report or source has in it controls no terminal, and looks like no other line', () => {
  const evil = '\u001b[2J\u202e\n99\tfake';
  const path: Path = { role: evil, title: evil, thread: evil, segments: [{ function: evil, file: 'e.x', steps: [{ line: 1, why: evil, state: { [evil]: evil } }, { line: 9, why: evil, module: evil }] }] };
  const { lines } = textOf({ message: evil, rule: evil, paths: [path] }, codeBase({ '/work/e.x': '\u001b]0;title\u0007 x' }), true);
  // oxlint-disable-next-line no-control-regex
  expect(lines.join('')).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u202e]/);
  expect(codeLines(lines).filter((line) => /^\d+\t/.test(line))).toEqual(['1\t\\e]0;title\\x07 x']);
});
