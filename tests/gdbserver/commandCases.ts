/** The command itself: what it says when it cannot serve, and what it leaves behind when it is ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled, STATIC } from './served.js';

const CULPRIT = fileURLToPath(new URL('../../bin/culprit', import.meta.url));

/** A culprit whose temporary files are apart. */
function start(folder: string, ...args: readonly string[]): { readonly ended: Promise<unknown[]>; kill(signal: NodeJS.Signals): void; saw(text: string): Promise<string> } {
  const child = spawn(CULPRIT, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TMPDIR: folder } });
  let said = '';
  child.stderr.on('data', (data: Buffer) => void (said += data.toString()));
  const ended = once(child, 'close');
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    saw: async (text) => {
      while (!said.includes(text) && child.exitCode === null) await Promise.race([once(child.stderr, 'data'), ended]);
      return said;
    },
  };
}

export function commandCases(): void {
  describe('the command', () => {
    it('says that a port is taken, and when it is ended leaves nothing behind', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gdbserver-'));
      const program = await compiled('recursion.c', STATIC);
      const server = start(folder, 'gdbserver', '--port', '0', program);
      const port = /127\.0\.0\.1:(\d+)/.exec(await server.saw('listening on'))?.[1] ?? '';
      // What it has recorded has no name, not even now.
      expect(readdirSync(folder)).toEqual([]);
      const other = start(folder, 'gdbserver', '--port', port, program);
      expect(await other.saw('\n')).toContain(`culprit: cannot listen on 127.0.0.1:${port}: `);
      await other.ended;
      // One client at a time; who comes second is told so by being left.
      const [first, second] = [net.connect(Number(port), '127.0.0.1'), net.connect(Number(port), '127.0.0.1')];
      second.on('error', () => undefined);
      await Promise.all([once(first, 'connect'), once(second, 'connect')]);
      const left = once(second.resume(), 'close');
      first.write('+$?#3f');
      expect(String((await once(first, 'data'))[0])).toMatch(/^\+/);
      await left;
      server.kill('SIGINT');
      expect((await server.ended)[1]).toBe('SIGINT');
      first.destroy();
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    });
  });
}
