/** Lists of alterations beside changes of the user's own, checkpoints, and comparisons of any two runs. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { Terminal } from '../../src/terminal/terminal.js';
import { LONG } from '../table/testTable.js';
import { type Collected, type Talk, talk } from '../terminal/transcripts.js';
import { compile, lineOf, sourceOf } from './altered.js';

const at = (mark: string): string => `rounds.c:${lineOf('rounds', mark)}`;
let session: Talk;
let terminal: Terminal;

async function say(line: string): Promise<string> {
  await terminal.typed(line);
  return (terminal.session.surface as Collected).take();
}

/** What `total` and `extra` are where the program prints them. */
async function printed(): Promise<string> {
  await say('goto end');
  const value = async (name: string): Promise<string> => /= (-?\d+)/.exec(await say(`print ${name}`))?.[1] ?? '?';
  return `${await value('total')} ${await value('extra')}`;
}

const list = async (): Promise<string[]> => (await say('info alterations')).trim().split('\n').slice(1);

beforeAll(async () => {
  session = await talk(compile('rounds', sourceOf('rounds'), 'O0', ['-static']));
}, 60_000);

/** Another user, in the recording again. */
beforeEach(async () => {
  const { debugger: debug, language, surface } = session.terminal.session;
  if (debug.branch !== undefined) debug.dropBranch();
  for (const checkpoint of debug.checkpoints.all) debug.checkpoints.delete(checkpoint);
  await debug.goToEnd();
  terminal = new Terminal({ debugger: debug, language, surface });
});

it('keeps what was assigned when alterations are switched off, on and deleted', async () => {
  // An alteration, then a change after it: line 11, the third time, is somewhere else without the alteration.
  await say(`switch ${at('even')}#1`);
  await say(`goto ${at('extra')}#3`);
  await say('set var extra = 100');
  expect(await printed()).toBe(`${1 + 12 + 400} 100`);
  await say('alteration off 1');
  expect(await list()).toEqual([`1   off switch ${at('even')}#1`]);
  expect(await printed()).toBe(`${12 + 400} 100`);
  await say('alteration on 1');
  expect(await printed()).toBe(`${13 + 400} 100`);
});

it.runIf(LONG)('keeps it with alterations before and after it', async () => {
  await say(`switch ${at('even')}#1`);
  await say(`goto ${at('extra')}#3`);
  await say('set var extra = 100');
  await say(`suppress ${at('add')}#1`);
  await say(`suppress ${at('extra')}#6`);
  expect(await printed()).toBe(`${13 - 1 + 300} 100`);
  await say('alteration delete 1');
  expect(await printed()).toBe(`${12 - 2 + 300} 100`);
  await say('alteration delete 2');
  await say('alteration delete 3');
  expect(await printed()).toBe(`${12 + 400} 100`);
  expect(await list()).toEqual([]);
});

it('makes what is altered at a later time again when something is changed before it', async () => {
  await say(`switch ${at('even')}#5`);
  expect(await printed()).toBe('17 0');
  await say(`goto ${at('round')}#2`);
  // The branch begins where the fifth round is altered, so this is the recording.
  expect(await list()).toEqual([`1   off switch ${at('even')}#5`]);
  await say('alteration on 1');
  await say('set var extra = 10');
  expect(await list()).toEqual([`1   on  switch ${at('even')}#5`]);
  expect(await printed()).toBe(`${17 + 50} 10`);
});

it('applies alterations again after a rollback, from there on', async () => {
  await say(`goto ${at('round')}#3`);
  await say('checkpoint third');
  await say(`suppress ${at('add')}`);
  expect(await printed()).toBe('0 0');
  await say('checkpoint altered');
  expect(await say('rollback third')).toMatch(/Alteration 1 is on from here: suppress rounds\.c:\d+ all/);
  expect(await say('print total')).toContain('= 2');
  expect(await printed()).toBe('2 0');
  // The branch of a checkpoint is what it was, though another list was made since.
  await say('alteration off 1');
  expect(await printed()).toBe('12 0');
  expect(await say('rollback altered')).toMatch(/Alteration 1 is on there/);
  expect(await list()).toEqual([`1   on  suppress ${at('add')} all`]);
  expect(await printed()).toBe('0 0');
  await say(`suppress ${at('even')}#1`);
  await say('rollback third');
  expect(await list()).toEqual([`1   on  suppress ${at('add')} all`, `2   off suppress ${at('even')}#1`]);
  expect(await printed()).toBe('2 0');
});

it('compares any two runs', async () => {
  await say('checkpoint recorded');
  await say(`switch ${at('even')}#1`);
  await say(`switch ${at('even')}#3`);
  expect(await say('compare')).toMatch(/stdout differs[^]*- 12 0\n {2}\+ 16 0\n/);
  expect(await say('compare 1')).toMatch(/the recording took[^]*the run with alteration 1 [^]*- 12 0\n {2}\+ 13 0\n/);
  expect(await say('compare 2 @recorded')).toMatch(/they part after rounds\.c[^]*- 15 0\n {2}\+ 12 0\n/);
  if (LONG) expect(await say('compare 1,2 branch')).toContain('they executed the same lines\nthey wrote the same\n');
  if (LONG) expect(await say('compare 1 2')).toMatch(/they part after rounds\.c[^]*- 13 0\n {2}\+ 15 0\n/);
  for (const wrong of ['compare 7', 'compare @nowhere', 'compare what', 'compare 1 2 1']) expect(await say(wrong)).toMatch(/^[^\n]+\n$/);
  expect(await list()).toHaveLength(2);
  expect(await printed()).toBe('16 0');
});
