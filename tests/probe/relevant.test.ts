/** Relevant conditions: those that change a value, and no others; the judge is the program altered by hand. */
import { expect, it } from 'vitest';
import { relevantConditions, type RelevantResult } from '../../src/probe/relevant.js';
import { relevantLines } from '../../src/probe/relevantText.js';
import { judge, judged, lineOf, named, opened } from './probed.js';

const TIMEOUT = 120_000;

const texts = (result: RelevantResult): string[] => result.conditions.map(({ line, alteration, effect }) => `omission.c:${line}#${alteration.which} ${effect}`);

it('finds why a flag was not set', async () => {
  const { debug, slices } = await opened('omission', 'O0');
  const at = (mark: string): string => named('omission', [`@${mark}`])[0] as string;
  const { members } = await slices.backward(at('kind'), ['flags']);
  expect(members.map(({ line }) => line)).not.toContain(lineOf('omission', 'mode'));
  const flag = await relevantConditions(debug, slices, { statement: at('kind'), things: ['flags'] });
  expect(texts(flag)).toEqual(named('omission', ['@mode#2 changed', '@mode#1 changed']));
  expect(relevantLines(flag, () => 'if')).toEqual(['', `Relevant: 2 decisions of ${flag.tried} that were tried the other way`, `  ${at('mode')}#2  then another value   if`, `  ${at('mode')}#1  then another value   if`]);
  for (const [mark, instance, output] of [['mode', 1, '3\n'], ['mode', 2, '3\n'], ['aside', 1, '2\n'], ['aside', 2, '2\n']] as const) {
    expect(judge('omission', lineOf('omission', mark), instance).output).toBe(output);
  }
}, TIMEOUT);

it('compares all that a statement uses', async () => {
  const { debug, slices } = await opened('omission', 'O0');
  const [statement] = named('omission', ['@kind']);
  expect(texts(await relevantConditions(debug, slices, { statement, things: [] }))).toEqual(named('omission', ['@mode#2 changed', '@mode#1 changed']));
}, TIMEOUT);

it('finds what a crash would have depended on', async () => {
  const { debug, slices } = await opened('assertion', 'O0');
  const { conditions } = await relevantConditions(debug, slices, { statement: undefined, things: [] });
  expect(conditions.map(({ line, alteration }) => `@${line}#${alteration.which}`)).toEqual([`@${lineOf('assertion', 'least')}#4`]);
  expect(judged('assertion', lineOf('assertion', 'least'), 4)).toBe(0);
});

it('looks at globals where the program ends', async () => {
  const { debug, slices } = await opened('omission', 'O0');
  const { conditions } = await relevantConditions(debug, slices, { statement: undefined, things: ['other'] });
  expect(conditions.map(({ line, alteration }) => `${line}#${alteration.which}`)).toEqual([2, 1].map((n) => `${lineOf('omission', 'aside')}#${n}`));
  expect(debug.lastStop.kind).toBe('end');
});
