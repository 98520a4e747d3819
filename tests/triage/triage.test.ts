/** `culprit triage` with threads: groups, and what is kept. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUGS, fourBugs, groupsOf, lineOf, LONG, makeCrashes, shortGroups, startTriage, temporaryFolder, type Triage, triage, until } from './triaged.js';

const COUNT = LONG ? 2000 : 16;
const PATIENCE = LONG ? 4 * 3_600_000 : 600_000;
const folder = temporaryFolder();
const STATE = ['--state', 'state'];
let first: Triage;

beforeAll(async () => {
  makeCrashes(join(folder, 'out'), COUNT);
  first = await triage(folder, '--json', ...STATE, '--html', 'page.html', '--sarif', 'found.sarif', 'out', '--', fourBugs(), '@@');
}, PATIENCE);

afterAll(() => rmSync(folder, { recursive: true }));

describe('inputs for four bugs that crash at thirty places', () => {
  it('are four groups, by the statement that corrupts memory first', () => {
    expect(first.stderr).toBe("culprit: 2 files are left out: no input of a fuzzer's by the name\n");
    expect(shortGroups(first)).toEqual(BUGS.map((bug) => `corruption ${lineOf(bug)} x ${COUNT / 4}`).sort());
    expect(first.status).toBe(99);
  });

  it('crash at many places: at thirty, if there are enough of them', () => {
    const places = new Set(groupsOf(first).flatMap(({ failures }) => failures.map(({ where }) => where)));
    expect(places.size).toBeGreaterThanOrEqual(LONG ? 30 : COUNT / 4);
  });

  it('are on the page and in the file for code scanning, too', () => {
    expect(readFileSync(join(folder, 'page.html'), 'utf8').match(/<h2 id="group-/g)).toHaveLength(4);
    const { runs: [run] } = JSON.parse(readFileSync(join(folder, 'found.sarif'), 'utf8')) as { runs: { results: { occurrenceCount: number }[] }[] };
    expect(run?.results.map(({ occurrenceCount }) => occurrenceCount)).toEqual(BUGS.map(() => COUNT / 4));
  });
});

describe('what is kept', () => {
  const lines = (): number => readFileSync(join(folder, 'state', 'results.jsonl'), 'utf8').split('\n').length - 1;

  it('is not done again, and a result that was cut off is', async () => {
    const file = join(folder, 'state', 'results.jsonl');
    expect(lines()).toBe(1 + COUNT);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, -100));
    const again = await triage(folder, '--json', ...STATE, 'out', '--', fourBugs(), '@@');
    expect([again.stdout, again.status]).toEqual([first.stdout, 99]);
    expect(again.stderr).toContain(`going on: ${COUNT - 1} of ${COUNT} inputs are done`);
    expect(lines()).toBe(1 + COUNT + 1);
  }, PATIENCE);

  it('of another command is refused', async () => {
    const { status, stderr } = await triage(folder, ...STATE, 'out', '--', fourBugs(), '@@', 'more');
    expect([status, stderr]).toEqual([2, 'culprit: --state state: what is kept there is of another command, program or limits; --fresh forgets it\n']);
  }, PATIENCE);

  it('lets a triage that is killed again and again come to the same table', async () => {
    const count = LONG ? 400 : 4;
    makeCrashes(join(folder, 'few'), count);
    const words = ['--json', '--jobs', '2', '--state', 'killed', 'few', '--', fourBugs(), '@@'];
    const file = join(folder, 'killed', 'results.jsonl');
    const done = (): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length : 0);
    for (let i = 0, before = 0; i < 2; i++, before = done()) {
      const { child, ended } = startTriage(folder, words);
      await until(() => done() > before + 1 || child.exitCode !== null);
      child.kill('SIGKILL');
      await ended;
      // In the middle of a line, as if it had been writing.
      appendFileSync(file, '{"hash":"12');
    }
    const last = await triage(folder, ...words);
    expect(shortGroups(last)).toEqual(BUGS.map((bug) => `corruption ${lineOf(bug)} x ${count / 4}`).sort());
  }, PATIENCE);

  it('is shown when the user has had enough, with how to go on', async () => {
    makeCrashes(join(folder, 'some'), 12);
    const { child, ended } = startTriage(folder, ['--jobs', '1', '--state', 'interrupted', 'some', '--', fourBugs(), '@@']);
    const file = join(folder, 'interrupted', 'results.jsonl');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').split('\n').length > 2);
    child.kill('SIGINT');
    const { signal, stdout, stderr } = await ended;
    expect(signal).toBe('SIGINT');
    expect(stdout).toMatch(/^12 inputs: \d+ corrupt memory, .*; \d+ still to do\n/);
    expect(stderr).toMatch(/\d+ of 12 inputs are still to do; the same command goes on from here\n$/);
  }, PATIENCE);
});
