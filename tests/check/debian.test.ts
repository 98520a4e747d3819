/**
 * Programs of Debian, which others have looked through with valgrind for decades, have nothing to be reported: an alarm
 * about one is a bug of ours. The engine's table (tests/table) is run under `culprit check` with the rules that are on
 * by default; what comes out is what comes out natively, to the byte. The usual run takes a handful; CULPRIT_LONG=1
 * takes all.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../table/built.js';
import { difference } from '../table/difference.js';
import type { Invocation } from '../table/invocation.js';
import { runInCulprit, runNatively } from '../table/run.js';
import { Sandbox } from '../table/sandbox.js';
import type { BugReport } from './culpritCheck.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const BUILD_TIMEOUT = 300_000;
/** By group. Groups of which there is none need not be prepared. */
const SAMPLE: Readonly<Record<string, readonly string[]>> = {
  coreutils: ['sort -V'],
  text: ['jq'],
  languages: ['bash arrays and regex', 'sqlite3 -csv import'],
};

interface Row {
  readonly group: string;
  readonly name: string;
  readonly invocation: Invocation;
}

async function rows(): Promise<readonly Row[]> {
  if (LONG) {
    const { PROGRAMS } = await import('../table/programs.js');
    return Object.entries(PROGRAMS).flatMap(([group, table]) => table.map((invocation) => rowOf(group, invocation)));
  }
  const { COREUTILS } = await import('../table/groups/coreutils.js');
  const { TEXT_TOOLS } = await import('../table/groups/text.js');
  const { LANGUAGES } = await import('../table/groups/languages.js');
  const groups: Readonly<Record<string, readonly Invocation[]>> = { coreutils: COREUTILS, text: TEXT_TOOLS, languages: LANGUAGES };
  return Object.entries(SAMPLE).flatMap(([group, names]) => names.map((name) => rowOf(group, found(groups[group], name))));
}

function rowOf(group: string, invocation: Invocation): Row {
  return { group, name: invocation.name, invocation };
}

function found(table: readonly Invocation[] | undefined, name: string): Invocation {
  const invocation = table?.find((one) => one.name === name);
  if (invocation === undefined) throw new RangeError(`the table has no row called ${name}`);
  return invocation;
}

/** What is reported, and how the outcome differs from the native one: empty if all is well. */
async function complaints(invocation: Invocation): Promise<string[]> {
  const sandbox = new Sandbox();
  const folder = mkdtempSync(join(tmpdir(), 'culprit-debian-'));
  const file = join(folder, 'reports.json');
  try {
    const native = await runNatively(invocation, sandbox);
    const ours = await runInCulprit(invocation, sandbox, native, ['--json', '--json-file', file], 'check');
    const text = readFileSync(file, 'utf8');
    const reports = text === '' ? [] : (JSON.parse(text) as BugReport[]);
    const differs = difference(native, ours);
    return [...reports.map(shown), ...(differs === null ? [] : [differs])];
  } finally {
    sandbox.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function shown({ rule, message, stack }: BugReport): string {
  return `${rule}: ${message}; ${stack.map((frame) => frame.function ?? '?').join(' < ')}`;
}

const ROWS = await rows();

describe('programs of Debian', () => {
  beforeAll(ensureBuilt, BUILD_TIMEOUT);
  it.each(ROWS)('$group: $name', async ({ invocation }) => {
    expect(await complaints(invocation)).toEqual([]);
  });
});
