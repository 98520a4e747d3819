import { afterEach, describe, expect, it } from 'vitest';
import { compile, Editor, lineOf, sourceOf } from './editor.js';

describe('a debug session', () => {
  let editor: Editor;
  afterEach(() => editor.close());

  it('records a program, and stands at its end', async () => {
    editor = await Editor.start();
    const stop = await editor.begin('launch', { program: compile('orders.c') });
    expect(stop).toMatchObject({ reason: 'pause', description: 'End of the recording', allThreadsStopped: true });
    expect(editor.said('stdout')).toBe('order 1\norder 2\norder 3\norder 4\norder 5\n');
    expect(editor.said('stderr')).toBe('deep 20 of 1, hello\n');
    expect(editor.said('console')).toContain('exited with code 15');
  });

  it('goes to breakpoints and by steps in both directions', async () => {
    editor = await Editor.start();
    const line = lineOf('orders.c', 'total += number');
    await editor.begin('launch', { program: compile('orders.c'), openAt: 'start' }, async () => {
      expect(await editor.breakAt('orders.c', line)).toMatchObject([{ verified: true, line, source: { path: sourceOf('orders.c') } }]);
    });
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
});
