import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, InputResult } from './inputResult.js';
import { summaryLine, tableList, tableText } from './tableText.js';
import { CLEAN, corrupts, fails, hangs, input } from './testing/answers.js';
import type { TriageInput } from './triageInput.js';
import { triageStatus, triageTable, type TriageTable } from './triageTable.js';

const COMMAND = { shown: './a', args: ['@@'], directory: '/src' };

function tableOf(answers: Readonly<Record<string, readonly Answer[]>>, sizes: Readonly<Record<string, number>> = {}): TriageTable {
  const inputs = Object.keys(answers).map((name) => input(name, sizes[name]));
  return triageTable(inputs, new Map(inputs.map(({ name, hash }) => [hash, { hash, answers: answers[name] ?? [] }])));
}

function shape(table: TriageTable): unknown {
  return table.groups.map(({ culprit: { kind, place }, inputs }) => [kind, place?.line, inputs.map(({ name }) => name)]);
}

describe('groups', () => {
  it('are by the first corruption, wherever the program crashes and whichever rule it breaks', () => {
    const table = tableOf({ a: [corrupts(12, 1)], b: [corrupts(12, 2, 'heap.read')], c: [corrupts(20, 1)] });
    expect(shape(table)).toEqual([['corruption', 12, ['a', 'b']], ['corruption', 20, ['c']]]);
    expect(table.groups[0]).toMatchObject({ rules: ['heap.buffer.overflow', 'heap.read'], sites: [{ text: 'SIGSEGV at /src/a.c:1 in site1', count: 1 }, { text: 'SIGSEGV at /src/a.c:2 in site2', count: 1 }] });
  });

  it('name the smallest input, by name among those of the same size', () => {
    const table = tableOf({ z: [corrupts(1)], b: [corrupts(1)], a: [corrupts(1)] }, { z: 3, b: 3, a: 4 });
    expect(table.groups[0]?.inputs.map(({ name }) => name)).toEqual(['b', 'z', 'a']);
  });

  it('of other failures are by what they are, and where; hangs are one, wherever they were stopped', () => {
    const table = tableOf({
      a: [fails('an assertion does not hold')], b: [fails('a division that has no result', 'SIGFPE', 8)], c: [fails('malloc failed and gave NULL', 'SIGSEGV')],
      d: [hangs(10)], e: [hangs(11)], f: [fails('the stack is exhausted', 'SIGSEGV')], g: [corrupts(5)], h: [fails('a division that has no result', 'SIGFPE', 9)],
    });
    expect(shape(table)).toEqual([
      ['corruption', 5, ['g']], ['hang', undefined, ['d', 'e']], ['assertion', 7, ['a']], ['division', 8, ['b']], ['division', 9, ['h']], ['nullPointer', 7, ['c']], ['stackExhausted', 7, ['f']],
    ]);
  });

  it('without lines are by function and address', () => {
    const place = { function: 'f', file: undefined, line: undefined, module: '/bin/a', address: '0x1234' };
    const answer = (address: string): Answer => ({ ...corrupts(1), places: corrupts(1).places.map((one) => ({ ...one, ...place, address })) });
    expect(tableList(tableOf({ a: [answer('0x10')], b: [answer('0x10')], c: [answer('0x20')] }), '')).toEqual(['2\t0x10 in f of a\ta', '1\t0x20 in f of a\tc']);
  });

  it('have no flaky inputs: those are named apart', () => {
    const table = tableOf({ a: [corrupts(1), corrupts(1, 9)], b: [corrupts(1), CLEAN], c: [CLEAN, CLEAN] });
    expect(shape(table)).toEqual([['corruption', 1, ['a']]]);
    expect(table.flaky).toEqual([{ input: input('b'), said: ['corruption at /src/a.c:1 in f', 'clean'], showsCorruption: true }]);
    expect(table.clean.map(({ name }) => name)).toEqual(['c']);
  });
});

describe('the table', () => {
  it('is the same in whatever order results come, and however often', () => {
    const answers = [corrupts(1), corrupts(2), CLEAN, hangs(), fails('an assertion does not hold')];
    const results = fc.array(fc.nat(answers.length - 1), { minLength: 1, maxLength: 30 });
    fc.assert(fc.property(results, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (which, random) => {
      const inputs: TriageInput[] = which.map((_, i) => input(`in${i}`, i % 4));
      const all: InputResult[] = inputs.map(({ hash }, i) => ({ hash, answers: [answers[which[i] ?? 0] as Answer] }));
      const shuffled = [...all, ...all.slice(0, 3)].map((result) => ({ result, key: random.next().value as number })).sort((a, b) => a.key - b.key).map(({ result }) => result);
      const asMap = (some: readonly InputResult[]): Map<string, InputResult> => new Map(some.map((result) => [result.hash, result]));
      expect(triageTable(inputs, asMap(shuffled))).toEqual(triageTable(inputs, asMap(all)));
    }));
  });

  it('says in a line what there is, and counts every input once', () => {
    const table = triageTable([...'abcdef'].map((name) => input(name)), new Map([
      ['a', [corrupts(1)]], ['b', [corrupts(2)]], ['c', [CLEAN]], ['d', [hangs()]], ['e', []],
    ].map(([name, answers]) => [`hash of ${name as string}`, { hash: `hash of ${name as string}`, answers: answers as Answer[], lost: 'out of memory' }])));
    expect(summaryLine(table)).toBe('6 inputs: 2 corrupt memory, for 2 reasons; 1 fail otherwise, for one reason; 1 clean; 1 not done; 1 still to do');
    expect(tableText(table, COMMAND)).toContain('   e: out of memory');
    expect(tableText(table, COMMAND)).toContain(' 1. 1 input: a.c:1 in f [heap.buffer.overflow]');
    expect(tableText(table, COMMAND)).toContain('    to see it: culprit blame -- ./a a');
  });

  it('decides the exit status: corruption before all else', () => {
    expect([tableOf({ a: [CLEAN] }), tableOf({ a: [hangs()] }), tableOf({ a: [hangs()], b: [corrupts(1)] }), tableOf({ a: [corrupts(1), CLEAN] }), tableOf({ a: [CLEAN, hangs()] })].map(triageStatus)).toEqual([0, 1, 99, 99, 1]);
  });
});
