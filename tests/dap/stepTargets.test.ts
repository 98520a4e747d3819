import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterEach, expect, it } from 'vitest';
import { compile, Editor, lineOf } from './editor.js';

let editor: Editor;
afterEach(() => editor.close(), 30_000);

async function targets(): Promise<DebugProtocol.StepInTarget[]> {
  const [top] = await editor.frames();
  return (await editor.ask<{ targets: DebugProtocol.StepInTarget[] }>('stepInTargets', { frameId: top?.id })).targets;
}

async function stepInto(label: string): Promise<string> {
  const target = (await targets()).find((one) => one.label === label);
  await editor.go('stepIn', { targetId: target?.id });
  return editor.place();
}

it('steps into the one call of a line that is meant', async () => {
  editor = await Editor.start();
  expect(editor.capabilities.supportsStepInTargetsRequest).toBe(true);
  const [line, one, two] = [lineOf('nested.c', 'int sum'), lineOf('nested.c', 'return n + 1'), lineOf('nested.c', 'return 2 *')];
  await editor.begin('launch', { program: compile('nested.c'), stopOnEntry: true });
  await editor.breakAt('nested.c', line);
  expect(await targets()).toMatchObject([{ label: 'one' }, { label: 'two' }, { label: 'one (call 2)' }, { label: 'through a pointer' }]);
  const arguments_ = async (): Promise<string> => (await editor.ask<{ result: string }>('evaluate', { expression: 'n', frameId: (await editor.frames())[0]?.id })).result;
  expect([await stepInto('two'), await arguments_()]).toEqual([`two:${two}`, '2']);
  const [inner, main] = await editor.frames();
  expect(await editor.ask('stepInTargets', { frameId: inner?.id })).toMatchObject({ targets: [{ label: 'one', line: two }] });
  expect(await editor.ask('stepInTargets', { frameId: main?.id })).toEqual({ targets: [] });
  // Having returned, the calls that are still to come.
  await editor.go('stepOut');
  expect((await targets()).map(({ label }) => label)).toEqual(['one', 'through a pointer']);
  expect([await stepInto('one'), await arguments_()]).toEqual([`one:${one}`, '7']);
  await editor.go('stepOut');
  expect([await stepInto('through a pointer'), await arguments_()]).toEqual([`two:${two}`, '5']);
  const old = (await targets())[0]?.id;
  await editor.go('stepOut');
  expect(await editor.refused('stepIn', { threadId: editor.thread, targetId: old })).toContain('the program has moved since');
  await editor.go('next');
  // A call that is not made: the line ends instead.
  expect(await editor.place()).toBe(`main:${line + 1}`);
  expect(await stepInto('one')).toBe(`main:${line + 2}`);
  // A breakpoint on the way to the call.
  await editor.go('reverseContinue');
  await editor.breakAt('nested.c', { line: lineOf('nested.c', 'return n + 1'), condition: 'n == 2' });
  const target = (await targets()).find(({ label }) => label === 'through a pointer');
  expect(await editor.go('stepIn', { targetId: target?.id })).toMatchObject({ reason: 'breakpoint' });
  expect((await editor.frames()).map(({ name }) => name)).toEqual(['one', 'two', 'main']);
});
