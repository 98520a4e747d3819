/**
 * A guest that tries to get out of the sandbox, by two hundred ways: each gets a sensible answer, and nothing outside
 * changes or is read. A group of rows is one run of a program (escapes.c and what is compiled with it).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { createOutside, type Outside, ORIGINAL } from './outside.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const TIMEOUT = 120_000;
const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'culprit-escapes-'));
const program = join(folder, 'escapes');
const SOURCES = ['escapes', 'files', 'streams', 'terminals', 'processes', 'system', 'memory'];

beforeAll(() => {
  execFileSync('gcc', ['-w', '-O1', '-o', program, ...SOURCES.map((name) => `${HERE}${name}.c`), '-lrt']);
}, TIMEOUT);
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The names of a group's rows, as its source has them. */
function rowsOf(group: string): string[] {
  const source = fs.readFileSync(`${HERE}${group}.c`, 'utf8');
  return [...source.slice(source.lastIndexOf('_rows[] = {')).matchAll(/^ {4}\{"(.*?)", /gm)].map(([, name = '']) => name);
}

interface Attempt {
  readonly answers: ReadonlyMap<string, string>;
  readonly stderr: string;
  readonly status: number | null;
}

/** Runs the rows in a session without a terminal; `streams` are descriptors from 3 on. */
function attempt(group: string, outside: Outside, options: readonly string[] = [], streams: readonly number[] = []): Attempt {
  const { stdout, stderr, status } = spawnSync('setsid', ['-w', process.execPath, CULPRIT, 'run', '--sandbox', ...options, program, group, ...outside.words], {
    cwd: folder, encoding: 'utf8', input: '', stdio: ['pipe', 'pipe', 'pipe', ...streams],
  });
  const lines = stdout.split('\n').filter((line) => line !== '').map((line) => line.split('\t'));
  return { answers: new Map(lines.map(([name = '', what, verdict]) => [name, `${what}: ${verdict}`])), stderr, status };
}

function checkRows(group: string, done: () => Attempt): void {
  for (const name of rowsOf(group)) it(name, () => expect(done().answers.get(name)).toMatch(/: as expected$/));
  it('is done with all rows', () => {
    expect(done().stderr).toBe('');
    expect(done().status).toBe(0);
    expect([...done().answers.keys()]).toEqual(rowsOf(group));
  });
}

for (const group of ['files', 'terminals', 'processes', 'system']) {
  describe(group, () => {
    let outside: Outside;
    let done: Attempt;
    let changes: readonly string[];
    beforeAll(async () => {
      outside = await createOutside();
      done = attempt(group, outside);
      changes = await outside.changes();
    }, TIMEOUT);
    afterAll(() => outside.remove());

    checkRows(group, () => done);
    it('changes nothing outside', () => expect(changes).toEqual([]));
  });
}

describe('streams', () => {
  let outside: Outside;
  let done: Attempt;
  let log: string;
  beforeAll(async () => {
    outside = await createOutside();
    const path = (name: string): string => join(outside.directory, name);
    const fds = [fs.openSync('/dev/null', 'r'), fs.openSync('/dev/null', 'r'), fs.openSync(path('log'), 'a'), fs.openSync(path('log'), 'a+'), fs.openSync(path('input'), 'r')];
    done = attempt('streams', outside, [], fds);
    for (const fd of fds) fs.closeSync(fd);
    log = fs.readFileSync(path('log'), 'utf8');
  }, TIMEOUT);
  afterAll(() => outside.remove());

  checkRows('streams', () => done);
  it('only adds to what was connected for adding', () => expect(log).toBe(`${ORIGINAL}${'added\n'.repeat(5)}`));
  it('changes nothing but that', async () => {
    const changes = await outside.changes();
    expect(changes.map((change) => change.split(':')[0])).toEqual(['log']);
    expect(fs.statSync(join(outside.directory, 'log')).mode & 0o777).toBe(0o644);
  });
});

describe('memory', () => {
  let outside: Outside;
  let done: Attempt;
  beforeAll(async () => {
    outside = await createOutside();
    done = attempt('memory', outside, ['--sandbox-memory', '16']);
  }, TIMEOUT);
  afterAll(() => outside.remove());

  checkRows('memory', () => done);
});
