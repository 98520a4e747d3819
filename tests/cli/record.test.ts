/**
 * `culprit record`: the program does what it does with `run`, and what is left can be replayed, whatever happens on the
 * way.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { culprit, CULPRIT, HELLO, type Outcome, type Settings } from './culprit.js';

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-record-')));
let directory = parent;
afterAll(() => rmSync(parent, { recursive: true }));
beforeEach(() => {
  directory = mkdtempSync(join(parent, 'test-'));
});

function record(args: readonly string[], settings: Settings = {}): Outcome {
  return culprit(['record', ...args], { cwd: directory, ...settings });
}

function replay(file: string): Outcome {
  return culprit(['replay', join(directory, file)]);
}

describe('the program', () => {
  it('sees, says and ends as with run', () => {
    const args = ['sh', '-c', 'cat; echo out; echo err >&2; exit 42'];
    const run = culprit(['run', ...args], { cwd: directory, input: 'in\n' });
    expect(run).toEqual({ status: 42, stdout: 'in\nout\n', stderr: 'err\n' });
    expect(record(args, { input: 'in\n' })).toEqual(run);
    expect(replay('sh-1.culprit')).toEqual(run);
  });

  it('is killed as with run', () => {
    const run = { status: 139, stderr: 'Segmentation fault\n' };
    expect(record([HELLO, 'crash'])).toMatchObject(run);
    expect(replay('hello-1.culprit')).toMatchObject(run);
  });

  it('has the options of run', () => {
    mkdirSync(join(directory, 'inside'));
    const { status, stdout, stderr } = record(['--env', 'ONE=1', '--cwd', 'inside', '--json', '--', 'sh', '-c', 'echo $ONE; pwd -P']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: `1\n${directory}/inside\n` });
    expect(JSON.parse(stderr)).toMatchObject({ exit: { code: 0 } });
    expect(readdirSync(directory).sort()).toEqual(['inside', 'sh-1.culprit']);
  });
});

it('what a call transfers is what recording it costs, however large its buffers are', async () => {
  const program = await buildProgram('syscalls/files_largeBuffers.c', { name: '-O1', compiler: 'gcc', flags: ['-O1'] });
  const { stdout } = spawnSync(program, { cwd: directory, encoding: 'utf8' });
  expect(stdout).toContain('memory: as before\n');
  expect(record(['-o', 'large', program])).toEqual({ status: 0, stdout, stderr: '' });
  expect(replay('large')).toEqual({ status: 0, stdout, stderr: '' });
  // A minute before it was so.
  expect(statSync(join(directory, 'large')).size).toBeLessThan(10_000_000);
}, 45_000);

it('only what went to the standard streams is said again', () => {
  const command = 'exec "$0" "$1" record -o streams sh -c "echo one; echo three >&3" 3>three';
  spawnSync('/bin/sh', ['-c', command, process.execPath, CULPRIT], { cwd: directory });
  expect(readFileSync(join(directory, 'three'), 'utf8')).toBe('three\n');
  expect(replay('streams')).toEqual({ status: 0, stdout: 'one\n', stderr: '' });
});

it('a run that --timeout ended ends there again', () => {
  expect(record(['--timeout', '0.5', '-o', 'timeout', 'sleep', '30']).status).toBe(124);
  expect(replay('timeout')).toEqual({ status: 124, stdout: '', stderr: 'culprit: the recorded run was ended by --timeout\n' });
});

describe('the file', () => {
  it('has the first number that is free, unless it has a name', () => {
    writeFileSync(join(directory, 'echo-1.culprit'), 'mine');
    expect(record(['/bin/echo', 'a']).status).toBe(0);
    expect(record(['-o', 'named', '--verbose', 'echo', 'b'])).toEqual({ status: 0, stdout: 'b\n', stderr: expect.stringMatching(/^culprit: recorded [\d,]+ instructions in named\n$/) as unknown });
    expect(readdirSync(directory).sort()).toEqual(['echo-1.culprit', 'echo-2.culprit', 'named']);
    expect(replay('echo-2.culprit').stdout).toBe('a\n');
    expect(replay('named').stdout).toBe('b\n');
    expect(statSync(join(directory, 'named')).mode & 0o777).toBe(0o600);
  });

  it('is for its user alone, though another was there that was not', () => {
    record(['-o', 'old', 'echo', 'a']);
    for (const name of ['old', 'empty']) {
      writeFileSync(join(directory, name), '', { flag: 'a' });
      chmodSync(join(directory, name), 0o644);
      expect(record(['-o', name, 'echo', 'b']).status).toBe(0);
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
      expect(replay(name).stdout).toBe('b\n');
    }
    expect(readdirSync(directory).sort()).toEqual(['empty', 'old']);
  });

  it('never replaces a program, nor anything else that is no recording', () => {
    const script = '#!/bin/sh\necho ran\n';
    writeFileSync(join(directory, 'script'), script, { mode: 0o755 });
    copyFileSync('/bin/echo', join(directory, 'program'));
    writeFileSync(join(directory, 'input'), 'precious');
    symlinkSync('program', join(directory, 'link'));
    linkSync(join(directory, 'program'), join(directory, 'hard'));
    const why = 'there is a file that is no recording; remove it, or choose another name';
    for (const [output, ...command] of [['./program', './program'], ['link', './program'], ['hard', './link'], ['script', './script'], ['input', 'cat', 'input']] as [string, ...string[]][]) {
      const expected = { status: 2, stdout: '', stderr: `culprit: cannot create the recording ${resolve(directory, output)}: ${why}\n` };
      expect(record(['-o', output, ...command])).toEqual(expected);
      expect(culprit(['check', '--record', output, ...command], { cwd: directory })).toEqual(expected);
    }
    expect(readFileSync(join(directory, 'program'))).toEqual(readFileSync('/bin/echo'));
    expect([readFileSync(join(directory, 'script'), 'utf8'), readFileSync(join(directory, 'input'), 'utf8')]).toEqual([script, 'precious']);
  });

  it('is a link: what that leads to is replaced; if it leads nowhere, it is said', () => {
    record(['-o', 'real', 'echo', 'a']);
    symlinkSync('real', join(directory, 'link'));
    symlinkSync('nowhere', join(directory, 'dangling'));
    expect(record(['-o', 'link', 'echo', 'b']).status).toBe(0);
    expect(lstatSync(join(directory, 'link')).isSymbolicLink()).toBe(true);
    expect(replay('real').stdout).toBe('b\n');
    expect(record(['-o', 'dangling', 'echo', 'b'])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/a link that leads nowhere\n$/) as unknown });
    expect(record(['-o', '/dev/null', 'echo', 'b'])).toEqual({ status: 0, stdout: 'b\n', stderr: '' });
  });

  it('is not one that another culprit records to; that one says if its file is taken away', async () => {
    const first = spawn(process.execPath, [CULPRIT, 'record', '-o', 'shared', 'sh', '-c', 'echo ready; read x; echo $x'], { cwd: directory });
    let stderr = '';
    first.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    await once(first.stdout, 'data');
    const why = `cannot create the recording ${join(directory, 'shared')}: another culprit is recording to it; choose another name`;
    expect(record(['-o', 'shared', 'echo', 'second'])).toEqual({ status: 2, stdout: '', stderr: `culprit: ${why}\n` });
    renameSync(join(directory, 'shared'), join(directory, 'moved'));
    first.stdin.end('word\n');
    await once(first, 'close');
    expect(stderr).toBe('culprit: the recording is lost: shared was removed or replaced while the program ran\n');
    expect(replay('moved').stdout).toBe('ready\nword\n');
  });

  it('is not made if there is nothing to run', () => {
    expect(record(['nosuchprogram'])).toEqual({ status: 127, stdout: '', stderr: expect.stringMatching(/^culprit: nosuchprogram: .*\n$/) as unknown });
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([['/no/such/directory/x', 'No such file or directory'], ['/', 'directory']])('%s cannot be, which is said before the program runs', (file, reason) => {
    const { status, stdout, stderr } = record(['-o', file, 'sh', '-c', 'echo ran']);
    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(reason) as unknown });
    expect(stderr).toMatch(/^culprit: cannot create the recording .*\n$/);
  });
});

describe('what ends it too soon', () => {
  /** Starts a recording, and kills culprit `later` after it has said something. */
  async function killed(command: readonly string[], signal: NodeJS.Signals, later = 0): Promise<{ readonly end: string; readonly stderr: string }> {
    const child = spawn(process.execPath, [CULPRIT, 'record', '-o', 'killed', '--', ...command], { cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.once('data', () => setTimeout(() => child.kill(signal), later));
    return new Promise((resolve) => child.once('close', (code, by) => resolve({ end: by ?? String(code), stderr })));
  }

  it('is Ctrl-C: that is the end of the program, and of the recording', async () => {
    expect(await killed(['sh', '-c', 'echo ready; exec sleep 30'], 'SIGINT')).toEqual({ end: 'SIGINT', stderr: '' });
    expect(replay('killed')).toEqual({ status: 130, stdout: 'ready\n', stderr: '' });
  });

  it('is another signal that the program does not expect', async () => {
    expect(await killed(['sh', '-c', 'echo ready; while :; do :; done'], 'SIGTERM')).toEqual({ end: 'SIGTERM', stderr: '' });
    expect(replay('killed')).toEqual({ status: 143, stdout: 'ready\n', stderr: 'Terminated\n' });
  });

  it('is Ctrl-C that the program handles', async () => {
    expect(await killed(['sh', '-c', 'trap "echo caught; exit 3" INT; echo ready; while :; do :; done'], 'SIGINT')).toEqual({ end: '3', stderr: '' });
    expect(replay('killed')).toEqual({ status: 3, stdout: 'ready\ncaught\n', stderr: '' });
  });

  it('is kill -9 while the program waits: nothing is lost', async () => {
    expect(await killed(['sh', '-c', 'echo ready; read x'], 'SIGKILL', 4000)).toEqual({ end: 'SIGKILL', stderr: '' });
    const { status, stdout, stderr } = replay('killed');
    expect({ status, stdout }).toEqual({ status: 65, stdout: 'ready\n' });
    expect(stderr).toMatch(/^culprit: .*killed: its end is missing; replayed up to time [\d,]+, what came after is lost\n$/);
  });

  /** Milliseconds: a long one, and any. */
  const moments = [3000, ...Array.from({ length: process.env['CULPRIT_LONG'] === '1' ? 25 : 0 }, () => Math.floor(Math.random() ** 2 * 2500))];

  it.each(moments)('is kill -9 in the middle of everything, after %d ms', async (later) => {
    // What is forked, written and read meanwhile must not matter.
    const endless = `i=0; while :; do i=$((i+1)); echo $i; ${later % 2 === 0 ? ':' : '[ $((i % 50)) = 0 ] && x=$(echo $i | cat)'}; done`;
    await killed(['sh', '-c', endless], 'SIGKILL', later);
    const { status, stdout, stderr } = replay('killed');
    expect(status).toBe(65);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    const lines = stdout === '' ? [] : stdout.trimEnd().split('\n');
    if (later === 3000) expect(lines.length).toBeGreaterThan(100);
    expect(lines).toEqual(lines.map((_, i) => String(i + 1)));
  });

  it('is a full disk: the program goes on', () => {
    const { status, stdout, stderr } = record(['-o', '/dev/full', 'sh', '-c', 'sleep 0.3; echo done']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'done\n' });
    expect(stderr).toBe('culprit: the recording ends here (/dev/full: No space left on device); the program goes on\n');
  });

  it('is a file that may not become so large: what there is can be replayed', () => {
    const command = 'ulimit -f 900; exec "$0" "$1" record -o limited sh -c "echo early; exec head -c 4000000 /dev/urandom" | wc -c';
    const { stdout, stderr } = spawnSync('/bin/bash', ['-c', command, process.execPath, CULPRIT], { cwd: directory, encoding: 'utf8' });
    expect(stdout).toBe(`${4000000 + 'early\n'.length}\n`);
    expect(stderr).toBe('culprit: the recording ends here (limited: File too large); the program goes on\n');
    expect(replay('limited')).toMatchObject({ status: 65 });
  });
});
