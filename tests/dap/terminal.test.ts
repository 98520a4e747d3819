import { spawn } from 'node:child_process';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterEach, expect, it, vi } from 'vitest';
import { compile, Editor, lineOf } from './editor.js';

/** Runs what the adapter wants in a terminal, where somebody types. */
class Terminal {
  asked: DebugProtocol.RunInTerminalRequestArguments | undefined;
  shown = '';

  constructor(editor: Editor, typed = '') {
    editor.client.inTerminal = (args) => {
      this.asked = args;
      const env = { ...process.env };
      for (const [name, value] of Object.entries(args.env ?? {})) env[name] = value ?? '';
      const child = spawn('python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...args.args], { cwd: args.cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.on('data', (data: Buffer) => void (this.shown += data.toString()));
      child.stdin.write(typed);
    };
  }

  /** What the program has written may still be on its way here when the adapter knows that it has ended. */
  async shows(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.shown).toContain(text), { timeout: 50_000, interval: 50 });
  }
}

let editor: Editor;
afterEach(() => editor.close(), 30_000);

it('records a program in a terminal of the client, where it can be typed to', async () => {
  editor = await Editor.start();
  expect(await editor.refused('launch', { program: 'true', console: 'integratedTerminal' })).toBe('the program needs a terminal, and there is none: no terminals today');
  const terminal = new Terminal(editor, 'words\n');
  const stop = await editor.begin('launch', { program: 'sh', args: ['-c', 'test -t 0 && read line && echo "$GREETING $line"'], cwd: '/', env: { GREETING: 'hello' }, console: 'integratedTerminal' });
  expect(stop).toMatchObject({ description: 'End of the recording' });
  expect(terminal.asked).toMatchObject({ kind: 'integrated', cwd: '/', env: { GREETING: 'hello' } });
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
