/** Corruption that went through copies, files, pipes, threads and processes before it crashed; and two bugs in one program. */
import { expect, it } from 'vitest';
import { sampled } from '../table/testTable.js';
import { blameList } from './blamed.js';
import { compiled, marksOf, PLAIN, sourceOf } from './corpus.js';

const METHODS = ['suppression', 'both'] as const;
const CARRIED = ['copy', 'file', 'pipe', 'thread', 'process'].flatMap((way) => METHODS.map((method) => [way, method] as const));
const NAME = 'a'.repeat(22);
const ROUTES = '11';

function first(path: string, args: readonly string[], method: string): string | undefined {
  const { list } = blameList({ path, args, options: ['--method', method] });
  return list[0]?.replace(/^.*\//, '');
}

it.each(sampled(CARRIED, 2))('is found behind a %s, by %s', (way, method) => {
  expect(first(compiled('carried'), [way, ROUTES], method)).toBe(`carried.c:${marksOf(sourceOf('carried')).get('corrupt')}`);
}, 900_000);

it('finds two bugs one after the other', () => {
  const marks = marksOf(sourceOf('twoBugs'));
  const places = { name: `twoBugs.c:${marks.get('name')}`, session: `twoBugs.c:${marks.get('session')}` };
  const answer = first(compiled('twoBugs'), [NAME], 'both');
  expect(Object.values(places)).toContain(answer);
  const isName = answer === places.name;
  const repaired = compiled('twoBugs', [...PLAIN, isName ? '-DFIXED_NAME' : '-DFIXED_SESSION']);
  expect(first(repaired, [NAME], 'both')).toBe(isName ? places.session : places.name);
  expect(first(compiled('twoBugs', [...PLAIN, '-DFIXED_NAME', '-DFIXED_SESSION']), [NAME], 'both')).toBeUndefined();
}, 900_000);

