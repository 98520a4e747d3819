/** Slices of small programs are those of brute force, member by member and edge by edge. */
import { afterAll, describe, expect, it } from 'vitest';
import { compile, compileText } from './compiled.js';
import { compareProgram, type ComparingRequest, dice } from './comparing.js';
import { randomProgram } from './generator.js';

const isLong = process.env['CULPRIT_LONG'] === '1';
const only = process.env['CULPRIT_SEED'];
const SEEDS = only === undefined ? Array.from({ length: isLong ? 13 : 1 }, (_, i) => i + 1) : [Number(only)];
const LEVELS = ['-O0', '-O2'];
/** Short runs of programs as they are on every Debian, with what the dynamic linker does. */
const PROGRAMS = [
  ['/usr/bin/true'], ['/usr/bin/echo', 'word'], ['/usr/bin/expr', '3', '*', '4'], ['/usr/bin/basename', '/a/b.c', '.c'], ['/usr/bin/printf', '%d-%s', '5', 'x'], ['/usr/bin/seq', '3'],
  ['/usr/bin/cut', '-c2', '/etc/hostname'], ['/usr/bin/sort', '/etc/shells'], ['/usr/bin/sed', 's/a/b/', '/etc/shells'], ['/usr/bin/head', '-n1', '/etc/shells'], ['/usr/bin/wc', '/etc/shells'],
];

const compared = { criteria: 0, members: 0, edges: 0 };

afterAll(() => {
  if (isLong) process.stdout.write(`compared: ${JSON.stringify(compared)}\n`);
});

async function check(words: readonly string[], request: ComparingRequest): Promise<void> {
  const { problems, criteria, members, edges } = await compareProgram(words, request);
  compared.criteria += criteria;
  compared.members += members;
  compared.edges += edges;
  expect(problems).toEqual([]);
  expect(members).toBeGreaterThan(request.criteria);
}

describe('the walk and brute force', () => {
  it.each([['mixed.c', '-O2'], ['threads.c', '-O0'], ...(isLong ? [['mixed.c', '-O0'], ['threads.c', '-O2']] : [])] as [string, string][])('%s, %s', async (source, level) => {
    await check([compile(source, [level, '-static'])], { seed: 1, criteria: isLong ? 50 : 8, frames: false });
  });

  it.each(LEVELS)('where longjmp leads back into a function, %s', async (level) => {
    await check([compile('jumpsBack.c', [level, '-static'])], { seed: 1, criteria: isLong ? 40 : 15, frames: false, most: 3000 });
  });

  it('with frames', async () => {
    await check([compile('mixed.c', ['-O0', '-static'])], { seed: 2, criteria: isLong ? 50 : 5, frames: true });
  });

  it.each(SEEDS.flatMap((seed) => LEVELS.map((level) => [seed, level] as const)))('a random program, seed %i, %s', async (seed, level) => {
    const program = compileText(`random${seed}.c`, randomProgram(dice(seed)), [level, '-static']);
    await check([program], { seed, criteria: isLong ? 60 : 6, frames: seed % 5 === 0, most: isLong ? 100_000 : 10_000 });
  });
});

describe.runIf(isLong)('programs of Debian', () => {
  it.each(PROGRAMS.map((words) => [words.join(' '), words] as const))('%s', async (_, words) => {
    await check(words, { seed: 1, criteria: 20, frames: false, from: 'entry', most: 60_000 });
  });
});
