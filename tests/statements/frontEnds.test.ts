/** What front ends make of FILE:LINE.K#N, on shapes.c, where what happens how often can be counted by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/gdbserver/client.js';
import { monitor } from '../../src/gdbserver/monitor.js';
import { culprit } from '../cli/culprit.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { servedBytes } from '../gdbserver/served.js';
import { recordRun } from '../replay/recordedRun.js';
import { talk, type Talk } from '../terminal/transcripts.js';
import { executionOf } from '../traces/recordedExecution.js';
import { compile } from './compiled.js';

const LONG = 300_000;

describe('culprit debug', () => {
  let talking: Talk;
  const say = (line: string): Promise<string> => talking.say(line);
  const all = async (...lines: string[]): Promise<string> => {
    let last = '';
    for (const line of lines) last = await say(line);
    return last;
  };

  beforeAll(async () => void (talking = await talk(compile('shapes.c', ['-O0']))), LONG);

  it('counts up to now, and says which time this is', async () => {
    expect(await say('instance shapes.c:23')).toBe('shapes.c:23 was reached 12 times up to now\n');
    expect(await say('instance shapes.c:14.2')).toBe('shapes.c:14.2 was reached 2 times up to now: && b > 2)\n');
    expect(await say('goto shapes.c:23#7')).toContain('23\t  return tree(n - 1) + tree(n - 2);');
    expect(await say('instance')).toBe('shapes.c:23 was reached 7 times up to now; this is shapes.c:23#7\n');
    expect(await all('goto shapes.c:14.2#2', 'instance')).toBe('shapes.c:14 was reached 4 times up to now; this is shapes.c:14#4\nshapes.c:14.2 was reached 2 times up to now; this is shapes.c:14.2#2: && b > 2)\n');
    expect(await say('print a')).toContain('= 3\n');
  }, LONG);

  it('knows the instances of callers, which recursion has not ended', async () => {
    expect(await all('goto tree#5', 'print n')).toContain('= 0\n');
    expect(await all('up', 'instance')).toBe('shapes.c:23 was reached 4 times up to now; this is shapes.c:23#4\n');
    expect(await all('up', 'up', 'up', 'instance')).toBe('shapes.c:23 was reached 4 times up to now; this is shapes.c:23#1\n');
  }, LONG);

  it('goes to the last time before', async () => {
    expect(await all('goto shapes.c:33#3', 'goto 33#-1', 'instance')).toContain('this is shapes.c:33#2');
    expect(await all('goto end', 'goto choose#-1', 'print $edi')).toContain('= 3\n');
  }, LONG);

  it('stops at a breakpoint of an instance and nowhere else, in both directions', async () => {
    expect(await all('goto start', 'break shapes.c:23#7')).toMatch(/^Breakpoint 1 at 0x\w+: file .*shapes\.c, line 23\.\n$/);
    expect(await say('continue')).toContain('Breakpoint 1, tree');
    expect(await say('instance')).toContain('shapes.c:23#7');
    expect(await say('continue')).toContain('exited normally');
    expect(await say('reverse-continue')).toContain('Breakpoint 1, tree');
    expect(await say('instance')).toContain('shapes.c:23#7');
    expect(await say('reverse-continue')).not.toContain('Breakpoint 1');
    await say('delete 1');
    expect(await all('goto start', 'tbreak shapes.c:14.2', 'continue')).toContain('both (a=2, b=2)');
    expect(await all('goto main#1', 'advance shapes.c:33#3', 'instance')).toContain('this is shapes.c:33#3');
  }, LONG);

  it('says in one line what is wrong', async () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['goto shapes.c:23#13', 'shapes.c:23 was reached 12 times, not 13'], ['goto shapes.c:23#0', 'instances are counted from #1 on; #-1 is the last one before here'],
      ['goto shapes.c:4#1', 'shapes.c:4 has no code; the nearest lines that have are 2 and 5'], ['goto shapes.c:14.7#1', 'shapes.c:14.7 has no code; the line has shapes.c:14.1, shapes.c:14.2, shapes.c:14.3'],
      ['break nothing.c:3#1', 'No source file named nothing.c.'], ['goto tree#99', 'tree was called 25 times, not 99'], ['instance tree', '"tree" is no statement: write FILE:LINE, FILE:LINE.K or LINE.'],
    ];
    const before = await say('when');
    for (const [line, answer] of wrong) expect(`${line}: ${await say(line)}`).toBe(`${line}: ${answer}\n`);
    expect(await say('when')).toBe(before);
  }, LONG);

  it('counts on in a branch', async () => {
    await all('delete', 'goto shapes.c:14#2', 'set var b = 9', 'break shapes.c:14#3');
    expect(await say('instance shapes.c:14')).toContain('was reached 2 times up to now; this is shapes.c:14#2');
    expect(await say('continue')).toContain('Breakpoint');
    expect(await all('instance shapes.c:14')).toContain('this is shapes.c:14#3');
  }, LONG);
});

it('scripts go there, and ask which instance a snapshot is in', async () => {
  const execution = await executionOf([compile('shapes.c', ['-O0'])]);
  const snapshot = await execution.reached('shapes.c:14.2#2');
  expect(Number(snapshot.readVar('a'))).toBe(3);
  expect(await execution.timesReached('shapes.c:14')).toBe(4);
  expect(await execution.timesReached('shapes.c:14', { before: snapshot.time })).toBe(4);
  expect(await execution.instancesOf([snapshot])).toEqual(['shapes.c:14.2#2']);
  const { start, end } = await execution.instance('shapes.c:34#1');
  expect(end.time - start.time).toBeGreaterThan(100);
  const branch = await execution.branch(snapshot.time, { write: { b: 9 } });
  expect((await branch.reached('shapes.c:14.3#1')).time).toBeGreaterThan(snapshot.time);
  await expect(execution.reached('shapes.c:14.3#1')).rejects.toThrow('shapes.c:14.3 was never reached');
}, LONG);

it('gdb asks by monitor', async () => {
  const { bytes } = await recordRun([compile('shapes.c', ['-O0'])]);
  const client = await Client.open(servedBytes(bytes, { files: NEAR_FILES }));
  expect(await monitor(client, 'instance shapes.c:14.2')).toBe('shapes.c:14.2 was reached 2 times up to now: && b > 2)');
  expect(await monitor(client, 'goto shapes.c:14.2#2')).toMatch(/^time [\d,]+: stepi goes there$/);
  await expect(monitor(client, 'goto shapes.c:14.2#3')).rejects.toThrow('shapes.c:14.2 was reached 2 times, not 3');
}, LONG);

describe('times of commands', () => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statements-'));
    file = join(folder, 'shapes.culprit');
    culprit(['record', '-o', file, compile('shapes.c', ['-O0'])]);
  }, LONG);

  afterAll(() => rmSync(folder, { recursive: true }));

  it.skipIf(process.env['CULPRIT_LONG'] === undefined)('may be instances', () => {
    const counted = culprit(['count', '--json', '--from', 'shapes.c:23#12', file]);
    expect((JSON.parse(counted.stdout) as { functions: { name: string; calls: number }[] }).functions.find(({ name }) => name === 'tree')?.calls).toBe(2);
    expect(culprit(['branch', file, '--at', 'main#1', '--run', '10']).status).toBe(0);
    expect(culprit(['replay', '--quiet', '--to', 'shapes.c:34#1', file]).stderr).toContain('main');
    const wrong = culprit(['writes', '--before', 'shapes.c:34#2', file, 'sink']);
    expect([wrong.status, wrong.stderr]).toEqual([2, 'culprit: shapes.c:34 was reached once, not 2\n']);
    const bad = culprit(['writes', '--before', 'shapes.c:34', file, 'sink']);
    expect([bad.status, bad.stderr.trim().split('\n').length]).toEqual([2, 1]);
  }, LONG);
});
