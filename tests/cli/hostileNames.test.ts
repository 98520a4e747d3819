/**
 * A recording may be anybody's. Whatever is in it by name, argument or contents must not control the terminal of who
 * looks at it, nor look like a line of ours. Only what the program itself wrote is written again as it is, when it is
 * replayed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, ROOT } from './culprit.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-hostile-'));
/** Escape sequences, a forged line, a control character of the second kind, and what is no UTF-8. */
const EVIL = String.raw`\033[31m\nFORGED \302\233 \377`;

/** Through a shell: names are bytes, which Node cannot hand over. */
function shell(script: string): { readonly status: number | null; readonly stdout: Buffer; readonly stderr: Buffer } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: directory, env: { ...process.env, NODE: process.execPath, CULPRIT }, maxBuffer: 1 << 26 });
  return { status, stdout, stderr };
}

beforeAll(() => {
  execFileSync('gcc', ['-g', '-O0', '-w', '-o', 'hostile', `${ROOT}tests/cli/programs/hostile.c`], { cwd: directory });
  const start = `name="$(printf 'p${EVIL}')"; mkdir "$name"; cp hostile "$name/$name"; cd "$name"; EVIL="$name"; export EVIL;`;
  const recorded = shell(`${start} "$NODE" "$CULPRIT" record -o ../bad.culprit "./$name" "$name" "a b"; "$NODE" "$CULPRIT" check --keep-going --record ../checked.culprit "./$name" "$name" >../checked.txt 2>&1`);
  expect(recorded.stdout.toString('latin1')).toBe('\u001b[31m\nFORGED \u00c2\u009b \u00ff\n');
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(['bad.culprit', 'checked.culprit', 'checked.txt']));
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

function expectHarmless(bytes: Buffer): void {
  const text = bytes.toString('latin1');
  // oxlint-disable-next-line no-control-regex
  expect(text.match(/[^\n]*[\0-\x08\x0b-\x1f\x7f][^\n]*/g) ?? []).toEqual([]);
  expect(text.match(/[^\n]*\xc2[\x80-\x9f][^\n]*/g) ?? []).toEqual([]);
  expect(text.match(/^\s*FORGED.*/gm) ?? []).toEqual([]);
}

const DEBUGGED = [
  'bt', 'info threads', 'info sharedlibrary', 'info proc', 'info proc mappings', 'info inferiors', 'info files', 'info program', 'when', 'thread', 'break *main', 'break evil_function', 'info breakpoints', 'run', 'info frame', 'info symbol $pc',
  'continue', 'list', 'info line', 'info source', 'info sources', 'info functions evil', 'info variables evil', 'info scope evil_function', 'up', 'info args', 'print argv[1]', 'print *argv@3', 'x/s argv[1]', 'x/i $pc', 'disassemble', 'frame function main',
  'last count', 'origin count', 'watch count', 'rc', 'info line evil_function', 'info address evil_function', 'print evil_function', 'print &evil_symbol', 'output argv[1]', 'display argv[1]', 'info display', 'set var count = 7', 'branch', 'continue', 'branch', 'catch exec', 'tbreak 101', 'where full', 'info locals', 'info signals SIGSEGV', 'bookmark here', 'info bookmarks', 'finish',
];

/** `json`: one value, or one a line. */
const COMMANDS: readonly (readonly [command: string, json: 'no' | 'one' | 'lines'])[] = [
  ['info bad.culprit', 'no'], ['info --json bad.culprit', 'one'], ['dump bad.culprit', 'no'], ['dump --replay bad.culprit', 'no'], ['dump --json bad.culprit', 'lines'], ['replay --quiet --to 118000 bad.culprit', 'no'], ['writes --all bad.culprit count', 'no'], ['writes --json bad.culprit count', 'lines'],
  ['origin bad.culprit count', 'no'], ['origin --json bad.culprit count', 'one'], ['branch --quiet bad.culprit --at end --skip', 'no'], ['branch --json bad.culprit --at end --skip', 'lines'], ['checkpoint bad.culprit', 'no'],
  [`debug -batch ${DEBUGGED.map((command) => `-ex '${command}'`).join(' ')} bad.culprit`, 'no'], ["query -e 'execution.syscalls()' -e 'execution.breakpoints(\"main\")' -e 'execution.breakpoints(\"main\").first()' bad.culprit", 'no'], ['query --json -e "execution.syscalls()" bad.culprit', 'lines'],
  ['check --keep-going checked.culprit', 'no'],
];

describe('of hostile names nothing reaches the terminal', () => {
  it.each(COMMANDS)('culprit %s', (command, json) => {
    const { stdout, stderr, status } = shell(`"$NODE" "$CULPRIT" ${command}`);
    expectHarmless(stdout);
    expectHarmless(stderr);
    expect(stderr.toString()).not.toContain('internal error');
    expect(stdout.length + stderr.length, String(status)).toBeGreaterThan(20);
    const text = stdout.toString();
    for (const line of json === 'no' ? [] : json === 'one' ? [text] : text.trim().split('\n')) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  }, 60_000);

  it('in reports while it runs', () => {
    const { stdout } = shell("grep -av '^.\\[31m$\\|^FORGED \\|^.$' checked.txt | tr -d '\\000'");
    expectHarmless(stdout);
    expect(stdout.toString()).toContain('heap.buffer.overflow');
  });

  it('in answers to gdb', () => {
    const { stdout, stderr } = shell(`"$NODE" "$CULPRIT" gdb bad.culprit -- -nx -batch -ex 'monitor processes' -ex 'monitor threads' -ex 'monitor last count' 2>&1 | grep -a '20000'`);
    expect(stderr.toString()).toBe('');
    expect(stdout.toString()).toMatch(/^\* 20000 from .*: .*\\e\[31m\\nFORGED/m);
    expectHarmless(stdout);
  }, 60_000);

  it('but what it wrote is written again as it was', () => {
    expect(shell('"$NODE" "$CULPRIT" replay bad.culprit').stdout.toString('latin1')).toBe('\u001b[31m\nFORGED \u00c2\u009b \u00ff\n');
  });
});
