/** `culprit triage --queue` and `--worker`: the same table as with threads, although workers die. */
import { copyFileSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUGS, fourBugs, lineOf, LONG, makeCrashes, PASSWORD, type RunningRedis, shortGroups, startRedis, startTriage, type StartedTriage, temporaryFolder, triage, until } from './triaged.js';

const COUNT = LONG ? 400 : 8;
const PATIENCE = LONG ? 4 * 3_600_000 : 600_000;
const folder = temporaryFolder();
const workers: StartedTriage[] = [];
let redis: RunningRedis;

function startWorker(): StartedTriage {
  const worker = startTriage(folder, ['--worker', redis.url, '--jobs', '1'], { CULPRIT_REDIS_PASSWORD: PASSWORD });
  workers.push(worker);
  return worker;
}

/** Stops them all, and gives back what they said. */
async function endWorkers(): Promise<string> {
  for (const { child } of workers) child.kill('SIGTERM');
  const said = await Promise.all(workers.splice(0).map(({ ended }) => ended));
  return said.map(({ stderr }) => stderr).join('');
}

beforeAll(async () => {
  redis = await startRedis();
  makeCrashes(join(folder, 'out'), COUNT);
}, PATIENCE);

afterAll(async () => {
  await endWorkers();
  await redis.stop();
  rmSync(folder, { recursive: true });
});

describe('a queue', () => {
  it('with two workers, one of which is killed, gives the table that threads give', async () => {
    const [doomed] = [startWorker(), startWorker()];
    const state = join(folder, 'queued', 'results.jsonl');
    const { child, ended } = startTriage(folder, ['--json', '--queue', redis.secretUrl, '--state', 'queued', 'out', '--', fourBugs(), '@@']);
    await until(() => readOptional(state).split('\n').length > 3);
    // Neither those who hand out the work nor those who do it show the password to others.
    for (const one of [child, doomed?.child]) expect(readFileSync(`/proc/${one?.pid}/cmdline`, 'utf8')).not.toContain(PASSWORD);
    doomed?.child.kill('SIGKILL');
    const queued = await ended;
    expect(shortGroups(queued)).toEqual(BUGS.map((bug) => `corruption ${lineOf(bug)} x ${COUNT / 4}`).sort());
    expect([queued.status, queued.stderr.includes(PASSWORD)]).toEqual([99, false]);
    const byThreads = await triage(folder, '--json', '--state', 'threaded', 'out', '--', fourBugs(), '@@');
    expect(queued.stdout).toBe(byThreads.stdout);
    const hashes = readFileSync(state, 'utf8').trimEnd().split('\n').slice(1).map((line) => (JSON.parse(line) as { hash: string }).hash);
    expect([hashes.length, new Set(hashes).size]).toEqual([COUNT, COUNT]);
    expect(await endWorkers()).not.toContain(PASSWORD);
  }, PATIENCE);

  it('carries inputs that the worker does not have, and takes what was done while it was away', async () => {
    const [input, program] = [join(folder, 'gone'), join(folder, 'prog')];
    writeFileSync(input, 'q0');
    copyFileSync(fourBugs(), program);
    const words = ['--list', '--queue', redis.secretUrl, '--state', 'carried', 'gone', '--', program, '@@'];
    const { child, ended } = startTriage(folder, words);
    await until(() => readOptional(join(folder, 'carried', 'results.jsonl')) !== '');
    await new Promise((go) => setTimeout(go, 2000));
    child.kill('SIGKILL');
    await ended;
    // The worker finds no such file.
    unlinkSync(input);
    const { child: worker } = startWorker();
    await until(() => worker.exitCode !== null || readOptional(`/proc/${worker.pid}/stat`) !== '');
    await new Promise((go) => setTimeout(go, 5000));
    writeFileSync(input, 'q0');
    const again = await triage(folder, ...words);
    expect(again.stdout).toMatch(new RegExp(`^1\\t.*fourBugs.c:${lineOf('division')} in main\\tgone\\n$`));
    await endWorkers();
  }, PATIENCE);

  it('is refused by a worker whose program is another one', async () => {
    const program = join(folder, 'changed');
    copyFileSync(fourBugs(), program);
    writeFileSync(join(folder, 'one'), 'x1');
    const { child, ended } = startTriage(folder, ['--list', '--queue', redis.secretUrl, '--state', 'refused', 'one', '--', program, '@@']);
    await until(() => readOptional(join(folder, 'refused', 'results.jsonl')) !== '');
    await new Promise((go) => setTimeout(go, 2000));
    copyFileSync('/bin/true', program);
    let said = '';
    const { child: worker } = startWorker();
    worker.stderr?.on('data', (bytes: Buffer) => (said += bytes.toString()));
    await until(() => said.includes('refused'));
    expect(said).toContain(`culprit: refused: ${program} is another program here\n`);
    copyFileSync(fourBugs(), program);
    expect(await ended).toMatchObject({ status: 0, stdout: '' });
    expect(child.exitCode).toBe(0);
    await endWorkers();
  }, PATIENCE);

  it('that is not there is one line', async () => {
    const { status, stderr } = await triage(folder, '--queue', `redis://:${PASSWORD}@127.0.0.1:1`, '--state', 'none', 'out', '--', fourBugs(), '@@');
    expect([status, stderr.split('\n').at(-2)]).toEqual([2, 'culprit: redis://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1']);
  }, PATIENCE);
});

function readOptional(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
