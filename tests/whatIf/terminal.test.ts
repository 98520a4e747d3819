/** Alterations in `culprit debug`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { talk } from '../terminal/transcripts.js';
import { compile, edited, lineOf, sourceOf } from './altered.js';

const at = (mark: string): string => `stores.c:${lineOf('stores', mark)}`;

it('alters, shows, switches off and on, saves and loads', async () => {
  const { say, terminal } = await talk(compile('stores', sourceOf('stores'), 'O0'));
  const folder = mkdtempSync(join(tmpdir(), 'alterations-'));
  const file = join(folder, 'list');
  (terminal.session.surface as { writeText?: (path: string, text: string) => void }).writeText = writeFileSync;
  expect(await say('info alterations')).toBe('No alterations.\n');
  expect(await say(`suppress ${at('local')}`)).toMatch(/local = 17[^]*branch begins here/);
  expect(await say(`switch ${at('puts')} once`)).toMatch(/no condition/);
  expect(await say(`switch ${at('floatCondition')} once`)).toContain('branch');
  expect(await say('info alterations')).toBe(`Num     What\n1   on  suppress ${at('local')} all\n2   on  switch ${at('floatCondition')}#1\n`);
  await say('goto end');
  expect(await say('print global')).toMatch(/= 20/);
  expect(await say('compare')).toMatch(/they part after stores\.c:\d+[^]*stdout differs[^]*20 6 18[^]*8 6 18/);
  expect(edited('stores', { local: '' }, 'O0').output).toContain('8 6 18');
  expect(await say(`alterations save ${file}`)).toContain('Saved');
  expect(await say('alteration off 1')).toContain('branch');
  expect(await say('alteration delete 2')).toMatch(/Nothing is altered: back in the recording/);
  expect(await say('branch')).toContain('This is the recording');
  expect(await say(`alterations load ${file}`)).toContain('2   on  switch');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1 });
  expect(await say('alteration off 7')).toContain('there is no alteration 7');
  expect(await say(`switch ${at('local')}`)).toContain('no condition');
  expect(await say('info alterations')).toContain('2   on  switch');
  rmSync(folder, { recursive: true });
});

it('keeps what was assigned', async () => {
  const { say } = await talk(compile('stores', sourceOf('stores'), 'O0'));
  await say(`break ${at('compound')}`);
  await say('goto start');
  await say('continue');
  await say('set var other = 100');
  expect(await say(`suppress ${at('increment')}`)).not.toContain('rror');
  await say('delete');
  await say(`break ${at('call')}`);
  await say('continue');
  expect(await say('print other')).toContain('= 99');
  expect(await say('print local')).toContain('= 20');
});
