/** Relevant conditions: those that change a value, and no others; the judge is the program altered by hand. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { relevantConditions, type RelevantResult } from '../../src/probe/relevant.js';
import { relevantLines } from '../../src/probe/relevantText.js';
import { Slices } from '../../src/slices/slices.js';
import { compiled, debugged, judge, lineOf, named } from './probed.js';

const texts = (result: RelevantResult): string[] => result.conditions.map(({ line, alteration, effect }) => `omission.c:${line}#${alteration.which} ${effect}`);

it('finds why a flag was not set', async () => {
  const debug = await debugged(compiled('omission', 'O0'));
  const slices = new Slices(debug);
  const at = (mark: string): string => named('omission', [`@${mark}`])[0] as string;
  const { members } = await slices.backward(at('kind'), ['flags']);
  expect(members.map(({ line }) => line)).not.toContain(lineOf('omission', 'mode'));
  const flag = await relevantConditions(debug, slices, { statement: at('kind'), things: ['flags'] });
  expect(texts(flag)).toEqual(named('omission', ['@mode#2 changed', '@mode#1 changed']));
  expect(relevantLines(flag, () => 'if')).toEqual(['', `Relevant: 2 decisions of ${flag.tried} that were tried the other way`, `  ${at('mode')}#2  then another value   if`, `  ${at('mode')}#1  then another value   if`]);
  // Of all that the statement uses, and of the decisions in the loop, which end it before its time.
  expect(texts(await relevantConditions(debug, slices, { statement: `${at('print')}#1`, things: ['kind'] }))).toEqual(named('omission', ['@mode#2 changed', '@mode#1 changed']));
  expect(texts(await relevantConditions(debug, slices, { statement: at('kind'), things: [] }))).toEqual(named('omission', ['@mode#2 changed', '@mode#1 changed']));
  for (const [mark, instance, output] of [['mode', 1, '3\n'], ['mode', 2, '3\n'], ['aside', 1, '2\n'], ['aside', 2, '2\n']] as const) {
    expect(spawnSync(judge('omission', lineOf('omission', mark), instance), { encoding: 'utf8' }).stdout).toBe(output);
  }
});
