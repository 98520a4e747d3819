/** Recordings that are not to stay, and what else is temporary, are gone when the command is, however it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Editor } from '../dap/editor.js';
import { startServer } from '../ports/servers.js';
import { CULPRIT, HELLO } from './culprit.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-temporary-'));
afterAll(() => rmSync(folder, { recursive: true }));
const env = { ...process.env, TMPDIR: folder };
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

/** Starts a command, and sends it a signal when it has said something; how it ended. */
async function ended(args: readonly string[], sign: string, signal: NodeJS.Signals): Promise<string> {
  const child = spawn(process.execPath, [CULPRIT, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.includes(sign) && !child.killed) child.kill(signal);
    });
  }
  const [code, by] = (await once(child, 'close')) as [number | null, string | null];
  return by ?? String(code);
}

const WAITS = ['sh', '-c', 'echo ready; exec sleep 5'];

describe.each<[string, string[], string]>([
  ['check', ['check', ...WAITS], 'ready'],
  ['debug, while the program runs', ['debug', ...WAITS], 'ready'],
  ['debug, at its prompt', ['debug', '-ex', 'echo ready\\n', HELLO, 'crash'], 'ready'],
  ['gdbserver', ['gdbserver', '--port', '0', HELLO, 'crash'], '127.0.0.1'],
])('%s', (_, args, sign) => {
  it.each<[NodeJS.Signals, string[]]>([['SIGTERM', ['143', 'SIGTERM']], ['SIGHUP', ['129', 'SIGHUP']], ['SIGKILL', ['SIGKILL']]])('after %s', async (signal, ends) => {
    expect(ends).toContain(await ended(args, sign, signal));
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the debug adapter', () => {
  it('keeps nothing of a session that is over, and has nothing that could stay behind', async () => {
    const server = await startServer(['dap'], env);
    /** Of files without a name. */
    const nameless = (): string[] => readdirSync(`/proc/${server.pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${server.pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    }).filter((path) => path.startsWith(folder));
    try {
      for (const session of ['first', 'second']) {
        const editor = await Editor.start(server.port);
        await editor.begin('launch', { program: HELLO, args: ['crash'], token: server.token, env: { SECRET: 'x' } });
        expect(readdirSync(folder)).toEqual([]);
        expect(nameless(), session).not.toEqual([]);
        await editor.client.stop();
        await expect.poll(nameless, { timeout: 20_000 }).toEqual([]);
      }
    } finally {
      server.close();
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
