/** What a freed block held, where it is used after that: in recordings of `culprit check --record`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { Editor } from '../dap/editor.js';
import { compiled, lineOf } from './checked.js';

const REMARK = new RegExp(`^The block of 16 bytes at 0x[0-9a-f]+ was freed at time [\\d,]+ in drop \\(\\) at \\S*dangling.c:${lineOf('dangling', 'freed')}: this is what it held then.$`);
let folder: string;
let recording: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-dangling-'));
  recording = join(folder, 'run.culprit');
  const { stderr } = culprit(['check', '--record', recording, compiled('dangling')], { cwd: folder });
  expect(stderr).toContain('[dangling.pointer.deref]');
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function debug(commands: readonly string[], errors = '', file = recording): string[] {
  const { stdout, stderr } = culprit(['debug', '-q', '-batch', ...commands.flatMap((command) => ['-ex', 'echo --\\n', '-ex', command]), file], { cwd: folder });
  expect(stderr).toBe(errors);
  return stdout.split('--\n').slice(1);
}

describe('a freed block', () => {
  it('is shown as it was, and asked for its last change', () => {
    const [whole, name, words, watch, back, , last] = debug(['p *it->at', 'p it->at->name', 'x/dw it->at', 'watch it->at->number', 'reverse-continue', 'goto end', 'last *it->at']) as [string, string, string, string, string, string, string];
    const [value, remark] = whole.split('\n');
    expect(value).toBe('$1 = {number = -7, name = "forty-two\\000\\000"}');
    expect(remark).toMatch(REMARK);
    expect(name).toMatch(/^\$2 = "forty-two\\000\\000"\nThe block /);
    expect(words).toMatch(/^0x[0-9a-f]+:\t-7\nThe block /);
    expect(watch).toMatch(/^Hardware watchpoint 1: it->at->number\nThe block /);
    expect(back).toContain('Old value = -7\nNew value = 42\n');
    expect(last).toContain('*it->at: {number = 42, name = "forty-two\\000\\000"} -> {number = -7, name = "forty-two\\000\\000"}\n');
    expect(last).toContain(`dangling.c:${lineOf('dangling', 'last')}\n`);
  });

  it('is what it is as long as it is there; where no block was there is nothing', () => {
    const errors = 'Cannot access memory at address 0x315800000000\nCannot access memory at address 0x315800000000\n';
    const texts = debug(['p *(int *) 0x315800000000', `tbreak ${lineOf('dangling', 'last')}`, 'reverse-continue', 'p *item', 'goto end', 'p *(int *) 0x315800000000', 'p it->at->number'], errors);
    expect(texts[3]).toBe('$1 = {number = 42, name = "forty-two\\000\\000"}\n');
    expect(texts.at(-1)).toMatch(/^\$2 = -7\nThe block /);
  });

  it('gdb goes to where it was freed', () => {
    const commands = ['set confirm off', 'p/x (long) it->at', 'monitor freed 0x1000', 'python gdb.execute("monitor freed " + hex(int(gdb.parse_and_eval("it->at"))))', 'stepi', 'up', 'p *item'];
    const { stdout, stderr } = culprit(['gdb', recording, '--', '-nx', '-batch', ...commands.flatMap((command) => ['-ex', command])], { cwd: folder });
    expect(stdout + stderr).toMatch(/no block that has addresses of its own was at 0x1000 before/);
    expect(stdout + stderr).toMatch(/the block of 16 bytes at 0x[0-9a-f]+ was freed: time [\d,]+: thread 20000 before .*stepi goes there/);
    expect(stdout).toMatch(/drop \(item=.*\) at .*dangling.c:16[^]*= \{number = -7, name = "forty-two\\000\\000"\}/);
  });

  it('is shown by editors', async () => {
    const editor = await Editor.start();
    try {
      await editor.begin('attach', { recording });
      const frameId = (await editor.frames())[0]?.id;
      const { result } = await editor.ask<{ result: string }>('evaluate', { expression: '*it->at', context: 'watch', frameId });
      expect(result).toMatch(/^\{number = -7, name = "forty-two\\000\\000"\} +The block of 16 bytes /);
      const { variablesReference } = await editor.ask<{ variablesReference: number }>('evaluate', { expression: 'it->at', context: 'watch', frameId });
      const { variables } = await editor.ask<{ variables: DebugProtocol.Variable[] }>('variables', { variablesReference });
      expect(variables.map(({ name, value }) => [name, value])).toEqual([['(freed)', expect.stringMatching(REMARK)], ['number', '-7'], ['name', '"forty-two\\000\\000"']]);
      const { memoryReference } = await editor.ask<{ memoryReference: string }>('evaluate', { expression: 'it->at', context: 'watch', frameId });
      const { data } = await editor.ask<{ data: string }>('readMemory', { memoryReference, count: 16 });
      expect(Buffer.from(data, 'base64').toString('latin1')).toBe('\u00f9\u00ff\u00ff\u00ffforty-two\0\0\0');
      expect(await editor.go('culprit/lastChange', { expression: 'it->at->number', frameId })).toMatchObject({ text: 'it->at->number: -7 → 42' });
    } finally {
      await editor.close();
    }
  });
});

describe('a local variable whose function has returned', () => {
  it('is shown as it was then; one that is there, as it is', () => {
    const file = join(folder, 'returned.culprit');
    expect(culprit(['check', '--record', file, compiled('returned')], { cwd: folder }).stderr).toContain('[use.after.return]');
    const texts = debug(['p *p', 'last *p', `tbreak ${lineOf('returned', 'look')}`, 'reverse-continue', 'p *p', 'last *p'], '', file);
    expect(texts[0]).toMatch(new RegExp(`^\\$1 = 5\nThe variable at 0x[0-9a-f]+ is gone: leave \\(\\) returned at time [\\d,]+ to main \\(\\) at \\S*returned.c:${lineOf('returned', 'call') - 1}: this is what it held then.\n$`));
    expect(texts[1]).toMatch(new RegExp(`^\\*p: 4 -> 5\n[^]*returned.c:${lineOf('returned', 'last')}\n`));
    expect(texts[4]).toBe('$2 = 3\n');
    expect(texts[5]).toMatch(/^\*p: 0 -> 3\n/);
  });
});
