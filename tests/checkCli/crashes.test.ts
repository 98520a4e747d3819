/** What `culprit check` says of programs that end by a signal that no rule is about. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiled, inFolder, lineOf } from './checked.js';
import { sarifProblems } from './sarifSchema.js';

const PROGRAM = compiled('crashes');

interface Crash {
  readonly rule: string;
  readonly message: string;
  readonly crash: { readonly signal: string; readonly address?: string; readonly place?: string };
  readonly stack: readonly { readonly isUsers: boolean; readonly line: number; readonly function?: string }[];
  readonly chains: readonly { readonly of: string; readonly links: readonly { readonly line: number; readonly value: string }[] }[];
}

function crash(how: string, ...options: readonly string[]): { readonly status: number | null; readonly stderr: string; readonly found: readonly Crash[]; readonly sarif: unknown } {
  return inFolder(({ check, file }) => {
    const { status, stderr } = check('--json-file', 'found.json', '--sarif', 'found.sarif', ...options, PROGRAM, how);
    return { status, stderr, found: JSON.parse(file('found.json')) as Crash[], sarif: JSON.parse(file('found.sarif')) as unknown };
  });
}

/** Where the program was, and through which lines the value came that is to blame. */
function placesOf({ stack, chains: [chain] }: Crash): { readonly line: number | undefined; readonly chain: readonly number[] } {
  return { line: stack.find(({ isUsers }) => isUsers)?.line, chain: chain?.links.map(({ line }) => line).filter((line) => line > 0) ?? [] };
}

const at = (mark: string): number => lineOf('crashes', mark);

/** Program's argument, exit status, rule, message, where it was, where the value to blame was made. */
const CRASHES = [
  ['divide', 136, 'crash.fpe', 'SIGFPE (Floating point exception): division by zero', 'DIVIDE', 'PARSED'],
  ['quotient', 136, 'crash.fpe', 'SIGFPE (Floating point exception): the quotient of a division has no room in its register: the smallest number divided by -1, for example', 'QUOTIENT', 'PARSED'],
  ['abort', 134, 'crash.abrt', 'SIGABRT (Aborted): the program aborts', 'ABORT', undefined],
  ['assert', 134, 'crash.abrt', 'SIGABRT (Aborted): the program aborts', 'ASSERT', undefined],
  ['wild', 139, 'crash.segv', 'SIGSEGV (Segmentation fault): write to 0x123456789000, which is not mapped, nor is anything near it', 'WILD WRITE', 'WILD'],
  ['noncanonical', 139, 'crash.segv', 'SIGSEGV (Segmentation fault): read from 0xdeadbeefcafebabe, which is no address: its upper bits are neither all zero nor all one', 'NONCANONICAL', 'NONCANONICAL'],
  ['kernel', 139, 'crash.segv', "SIGSEGV (Segmentation fault): read from 0xffffffff81000000, which is the kernel's", 'KERNEL', 'KERNEL'],
  ['overwritten', 139, 'crash.segv', 'SIGSEGV (Segmentation fault): the program jumps to 0x4141414141414141, which is no address: its upper bits are neither all zero nor all one', 'CALL', 'OVERWRITTEN'],
  ['null call', 139, 'crash.segv', 'SIGSEGV (Segmentation fault): the program jumps to 0x0, which is the null pointer', 'NULL CALL', 'NULL HANDLER'],
  ['data call', 139, 'crash.segv', /^SIGSEGV .*: the program jumps to 0x[0-9a-f]+, which is in (constant of )?\/.*\/crashes, which is no code$/, 'DATA CALL', 'DATA POINTER'],
  ['text', 139, 'crash.segv', /^SIGSEGV .*: write to 0x[0-9a-f]+, which is in divide of \/.*\/crashes, which is code$/, 'TEXT', 'TEXT'],
  ['read-only', 139, 'crash.segv', /^SIGSEGV .*: write to 0x[0-9a-f]+, which is in (constant of )?\/.*\/crashes, which is read-only$/, 'READ-ONLY', 'READ-ONLY'],
  ['trap', 132, 'crash.ill', 'SIGILL (Illegal instruction): ud2, which compilers put where the program must not come to', 'TRAP', undefined],
  ['file', 135, 'crash.bus', /^SIGBUS \(Bus error\): read from 0x[0-9a-f]+, which is beyond the end of \/memfd:short \(deleted\), which has 100 bytes$/, 'FILE', 'MAPPED'],
  ['aligned', 139, 'crash.segv', /^SIGSEGV .*: access to 16 bytes at 0x[0-9a-f]+, which have to be at a multiple of 16$/, 'ALIGNED', 'ALIGNED'],
  ['given up', 139, 'crash.segv', 'SIGSEGV (Segmentation fault): the program has sent it to itself', 'GIVEN UP', undefined],
] as const;

/** One after the other, in one run. */
function crashAll(): { readonly status: number | null; readonly stdout: string; readonly stderr: string; readonly found: readonly Crash[]; readonly sarif: { readonly runs: readonly { readonly results: readonly unknown[] }[] } } {
  return inFolder(({ check, file }) => {
    const script = 'program=$0; for how; do "$program" "$how"; echo "$how: $?"; done';
    const outcome = check('--keep-going', '--json-file', 'found.json', '--sarif', 'found.sarif', '--', 'sh', '-c', script, PROGRAM, ...CRASHES.map(([how]) => how));
    return { ...outcome, found: JSON.parse(file('found.json')) as Crash[], sarif: JSON.parse(file('found.sarif')) as ReturnType<typeof crashAll>['sarif'] };
  });
}

describe('the signal, the place and what it is about are told', () => {
  const { status, stdout, stderr, found, sarif } = crashAll();

  it.each(CRASHES.map((row, i) => [row[0], i] as const))('%s', (_, i) => {
    const [, , rule, message, place, root] = CRASHES[i]!;
    const only = found[i]!;
    expect(only.rule).toBe(rule);
    expect(only.message).toMatch(message);
    expect(only.crash.signal).toBe(only.message.replace(/ .*/, ''));
    const { line, chain } = placesOf(only);
    expect({ line, root: chain.at(-1) }).toEqual({ line: at(place), root: root === undefined ? undefined : at(root) });
    expect(stderr).toContain(`error: ${only.message} [${rule}]\n`);
    expect(sarif.runs[0]?.results[i]).toMatchObject({ ruleId: rule, locations: [{ physicalLocation: { region: { startLine: at(place) } } }], properties: { signal: only.crash.signal } });
  });

  it('and that is all; programs end as they do natively', () => {
    expect(found).toHaveLength(CRASHES.length);
    expect(stdout).toBe(CRASHES.map(([how, code]) => `${how}: ${code}\n`).join(''));
    expect(status).toBe(0);
    expect(sarifProblems(sarif)).toEqual([]);
  });
});

describe('a stack that is full', () => {
  it.each([['recursion', /the stack is full: [\d,]+ bytes are in use, and 0x[0-9a-f]+ is [\d,]+ bytes? below the stack of the program/], ['thread', /the stack is full: [\d,]+ bytes are in use, and 0x[0-9a-f]+ is [\d,]+ bytes below the stack of thread \d+/]])('by %s', (how, message) => {
    const { status, stderr, found } = crash(how);
    expect(status).toBe(139);
    expect(found[0]?.message).toMatch(message);
    expect(stderr).toMatch(new RegExp(`#1 +deeper \\(\\) at .*crashes\\.c:${at('DEEPER')}\\n +… \\d+ more of it\\n`));
  });
});

describe('nothing is said of', () => {
  it.each([['handled', 7], ['sent', 143], ['', 0]])('what the program deals with, or what others end (%s)', (how, status) => {
    expect(crash(how)).toMatchObject({ status, found: [] });
  });

  it('a crash that a rule has told of', () => {
    const { status, found } = crash('null', '--keep-going');
    expect({ status, rules: found.map(({ rule }) => rule) }).toEqual({ status: 99, rules: ['null.pointer.deref'] });
  });
});

it('a crash is in the recording, can be gone to, and can be suppressed', () => {
  inFolder(({ check, path }) => {
    const live = check('--record', 'run.culprit', PROGRAM, 'divide');
    expect(live.status).toBe(136);
    expect(live.stderr).toMatch(/To look around there: culprit debug -ex 'goto \d+' run\.culprit\n/);
    const again = check('--json', 'run.culprit');
    expect({ status: again.status, rules: (JSON.parse(again.stdout) as Crash[]).map(({ rule }) => rule) }).toEqual({ status: 0, rules: ['crash.fpe'] });
    writeFileSync(join(path, 'known.supp'), 'crash.*\nfun:divide\n');
    expect(check('--suppressions', 'known.supp', PROGRAM, 'divide')).toMatchObject({ status: 136, stderr: 'Floating point exception\nculprit: 1 finding was suppressed\n' });
  });
});
