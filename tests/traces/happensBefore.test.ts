/**
 * Races between threads that atomic variables should keep in order, in every way that there is, and programs in which
 * they do.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analysis } from './analysis.js';
import { compile, executionOf, STATIC } from './recordedExecution.js';

const OPTIMISED = STATIC.map((flag) => (flag === '-O0' ? '-O2' : flag));
/** The line of a program that has the comment. */
function lineOf(program: string, mark: string): string {
  const lines = readFileSync(new URL(`programs/${program}`, import.meta.url), 'utf8').split('\n');
  return `${program}:${lines.findIndex((line) => line.includes(`MARK: ${mark} `)) + 1}`;
}

const KINDS = [['message', 'data', 'read'], ['count', 'counter', 'plain'], ['spin', 'counter', 'plain'], ['ticket', 'counter', 'plain'], ['compare', 'counter', 'plain'], ['chain', 'data', 'read']] as const;
const CASES = KINDS.flatMap((kind) => [['-O0', STATIC], ['-O2', OPTIMISED]].map(([level, flags]) => [...kind, level as string, flags as readonly string[]] as const));

const WAITING = [['readers', 'write'], ['barrier', 'barrier'], ['rwlock', 'read'], ['trylock', 'write'], ['spin', 'write'], ['once', 'once'], ['semaphore', 'write']] as const;

/** Usually some of them: each takes a second. */
const isLong = process.env['CULPRIT_LONG'] === '1';
const chosen = isLong ? CASES : CASES.filter((_, i) => [0, 5].includes(i));

describe('what atomic variables order', () => {
  it.each(chosen)('%s: a race on %s is found where nothing orders (MARK: %s, %s), and none where something does', async (kind, variable, mark, _level, flags) => {
    const program = compile('atomics.c', flags);
    const found = await analysis('happensBefore', await executionOf([program, kind]), [variable]);
    expect(found).toMatch(new RegExp(`^race on ${variable}:\n`));
    expect(found).toContain(lineOf('atomics.c', mark));
    expect(await analysis('happensBefore', await executionOf([program, kind, 'clean']), [variable])).toBe(`no race on ${variable}`);
  });
});

it.each(WAITING.slice(0, isLong ? undefined : 1))('what pthreads has for it orders: %s', async (kind, mark) => {
  const program = compile('waiting.c');
  const found = await analysis('happensBefore', await executionOf([program, kind]), ['counter']);
  expect(found).toMatch(/^race on counter:\n/);
  expect(found).toContain(lineOf('waiting.c', mark));
  if (isLong) expect(await analysis('happensBefore', await executionOf([program, kind, 'clean']), ['counter'])).toBe('no race on counter');
});

it('what is declared as atomic is no race by itself, however it is accessed; what is not, is if one access is plain', async () => {
  const execution = await executionOf([compile('atomics.c'), 'message', 'clean']);
  expect(await analysis('happensBefore', execution, ['ready'])).toBe('no race on ready');
});

it('instructions that are atomic by themselves are known with their memory, and variables by their types', async () => {
  const execution = await executionOf([compile('atomics.c'), 'compare', 'clean']);
  expect(execution.atomicVariables().map(({ name, length }) => [name, length]).sort()).toEqual([['ready', 4], ['relayed', 4]]);
  const main = (await execution.breakpoints('main').first())!.value;
  const places = (await execution.atomics().toArray()).map(({ value }) => value.atomic!);
  expect(new Set(places.map(({ address, length }) => [address, length].join()))).toEqual(new Set([[main.readVar('claimed').addressOf(), 4].join()]));
  // As many succeed as there are turns.
  expect(places.filter(({ kind }) => kind === 'WRITE').length).toBe(8);
});
