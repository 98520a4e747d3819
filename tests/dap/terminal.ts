/** A terminal of the client's, which runs what the adapter wants to be run there, and in which the user types. */
import { spawn } from 'node:child_process';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { expect, vi } from 'vitest';
import type { Editor } from './editor.js';

export class Terminal {
  asked: DebugProtocol.RunInTerminalRequestArguments | undefined;
  shown = '';

  constructor(editor: Editor, typed = '') {
    editor.client.inTerminal = (args) => {
      this.asked = args;
      const env = { ...process.env };
      for (const [name, value] of Object.entries(args.env ?? {})) env[name] = value ?? '';
      const child = spawn('/usr/bin/python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...args.args], { cwd: args.cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.on('data', (data: Buffer) => void (this.shown += data.toString()));
      child.stdin.write(typed);
    };
  }

  /** What the program has written may still be on its way here when the adapter knows that it has ended. */
  async shows(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.shown).toContain(text), { timeout: 50_000, interval: 50 });
  }
}
