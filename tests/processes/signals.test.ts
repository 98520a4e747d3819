/** Signals from outside: what a shell with job control sees of a program that runs natively, and of one that we run. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, culprit } from '../cli/culprit.js';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';
import { LONG, sampled } from '../table/testTable.js';

const SENDER = fileURLToPath(new URL('scripts/signals.py', import.meta.url));
const VARIANT = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] } as const;
const OURS = [process.execPath, CULPRIT];
const folder = mkdtempSync(join(tmpdir(), 'culprit-signals-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Arguments of signalStates.c, and what is done to it (see scripts/signals.py). */
type Case = readonly [program: string, ...steps: string[]];

/** A process alone. */
const ALONE: readonly Case[] = [
  ['spin default', 'pid TERM'], ['sleep default', 'group INT'], ['read default', 'pid HUP'], ['pause default', 'group QUIT'],
  ['spin default', 'pid USR1'], ['read default', 'group USR2'], ['sleep default', 'pid ALRM'], ['sleep default', 'pid ABRT'],
  ['sleep default', 'pid TERM', 'pid TERM', 'pid CONT'],
  ['spin handle', 'pid CONT', 'out got 18', 'pid WINCH', 'out got 28', 'pid ALRM'],
  ['read handle', 'group TSTP', 'out got 20', 'pid TERM'],
  ['read ignore', 'pid INT', 'pid HUP', 'group TSTP', 'pause', 'pid KILL'],
  ['poll block', 'pid TERM'], ['compute block', 'pid TERM', 'pause', 'pid KILL'],
  ['spin default', 'pid TSTP', 'stopped', 'pid TERM', 'pause', 'pid CONT'],
  ['read default', 'group TSTP', 'stopped', 'pid CONT', 'pause', 'pid INT'],
  ['sleep restop', 'group TSTP', 'stopped', 'pid CONT', 'out got 18', 'pid INT'],
  ['stop default', 'stopped', 'pid CONT'],
];

/** One with a child in the same group: a signal for the group is for both. */
const FAMILIES: readonly Case[] = [
  ['wait default sleep default', 'pid TERM', 'pid CONT'],
  ['wait default sleep default', 'pid TERM', 'group TERM', 'pid CONT', 'group CONT'],
  ['wait handle sleep default', 'pid TERM'],
  ['wait ignore sleep default', 'group TERM'],
  ['wait ignore sleep handle', 'pid INT', 'pause', 'group USR1'],
  ['wait ignore spin handle', 'group INT'],
  ['wait default sleep default', 'group TSTP', 'stopped', 'group CONT', 'pause', 'group INT'],
  ['wait default spin default', 'pid TSTP', 'stopped', 'pid CONT', 'pause', 'group HUP'],
  ['wait handle sleep handle', 'group WINCH', 'out main got 28', 'out child got 28', 'group TERM'],
];

const PRODUCT: readonly Case[] = ['spin', 'sleep', 'read', 'pause'].flatMap((state) =>
  ['default', 'handle', 'ignore'].flatMap((action) =>
    ['HUP', 'INT', 'QUIT', 'ABRT', 'USR1', 'USR2', 'ALRM', 'TERM'].flatMap((signal) =>
      ['pid', 'group'].map((to): Case => [`${state} ${action}`, `${to} ${signal}`, ...(action === 'ignore' ? ['pause', 'pid KILL'] : [])]))));

const TABLES: readonly (readonly [what: string, cases: readonly Case[]])[] = [['a process alone', sampled(ALONE, 6)], ['a family', sampled(FAMILIES, 4)], ...(LONG ? [['any state', PRODUCT] as const] : [])];

const COMPLETED: readonly Case[] = sampled([
  ['spin default', 'pid TERM'], ['read default', 'group HUP'], ['sleep default', 'pid USR1'], ['spin default', 'pid TSTP', 'stopped', 'pid TERM', 'pause', 'pid CONT'],
  ['wait default sleep default', 'pid TERM', 'pid CONT'], ['wait ignore sleep handle', 'group INT'], ['read handle', 'pid QUIT'],
], 3);

let program: string;
beforeAll(async () => {
  await ensureBuilt();
  program = await buildProgram('signalStates.c', VARIANT);
}, 300_000);

interface Seen {
  readonly seen: readonly string[];
  readonly said: readonly string[];
}

/** `prefix` of each command, by its number. */
function played(cases: readonly Case[], prefix?: (index: number) => readonly string[]): Seen[] {
  const input = cases.map(([words, ...steps], index) => {
    const args = words.split(' ');
    return { command: [...(prefix?.(index) ?? []), program, ...args], steps, sentinel: prefix !== undefined && args.length > 2 };
  });
  const { stdout, stderr } = spawnSync('/usr/bin/python3', [SENDER], { input: JSON.stringify(input), encoding: 'utf8', maxBuffer: 1 << 26 });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Seen[];
}

function named(cases: readonly Case[], results: readonly Seen[]): Record<string, Seen | undefined> {
  return Object.fromEntries(cases.map((one, i) => [one.join(', '), results[i]]));
}

describe('a signal from outside', () => {
  it.each(TABLES)('does to %s what it does natively', (_, cases) => {
    expect(named(cases, played(cases, () => [...OURS, 'run', '--']))).toEqual(named(cases, played(cases)));
  }, 1_200_000);

  it('ends recordings, which are complete', () => {
    const file = (index: number): string => join(folder, `${index}.culprit`);
    const native = played(COMPLETED);
    expect(named(COMPLETED, played(COMPLETED, (index) => [...OURS, 'record', '-o', file(index), '--']))).toEqual(named(COMPLETED, native));
    COMPLETED.forEach((_, index) => {
      const { status, stdout } = culprit(['replay', file(index)]);
      const [how = '', number] = native[index]?.seen.at(-1)?.split(/ (?=\d)/) ?? [];
      expect({ status, said: stdout.split('\n').sort() }).toEqual({ status: Number(number) + (how === 'killed by' ? 128 : 0), said: native[index]?.said });
    });
  }, 600_000);

  it('ends a check, by that signal', () => {
    const cases: Case[] = [['spin default', 'pid TERM'], ['wait default sleep default', 'group INT']];
    expect(named(cases, played(cases, () => [...OURS, 'check', '--']))).toEqual(named(cases, played(cases)));
  }, 300_000);

  it('that nohup ignores is ignored', () => {
    const command = 'nohup "$@" 2>/dev/null & sleep 0.1; until grep -q ready out; do sleep 0.1; done; kill -HUP $!; sleep 0.3; kill -TERM $!; wait $!; echo $?';
    const run = (prefix: readonly string[]): string => {
      const { stdout } = spawnSync('bash', ['-c', command.replaceAll('out', `${folder}/out`).replace('2>', `>${folder}/out 2>`), 'bash', ...prefix, program, 'sleep', 'default'], { encoding: 'utf8' });
      return stdout;
    };
    expect(run([...OURS, 'run', '--'])).toBe(run([]));
  }, 120_000);

  it('stops nothing in a session of its own, where no shell would continue it', () => {
    const script = 'kill -TSTP $$; echo "goes on"';
    const run = (prefix: readonly string[]): string => spawnSync('setsid', ['-w', ...prefix, 'sh', '-c', `${script}; (sleep 0.1; kill -TSTP 0; echo here) & wait`], { encoding: 'utf8' }).stdout;
    expect(run([...OURS, 'run', '--'])).toBe(run([]));
  }, 120_000);
});

describe('timeout(1)', () => {
  it.each([['sleep 100; echo no'], ['sleep 100 & sleep 100 & wait; echo no'], ['while :; do :; done']])('ends %j', (script) => {
    const run = (prefix: readonly string[]): unknown => {
      const { status, stdout } = spawnSync('timeout', ['3', ...prefix, 'sh', '-c', script], { encoding: 'utf8' });
      return { status, stdout };
    };
    expect(run([...OURS, 'run', '--'])).toEqual(run([]));
  }, 120_000);
});

describe('--timeout', () => {
  it.each([
    ['a process that has stopped itself', ['sh', '-c', 'kill -STOP $$']],
    ['one that was left behind, and has stopped itself', ['--children', 'wait', 'sh', '-c', 'sh -c "kill -STOP \\$\\$" & exit 3']],
  ])('ends %s', (_, args) => {
    expect(culprit(['run', '--timeout', '1', ...args])).toMatchObject({ status: 124, stderr: expect.stringContaining('not done after 1 s') as string });
  }, 120_000);
});

it('what looks at a recording ends by signals at once', async () => {
  const file = join(folder, 'long.culprit');
  culprit(['record', '--timeout', '4', '-o', file, '--', program, 'spin', 'default']);
  expect(readFileSync(file).length).toBeGreaterThan(0);
  const commands = [['debug', '-batch', '-ex', 'break nosuch if 0', '-ex', 'watch *(char *)$rsp if $rax == 12345', '-ex', 'rc', file], ['query', '-e', '(() => { for (;;); })()', file], ['replay', file]];
  for (const command of commands) for (const signal of ['SIGINT', 'SIGTERM', ...(command[0] === 'query' ? ['SIGUSR1' as const] : [])] as const) {
    const child = spawn(process.execPath, [CULPRIT, ...command], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve(by ?? code)));
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill(signal);
    // Where Node has just begun, SIGUSR1 does something else.
    const again = setInterval(() => child.kill(signal), 2000);
    expect([command[0], await ended]).toEqual([command[0], signal]);
    clearInterval(again);
  }
}, 300_000);
