/** `culprit check` sees calls and returns of the functions that rules name. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';

interface Seen {
  readonly rule: string;
  readonly message: string;
  readonly line: number | undefined;
  readonly callerLine: number | undefined;
  readonly times: number;
  readonly links: number;
}

const LONG = process.env['CULPRIT_LONG'] === '1';
const FOLDER = mkdtempSync(join(tmpdir(), 'culprit-calls-'));
const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

function build(name: string, ...flags: readonly string[]): string {
  const program = join(FOLDER, `${name}${flags.join('').replaceAll(',', '')}`);
  if (!existsSync(program)) execFileSync('gcc', ['-g', '-O0', '-w', '-fno-builtin', ...flags, `${PROGRAMS}${name}.c`, '-o', program, ...flags.filter((flag) => flag.startsWith('-l'))]);
  return program;
}

function lineOf(name: string, mark: string): number {
  return readFileSync(`${PROGRAMS}${name}.c`, 'utf8').split('\n').findIndex((line) => line.endsWith(`// MARK: ${mark}`)) + 1;
}

interface Checked {
  readonly status: number | null;
  readonly seen: Seen[];
  readonly stderr: string;
}

/** All that it finds. */
function check(program: string, ...options: readonly string[]): Checked {
  return checkWith(program, ['--keep-going', ...options]);
}

function checkWith(program: string, options: readonly string[]): Checked {
  const file = join(FOLDER, 'reports.json');
  const { status, stderr } = culprit(['check', '--json-file', file, ...options, '--', program], { cwd: FOLDER });
  const reports = JSON.parse(readFileSync(file, 'utf8')) as { rule: string; message: string; stack: { line?: number; isUsers?: boolean }[]; alike?: number; chains: { links: unknown[] }[] }[];
  const seen = reports.map(({ rule, message, stack, alike = 0, chains }) => ({
    rule, message, line: stack.find(({ line = 0, isUsers }) => line > 0 && isUsers)?.line, callerLine: stack[1]?.line, times: alike + 1, links: chains.reduce((sum, { links }) => sum + links.length, 0),
  }));
  return { status, seen, stderr };
}

const RULES = `
[seen.call] detect <call twice(n) | call jumps(n)>: true :VPC(n)
  message "call {Callee()} {Int(n)}"
[seen.ret] detect <ret twice v | ret jumps v>: true
  message "ret {Callee()} {Int(v)}"
`;

describe('calls and returns', () => {
  it.each([[[]], [['-static']]])('are seen, also of libc and where a jump goes past them (gcc %s)', (flags) => {
    writeFileSync(join(FOLDER, 'seen.bug'), RULES);
    const { status, seen } = check(build('calls', ...flags), '--rules', 'seen.bug', '--enable', 'leak.in.ts', '--functions', 'ts=transaction');
    expect(status).toBe(99);
    const of = (rule: string) => seen.filter((one) => one.rule === rule);
    expect(of('seen.call').map(({ message, times }) => `${message} ×${times}`)).toEqual(['call twice 2 ×1', 'call twice 1 ×2', 'call jumps 2 ×2']);
    expect(of('seen.call').every(({ links }) => links > 0)).toBe(true);
    expect(of('seen.ret').map(({ message, callerLine, times }) => `${message} ${callerLine} ×${times}`).slice(0, 2)).toEqual([
      `ret twice 100 ${lineOf('calls', 'inner return')} ×2`, `ret twice 102 ${lineOf('calls', 'outer return')} ×1`,
    ]);
    expect(of('seen.ret').slice(2).map(({ message, times }) => `${message.split(' ')[1]} ×${times}`)).toEqual(['jumps ×1']);
    expect(of('leak.in.ts').map(({ callerLine }) => callerLine)).toEqual([lineOf('calls', 'transaction')]);
    expect(of('overlapping.memcpy').map(({ line }) => line)).toEqual([lineOf('calls', 'memcpy')]);
    expect(of('libc.character').map(({ line }) => line)).toEqual([lineOf('calls', 'toupper')]);
    expect(seen).toHaveLength(3 + 3 + 3);
  });
});

describe('the past that a rule looks at', () => {
  /** The worked example of docs/rules.md, to the letter. */
  const CLOSED_TWICE = /```bug\n([^`]*\[closed\.twice\][^`]*)```/.exec(readFileSync('docs/rules.md', 'utf8'))?.[1] ?? '';

  it.each([[[]], [['-static']]])('does not have the present call in it: what is closed once is not closed twice (gcc %s)', (flags) => {
    writeFileSync(join(FOLDER, 'closed.bug'), CLOSED_TWICE);
    const { seen } = check(build('closedTwice', ...flags), '--rules', 'closed.bug');
    expect(seen.filter(({ rule }) => rule.startsWith('closed.')).map(({ rule, line }) => [rule, line])).toEqual([['closed.descriptor.twice', lineOf('closedTwice', 'descriptor')], ['closed.twice', lineOf('closedTwice', 'stream')]]);
  });

  it('does not have the present call in it by another of its names either, and has it afterwards by each', () => {
    const rules = `
      functions Names = one_name, other_name
      [first] detect <Trace; call Names(n)>: !FindLast(., call, Names, n) message "{Callee()} {Int(n)} is new"
      [again] detect <Trace; call other_name(n)>: FindLast(., call, one_name, n) message "again {Int(n)}"
      [back] detect <Trace; ret one_name v | ret other_name v>: true message "{Callee()} is back with {Int(v)}"
      [before] detect <Trace; call Names(n)>: exists event(k, call, Names, .) in Trace suchthat (k >= Now()) message "not before now"`;
    writeFileSync(join(FOLDER, 'names.bug'), rules);
    const { seen } = check(build('twoNames'), '--rules', 'names.bug');
    // What is said at one place by both names is one report that counts twice.
    expect(seen.map(({ message, times }) => `${message} ×${times}`).toSorted()).toEqual([
      'again 1 ×1', 'other_name 1 is new ×2', 'other_name 2 is new ×2', 'other_name is back with 1 ×2', 'other_name is back with 1 ×2', 'other_name is back with 2 ×2',
    ]);
  });
});

describe("the user's own allocation functions", () => {
  it('are watched like those of libc', () => {
    const { seen } = check(build('pool'), '--allocator', 'pool_get(_, size) = pool_put(_, ptr)');
    expect(seen.map(({ rule, line, callerLine }) => [rule, rule === 'double.free' ? callerLine : line])).toEqual([
      ['dangling.pointer.deref', lineOf('pool', 'after free')], ['heap.buffer.overflow', lineOf('pool', 'overflow')], ['double.free', lineOf('pool', 'twice')],
    ]);
  });

  it('have to be there', () => {
    const { status, stderr } = check(build('pool'), '--allocator', 'pool_take(size)=pool_put(_,ptr)');
    expect(stderr).toContain('culprit: --allocator: there is no function pool_take');
    expect(status).toBe(99);
    expect(culprit(['check', '--allocator', 'pool_take', '--', '/bin/true']).stderr).toBe("culprit: --allocator pool_take: write 'my_alloc(size)=my_free(ptr)'\n");
  });
});

describe('what the kernel does for the program', () => {
  it('counts as its own', () => {
    const { seen } = check(build('kernel'));
    expect(seen.map(({ rule, line }) => [rule, line])).toEqual([
      ['heap.buffer.overflow', lineOf('kernel', 'read')], ['heap.buffer.overflow', lineOf('kernel', 'path')],
      ['dangling.pointer.deref', lineOf('kernel', 'write')], ['heap.buffer.overflow', lineOf('kernel', 'vector')],
    ]);
    expect(seen[0]?.message).toMatch(/byte 10 of a heap block of 10 bytes/);
    expect(seen[0]?.links).toBeGreaterThan(0);
  });
});

describe('reads that bring less than there is room for', () => {
  it('leave the rest as it was', () => {
    const { seen } = check(build('shortReads'));
    expect(seen.map(({ rule, line }) => [rule, line])).toEqual(['read', 'pread', 'preadv', 'readv', 'recv', 'recvmsg'].map((call) => ['uninitialized.branch', lineOf('shortReads', call)]));
  });
});

describe('suppressions by who allocated the block', () => {
  const SUPPRESSED = ['branch\nalloc:make_set', 'address\nalloc:make_set', 'string\nalloc:make_text', 'string\nfun:strlen\nfun:known'].map((one) => `uninitialized.${one}\n`).join('\n');

  it('leave alone what was allocated by a call of the function, in whatever thread, however often, and nothing else', () => {
    writeFileSync(join(FOLDER, 'known.supp'), SUPPRESSED);
    const { seen, stderr } = check(build('allocatedBy', '-pthread'), '--suppressions', 'known.supp');
    const [ownSet, ownText] = ['own set', 'own text'].map((mark) => lineOf('allocatedBy', mark));
    expect([...new Set(seen.map(({ callerLine }) => callerLine))]).toEqual([ownSet, ownText]);
    expect(Number(/culprit: (\d+) findings were suppressed/.exec(stderr)?.[1])).toBeGreaterThan(2 * 1100);
  });

  it('are needed', () => {
    const { seen, stderr } = checkWith(build('allocatedBy', '-pthread'), []);
    expect(seen[0]).toMatchObject({ rule: 'uninitialized.branch', callerLine: lineOf('allocatedBy', 'set') });
    expect(stderr).not.toContain('suppressed');
  });

  it('come with culprit for programs that are known, and can be switched off', () => {
    const of = (...options: readonly string[]): (number | undefined)[] => check(build('strings'), '--disable', 'all', '--enable', 'uninitialized.branch', ...options).seen.map(({ times }) => times);
    const [times = 0] = of();
    expect(of('--no-default-suppressions')).toEqual([times + 1]);
  });
});

describe('strings that do not end in their blocks', () => {
  it.each([[[]], [['--disable', 'uninitialized.*']]])('are found, and no others (%s)', (options) => {
    const { seen } = check(build('unterminated'), ...options);
    expect(seen.map(({ rule, line }) => [rule, line])).toEqual(['strlen', 'strlen inside', 'strcpy', 'strcat', 'puts'].map((mark) => ['libc.string.unterminated', lineOf('unterminated', mark)]));
  });
});

describe('strings that do not end in their blocks, on the heap, the stack and among globals', () => {
  /** Of four bytes. */
  const MISTAKES = [
    'printf("%s\\n", S)', 'fprintf(stdout, "%s\\n", S)', 'sprintf(out, "%s", S)', 'snprintf(out, sizeof out, "%s", S)', 'puts(S)', 'fputs(S, stdout)', 'used += strlen(S)', 'free(strdup(S))', 'strcpy(out, S)',
    'printf("%.9s\\n", S)', 'used += strnlen(S, 5)', 'free(strndup(S, 9))', 'strncpy(out, S, 9)',
  ];
  const NO_MISTAKES = ['printf("%.4s %.*s %.2s\\n", S, 4, S, S)', 'fwrite(S, 1, 4, stdout)', 'used += strnlen(S, 4)', 'free(strndup(S, 4))', 'strncpy(out, S, 4)'];
  /** Every function with each of the three, or with one of them in turn. */
  const linesOf = (isWhole: boolean): string[] => ['heap', 'local', 'global'].flatMap((where, turn) =>
    [...NO_MISTAKES, ...MISTAKES].filter((_, i) => isWhole || i % 3 === turn).map((use) => `  ${use.replaceAll('S', where)};`));
  const isMistake = (line: string): boolean => MISTAKES.some((use) => ['heap', 'local', 'global'].some((where) => line === `  ${use.replaceAll('S', where)};`));
  const sourceOf = (lines: readonly string[]): string[] => [
    '#include <stdio.h>', '#include <stdlib.h>', '#include <string.h>', 'char before[4] = "bef", global[4] = { 1, 2, 3, 4 }, after[4] = "aft", out[99];', 'int used;',
    'int main(void) {', '  char local[4] = { 1, 2, 3, 4 }, *heap = memset(malloc(4), 1, 4);', ...lines, '  return used == 0;', '}', '',
  ];

  it.each([[[], true], [['--disable', 'uninitialized.*'], LONG]])('are found whichever function looks at them, and no others (%s)', (options, isWhole) => {
    const [source, program, lines] = [join(FOLDER, 'unended.c'), join(FOLDER, `unended${options.length}`), linesOf(isWhole)];
    const text = sourceOf(lines);
    writeFileSync(source, text.join('\n'));
    execFileSync('gcc', ['-g', '-O0', '-w', '-fno-builtin', source, '-o', program]);
    const found = check(program, ...options).seen.filter(({ rule }) => rule.startsWith('libc.string.')).map(({ line = 0 }) => text[line - 1]);
    expect([...new Set(found)]).toEqual(lines.filter(isMistake));
    expect(lines.filter(isMistake)).toHaveLength(MISTAKES.length * (isWhole ? 3 : 1));
  });
});

describe('strings that have not been written', () => {
  const MISTAKES: readonly (readonly [rule: string, mark: string])[] = [
    ['branch', 'sparse'], ['address', 'sparse'], ['comparison', 'strcmp'], ['bounded.comparison', 'strncmp'], ['memcmp', 'memcmp'], ['search', 'strchr'], ['part', 'strnlen'],
    ['string', 'strlen'], ['string', 'strcpy'], ['string', 'printf'], ['string', 'fputs'], ['string', 'local'],
  ];

  it.each([[[]], [['-static']]])('are noticed when the C library looks at them, and not before (gcc %s)', (flags) => {
    const { seen } = check(build('strings', ...flags));
    expect(seen.map(({ rule, line }) => [rule, line])).toEqual(MISTAKES.map(([rule, mark]) => [`uninitialized.${rule}`, lineOf('strings', mark)]));
  });
});

describe('undefined values in vector registers', () => {
  const KINDS = ['double', 'second', 'float', 'long double', 'libm', 'signal', 'general', 'jump'];
  const SCRIPT = 'program=$0; for how; do "$program" "$how" > /dev/null; done';

  /** How calls are bound makes a difference to those that are made: the usual run has two of them. */
  const WITH_CALLS = LONG ? KINDS : ['double', 'libm'];
  /** All doubles are looked at by the same instruction of a static program. */
  const ALIKE = ['second', 'float'];

  it.each([
    ['calls that are bound when they are first made', ['-Wl,-z,lazy'], [], KINDS, KINDS],
    ['calls that are bound at once', ['-Wl,-z,lazy'], ['--env', 'LD_BIND_NOW=1'], WITH_CALLS, WITH_CALLS],
    ['a static program', ['-static'], [], LONG ? KINDS : ['double', 'libm', 'signal', 'jump'], (LONG ? KINDS : ['double', 'libm', 'signal', 'jump']).filter((kind) => !ALIKE.includes(kind))],
  ])('survive %s, signals and jumps, and are used where they decide something', (_, flags, options, ran, kinds) => {
    const program = build('floats', ...flags, '-lm');
    const file = join(FOLDER, 'floats.json');
    culprit(['check', '--keep-going', '--json-file', file, ...options, '--', 'sh', '-c', SCRIPT, program, ...ran, 'fine'], { cwd: FOLDER });
    const reports = JSON.parse(readFileSync(file, 'utf8')) as { rule: string; stack: { line: number; file?: string; isUsers: boolean }[] }[];
    // What depends on them is undefined as well: what is written, and the exit status.
    const branches = reports.filter(({ rule }) => !/^uninitialized\.(output|syscall)$/.test(rule)).map(({ rule, stack }) => `${rule} ${stack.find((frame) => frame.file?.endsWith('floats.c'))?.line}`);
    expect([...new Set(branches)]).toEqual(kinds.map((mark) => `uninitialized.branch ${lineOf('floats', mark)}`));
  });
});
