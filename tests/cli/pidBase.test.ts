/** Process numbers: the same in every run, but not in two runs at the same time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../table/built.js';
import { CULPRIT, culprit } from './culprit.js';

/** All tests have the same number; these find their own. Other runs on this machine may hold some. */
const ENV = { CULPRIT_PID_BASE: '' };
const children: ChildProcess[] = [];
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-pids-'));
  return ensureBuilt();
}, 300_000);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A run that goes on; resolves to the child and its process number. */
async function running(...options: readonly string[]): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn(process.execPath, [CULPRIT, 'run', ...options, '--', 'sh', '-c', 'echo $$; read line; exit 3'], { env: { ...process.env, ...ENV }, cwd: folder });
  children.push(child);
  let text = '';
  for await (const bytes of child.stdout) {
    text += String(bytes);
    if (text.includes('\n')) break;
  }
  return { child, pid: Number(text) };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  child.kill(signal);
  await exit;
}

it('two runs at the same time have different ones; when the first is gone, however it went, its number is free', async () => {
  const first = await running();
  const second = await running();
  expect(second.pid).not.toBe(first.pid);
  expect([first.pid % 10_000, second.pid % 10_000]).toEqual([0, 0]);
  await ended(first.child, 'SIGKILL');
  const third = await running();
  expect(third.pid).toBeLessThanOrEqual(first.pid);
  await ended(second.child, 'SIGKILL');
  await ended(third.child, 'SIGKILL');
}, 120_000);

it('it is said with --verbose, recorded, and replayed', async () => {
  const first = await running('--pid-base', '20000');
  const file = join(folder, 'pids.culprit');
  const { stdout, stderr } = culprit(['record', '--verbose', '-o', file, '--', 'sh', '-c', 'echo $$'], { env: ENV });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(20_000);
  expect(stderr).toContain(`culprit: other runs have process ids from 20000 on: this one begins with ${pid} (--pid-base chooses)\n`);
  await ended(first.child, 'SIGKILL');
  expect(culprit(['replay', file], { env: ENV }).stdout).toBe(`${pid}\n`);
  expect(JSON.parse(culprit(['info', '--json', file]).stdout)).toMatchObject({ pidBase: pid });
  expect(culprit(['run', '--', 'sh', '-c', 'echo $$'], { env: ENV }).stderr).toBe('');
}, 120_000);

it('--pid-base chooses it, wherever a program is started, also if another run has it', async () => {
  const [script, args] = ['echo $$ > pid; (exit 0) & echo $! >> pid', ['--pid-base', '777000']];
  const first = await running(...args);
  const numbers = (): string => readFileSync(join(folder, 'pid'), 'latin1');
  for (const command of [['run', ...args], ['check', ...args], ['debug', '-batch', ...args]]) {
    rmSync(join(folder, 'pid'), { force: true });
    culprit([...command, '--', 'sh', '-c', script], { env: ENV, cwd: folder });
    expect(numbers(), command.join(' ')).toBe('777000\n777001\n');
  }
  await ended(first.child, 'SIGKILL');
  expect(culprit(['run', '--pid-base', '99', 'true'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/^culprit: .*It should be a number from 100 to 4190000\.\n$/) });
  expect(culprit(['debug', '--pid-base', 'x', 'true'])).toMatchObject({ status: 2, stderr: 'culprit: --pid-base x: it should be a number from 100 to 4190000\n' });
}, 120_000);
