import { afterEach, expect, it } from 'vitest';
import { compile, Editor, lineOf } from './editor.js';
import { Terminal } from './terminal.js';

let editor: Editor;
afterEach(() => editor.close(), 30_000);

it('records a program in a terminal of the client, where it can be typed to', async () => {
  editor = await Editor.start();
  expect(await editor.refused('launch', { program: 'true', console: 'integratedTerminal' })).toBe('the program needs a terminal, and there is none: no terminals today');
  const terminal = new Terminal(editor, 'words\n');
  const stop = await editor.begin('launch', { program: 'sh', args: ['-c', 'test -t 0 && read line && echo "$GREETING $line"'], cwd: '/', env: { GREETING: 'hello' }, console: 'integratedTerminal' });
  expect(stop).toMatchObject({ description: 'End of the recording' });
  expect(terminal.asked).toMatchObject({ kind: 'integrated', cwd: '/' });
  await terminal.shows('hello words');
  expect(editor.said('stdout')).toBe('');
  expect(editor.said('console')).toContain('exited with code 0');
});

it.runIf(process.env['CULPRIT_LONG'] !== undefined)('ends a program in a terminal that never ends', async () => {
  editor = await Editor.start();
  const terminal = new Terminal(editor);
  const stop = editor.begin('launch', { program: compile('forever.c'), console: 'externalTerminal' });
  await terminal.shows('begun');
  expect(terminal.asked?.kind).toBe('external');
  await editor.ask('pause', { threadId: 0 });
  expect(await stop).toMatchObject({ reason: 'exception', text: 'SIGTERM: Terminated' });
  expect(await editor.place()).toBe(`main:${lineOf('forever.c', 'count++')}`);
});

it.runIf(process.env['CULPRIT_LONG'] !== undefined)('says why nothing was recorded', async () => {
  editor = await Editor.start();
  const terminal = new Terminal(editor);
  expect(await editor.refused('launch', { program: '/no/such/program', console: 'integratedTerminal' })).toBe('/no/such/program: nothing was recorded; its terminal may say why');
  await terminal.shows('/no/such/program');
  expect(await editor.refused('launch', { program: 'cat', stdin: 'x', console: 'integratedTerminal' })).toContain('reads from the terminal');
  expect(await editor.refused('launch', { program: 'cat', console: 'elsewhere' })).toContain('"integratedTerminal"');
});
