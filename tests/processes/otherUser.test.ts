/** A guest that has become another user: what it may do to the outside goes by who it is now, not by who we are. */
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';

const VARIANT = { name: '-O1 static', compiler: 'gcc', flags: ['-O1', '-static'] } as const;
const OTHER = 65534;
const isRoot = process.getuid?.() === 0;

beforeAll(() => ensureBuilt(), 300_000);

async function run(command: readonly string[]): Promise<{ stdout: string; ended: (string | null)[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-user-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'secret'), 'secret', { mode: 0o600 });
  copyFileSync('/bin/sh', join(folder, 'sh'));
  chmodSync(join(folder, 'sh'), 0o744);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
  chmodSync(join(folder, 'socket'), 0o700);
  const sleepers = [{}, isRoot ? { uid: OTHER, gid: OTHER } : {}].map((who) => spawn('sleep', ['1000'], { ...who, stdio: 'ignore', cwd: '/' }));
  const ends = sleepers.map((child) => new Promise<string | null>((resolve) => child.on('exit', (_, signal) => resolve(signal))));
  const [path = '', ...args] = [...command, ...sleepers.map(({ pid }) => String(pid)), ...['secret', 'socket', 'sh', 'fifo'].map((name) => join(folder, name))];
  const stdout = await new Promise<string>((resolve) => {
    let text = '';
    const child = spawn(path, args, { cwd: folder });
    child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString()));
    child.on('close', () => resolve(text));
  });
  for (const child of sleepers) child.kill('SIGKILL');
  server.close();
  rmSync(folder, { recursive: true });
  return { stdout, ended: await Promise.all(ends) };
}

it('does as natively, and no more', async () => {
  const program = await buildProgram('otherUser.c', VARIANT);
  const native = await run([program]);
  const ours = await run([process.execPath, CULPRIT, 'run', '--', program]);
  expect(ours).toEqual(native);
  if (isRoot) expect(native.ended).toEqual(['SIGKILL', 'SIGTERM']);
  expect(native.stdout).toContain(isRoot ? '  end root\'s: Operation not permitted' : 'cannot become another user');
}, 300_000);
