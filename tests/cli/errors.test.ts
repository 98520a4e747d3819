/** What users get wrong: one line on stderr, the exit status a shell would give, never a stack trace. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit, HELLO } from './culprit.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-errors-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, contents: Uint8Array | string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, contents);
  chmodSync(path, mode);
  return path;
}

/** The demo's program with some bytes changed. */
function damaged(name: string, change: (bytes: Buffer) => Buffer | void): string {
  const bytes = readFileSync(HELLO);
  return file(name, change(bytes) ?? bytes);
}

function failure(args: readonly string[]): { status: number | null; line: string } {
  const { status, stdout, stderr } = culprit(args);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
  return { status, line: stderr.trim().replaceAll(directory, 'DIR') };
}

describe('wrong use', () => {
  it.each<[string[], string]>([
    [[], 'culprit: no command given; see culprit --help'],
    [['frobnicate'], "culprit: unknown command 'frobnicate'; see culprit --help"],
    [['run'], "culprit: missing required argument 'PROGRAM'"],
    [['run', '--bogus', 'true'], "culprit: unknown option '--bogus'"],
    [['run', '--env', 'NOVALUE', 'true'], "culprit: option '--env <K=V>' argument 'NOVALUE' is invalid. It should look like NAME=value."],
    [['run', '--aslr', 'x', 'true'], "culprit: option '--aslr <SEED>' argument 'x' is invalid. It should be a whole number, 0 or more."],
    [['ir', 'true'], "culprit: missing required argument 'SYMBOL|ADDRESS'"],
  ])('%j exits with 2', (args, line) => {
    expect(failure(args)).toEqual({ status: 2, line });
  });
});

describe('programs that cannot be run', () => {
  it.each<[string, () => string, number, RegExp]>([
    ['not in PATH', () => 'no-such-command', 127, /no-such-command: command not found$/],
    ['not there', () => './no/such/file', 127, /No such file or directory$/],
    ['a directory', () => '/tmp', 126, /Is a directory$/],
    ['not executable', () => file('data', 'text', 0o644), 126, /Permission denied$/],
    ['not ELF', () => file('text', 'hello\n'), 126, /cannot execute binary file|not an ELF file/],
    ['empty', () => file('empty', ''), 126, /DIR\/empty: /],
    ['32-bit', () => damaged('elf32', (b) => void (b[4] = 1)), 126, /32-bit/],
    ['for another machine', () => damaged('arm', (b) => void b.writeUInt16LE(183, 18)), 126, /AArch64/],
    ['cut off in its header', () => damaged('short', (b) => b.subarray(0, 40)), 126, /truncated/],
    ['cut off in its segments', () => damaged('cut', (b) => b.subarray(0, 0x140)), 126, /truncated/],
    ['corrupt in its program headers', () => damaged('corrupt', (b) => void b.writeUInt16LE(7, 54)), 126, /corrupt/],
    ['a script without interpreter', () => file('script', '#!/no/such/interpreter\n'), 127, /\/no\/such\/interpreter/],
  ])('%s', (_, make, status, pattern) => {
    const found = failure(['run', make()]);
    expect(found.status).toBe(status);
    expect(found.line).toMatch(pattern);
  });

  it('a program whose interpreter is missing', () => {
    const bytes = readFileSync('/bin/true');
    const at = bytes.indexOf('/lib64/ld-linux');
    expect(at).toBeGreaterThan(0);
    bytes.write('/lib65', at);
    expect(failure(['run', file('nointerp', bytes)])).toMatchObject({ status: 127, line: expect.stringContaining('/lib65/ld-linux') as unknown });
  });
});
