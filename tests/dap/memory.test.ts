import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, Editor, lineOf, sourceOf } from './editor.js';

type Disassembly = { readonly instructions: DebugProtocol.DisassembledInstruction[] };

describe('memory, code and files', () => {
  const line = lineOf('orders.c', 'return made;');
  let editor: Editor;
  let program: string;
  beforeAll(async () => {
    program = compile('orders.c');
    editor = await Editor.start();
    await editor.begin('launch', { program, openAt: 'start' }, () => editor.breakAt('orders.c', line));
  }, 60_000);
  afterAll(() => editor.close(), 30_000);

  it('reads memory, as much as there is', async () => {
    const { memoryReference } = await editor.ask<{ memoryReference: string }>('evaluate', { expression: 'greeting', context: 'watch' });
    const { data = '' } = await editor.ask<{ data?: string }>('readMemory', { memoryReference, count: 6 });
    expect(Buffer.from(data, 'base64').toString('latin1')).toBe('hello\0');
    expect(await editor.ask('readMemory', { memoryReference: '0x0', count: 16 })).toEqual({ address: '0x0', unreadableBytes: 16 });
    const { memoryReference: stack } = await editor.ask<{ memoryReference: string }>('evaluate', { expression: '$rsp', context: 'watch' });
    const answer = await editor.ask<{ data?: string; unreadableBytes?: number }>('readMemory', { memoryReference: stack, count: 500_000 });
    expect(Buffer.from(answer.data ?? '', 'base64').length + (answer.unreadableBytes ?? 0)).toBe(500_000);
    expect(answer.unreadableBytes).toBeGreaterThan(0);
    expect(await editor.refused('readMemory', { memoryReference: 'here', count: 1 })).toBe('not an address: "here"');
  });

  it('disassembles around an address as objdump does', async () => {
    const pc = (await editor.frames())[0]?.instructionPointerReference ?? '';
    const { instructions } = await editor.ask<Disassembly>('disassemble', { memoryReference: pc, instructionOffset: -20, instructionCount: 40, resolveSymbols: true });
    expect(instructions).toHaveLength(40);
    expect(instructions[20]).toMatchObject({ address: pc, line, location: { path: sourceOf('orders.c') } });
    const listing = execFileSync('objdump', ['-d', '--no-show-raw-insn', program], { encoding: 'utf8' });
    const known = new Set([...listing.matchAll(/^ +([\da-f]+):/gm)].map((match) => match[1]));
    const bias = BigInt(pc) - BigInt(`0x${[...known].find((address) => pc.endsWith(address?.slice(-3) ?? '?') && listing.includes(`${address}:`)) ?? '0'}`);
    for (const { address } of instructions) expect(known.has((BigInt(address) - (bias & ~0xfffn)).toString(16))).toBe(true);
    const nowhere = await editor.ask<Disassembly>('disassemble', { memoryReference: '0x10', instructionOffset: -5, instructionCount: 10 });
    expect(nowhere.instructions).toHaveLength(10);
  });

  it('lists modules and sources, and shows those that are not here', async () => {
    const { modules, totalModules } = await editor.ask<{ modules: DebugProtocol.Module[]; totalModules: number }>('modules', {});
    expect(totalModules).toBe(modules.length);
    expect(modules.find(({ path }) => path === program)).toMatchObject({ symbolStatus: 'Debug information loaded', isUserCode: true });
    expect(modules.some(({ name }) => name.startsWith('libc'))).toBe(true);
    const { sources } = await editor.ask<{ sources: DebugProtocol.Source[] }>('loadedSources', {});
    expect(sources.map(({ path }) => path)).toContain(sourceOf('orders.c'));
    expect(await editor.refused('source', { sourceReference: 4711 })).toBe('no source 4711');
  });

  it('goes to when a line ran', async () => {
    const { targets } = await editor.ask<{ targets: DebugProtocol.GotoTarget[] }>('gotoTargets', { source: { path: sourceOf('orders.c') }, line: lineOf('orders.c', 'if (depth == 0)') });
    expect(targets.map(({ label }) => label.replace(/\d+/, 'N'))).toEqual(['the next time (time N)']);
    expect(await editor.go('goto', { targetId: targets[0]?.id })).toMatchObject({ reason: 'goto' });
    expect(await editor.place()).toBe(`visit:${lineOf('orders.c', 'if (depth == 0)')}`);
    expect(await editor.refused('goto', { threadId: editor.thread, targetId: targets[0]?.id })).toContain('the program has moved since');
  });

  it('goes to times, and to the last change of a variable', async () => {
    const { time, endTime } = await editor.ask<{ time: number; endTime: number }>('culprit/when');
    expect(endTime).toBeGreaterThan(time);
    await editor.go('culprit/goto', { time: '-100' });
    expect(await editor.ask('culprit/when')).toMatchObject({ time: time - 100 });
    await editor.go('culprit/goto', { time });
    expect(await editor.go('culprit/lastChange', { expression: 'total', frameId: (await editor.frames())[0]?.id })).toMatchObject({ reason: 'data breakpoint', text: 'total: 15 → 10' });
    expect(await editor.place()).toBe(`order:${lineOf('orders.c', 'total += number')}`);
    expect(await editor.refused('culprit/goto', { time: 'noon' })).toContain('not a time: "noon"');
    expect(await editor.refused('culprit/goto', { time: endTime + 1 })).toContain('no such time');
    await editor.go('culprit/goto', { time: 'end' });
    expect(await editor.ask('culprit/when')).toMatchObject({ time: endTime });
  });

  it('shows a text in place of sources that are elsewhere, unless it is told where', async () => {
    expect(readFileSync(sourceOf('orders.c'), 'utf8')).toContain('struct item');
    const other = await Editor.start();
    try {
      await other.begin('launch', { program, openAt: 'start', sourceMap: { [sourceOf('')]: '/not/here' } }, () => other.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'visit' }] }));
      const [frame] = await other.frames();
      expect(frame?.source).toMatchObject({ name: 'orders.c', path: '/not/here/orders.c' });
      const { content } = await other.ask<{ content: string }>('source', { source: frame?.source, sourceReference: frame?.source?.sourceReference });
      expect(content).toContain('/not/here/orders.c is not on this machine.');
    } finally {
      await other.close();
    }
  });
});
