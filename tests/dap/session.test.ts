import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterEach, describe, expect, it } from 'vitest';
import { compile, Editor, lineOf, sourceOf } from './editor.js';

describe('a debug session', () => {
  let editor: Editor;
  afterEach(() => editor.close(), 30_000);

  it('records a program, stands at its end, and goes to breakpoints and by steps in both directions', async () => {
    editor = await Editor.start();
    const stop = await editor.begin('launch', { program: compile('orders.c') });
    expect(stop).toMatchObject({ reason: 'pause', description: 'End of the recording', allThreadsStopped: true });
    expect(editor.said('stdout')).toBe('order 1\norder 2\norder 3\norder 4\norder 5\n');
    expect(editor.said('stderr')).toBe('deep 20 of 1, hello\n');
    expect(editor.said('console')).toContain('exited with code 15');
    const line = lineOf('orders.c', 'total += number');
    expect(await editor.breakAt('orders.c', line)).toMatchObject([{ verified: true, line, source: { path: sourceOf('orders.c') } }]);
    expect(await editor.go('restart')).toMatchObject({ reason: 'breakpoint' });
    expect(await editor.place()).toBe(`order:${line}`);
    expect((await editor.frames()).map(({ name }) => name)).toEqual(['order', 'main']);
    expect(await editor.go('next')).toMatchObject({ reason: 'step' });
    expect(await editor.place()).toBe(`order:${line + 1}`);
    await editor.go('stepBack');
    expect(await editor.place()).toBe(`order:${line}`);
    await editor.go('stepOut');
    expect(await editor.place()).toBe(`main:${lineOf('orders.c', 'order(i,')}`);
    expect(await editor.go('continue')).toMatchObject({ reason: 'breakpoint' });
    expect(await editor.go('reverseContinue')).toMatchObject({ reason: 'breakpoint' });
    expect(await editor.go('reverseContinue')).toMatchObject({ reason: 'entry' });
  });

  it('has threads, each with a stack and steps of its own', async () => {
    editor = await Editor.start();
    await editor.begin('launch', { program: compile('workers.c'), openAt: 'start' }, () => editor.breakAt('workers.c', lineOf('workers.c', 'for (int i = 0; i < 1000')));
    const { threads } = await editor.ask<{ threads: DebugProtocol.Thread[] }>('threads');
    expect(threads).toHaveLength(4);
    for (const { name } of threads) expect(name).toMatch(/^work.*\(\d+\)$/);
    const stacks = new Map<number, string[]>();
    for (const { id } of threads) {
      const { stackFrames, totalFrames } = await editor.ask<{ stackFrames: DebugProtocol.StackFrame[]; totalFrames: number }>('stackTrace', { threadId: id });
      expect(totalFrames).toBe(stackFrames.length);
      stacks.set(id, stackFrames.map(({ name }) => name));
    }
    expect(stacks.get(threads[0]?.id ?? 0)).toContain('main');
    for (const { id } of threads.slice(1)) expect(stacks.get(id)).toContain('work');
    // A page of a stack is the same as that part of the whole.
    const whole = await editor.frames();
    const page = await editor.ask<{ stackFrames: DebugProtocol.StackFrame[] }>('stackTrace', { threadId: editor.thread, startFrame: 1, levels: 1 });
    expect(page.stackFrames.map(({ name }) => name)).toEqual([whole[1]?.name]);
    const other = threads.slice(1).find(({ id }) => id !== editor.thread)?.id;
    await editor.breakAt('workers.c');
    expect(await editor.go('next', { threadId: other })).toMatchObject({ reason: 'step', threadId: other });
    expect(await editor.go('stepIn', { threadId: other, granularity: 'instruction' })).toMatchObject({ reason: 'step', threadId: other });
    expect(await editor.refused('next', { threadId: 4711 })).toBe('no thread 4711');
  });

  it('finds breakpoints in a library that is loaded for a while only', async () => {
    const library = compile('plugin.c', ['-O0', '-g', '-shared', '-fPIC']);
    editor = await Editor.start();
    const line = lineOf('plugin.c', 'return 2 * n');
    const stop = await editor.begin('launch', { program: compile('loader.c'), args: [library], openAt: 'start' }, async () => {
      expect(await editor.breakAt('plugin.c', line)).toMatchObject([{ verified: false, reason: 'pending', line }]);
    });
    expect(stop).toMatchObject({ reason: 'breakpoint' });
    expect(await editor.place()).toBe(`twice:${line}`);
    expect((await editor.heard('breakpoint')).body).toMatchObject({ reason: 'changed', breakpoint: { verified: true, line } });
  });

  it.runIf(process.env['CULPRIT_LONG'] !== undefined)('shows calls that were inlined as frames of their own', async () => {
    editor = await Editor.start();
    await editor.begin('launch', { program: compile('inlined.c', ['-O2', '-g']), openAt: 'start' }, () => editor.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'leaf' }] }));
    const frames = await editor.frames();
    expect(frames.map(({ name }) => name)).toEqual(['leaf', 'middle (inlined)', 'main']);
    const { result } = await editor.ask<{ result: string }>('evaluate', { expression: 'm', frameId: frames[1]?.id, context: 'watch' });
    expect(['4', '<optimized out>']).toContain(result);
  });
});
