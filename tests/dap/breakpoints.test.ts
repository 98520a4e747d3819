import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterAll, describe, expect, it } from 'vitest';
import { compile, Editor, lineOf, sourceOf } from './editor.js';

type Points = { readonly breakpoints: DebugProtocol.Breakpoint[] };

describe('breakpoints', () => {
  let editor: Editor;
  let debugged: string | undefined;
  afterAll(() => editor.close(), 30_000);

  /**
   * From the start of a program to the first stop. Recording takes a while: the last session serves again if it can.
   */
  const begin = async (program: string, configure: () => Promise<unknown>): Promise<DebugProtocol.StoppedEvent['body']> => {
    if (debugged === program) {
      for (const path of [sourceOf(program), '/elsewhere/orders.c', '/nowhere/none.c']) await editor.ask('setBreakpoints', { source: { path }, breakpoints: [] });
      for (const kind of ['Function', 'Instruction', 'Data', 'Exception']) await editor.ask(`set${kind}Breakpoints`, { breakpoints: [], filters: [] });
      editor.output.length = 0;
      await editor.go('culprit/goto', { time: 'start' });
      await configure();
      return editor.go('continue');
    }
    if (debugged !== undefined) await editor.close();
    debugged = program;
    editor = await Editor.start();
    return editor.begin('launch', { program: compile(program), openAt: 'start' }, configure);
  };
  const valueOf = async (expression: string): Promise<string> =>
    (await editor.ask<{ result: string }>('evaluate', { expression, frameId: (await editor.frames())[0]?.id, context: 'watch' })).result;

  it('with conditions and counts of hits stop where these hold, and say which they are', async () => {
    const line = lineOf('orders.c', 'total += number');
    let id: number | undefined;
    const stop = await begin('orders.c', async () => {
      const [first] = await editor.breakAt('orders.c', { line, condition: 'number % 2 == 0' });
      id = first?.id;
    });
    expect(stop).toMatchObject({ reason: 'breakpoint', hitBreakpointIds: [id] });
    expect(await valueOf('number')).toBe('2');
    await editor.go('continue');
    expect(await valueOf('number')).toBe('4');
    await editor.breakAt('orders.c', { line, hitCondition: '== 2' });
    expect(await editor.go('reverseContinue')).toMatchObject({ reason: 'breakpoint' });
    // Counted from now on, and backward: 4 was passed when it was set, then 3, then 2.
    expect(await valueOf('number')).toBe('2');
    await editor.breakAt('orders.c');
    expect(await editor.go('continue')).toMatchObject({ description: 'End of the recording' });
  });

  it('that log say what they have to, in both directions, and do not stop', async () => {
    const line = lineOf('orders.c', 'return made;');
    await begin('orders.c', () => editor.breakAt('orders.c', { line, logMessage: 'order {made->number} of \\{{made->price}\\} {nothing}' }));
    const expected = [1, 2, 3, 4, 5].map((n) => `order ${n} of {${n * 1.5}} <No symbol "nothing" in current context.>`);
    const said = (): string[] => editor.said('console').split('\n').filter((text) => text.startsWith('order '));
    expect(said()).toEqual(expected);
    expect(await editor.go('reverseContinue')).toMatchObject({ reason: 'entry' });
    expect(said()).toEqual([...expected, ...expected.toReversed()]);
  });

  it('on functions and instructions', async () => {
    let addresses: (string | undefined)[] = [];
    const stop = await begin('orders.c', async () => {
      const { breakpoints } = await editor.ask<Points>('setFunctionBreakpoints', { breakpoints: [{ name: 'visit', condition: 'depth == 2' }, { name: 'no_such_function' }] });
      expect(breakpoints).toMatchObject([{ verified: true, line: lineOf('orders.c', 'int here') }, { verified: false, message: expect.stringContaining('no_such_function') }]);
      addresses = breakpoints.map(({ instructionReference }) => instructionReference);
    });
    expect(stop).toMatchObject({ reason: 'function breakpoint' });
    expect((await editor.frames()).map(({ name }) => name)).toEqual(['visit', 'visit', 'visit', 'main']);
    await editor.ask('setFunctionBreakpoints', { breakpoints: [] });
    await editor.ask('setInstructionBreakpoints', { breakpoints: [{ instructionReference: addresses[0], offset: 0 }] });
    expect(await editor.go('continue')).toMatchObject({ reason: 'instruction breakpoint' });
    expect(await valueOf('depth')).toBe('1');
    expect((await editor.frames())[0]).toMatchObject({ instructionPointerReference: addresses[0] });
  });

  it('on data find who changed it, forward and backward', async () => {
    await begin('orders.c', () => editor.breakAt('orders.c', lineOf('orders.c', 'int deep')));
    const info = await editor.ask<{ dataId: string; accessTypes: string[]; canPersist: boolean }>('dataBreakpointInfo', { name: 'total', frameId: (await editor.frames())[0]?.id });
    expect(info).toMatchObject({ accessTypes: ['write', 'read', 'readWrite'], canPersist: true });
    const { breakpoints } = await editor.ask<Points>('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] });
    expect(breakpoints).toMatchObject([{ verified: true }]);
    expect(await editor.go('reverseContinue')).toMatchObject({ reason: 'data breakpoint', text: 'total: 15 → 10', hitBreakpointIds: [breakpoints[0]?.id] });
    expect(await editor.place()).toBe(`order:${lineOf('orders.c', 'total += number')}`);
    await editor.go('reverseContinue');
    expect(await valueOf('total')).toBe('6');
    expect(await editor.go('continue')).toMatchObject({ text: 'total: 6 → 10' });
  });

  it('name all that are hit at once', async () => {
    await begin('orders.c', () => editor.breakAt('orders.c', lineOf('orders.c', 'int deep')));
    const info = await editor.ask<{ dataId: string }>('dataBreakpointInfo', { name: 'total', frameId: (await editor.frames())[0]?.id });
    const { memoryReference } = await editor.ask<{ memoryReference: string }>('evaluate', { expression: '&total', context: 'watch' });
    const byte = await editor.ask<{ dataId: string }>('dataBreakpointInfo', { name: memoryReference, asAddress: true, bytes: 1 });
    const { breakpoints } = await editor.ask<Points>('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }, { dataId: byte.dataId, accessType: 'write' }] });
    const stop = await editor.go('reverseContinue');
    expect(stop).toMatchObject({ reason: 'data breakpoint', hitBreakpointIds: breakpoints.map(({ id }) => id) });
    expect(stop.text?.split('\n')).toEqual(['total: 15 → 10', expect.stringContaining('→')]);
  });

  it('on data of a frame end with it; others can be set by address', async () => {
    await begin('orders.c', () => editor.breakAt('orders.c', lineOf('orders.c', 'made->price = price')));
    await editor.breakAt('orders.c');
    const frameId = (await editor.frames())[0]?.id;
    const { scopes } = await editor.ask<{ scopes: DebugProtocol.Scope[] }>('scopes', { frameId });
    const info = await editor.ask<{ dataId: string }>('dataBreakpointInfo', { name: 'made', variablesReference: scopes[0]?.variablesReference });
    await editor.ask('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] });
    expect(await editor.go('continue')).toMatchObject({ description: 'made is no more' });
    const { memoryReference } = await editor.ask<{ memoryReference: string }>('evaluate', { expression: '&total', context: 'watch' });
    const address = await editor.ask<{ dataId: string }>('dataBreakpointInfo', { name: memoryReference, asAddress: true, bytes: 4 });
    await editor.ask('setDataBreakpoints', { breakpoints: [{ dataId: address.dataId, accessType: 'readWrite' }] });
    expect(await editor.go('continue')).toMatchObject({ reason: 'data breakpoint' });
    expect(await editor.place()).toBe(`order:${lineOf('orders.c', 'total += number')}`);
    expect(await editor.ask('dataBreakpointInfo', { name: '1 + 1', frameId: (await editor.frames())[0]?.id })).toMatchObject({ dataId: null });
  });

  it('can be looked for, slide to where there is code, and tell where there is none', async () => {
    await begin('orders.c', async () => {
      const empty = lineOf('orders.c', 'static int visit') - 1;
      expect(await editor.breakAt('orders.c', empty)).toMatchObject([{ verified: true, line: lineOf('orders.c', 'int here') }]);
      expect(await editor.ask('setBreakpoints', { source: { path: '/nowhere/none.c' }, breakpoints: [{ line: 1 }] })).toMatchObject({ breakpoints: [{ verified: false, line: 1 }] });
      // Another directory, but the only file of that name.
      expect(await editor.ask('setBreakpoints', { source: { path: '/elsewhere/orders.c' }, breakpoints: [{ line: lineOf('orders.c', 'int here') }] })).toMatchObject({ breakpoints: [{ verified: true }] });
    });
    const line = lineOf('orders.c', 'static int visit');
    expect(await editor.ask('breakpointLocations', { source: { path: sourceOf('orders.c') }, line: line - 1, endLine: line + 3 })).toEqual({ breakpoints: [{ line: line + 1 }, { line: line + 2 }, { line: line + 3 }] });
  });

  it('on signals', async () => {
    expect(await begin('workers.c', () => editor.ask('setExceptionBreakpoints', { filters: [], filterOptions: [{ filterId: 'SIGUSR1' }] }))).toMatchObject({ reason: 'exception', text: 'SIGUSR1: User defined signal 1' });
    expect(await editor.ask('exceptionInfo', { threadId: editor.thread })).toMatchObject({ exceptionId: 'SIGUSR1', description: 'User defined signal 1' });
    expect((await editor.ask<Points>('setExceptionBreakpoints', { filters: ['nonsense'] })).breakpoints).toMatchObject([{ verified: false, message: 'no such filter: nonsense' }]);
  });
});
