/**
 * Files that are no programs, or no longer: always one clear line or a guest that runs its course, never an error of
 * ours.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { Random } from '../cpu/random.js';
import { damage } from './damage.js';
import { isProper, outcomeOf, type Outcome } from './outcome.js';
import { DYN, EXEC, HEADERS_SIZE, smallElf } from './smallElf.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-bad-'));
afterAll(() => rmSync(directory, { recursive: true }));

const core = buildCoreModule();
// V8 does not compile the same bytes again as long as a module of them is alive.
const kept = new WebAssembly.Module(core);
afterAll(() => void kept);

function file(name: string, contents: Uint8Array | string, mode = 0o755): string {
  const path = join(directory, name);
  rmSync(path, { force: true });
  writeFileSync(path, contents);
  chmodSync(path, mode);
  return path;
}

function run(contents: Uint8Array): Promise<Outcome> {
  return outcomeOf(file('program', contents), core);
}

/** The small program after a change. */
function changed(change: (file: Buffer) => void, type = EXEC): Buffer {
  const bytes = smallElf(type);
  change(bytes);
  return bytes;
}

const FIRST = 64;
const SECOND = 64 + 56;

describe('the program before it is damaged', () => {
  it.each([['at a fixed address', EXEC], ['anywhere', DYN]])('%s', async (_, type) => {
    expect(await run(smallElf(type))).toEqual({ kind: 'ended', status: { kind: 'exited', code: 7 }, stdout: 'ok\n' });
  });
});

describe('no program at all', () => {
  it.each<[string, () => string, number, RegExp]>([
    ['not there', () => join(directory, 'nothing'), 127, /nothing: No such file or directory$/],
    ['below a file', () => join(file('plain', 'x'), 'below'), 126, /Not a directory$/],
    ['a name that is too long', () => `${directory}/${'n'.repeat(300)}`, 126, /File name too long$/],
    ['an empty name', () => '', 127, /command not found$/],
    ['a directory', () => directory, 126, /Is a directory$/],
    ['a device', () => '/dev/null', 126, /Permission denied$/],
    ['not executable', () => file('data', smallElf(EXEC), 0o644), 126, /Permission denied$/],
    ['a link to itself', link, 126, /symbolic links$/],
    ['empty', () => file('empty', ''), 126, /Exec format error$/],
    ['text', () => file('text', 'hello\n'), 126, /Exec format error$/],
    ['a script without interpreter', () => file('script', '#!/no/such\n'), 127, /\/no\/such not found$/],
    ['a script that is its own interpreter', () => file('loop', `#!${directory}/loop\n`), 126, /bad interpreter: Too many levels/],
    ['a script for a directory', () => file('dirscript', `#!${directory}\n`), 126, /bad interpreter: Permission denied$/],
  ])('%s', async (_, make, exitCode, line) => {
    const outcome = await outcomeOf(make(), core);
    expect(outcome).toEqual({ kind: 'refused', exitCode, line: expect.stringMatching(line) as string });
  });

  function link(): string {
    const path = join(directory, 'link');
    symlinkSync(path, path);
    return path;
  }
});

describe('not for us', () => {
  it.each<[string, Buffer, RegExp]>([
    ['32-bit', changed((b) => void b.writeUInt8(1, 4)), /32-bit ELF file/],
    ['big-endian', changed((b) => void b.writeUInt8(2, 5)), /big-endian/],
    ['for another machine', changed((b) => void b.writeUInt16LE(183, 18)), /AArch64/],
    ['an object file', changed((b) => void b.writeUInt16LE(1, 16)), /object file/],
    ['a core dump', changed((b) => void b.writeUInt16LE(4, 16)), /core dump/],
    ['nothing to load', changed((b) => [FIRST, SECOND].forEach((at) => b.writeUInt32LE(4, at))), /nothing to load/],
    ['too large', changed((b) => void b.writeBigUInt64LE(1n << 40n, SECOND + 40)), /does not fit/],
    ['larger than the address space', changed((b) => void b.writeBigUInt64LE(1n << 62n, SECOND + 40)), /corrupt|does not fit|outside/],
    ['in the kernel\'s memory', changed((b) => void b.writeBigUInt64LE(0xffffffff80000200n, SECOND + 16)), /corrupt|outside/],
  ])('%s', async (_, contents, line) => {
    expect(await run(contents)).toEqual({ kind: 'refused', exitCode: 126, line: expect.stringMatching(line) as string });
  });
});

describe('interpreters', () => {
  const original = readFileSync('/bin/true');
  const at = original.indexOf('/lib64/ld-linux');
  const withInterpreter = (path: string): Buffer => {
    const bytes = Buffer.from(original);
    bytes.write(`${path}\0`, at, 'latin1');
    return bytes;
  };

  it.each<[string, () => Buffer, number, RegExp]>([
    ['missing', () => withInterpreter('/no/such'), 127, /required file \/no\/such not found$/],
    ['a directory', () => withInterpreter('/tmp'), 126, /\/tmp: bad interpreter: Permission denied$/],
    ['not ELF', () => withInterpreter('/bin/ldd'), 126, /\/bin\/ldd: not an ELF file$/],
    ['not terminated', () => withInterpreter('/lib64/ld-linux-x86-64.so.2/'.padEnd(60, 'x')), 126, /interpreter path/],
  ])('%s', async (_, make, exitCode, line) => {
    expect(await run(make())).toEqual({ kind: 'refused', exitCode, line: expect.stringMatching(line) as string });
  });
});

describe('cut off', () => {
  const whole = smallElf(EXEC);

  it.each(Array.from({ length: whole.length }, (_, length) => length).filter((n) => n < 24 || n % 8 < 2))('after %i bytes', async (length) => {
    const outcome = await run(whole.subarray(0, length));
    expect(outcome).toMatchObject({ kind: 'refused', exitCode: 126 });
    expect(isProper(outcome)).toBe(true);
    if (length >= 20 && length < HEADERS_SIZE) expect(outcome).toMatchObject({ line: expect.stringMatching(/truncated/) as string });
  });
});

interface End {
  readonly status: number | null;
  readonly signal: number | null;
  readonly stdout: string;
}

function endOf({ status, stdout }: Outcome & { kind: 'ended' }): End {
  return status.kind === 'exited' ? { status: status.code, signal: null, stdout } : { status: null, signal: status.signal, stdout };
}

function nativeEnd(path: string): End {
  const { status, signal, stdout } = spawnSync(path, { cwd: dirname(path), env: {}, encoding: 'latin1' });
  return { status, signal: signal === null ? null : constants.signals[signal], stdout };
}

/** What Linux is lenient about may be refused here; but what starts must end as it does natively. */
describe('damaged headers', () => {
  const CASES = 300;
  const BATCH = 25;

  it.each(Array.from({ length: CASES / BATCH }, (_, i) => i * BATCH))('seeds from %i', async (first) => {
    for (let seed = first; seed < first + BATCH; seed++) {
      const contents = damage(smallElf(seed % 2 === 0 ? EXEC : DYN), new Random(`headers ${seed}`));
      const outcome = await run(contents).catch((error: unknown) => ({ seed, error }));
      expect(outcome, `seed ${seed}`).not.toHaveProperty('error');
      expect(isProper(outcome as Outcome), `seed ${seed}: ${JSON.stringify(outcome)}`).toBe(true);
      if ('kind' in outcome && outcome.kind === 'ended') expect(endOf(outcome), `seed ${seed}`).toEqual(nativeEnd(join(directory, 'program')));
    }
  });
});
