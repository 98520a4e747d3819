/** Makes a test of every row of a table: the native run and ours must have the same outcome. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './built.js';
import { difference } from './difference.js';
import { ENVIRONMENT, type Invocation } from './invocation.js';
import { CULPRIT, runInCulprit, runNatively } from './run.js';
import { placeFiles, Sandbox } from './sandbox.js';

export const LONG = process.env['CULPRIT_LONG'] === '1';

/** What the usual run takes of a long list: `count` of it, evenly spread. The long form takes all. */
export function sampled<T>(all: readonly T[], count: number): readonly T[] {
  return LONG || all.length <= count ? all : Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
}

/** Options of `culprit run` under which the outcome must be the native one. */
const WAYS: readonly (readonly string[])[] = LONG ? [[], ['--interpret'], ['--aslr', '7']] : [[]];
const FAILED = fileURLToPath(new URL('../build/failed/', import.meta.url));
/** Building may come first. */
const BUILD_TIMEOUT = 300_000;
/** Includes waiting for a turn. */
const TEST_TIMEOUT = 300_000;

/** Rows of a file run this many at a time, each in a sandbox of its own. */
const turn = limitConcurrency(availableParallelism());

/** Rows of a group for which there is time in any case. */
const LARGE_GROUP = 12;

/** A test to be: its invocation may need something built first. */
export interface Row {
  readonly name: string;
  readonly long?: boolean;
  readonly make: () => Promise<Invocation>;
}

export function testTable(group: string, table: readonly Invocation[]): void {
  // Of large groups the usual run takes every eighth row.
  const chosen = LONG || table.length <= LARGE_GROUP ? table : table.filter((_, i) => i % 8 === 0);
  testRows(group, chosen.map((invocation) => ({ name: invocation.name, long: invocation.long ?? false, make: () => Promise.resolve(invocation) })));
}

export function testRows(group: string, rows: readonly Row[]): void {
  describe.concurrent(group, () => {
    beforeAll(ensureBuilt, BUILD_TIMEOUT);
    test('rows have names of their own', () => {
      expect(new Set(rows.map((r) => r.name)).size).toBe(rows.length);
    });
    for (const { name, long, make } of rows) {
      test.skipIf(long === true && !LONG)(name, () => turn(async () => checkInvocation(group, await make())), TEST_TIMEOUT);
    }
  });
}

/** Fails with a short account of how the two runs differ, and how to see it again. */
async function checkInvocation(group: string, invocation: Invocation): Promise<void> {
  const sandbox = new Sandbox();
  try {
    const native = await runNatively(invocation, sandbox);
    for (const options of WAYS) {
      const ours = await runInCulprit(invocation, sandbox, native, options);
      const differs = difference(native, ours);
      if (differs !== null) expect.fail(`${differs}\nto see it: ${keepForLater(group, invocation, options)}`);
    }
  } finally {
    sandbox.dispose();
  }
}

function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** Leaves the invocation's files behind; the result is the command line to run it with. */
function keepForLater(group: string, invocation: Invocation, options: readonly string[]): string {
  const directory = join(FAILED, `${group} ${invocation.name}`.replace(/[^\w.+-]+/g, '-'));
  rmSync(directory, { recursive: true, force: true });
  placeFiles(join(directory, 'work'), invocation.files ?? {});
  if (invocation.stdin !== undefined) writeFileSync(join(directory, 'stdin'), invocation.stdin);
  mkdirSync(directory, { recursive: true });
  const variables = Object.entries({ ...ENVIRONMENT, ...invocation.environment }).map(([name, value]) => quote(`${name}=${value}`));
  const words = [relative(join(directory, 'work'), CULPRIT), 'run', ...options, '--', ...invocation.argv.map(quote)];
  const input = invocation.stdin === undefined ? '/dev/null' : '../stdin';
  return `cd ${quote(join(directory, 'work'))} && env -i ${variables.join(' ')} ${quote(process.execPath)} ${words.join(' ')} < ${input}`;
}

function quote(word: string): string {
  return /^[\w./:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
