/** The process that culprit is does not exist for the guest: by none of its numbers, or those of its threads. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';

const VARIANT = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE', '-pthread'] } as const;

beforeAll(() => ensureBuilt(), 300_000);

async function withNumbers(options: readonly string[]): Promise<{ stdout: string; count: number }> {
  const program = await buildProgram('procDoors.c', VARIANT);
  const cwd = mkdtempSync(join(tmpdir(), 'culprit-own-'));
  // A shell, so that the numbers can be told when there are any.
  const child = spawn(process.execPath, [CULPRIT, 'run', ...options, '--', 'sh', '-c', `echo ready; read numbers; exec ${program} $numbers`], { cwd });
  let stdout = '';
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      stdout += bytes.toString();
      if (stdout.startsWith('ready\n')) resolve();
    });
  });
  await Promise.race([ready, ended]);
  const numbers = readdirSync(`/proc/${child.pid}/task`);
  child.stdin.end(`${numbers.join(' ')}\n`);
  await ended;
  rmSync(cwd, { recursive: true });
  return { stdout: stdout.replace('ready\n', ''), count: numbers.length };
}

it.each([[[]], [['--sandbox']]])('the engine and its threads are not there (%j)', async (options) => {
  const { stdout, count } = await withNumbers(options);
  expect(count).toBeGreaterThan(1);
  expect(stdout).toBe(`${count} numbers: 0 found, 0 listed\n`);
}, 300_000);

it.runIf(process.getuid?.() === 0)('where /proc is mounted a second time, the guest sees itself as well', () => {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-own-'));
  const guest = 'for at in new bound; do read name < $at/self/comm; echo $name; readlink $at/self/exe; done; cat one/comm';
  const script = `mkdir new bound one; mount -t proc proc new; mount --bind /proc bound; mount --bind /proc/self one; exec "$0" "$1" run -- sh -c '${guest}'`;
  const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, process.execPath, CULPRIT], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const exe = spawnSync('readlink', ['-f', '/usr/bin/readlink'], { encoding: 'utf8' }).stdout;
  expect([stdout, stderr]).toEqual([`sh\n${exe}sh\n${exe}`, 'cat: one/comm: Permission denied\n']);
}, 120_000);
