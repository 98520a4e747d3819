/**
 * What is altered, and how a programmer would have edited the source for the same: a line with the mark `// @name` is
 * named `@name` in alterations, and replaced by the edited line.
 */
export interface Case {
  readonly program: 'control' | 'loops' | 'stores' | 'switches' | 'threads';
  /** As on the command line; each begins with switch or suppress. */
  readonly alter: readonly string[];
  /** By mark. */
  readonly edit: Readonly<Record<string, string>>;
  /** Whether it must hold for optimised code, too. */
  readonly optimised?: boolean;
}

function of(program: Case['program']): (alter: string | readonly string[], edit: Case['edit'], optimised?: 'O2') => Case {
  return (alter, edit, optimised) => ({ program, alter: typeof alter === 'string' ? [alter] : alter, edit, optimised: optimised === 'O2' });
}

const control = of('control');
const loops = of('loops');
const stores = of('stores');
const switches = of('switches');
const threads = of('threads');

/** True in the n-th evaluation only. */
const nth = (n: number): string => `({ static int seen; ++seen == ${n}; })`;

export const CASES: readonly Case[] = [
  // Conditions
  control('switch @if', { if: 'if (!(a > 3))' }),
  control('switch @if#1', { if: `if (${nth(1)} != (a > 3))` }),
  control('switch @if#2', { if: `if (${nth(2)} != (a > 3))` }),
  control('switch @and', { and: 'if (!(a > 1 && b > 1))' }),
  control('switch @and#3', { and: `if (${nth(3)} != (a > 1 && b > 1))` }),
  control('switch @or', { or: 'if (!(a > 10 || b > 10)) {' }),
  control('switch @or#2', { or: `if (${nth(2)} != (a > 10 || b > 10)) {` }),
  control('switch @mixed', { mixed: 'if (!((a && b) || c))' }),
  control('switch @mixed#5', { mixed: `if (${nth(5)} != ((a && b) || c))` }),
  control('switch @nested', { nested: 'if (!(a && (b || c)))' }),
  control('switch @nested#7', { nested: `if (${nth(7)} != (a && (b || c)))` }),
  control('switch @for', { for: 'for (int i = 0; !(i < n); i++) {' }),
  control('switch @for#4', { for: `for (int i = 0; ${nth(4)} != (i < n); i++) {` }),
  control('switch @oneLine', { oneLine: 'for (int i = 0; !(i < n); i++) s += i;' }),
  control('switch @empty#1', { empty: `while (${nth(1)} != (*p++ != '!'));` }),
  control('switch @while', { while: 'while (!(i < n)) {' }),
  control('switch @while#2', { while: `while (${nth(2)} != (i < n)) {` }),
  control('switch @do', { do: '} while (!(i < n));' }),
  control('switch @do#3', { do: `} while (${nth(3)} != (i < n));` }),
  control('switch @ternary', { ternary: 'int r = !(a > 2) ? 10 : 20;' }),
  control('switch @value', { value: 'int r = !(a == b);' }),
  control('switch @value#2', { value: `int r = ${nth(2)} != (a == b);` }),
  control('switch @logical', { logical: 'int r = !(a && b);' }),
  control('switch @not', { not: 'if (!!a)' }),
  control('switch @third', { third: 'if (!(i % 3 == 0))' }),
  control('switch @third#5', { third: `if (${nth(5)} != (i % 3 == 0))` }),
  control('switch @unsigned', { unsigned: 'if (!(a < b))' }),
  control('switch @strcmp', { strcmp: 'if (!(strcmp(a, "yes") == 0))' }),
  control('switch @exit', { exit: 'return !(argc > 1) ? atoi(argv[1]) : 3;' }),
  stores('switch @floatCondition', { floatCondition: 'if (!(ratio == 1.75))' }),
  stores('switch @recursionEnd#3', { recursionEnd: `if (${nth(3)} != (n == 0))` }),
  threads('switch @odd', { odd: 'if (!(total & 1))' }),
  threads('switch @abort', { abort: 'if (!(total == 1200))' }),
  threads('switch @childCondition', { childCondition: 'if (!(n > 1))' }),

  // Conditions that compilers copy
  loops('switch @for', { for: 'for (int i = 0; !(i < n); i++)' }, 'O2'),
  ...[1, 2, 3, 5].map((n) => loops(`switch @for#${n}`, { for: `for (int i = 0; ${nth(n)} != (i < n); i++)` }, 'O2')),
  loops('switch @deep', { deep: 'if (!(n > 0 && deep(n - 1) % 2 == 0))' }, 'O2'),
  ...[1, 2].map((n) => loops(`switch @deep#${n}`, { deep: `if (${nth(n)} != (n > 0 && deep(n - 1) % 2 == 0))` }, 'O2')),
  loops('switch @tight', { tight: '} while (!(odd(b + n) && step(n) < 5));' }, 'O2'),
  loops('switch @tight#4', { tight: `} while (${nth(4)} != (odd(b + n) && step(n) < 5));` }, 'O2'),
  loops('switch @while', { while: 'while (!(height < n))' }, 'O2'),
  ...[1, 2, 3].map((n) => loops(`switch @while#${n}`, { while: `while (${nth(n)} != (height < n))` }, 'O2')),
  // Cases
  switches('switch @chain to 100', { chain: 'switch (100) {' }),
  switches('switch @chain to -7', { chain: 'switch (-7) {' }),
  switches('switch @chain to default', { chain: 'switch (12345) {' }),
  switches('switch @chain#2 to 3', { chain: `switch (${nth(2)} ? 3 : n) {` }),
  switches('switch @table to 5', { table: 'switch (5) {' }),
  switches('switch @table to default', { table: 'switch (-1) {' }),
  switches('switch @noDefault to default', { noDefault: "switch ('z') {" }),
  switches("switch @noDefault#5 to 'c'", { noDefault: `switch (${nth(5)} ? 'c' : n) {` }),
  switches('switch @ranges to 500', { ranges: 'switch (500) {' }),
  // Compilers take the lowest case off, and so does who writes `switch (n - 40)`.
  switches('switch @fromTen to 12', { fromTen: 'switch (12) {' }),
  switches('switch @fromTen to default', { fromTen: 'switch (99) {' }),
  switches('switch @less to 2', { less: 'switch (2) {' }),
  switches('switch @less#2 to 5', { less: `switch (${nth(2)} ? 5 : n - 40) {` }),
  switches('switch @both to 13', { both: 'switch (13) {' }),
  switches('suppress @fallThrough', { fallThrough: "case 'b': ;" }),

  // Statements left out
  control('suppress @else', { else: '    ;' }),
  control('suppress @body', { body: ';' }),
  control('suppress @body#3', { body: `if (!${nth(3)}) s += i;` }),
  control('suppress @oneLine', { oneLine: ';' }),
  control('suppress @break', { break: ';' }),
  control('suppress @continue', { continue: ';' }),
  control('suppress @return', { return: ';' }),
  control('suppress @return#1', { return: `if (!${nth(1)}) return 1;` }),
  stores('suppress @local', { local: '' }),
  stores('suppress @global', { global: '' }),
  stores('suppress @field', { field: '' }),
  stores('suppress @bits', { bits: '' }),
  stores('suppress @element', { element: '' }),
  stores('suppress @pointer', { pointer: '' }),
  stores('suppress @compound', { compound: '' }),
  stores('suppress @increment', { increment: '' }),
  stores('suppress @double', { double: '' }),
  stores('suppress @float', { float: '' }),
  stores('suppress @call', { call: '' }, 'O2'),
  stores('suppress @result', { result: '' }),
  stores('suppress @nestedCalls', { nestedCalls: '' }),
  stores('suppress @strcpy', { strcpy: '' }),
  stores('suppress @strcat', { strcat: '' }),
  stores('suppress @printf', { printf: '' }),
  stores('suppress @puts', { puts: '' }, 'O2'),
  stores('suppress @sprintf', { sprintf: '' }),
  stores('suppress @memset', { memset: '' }),
  stores('suppress @recursion#2', { recursion: `if (!${nth(2)}) global += n;` }),
  stores('suppress @recursion', { recursion: '' }),
  stores('suppress @inNote', { inNote: '' }, 'O2'),
  stores('suppress @several', { several: '' }),
  stores('suppress twice = 7', { result: 'local = 7;', nestedCalls: 'local = 7;' }, 'O2'),
  stores('suppress twice#2 = 9', { nestedCalls: 'local = twice(9);' }, 'O2'),
  stores('suppress note', { call: '' }, 'O2'),
  stores('suppress half = 2.5', { half: '{ return 2.5;' }, 'O2'),
  stores('suppress wide = -1', { wide: '{ return -1;' }, 'O2'),
  stores('suppress @malloc = 0', { malloc: 'void *block = NULL;' }, 'O2'),
  stores('suppress @result = 11', { result: 'local = 11;' }),
  stores(['suppress @local', 'suppress @compound', 'switch @floatCondition', 'suppress @recursion#1'], { local: '', compound: '', floatCondition: 'if (!(ratio == 1.75))', recursion: `if (!${nth(1)}) global += n;` }),
  threads('suppress @add', { add: '' }),
  threads('suppress @child', { child: '' }),
  threads('suppress child = 9', { childBody: '{ return 9;' }, 'O2'),
];
