/**
 * `culprit blame` on the programs of the paper's tables: the first corruption, of crashing and of silent inputs, in at
 * most the executions that the paper took. The long form takes all rows, and leaves the table of the manual in
 * tests/build/blame/paper.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { sampled } from '../table/testTable.js';
import { blame, blameList, lineOfPlace } from './blamed.js';
import { compiled, marksOf, sourceOf } from './corpus.js';
import { ROWS, type Row } from './rows.js';

const BUILD_FOLDER = fileURLToPath(new URL('../build/blame/', import.meta.url));
const shown: string[] = [];

function expectedOf({ program, corrupt }: Row): number[] {
  const marks = marksOf(sourceOf(program));
  return corrupt.map((mark) => marks.get(mark) as number);
}

afterAll(() => {
  mkdirSync(BUILD_FOLDER, { recursive: true });
  writeFileSync(`${BUILD_FOLDER}paper.md`, ['| program | input | kind | first corruption | found | executions | paper |', '|---|---|---|---|---|---|---|', ...shown].map((line) => `${line}\n`).join(''));
});

describe.each(sampled(ROWS, 4).map((row) => [`${row.program}, ${row.input}`, row] as const))('%s', (_, row) => {
  const { program, args, stdin } = row;
  const expected = expectedOf(row);

  it('is blamed on the first corruption', () => {
    const path = compiled(program);
    const { status, report, stderr } = blame({ path, args, stdin });
    const lines = report?.places.map((place) => lineOfPlace(place, path, undefined)) ?? [];
    const paper = row.executions ?? '-';
    shown.push(`| ${program} | ${row.input} | ${row.kind} | ${expected.join(' ')} | ${lines.join(' ')} | ${report?.runs ?? '-'} | ${paper} |`);
    expect(expected, `${stderr}${report?.why}`).toContain(lines[0]);
    expect(status).toBe(99);
    expect(report?.verdict).toBe('corruption');
    if (row.executions !== undefined) expect(report?.runs).toBeLessThanOrEqual(row.executions);
  }, 900_000);
});

it('lists lines only, the likeliest first, and nothing that the program prints', () => {
  const row = ROWS.find(({ program }) => program === 'ncompress') as Row;
  const { status, list, stderr } = blameList({ path: compiled('ncompress'), args: row.args, stdin: row.stdin });
  expect({ status, first: list[0], others: list.filter((line) => !/^[^:]+:\d+$/.test(line)), stderr }).toEqual({ status: 99, first: expect.stringMatching(new RegExp(`ncompress\\.c:${expectedOf(row)[0]}$`)), others: [], stderr: '' });
}, 900_000);

it('finds nothing where nothing is', () => {
  expect(blameList({ path: compiled('tidy'), stdin: '<html><body><p>text</></>' })).toMatchObject({ status: 0, list: [] });
}, 900_000);
