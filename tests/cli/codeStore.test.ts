/**
 * What is kept of programs' code between runs (src/cli/stores/codeStore.ts): it changes nothing but the time that a run
 * takes.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { culprit, CULPRIT, HELLO, type Outcome } from './culprit.js';

const LONG = process.env['CULPRIT_LONG'] === '1';

const directory = fs.mkdtempSync(join(tmpdir(), 'culprit-code-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));
const store = join(directory, 'store');
/** What demo/hello says: it is linked statically, begins with nothing that other programs have left, and is small. */
const OUTPUT = 'Hello from the guest.\nOf the pairs of numbers up to 1000, 608383 have no common divisor.\n';
const SCRIPT = 'BEGIN { for (i = 0; i < 60000; i++) sum += i * i; print sum > "/dev/stderr"; for (i = 0; i < 900; i += 90) printf "%d ", i }';

function run(args: readonly string[], where = store): Outcome {
  return culprit(['run', ...args], { env: { CULPRIT_CODE_CACHE: where, LC_ALL: 'C' } });
}

function statistics(args: readonly string[]): { instructions: number; blocks: number; regions: number } {
  const { stderr } = run(['--stats', '--json', ...args]);
  return JSON.parse(stderr.trim().split('\n').at(-1) as string) as { instructions: number; blocks: number; regions: number };
}

/** What is kept for programs that were never run begins so. */
const FOR_ANY = '_any';

/** Without the key that they are sealed with, and what is for any program. */
function files(): string[] {
  return fs.existsSync(store) ? fs.readdirSync(store).filter((name) => name !== 'key' && !name.startsWith(FOR_ANY)) : [];
}

/** What any program would begin with. */
function dropForAny(): void {
  for (const name of fs.readdirSync(store)) if (name.startsWith(FOR_ANY)) fs.rmSync(join(store, name));
}

function mode(path: string): number {
  return fs.statSync(path).mode & 0o7777;
}

beforeEach(() => fs.rmSync(store, { recursive: true, force: true }));

describe('code of earlier runs', () => {
  it('makes no difference to a program, though it is not translated again', () => {
    const program = ['mawk', SCRIPT];
    const first = run(program);
    expect(first).toMatchObject({ status: 0, stderr: '7.19982e+13\n' });
    expect(run(program)).toEqual(first);
    const [second, third] = [statistics(program), statistics(program)];
    expect(third.instructions).toBe(second.instructions);
    expect(third.blocks).toBeLessThan(100);
  });

  it.each(LONG ? ['bigSwitch.c', 'interpreter.c', 'recursion.c', 'digests.c', 'exceptions.cc', 'selfModifying.c', 'jumps.c', 'forks.c'] : ['interpreter.c'])('is made anew when all of it is known: %s', async (source) => {
    const program = await buildProgram(source, { name: '-O2 dynamic', compiler: 'gcc', flags: ['-O2', '-pie', '-fPIE'] });
    const outcome = (): unknown => {
      const { status, stdout, stderr } = run(['--json', program]);
      return { status, stdout, instructions: /"instructions":(\d+)/.exec(stderr)?.[1] };
    };
    const first = outcome();
    expect(first).toMatchObject({ stdout: run([program], 'off').stdout, instructions: expect.any(String) });
    for (const time of ['second', 'third']) expect(outcome(), time).toEqual(first);
  }, 600_000);

  it('lies in directories that are ours alone, also where the one above is made for it', () => {
    const home = fs.mkdtempSync(join(directory, 'home-'));
    expect(culprit(['run', 'true'], { env: { HOME: home, XDG_CACHE_HOME: undefined, CULPRIT_CODE_CACHE: undefined } })).toEqual({ status: 0, stdout: '', stderr: '' });
    const own = join(home, '.cache', 'culprit');
    const made = fs.readdirSync(own).map((name) => mode(join(own, name)));
    expect([mode(join(home, '.cache')), mode(own), ...made]).toEqual([0o700, 0o700, 0o600, 0o600, 0o600]);
    // As earlier versions left it.
    fs.chmodSync(join(home, '.cache'), 0o777);
    expect(culprit(['run', 'true'], { env: { HOME: home, XDG_CACHE_HOME: undefined, CULPRIT_CODE_CACHE: undefined } }).status).toBe(0);
    expect(mode(join(home, '.cache'))).toBe(0o700);
  });

  it('is for all programs that a shell starts', () => {
    const program = ['sh', '-c', 'for i in 1 2 3; do seq $i 300 | sort -r | head -2; done; exec expr 6 \\* 7'];
    const first = run(program);
    expect(first).toMatchObject({ status: 0, stdout: '99\n98\n99\n98\n99\n98\n42\n' });
    expect(run(program)).toEqual(first);
  });

  it('that was damaged is as if it were not there', () => {
    const program = [HELLO];
    expect(run(program).stdout).toBe(OUTPUT);
    const [name] = files() as [string];
    const whole = fs.readFileSync(join(store, name));
    const damages = [whole.subarray(0, 10), whole.subarray(0, whole.length - 100), flipped(whole, 5), flipped(whole, 43), flipped(whole, whole.length >> 1), Buffer.alloc(0)];
    for (const bytes of damages) {
      fs.writeFileSync(join(store, name), bytes);
      expect(run(program)).toEqual({ status: 0, stdout: OUTPUT, stderr: '' });
      expect(fs.readFileSync(join(store, name)).length).toBeGreaterThan(1000);
    }
  });

  it('has what V8 has made of it, from a run in which that took place', () => {
    const program = ['--json', 'mawk', 'BEGIN { for (i = 0; i < 750000; i++) sum += i * i % 7; print sum }'];
    const size = (): number => fs.statSync(join(store, files().find((name) => name.endsWith('.code')) as string)).size;
    const outcome = (): unknown => {
      const { status, stdout, stderr } = run(program);
      return { status, stdout, instructions: /"instructions":(\d+)/.exec(stderr)?.[1] };
    };
    const first = outcome();
    expect(outcome()).toEqual(first);
    const trial = files().find((name) => name.endsWith('.trial')) as string;
    expect(trial).toContain(process.versions.v8);
    const verdict = fs.readFileSync(join(store, trial), 'utf8');
    const withMachineCode = size();
    expect(outcome()).toEqual(first);
    expect(size()).toBeGreaterThanOrEqual(withMachineCode);

    // Where V8 is not trusted, everything goes on without.
    fs.rmSync(join(store, files().find((name) => name.endsWith('.code')) as string));
    dropForAny();
    fs.writeFileSync(join(store, trial), 'no good');
    for (const time of ['first', 'second']) expect(outcome(), time).toEqual(first);
    expect(verdict).toBe('good');
    expect(size()).toBeLessThan(withMachineCode);
  });

  it('lies where the user says, readable by no other user, or nowhere', () => {
    run(['true'], 'off');
    expect(files()).toEqual([]);
    run(['true']);
    const [name] = files() as [string];
    expect(name).toMatch(/^true-[0-9a-f]{16}\.code$/);
    expect(fs.statSync(join(store, name)).mode & 0o777).toBe(0o600);
    expect(fs.statSync(store).mode & 0o777).toBe(0o700);
  });

  it('is not written where it cannot be', () => {
    fs.writeFileSync(store, 'a file');
    expect(run(['echo', 'here'])).toEqual({ status: 0, stdout: 'here\n', stderr: '' });
    expect(fs.readFileSync(store, 'utf8')).toBe('a file');
  });
});

describe('a program that was never run', () => {
  const program = ['expr', '6', '*', '7'];

  it('begins with what the first one has left of the libraries, which makes no other difference', () => {
    const alone = statistics(program);
    fs.rmSync(store, { recursive: true });
    run(['true']);
    const shared = statistics(program);
    expect(shared.instructions).toBe(alone.instructions);
    expect([alone.blocks > 1000, shared.blocks < alone.blocks / 2]).toEqual([true, true]);
    expect(files().map((name) => name.replace(/-.*$/, '')).toSorted()).toEqual(['expr', 'true']);
  });

  it('does without, if others can have written it', () => {
    run(['true']);
    for (const name of fs.readdirSync(store)) if (name.startsWith(FOR_ANY)) fs.chmodSync(join(store, name), 0o606);
    expect(statistics(program).blocks).toBeGreaterThan(1000);
  });

  it('has nothing of one that has no libraries', () => {
    run([HELLO]);
    expect(fs.readdirSync(store).filter((name) => name !== 'key')).toEqual(files());
    expect(files()).toHaveLength(1);
  });
});

describe('what another user can have put there is not used', () => {
  const program = [HELLO];
  const FEW_BLOCKS = 5;
  const isRoot = process.getuid?.() === 0;
  const others = 65_534;

  function code(): string {
    return join(store, files().find((name) => name.endsWith('.code')) as string);
  }

  /** Blocks that had to be translated: with what was stored it is hardly any. */
  function translated(): number {
    return statistics(program).blocks;
  }

  const good = join(directory, 'good');

  beforeAll(() => {
    expect(run(program, good).stdout).toBe(OUTPUT);
  });
  beforeEach(() => {
    spawnSync('cp', ['-a', good, store]);
  });

  it('but what is ours', () => {
    expect(translated()).toBeLessThan(FEW_BLOCKS);
  });

  it.each<[string, () => void]>([
    ['a directory that others can write', () => fs.chmodSync(store, 0o777)],
    ['one that a group can write', () => fs.chmodSync(store, 0o770)],
    ['a file that others can write', () => fs.chmodSync(code(), 0o606)],
    ['a key that others can write', () => fs.chmodSync(join(store, 'key'), 0o622)],
    ['one sealed with another key', () => fs.writeFileSync(join(store, 'key'), Buffer.alloc(16, 7), { mode: 0o600 })],
    ['one whose key is gone', () => fs.rmSync(join(store, 'key'))],
    ['a link to a file', () => {
      const [path, elsewhere] = [code(), join(directory, 'elsewhere')];
      fs.renameSync(path, elsewhere);
      fs.symlinkSync(elsewhere, path);
    }],
    ...(isRoot ? [
      ['a directory of another user', () => fs.chownSync(store, others, others)],
      ['a file of another user', () => fs.chownSync(code(), others, others)],
      ['a key of another user', () => fs.chownSync(join(store, 'key'), others, others)],
    ] satisfies [string, () => void][] : []),
  ])('%s', (_, change) => {
    change();
    expect(translated()).toBeGreaterThan(FEW_BLOCKS);
  });

  it('nor is one below a directory that others can write, which CULPRIT_DEBUG=1 says', () => {
    const above = join(store, 'open');
    fs.mkdirSync(above);
    fs.chmodSync(above, 0o777);
    fs.mkdirSync(join(above, 'own'), 0o700);
    const { stdout, stderr } = culprit(['run', ...program], { env: { CULPRIT_CODE_CACHE: join(above, 'own'), CULPRIT_DEBUG: '1' } });
    expect({ stdout, files: fs.readdirSync(join(above, 'own')) }).toEqual({ stdout: OUTPUT, files: [] });
    expect(stderr).toContain(`culprit: the code cache is not used: ${above} can be written by others\n`);
    expect(culprit(['run', ...program], { env: { CULPRIT_CODE_CACHE: join(above, 'new') } })).toMatchObject({ stdout: OUTPUT, stderr: '' });
    expect(fs.existsSync(join(above, 'new'))).toBe(false);
  });

  it.each<[string, (path: string) => void]>([
    ['a pipe', (path) => void spawnSync('mkfifo', [path])],
    ['a link to a device that never ends', (path) => fs.symlinkSync('/dev/zero', path)],
    ['a link to itself', (path) => fs.symlinkSync(path, path)],
    ['a directory', (path) => fs.mkdirSync(path)],
  ])('and %s in its place costs nothing but the time', (_, make) => {
    for (const path of [code(), join(store, 'key')]) {
      fs.rmSync(path);
      make(path);
      expect(run(program)).toEqual({ status: 0, stdout: OUTPUT, stderr: '' });
    }
  });

  it('where there is no room for it the program runs as always', () => {
    fs.rmSync(store, { recursive: true });
    const command = 'ulimit -f 4; exec "$0" "$1" run "$2"';
    const { status, stdout, stderr } = spawnSync('/bin/bash', ['-c', command, process.execPath, CULPRIT, HELLO], { encoding: 'utf8', env: { ...process.env, CULPRIT_CODE_CACHE: store } });
    expect({ status, stdout, stderr, files: files() }).toEqual({ status: 0, stdout: OUTPUT, stderr: '', files: [] });
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 0x40;
  return copy;
}
