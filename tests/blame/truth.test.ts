/**
 * That the table is true, without blame: programs end natively and under culprit as it says, at the lines that it says,
 * and AddressSanitizer names the same first corruption where it can know it.
 */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { LONG, sampled } from '../table/testTable.js';
import { compiled, marksOf, PLAIN, sourceOf } from './corpus.js';
import { FIGURE_INPUTS, FIGURE_RUNS, figureLine } from './figure.js';
import { ROWS, type Row } from './rows.js';

const SIGNALED = { SIGSEGV: 139, SIGABRT: 134 } as const;

function ended(command: readonly string[], stdin: string): number {
  const { status, signal } = spawnSync(command[0] as string, command.slice(1), { input: stdin });
  return status ?? (signal === 'SIGSEGV' || signal === 'SIGABRT' ? SIGNALED[signal] : -1);
}

/** Natively, without a choice of addresses. */
function crashLine(path: string, args: readonly string[], stdin: string, file: string): number | undefined {
  const { stdout } = spawnSync('sh', ['-c', 'cat > "$0.in"; exec gdb -q -nx -batch -ex "run $2 < $0.in" -ex bt "$1"', `${path}.${process.pid}`, path, args.join(' ')], { input: stdin, encoding: 'utf8' });
  const [, line] = new RegExp(`^#.* at ${file}:(\\d+)$`, 'm').exec(stdout) ?? [];
  return line === undefined ? undefined : Number(line);
}

const titleOf = ({ program, input }: Row): string => `${program}, ${input}`;

it.each(sampled(ROWS, 5).map((row) => [titleOf(row), row] as const))('%s: ends as the table says', (_, { program, args, stdin, signal }) => {
  const path = compiled(program);
  const expected = signal === undefined ? 0 : SIGNALED[signal];
  expect(ended(['setarch', '-R', path, ...args], stdin)).toBe(expected);
  expect(ended([process.execPath, CULPRIT, 'run', '--', path, ...args], stdin)).toBe(expected);
}, 60_000);

it.runIf(LONG).each(ROWS.map((row) => [titleOf(row), row] as const))('%s: crashes where the table says', (_, { program, args, stdin, crash }) => {
  const line = crash === undefined ? undefined : marksOf(sourceOf(program)).get(crash);
  expect(crashLine(compiled(program), args, stdin, `${program}.c`)).toBe(line);
}, 60_000);

it.runIf(LONG).each(ROWS.filter(({ kind }) => kind !== 'ND').map((row) => [titleOf(row), row] as const))('%s: AddressSanitizer says the same', (_, { program, args, stdin, corrupt }) => {
  const { stderr } = spawnSync(compiled(program, [...PLAIN, '-fsanitize=address']), args, { input: stdin, encoding: 'utf8' });
  const [, line] = new RegExp(`^ +#\\d+ .*${program}\\.c:(\\d+)$`, 'm').exec(stderr) ?? [];
  expect(corrupt.map((mark) => marksOf(sourceOf(program)).get(mark))).toContain(Number(line));
}, 60_000);

it('every mark of the table is in its program, and programs have the sizes that they should have', () => {
  for (const { program, corrupt, error, crash } of ROWS) {
    const marks = marksOf(sourceOf(program));
    for (const mark of [...corrupt, error, ...(crash === undefined ? [] : [crash])]) expect(marks.has(mark), `${program} ${mark}`).toBe(true);
  }
  expect(new Set(ROWS.map(({ program }) => program)).size).toBe(11);
});

it.each(FIGURE_INPUTS)('Figure 1 crashes natively at line $line with $stdin', ({ stdin, line }) => {
  expect(crashLine(compiled('figure1'), [], stdin, 'figure1.c')).toBe(figureLine(line));
  expect(FIGURE_RUNS.map(({ crash }) => crash)).toContain(line);
});
