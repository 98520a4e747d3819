/** `culprit replay`, `info` and `dump` on sound recordings: of the demo's program, and of a shell with children. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../table/built.js';
import { culprit, CULPRIT, HELLO, type Outcome } from './culprit.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-replay-')));
const SHELL = join(directory, 'shell');
const CRASH = join(directory, 'crash');
const SCRIPT = 'echo out; (exit 3) & wait $!; echo err >&2; kill -USR1 $$';
let live: Outcome;

beforeAll(async () => {
  await ensureBuilt();
  live = culprit(['record', '-o', SHELL, '--', 'sh', '-c', `trap 'echo caught' USR1; ${SCRIPT}; exit 7`], { cwd: directory });
  // The program is gone when it is replayed.
  const program = join(directory, 'hello');
  copyFileSync(HELLO, program);
  culprit(['record', '-o', CRASH, program, 'crash']);
  rmSync(program);
}, 300_000);

afterAll(() => rmSync(directory, { recursive: true }));

describe('culprit replay', () => {
  it('says what the program said, and ends as it ended', () => {
    expect(live).toEqual({ status: 7, stdout: 'out\ncaught\n', stderr: 'err\n' });
    expect(culprit(['replay', 'shell'], { cwd: directory, env: { LC_ALL: 'C', HOME: '/nonexistent' } })).toEqual(live);
  });

  it('needs the program no more', () => {
    expect(culprit(['replay', CRASH])).toMatchObject({ status: 139, stderr: 'Segmentation fault\n' });
  });

  it('--quiet drops the output, --stats says what it took', () => {
    const { status, stdout, stderr } = culprit(['replay', '--quiet', '--stats', SHELL]);
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' });
    expect(stderr).toMatch(/^culprit: instructions +[\d,]+ \(.* million a second\)\nculprit: run time .* s\n$/);
  });

  it('--to stops there and says where that is', () => {
    const { status, stdout, stderr } = culprit(['replay', '--to', '1_0', CRASH]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toMatch(/^culprit: time 10 of [\d,]+: thread \d+ \(hello\) at 0x[0-9a-f]+ <\w+(\+0x[0-9a-f]+)?> \(hello\)\n$/);
    expect(culprit(['replay', '--to', '0', SHELL]).stderr).toMatch(/^culprit: time 0 of [\d,]+: thread \d+ \(sh\) at 0x/);
  });

  it('--to a time that is not there', () => {
    expect(culprit(['replay', '--to', '99999999999', SHELL])).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^culprit: no such time: 99,999,999,999 \(the recording ends at [\d,]+\)\n$/) as unknown });
    for (const bad of ['x', '-1', '1.5', '1e3', '']) expect(culprit(['replay', `--to=${bad}`, SHELL]), bad).toMatchObject({ status: 2, stdout: '' });
  });

  it('ends quietly when the reader has gone', () => {
    const { stdout, stderr } = spawnSync('/bin/bash', ['-c', '"$0" "$1" replay --to 10 "$2" > /dev/null; "$0" "$1" replay "$2" | true; echo ${PIPESTATUS[0]}', process.execPath, CULPRIT, SHELL], { encoding: 'utf8' });
    expect(stdout).toMatch(/^(0|7)\n$/);
    expect(stderr).not.toContain('internal error');
  });
});

describe('culprit info', () => {
  it('says what was recorded', () => {
    const { status, stdout, stderr } = culprit(['info', SHELL]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^program +sh -c 'trap '\\''echo caught'\\'' USR1; echo out; .*'\n/);
    expect(stdout).toMatch(new RegExp(`\\ndirectory +${directory}\\n`));
    for (const line of [/^ended +exited with status 7$/m, /^length +[\d,]+ instructions, \d+\.\d{3} s of the program's time$/m, /^ran +2 processes, 2 threads$/m, /^signals +SIGCHLD, SIGUSR1$/m, /^events +[\d,]+: [\d,]+ system calls/m, /^state +complete$/m]) expect(stdout).toMatch(line);
    expect(culprit(['info', CRASH]).stdout).toMatch(/^ended +killed by SIGSEGV \(Segmentation fault\)$/m);
  });

  it('--json is for programs', () => {
    const info = JSON.parse(culprit(['info', '--json', SHELL]).stdout) as Record<string, unknown>;
    expect(info).toMatchObject({
      file: SHELL, size: statSync(SHELL).size, program: 'sh', directory, ending: { how: 'exited', code: 7 },
      processes: 2, threads: 2, signals: { SIGCHLD: 1, SIGUSR1: 1 }, complete: true, state: 'complete',
    });
    expect(culprit(['replay', '--stats', SHELL]).stderr).toContain(String(info['instructions']).replace(/\B(?=(\d{3})+$)/g, ','));
  });
});

describe('culprit dump', () => {
  it('lists what happened', () => {
    const { status, stdout, stderr } = culprit(['dump', SHELL]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const line of [
      /^ +0 +process \d+ runs \S+sh \["sh","-c",.*\]$/m,
      /^ +\d+ +\d+ {2}openat\(AT_FDCWD, "\S*libc.so.6", O_RDONLY\|O_CLOEXEC\) = 3$/m,
      /^ +\d+ +\d+ {2}read\(3, "\\x7fELF.*"\.\.\., \d+\) = \d+$/m,
      /^ +\d+ +\d+ {2}mmap\(NULL, \d+, PROT_READ, MAP_PRIVATE\|MAP_DENYWRITE, 3, 0\) = 0x[0-9a-f]+$/m,
      /^ +\d+ +\d+ {2}access\("\/etc\/ld.so.preload", 4\) = -1 ENOENT$/m,
      /^ +\d+ +\d+ {4}map [0-9a-f]+-[0-9a-f]+ r-xp \S*libc.so.6 from 0x[0-9a-f]+$/m,
      /^ +\d+ +\d+ {2}write\(1, "out\\n", 4\) = 4\n.* output to 1: "out\\n"$/m,
      /^ +\d+ +\d+ {2}thread \d+ of process \d+ begins \(sh\)$/m,
      /^ +\d+ +\d+ {2}rt_sigsuspend\(0x[0-9a-f]+, 8\) \.\.\.$/m,
      /^ +\d+ +\d+ {2}rt_sigsuspend\(0x[0-9a-f]+, 8\) = -1 ERESTARTNOHAND$/m,
      /^ +\d+ +\d+ {2}wait4\(-1, .*\) = \d+$/m,
      /^ +\d+ +\d+ {4}process \d+ exits with 3$/m,
      /^ +\d+ +\d+ {4}SIGUSR1 is handled \(code 0\)$/m,
      /^ +\d+ +\d+ {2}exit_group\(7\)$/m,
      /^ +\d+ +\d+ {4}process \d+ exits with 7$/m,
    ]) expect(stdout).toMatch(line);
  });

  it('--replay says more of memory and places', () => {
    const { status, stdout } = culprit(['dump', '--replay', CRASH]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ +\d+ +\d+ {2}page fault at 0x[0-9a-f]+ <\w+(\+0x[0-9a-f]+)?> \(hello\)\n.* SIGSEGV takes effect \(code 1\)$/m);
  });

  it('--from and --to show a part', () => {
    const times = culprit(['dump', SHELL]).stdout.trimEnd().split('\n').map((line) => Number(line.trim().split(' ')[0]));
    const [from, to] = [times[times.length >> 1] as number, times[(times.length * 3) >> 2] as number];
    const part = culprit(['dump', '--from', String(from), '--to', String(to), SHELL]).stdout.trimEnd().split('\n');
    expect(part.map((line) => Number(line.trim().split(' ')[0]))).toEqual(times.filter((time) => time >= from && time <= to));
    expect(culprit(['dump', '--from', '99999999999', SHELL])).toMatchObject({ status: 2, stdout: '' });
  });

  it('--json has everything', () => {
    const events = culprit(['dump', '--json', SHELL]).stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events[0]).toMatchObject({ time: 0, kind: 'start' });
    const calls = events.filter(({ kind }) => kind === 'syscall');
    const write = calls.find(({ call }) => (call as { name: string }).name === 'write');
    expect(write).toMatchObject({ call: { number: 1, args: ['0x1', expect.any(String), '0x4', expect.any(String), expect.any(String), expect.any(String)] }, lines: ['write(1, "out\\n", 4) = 4', '  output to 1: "out\\n"'] });
    expect(write?.['effects']).toContainEqual({ op: 'output', fd: 1, bytes: Buffer.from('out\n').toString('base64') });
  });

  it('is no error when the reader has seen enough', () => {
    const run = spawnSync('/bin/bash', ['-c', '"$0" "$1" dump --json "$2" | head -n 1 | wc -l; echo ${PIPESTATUS[0]}', process.execPath, CULPRIT, SHELL], { encoding: 'utf8' });
    expect({ stdout: run.stdout, stderr: run.stderr }).toEqual({ stdout: '1\n0\n', stderr: '' });
  });
});
