/** `culprit count` against gcov (lines) and callgrind (calls), which count the same programs natively. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { culprit } from './culprit.js';

const SOURCE = `#include <signal.h>
#include <stdio.h>
static int fib(int n) {
  if (n < 2)
    return n;
  return fib(n - 1) + fib(n - 2);
}
static int never(int x) {
  return x * 2;
}
static volatile int signals;
static void on_signal(int number) {
  signals += number;
}
int main(int argc, char **argv) {
  int sum = 0;
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 12; i++) {
    if (i % 3 == 0)
      sum += fib(i);
    else
      sum -= i;
    if (i % 5 == 0) raise(SIGUSR1);
  }
  for (int i = 0; i < 20; i++) sum ^= i;
  do {
    sum = sum < 0 ? -sum : sum / 2;
  } while (sum > 3);
  switch (argc) {
    case 1: sum++; break;
    default: sum = never(sum);
  }
  printf("%d %s\\n", sum, argv[0] ? "yes" : "no");
  return 0;
}
`;

interface Listed {
  readonly functions: readonly { readonly name: string; readonly calls: number; readonly lines?: readonly { readonly line: number; readonly count: number }[] }[];
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'count-'));
  writeFileSync(join(folder, 'counted.c'), SOURCE);
  execFileSync('gcc', ['-g', '-O0', '-o', 'counted', 'counted.c'], { cwd: folder });
  culprit(['record', '-o', join(folder, 'counted.culprit'), join(folder, 'counted')]);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function counted(...words: string[]): Listed {
  const { stdout, status } = culprit(['count', '--json', join(folder, 'counted.culprit'), ...words]);
  expect(status).toBe(0);
  return JSON.parse(stdout) as Listed;
}

it('lines are counted as gcov counts them', () => {
  execFileSync('gcc', ['-g', '-O0', '--coverage', '-o', 'covered', 'counted.c'], { cwd: folder });
  execFileSync(join(folder, 'covered'), { cwd: folder });
  const gcov = execFileSync('gcov', ['-t', 'covered-counted.c'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const wanted = new Map([...gcov.matchAll(/^ *(\d+|#####)\*?: *(\d+):/gm)].map(([, times, line]) => [Number(line), times === '#####' ? 0 : Number(times)]));
  const found = new Map(counted('fib', 'never', 'on_signal', 'main').functions.flatMap(({ lines }) => lines ?? []).map(({ line, count }) => [line, count]));
  expect(wanted.size).toBeGreaterThan(20);
  expect([...wanted].map(([line, times]) => `${line}: ${found.get(line)} ${times}`)).toEqual([...wanted].map(([line, times]) => `${line}: ${times} ${times}`));
}, 120_000);

it('calls are counted as callgrind counts them', () => {
  execFileSync('valgrind', ['--tool=callgrind', '-q', '--callgrind-out-file=calls', '--compress-strings=no', './counted'], { cwd: folder, stdio: 'ignore' });
  const calls = new Map<string, number>();
  for (const [, name = '', times] of readFileSync(join(folder, 'calls'), 'utf8').matchAll(/^cfn=(.*)\n(?:c(?:fi|fl|ob)=.*\n)*calls=(\d+)/gm)) {
    calls.set(name.replace(/'\d+$/, ''), (calls.get(name.replace(/'\d+$/, '')) ?? 0) + Number(times));
  }
  const found = new Map(counted().functions.map(({ name, calls: times }) => [name, times]));
  expect([found.get('fib'), found.get('main'), found.get('on_signal')]).toEqual([calls.get('fib'), calls.get('main'), 3]);
}, 120_000);

it('parts of a run add up to the whole', () => {
  const [first, second] = [counted('--to', '60,000'), counted('--from', '60_000')];
  const sum = (name: string): number => [first, second].reduce((total, { functions }) => total + (functions.find((one) => one.name === name)?.calls ?? 0), 0);
  const whole = counted();
  for (const { name, calls } of whole.functions) expect(`${name} ${sum(name)}`).toBe(`${name} ${calls}`);
}, 120_000);

it('of nothing says so in one line', () => {
  const none = 'nothing ran in this part of the recording\n';
  expect(culprit(['count', '--to', '0', join(folder, 'counted.culprit')])).toEqual({ status: 0, stdout: none, stderr: '' });
  expect(culprit(['count', '--lines', '--to', '0', join(folder, 'counted.culprit')]).stdout).toBe(none);
  expect(culprit(['count', '--lines', '--to', '100', join(folder, 'counted.culprit')]).stdout).toMatch(/^none of the program's own functions ran .*\n$/);
}, 120_000);

it('mistakes are one line', () => {
  const { status, stderr } = culprit(['count', join(folder, 'counted.culprit'), 'nothing_of_that_name']);
  expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
  expect(stderr).toContain('no function nothing_of_that_name');
}, 60_000);
