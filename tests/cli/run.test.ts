/** `culprit run`: arguments, streams, environment, statistics and exit statuses. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit, CULPRIT, HELLO, ROOT } from './culprit.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-cli-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('arguments', () => {
  it('after the program belong to the program', () => {
    const { status, stdout } = culprit(['run', 'printf', '%s|', '--stats', '--', '--help', '-V']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '--stats|--|--help|-V|' });
  });

  it('may be separated by --', () => {
    expect(culprit(['run', '--', '/bin/echo', '--', 'x']).stdout).toBe('-- x\n');
  });

  it('reach the program as the bytes they are', () => {
    const command = `exec "$0" "$1" run printf '%s' "$(printf 'a\\377b\\303\\244')"`;
    const { stdout } = spawnSync('/bin/sh', ['-c', command, process.execPath, CULPRIT]);
    expect(stdout).toEqual(Buffer.from([0x61, 0xff, 0x62, 0xc3, 0xa4]));
  });
});

describe('streams', () => {
  it('may be closed by the program, whatever we then need descriptors for', () => {
    const file = join(directory, 'exact');
    const command = `exec <&- >&-; touch -d '2001-02-03 04:05:06.123456789' ${file}`;
    expect(culprit(['run', 'sh', '-c', command])).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(file, { bigint: true }).mtimeNs % 1_000_000_000n).toBe(123_456_789n);
  });

  it('pass through byte for byte', () => {
    const input = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) ^ (i >> 8)));
    const { stdout } = spawnSync(process.execPath, [CULPRIT, 'run', 'cat'], { input });
    expect(stdout.equals(input)).toBe(true);
  });

  it('keep stdout and stderr apart', () => {
    const { stdout, stderr } = culprit(['run', 'sh', '-c', 'echo out; echo err >&2']);
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
  });
});

describe('options', () => {
  it('--env sets and replaces variables', () => {
    const { stdout } = culprit(['run', '--env', 'ONE=1', '--env', 'TWO=a=b', 'sh', '-c', 'echo $ONE $TWO'], { env: { ONE: 'old' } });
    expect(stdout).toBe('1 a=b\n');
  });

  it('--cwd runs the program elsewhere', () => {
    expect(culprit(['run', '--cwd', directory, 'pwd', '-P']).stdout.trim()).toBe(directory);
    expect(culprit(['run', '--cwd', '/nosuch', 'pwd'])).toMatchObject({ status: 2, stderr: 'culprit: --cwd /nosuch: No such file or directory\n' });
  });

  it('--aslr moves things, repeatably', () => {
    const stack = (...options: string[]): string => {
      const { stdout } = culprit(['run', ...options, 'grep', 'stack', '/proc/self/maps']);
      return stdout.split(' ')[0] ?? '';
    };
    expect(stack()).toMatch(/-7ffffffff000$/);
    expect(stack('--aslr', '7')).not.toBe(stack());
    expect(stack('--aslr', '7')).toBe(stack('--aslr', '7'));
  });

  it('--interpret compiles nothing and changes nothing', () => {
    const { stdout, stderr } = culprit(['run', '--json', '--interpret', HELLO]);
    expect(stdout).toContain('608383');
    expect(JSON.parse(stderr)).toMatchObject({ modules: 0, regions: 0 });
  });
});

describe('--stats', () => {
  it('as JSON is one line with all figures', () => {
    // In a run that knows nothing of the program's code yet.
    const { status, stdout, stderr } = culprit(['run', '--json', HELLO], { env: { CULPRIT_CODE_CACHE: 'off' } });
    expect(status).toBe(0);
    expect(stdout).toContain('608383');
    const stats = JSON.parse(stderr) as Record<string, number>;
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stats['instructions']).toBeGreaterThan(50_000_000);
    expect(stats).toMatchObject({ exit: { code: 0 } });
    for (const key of ['blocks', 'regions', 'modules', 'wasmBytes', 'startMilliseconds', 'runMilliseconds', 'translationMilliseconds', 'guestPeakBytes', 'engineBytes']) {
      expect(stats[key], key).toBeGreaterThan(0);
    }
  });

  it('counts the same instructions every time', () => {
    const count = (): unknown => (JSON.parse(culprit(['run', '--json', HELLO]).stderr) as { instructions: number }).instructions;
    expect(count()).toBe(count());
  });

  it('for people goes to stderr', () => {
    const { stdout, stderr } = culprit(['run', '--stats', HELLO]);
    expect(stdout).not.toContain('culprit:');
    expect(stderr).toMatch(/^culprit: instructions +56,\d{3},\d{3} /);
    expect(stderr).toMatch(/^culprit: guest memory +[\d,]+ KiB/m);
  });
});

describe('exit status', () => {
  it('is that of the program', () => {
    expect(culprit(['run', 'sh', '-c', 'exit 42'])).toEqual({ status: 42, stdout: '', stderr: '' });
  });

  it('is 128 + n for a signal, with the message of a shell', () => {
    expect(culprit(['run', HELLO, 'crash'])).toMatchObject({ status: 139, stderr: 'Segmentation fault\n' });
    expect(culprit(['run', 'sh', '-c', 'kill -TERM $$'])).toMatchObject({ status: 143, stderr: 'Terminated\n' });
    expect(culprit(['run', 'sh', '-c', 'kill -ABRT $$'])).toMatchObject({ status: 134, stderr: 'Aborted\n' });
  });

  it('is that of SIGILL for an instruction we lack, which is named', () => {
    const program = join(directory, 'unsupported');
    execFileSync('gcc', ['-O1', '-no-pie', '-o', program, join(ROOT, 'tests/programs/unsupportedInstruction.c')]);
    const { status, stderr } = culprit(['run', program]);
    expect(status).toBe(132);
    expect(stderr).toMatch(/^culprit: instruction not supported at 0x[0-9a-f]+ <usesAvx>: c5 f8 77: vzeroupper\. Culprit has x86-64-v2, .*\nIllegal instruction\n$/);
  });

  it('is silent about SIGPIPE and SIGINT', () => {
    expect(culprit(['run', 'sh', '-c', 'kill -PIPE $$'])).toMatchObject({ status: 141, stderr: '' });
    expect(culprit(['run', 'sh', '-c', 'kill -INT $$'])).toMatchObject({ status: 130, stderr: '' });
  });

  it('ends quietly when the reader has gone', () => {
    const { stdout, stderr } = spawnSync('/bin/bash', ['-c', '"$0" "$1" run yes | head -n 2; echo ${PIPESTATUS[0]}', process.execPath, CULPRIT], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'y\ny\n141\n', stderr: '' });
  });
});

it('Ctrl-C ends the program and us, without a word', async () => {
  const child = spawn(process.execPath, [CULPRIT, 'run', 'sh', '-c', 'echo ready; exec sleep 30'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout.once('data', () => child.kill('SIGINT'));
  // Killed, if the program left the signal's action alone; else ended as it ended. Both are 130 to a shell.
  const status = await new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal === 'SIGINT' ? 130 : code)));
  expect({ status, errors }).toEqual({ status: 130, errors: '' });
});
