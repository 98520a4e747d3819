/**
 * Questions about memory that has several addresses, in recordings of `culprit check --record`: whichever address is
 * used, by who asks and by who writes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { Editor } from '../dap/editor.js';
import { compiled, lineOf } from './checked.js';

const here = lineOf('addresses', 'here');
const at = (mark: string): string => `addresses.c:${lineOf('addresses', mark)}`;
let folder: string;
let recording: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-addresses-'));
  recording = join(folder, 'run.culprit');
  expect(culprit(['check', '--record', recording, compiled('addresses')], { cwd: folder })).toMatchObject({ status: 0, stderr: '' });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the debugger answers to each of some commands, from where the program comes to `here`. */
function debug(...commands: string[]): string[] {
  const words = ['goto 0', `tbreak ${here}`, 'continue', ...commands.flatMap((command) => ['echo \\n--\\n', command])].flatMap((command) => ['-ex', command]);
  const { stdout, stderr } = culprit(['debug', '-batch', ...words, recording], { cwd: folder });
  expect(stderr).toBe('');
  return stdout.split('\n--\n').slice(1);
}

describe('memory with several addresses', () => {
  it('last finds who changed it', () => {
    const asked = ['*p', 'local', '*q', 'table[1]', 'grown[0]', 'grown[1]', 'grown[2]', '*old'];
    const answers = debug(...asked.flatMap((one) => [`last ${one}`, 'back'])).filter((_, i) => i % 2 === 0);
    expect(answers.map((text) => `${/^.*$/m.exec(text)?.[0]} ${/ at \S*(addresses.c:\d+)/.exec(text)?.[1]}`)).toEqual([
      `*p: 5 -> 9 ${at('local')}`, `local: 5 -> 9 ${at('local')}`, `*q: 21 -> 22 ${at('global')}`, `table[1]: 21 -> 22 ${at('global')}`,
      `grown[0]: 31 -> 1684234849 ${at('kernel')}`, `grown[1]: 0 -> 2 ${at('block')}`, `grown[2]: 0 -> 1 ${at('bump')}`,
      // Its memory has served another block since, which was written to.
      `*old: 0 -> 31 ${at('old')}`,
    ]);
  });

  it('watchpoints stop in both directions', () => {
    const text = debug('watch *p', 'watch *q', 'watch -l grown[0]', 'rwatch -l table[1]', 'continue', 'continue', 'continue', 'continue', 'reverse-continue', 'reverse-continue', 'reverse-continue', 'reverse-continue', 'reverse-continue').join('');
    const stops = [...text.matchAll(/watchpoint (\d): .*\n\n(?:Old value = (\d+)\nNew value = (\d+)|Value = (\d+))/g)].map(([, number, old, now, value]) => `${number}: ${old ?? ''} ${now ?? value}`);
    expect(stops).toEqual(['2: 9 10', '5:  22', '3: 22 23', '4: 1684234849 1684234850', '4: 1684234850 1684234849', '3: 23 22', '5:  22', '2: 10 9', '4: 1684234849 31']);
  });

  it('culprit writes and culprit query find all writes', () => {
    const script = `(async () => {
      const { value: s } = await execution.breakpoints('addresses.c:${here}').last();
      const found = [];
      for (const one of ['*p', 'local', '*q', 'table[1]', '*grown', 'grown[1]']) {
        const times = await execution.watchpoints(s.readVar(one)).filter((w) => /addresses.c/.test(w.source.file) || w.access.by === 'kernel').toArray();
        found.push([one, s.readVar(one).addressOf(), ...times.map(({ value }) => (value.access.by === 'kernel' ? 'kernel' : value.source.line))]);
      }
      return JSON.stringify(found);
    })()`;
    const { stdout, stderr } = culprit(['query', recording, '-e', `await ${script}`], { cwd: folder });
    expect(stderr).toBe('');
    const [line, bump] = [(mark: string): number => lineOf('addresses', mark), lineOf('addresses', 'bump')];
    const [toLocal, toTable, toBlock] = [[line('local') - 3, line('local') - 1, line('local'), bump], [line('global') - 1, line('global'), bump], ['kernel', bump]];
    const found = JSON.parse(stdout) as [string, number, ...(number | string)[]][];
    expect(found.map(([one, _address, ...lines]) => [one, ...lines])).toEqual([['*p', ...toLocal], ['local', ...toLocal], ['*q', ...toTable], ['table[1]', ...toTable], ['*grown', ...toBlock], ['grown[1]', line('block')]]);
    for (const [one, address, ...lines] of found.filter(([name]) => name === '*q' || name === '*grown')) {
      const writes = culprit(['writes', '--all', recording, `0x${address.toString(16)}:4`], { cwd: folder });
      expect(`${one} ${writes.stdout.match(/^time /gm)?.length} ${writes.stdout.includes('nothing')}`).toBe(`${one} ${lines.length} false`);
    }
  });

  it('gdb and editors find them', async () => {
    const gdb = ['set confirm off', `tbreak addresses.c:${here}`, 'goto 1000', 'continue', 'watch *p', 'watch *q', 'watch -l grown[0]', 'continue', 'continue', 'continue', 'reverse-continue', 'reverse-continue', 'reverse-continue'].flatMap((command) => ['-ex', command]);
    const { stdout } = culprit(['gdb', recording, '--', '-nx', '-batch', ...gdb], { cwd: folder });
    expect([...stdout.matchAll(/watchpoint (\d): .*\n\nOld value = (\d+)\nNew value = (\d+)/g)].map(([, ...numbers]) => numbers.join(' '))).toEqual(['2 9 10', '3 22 23', '4 1684234849 1684234850', '4 1684234850 1684234849', '3 23 22', '2 10 9']);
    const editor = await Editor.start();
    try {
      await editor.begin('attach', { recording });
      const set = async (name: string): Promise<string> => (await editor.ask<{ dataId: string }>('dataBreakpointInfo', { name, frameId: (await editor.frames())[0]?.id })).dataId;
      await editor.ask('setFunctionBreakpoints', { breakpoints: [{ name: `addresses.c:${here}` }] });
      await editor.go('reverseContinue');
      const breakpoints = [];
      for (const name of ['*p', '*q', 'grown[0]']) breakpoints.push({ dataId: await set(name), accessType: 'write' });
      await editor.ask('setDataBreakpoints', { breakpoints });
      const texts = [];
      for (const command of ['continue', 'continue', 'continue', 'reverseContinue', 'reverseContinue', 'reverseContinue']) texts.push((await editor.go(command)).text);
      expect(texts).toEqual(['*p: 9 → 10', '*q: 22 → 23', 'grown[0]: 1684234849 → 1684234850', 'grown[0]: 1684234850 → 1684234849', '*q: 23 → 22', '*p: 10 → 9']);
    } finally {
      await editor.close();
    }
  });
});
