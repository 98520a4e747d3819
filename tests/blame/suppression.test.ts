/**
 * Runs without the last write to `source`, and without what depends on it. Programs crash with it, or would do
 * something else; without it all come to their end, and what has nothing to do with it is as ever.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { at } from '../../src/replay/log/position.js';
import { KEPT, lastWriteOf, printed, subject, type Subject, suppressed } from './suppressed.js';

void KEPT;

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const LONG = process.env['CULPRIT_LONG'] === '1';
const VARIANTS: readonly (readonly string[])[] = [['-O0', '-static'], ['-O2'], ['-O1', '-static'], ['-O0'], ['-O2', '-static']];

interface Case {
  readonly program: string;
  readonly what: string;
  readonly output: string | RegExp;
  readonly code?: number;
}

const CASES: readonly Case[] = [
  { program: 'chain', what: 'data goes from hand to hand', output: 'end\n' },
  { program: 'branch', what: 'neither side of a branch is gone, and what both write is corrupt', output: 'end\n' },
  { program: 'loop', what: 'a loop that it bounds is over at once', output: 'after 6\n', code: 6 },
  { program: 'early', what: 'a function that it leaves early returns to its caller, whose variables are there', output: 'local 11\nend\n', code: 4 },
  { program: 'jump', what: 'no case of a switch is done', output: 'end\n' },
  { program: 'pointer', what: 'a call through it is not made', output: 'done 0\nend\n' },
  { program: 'returned', what: 'a function whose return address it has overwritten returns to its caller', output: 'back 33\nend\n' },
  { program: 'copied', what: 'copies of it are corrupt, what is copied beside it is not', output: 'a name\nend\n' },
  { program: 'strings', what: 'functions of libc come back', output: /^n (order\n)?end\n$/ },
  { program: 'heap', what: 'no memory of such a size is allocated, and the heap stays whole', output: 'clean\nend\n' },
  { program: 'piped', what: 'it goes through a pipe', output: 'clean!!\nend\n' },
  { program: 'filed', what: 'it goes through a file', output: 'clean!!\nend\n' },
  { program: 'readin', what: 'it was stored by the kernel', output: 'clean\nend\n' },
  { program: 'threads', what: 'threads use it, and locks are locked and unlocked', output: 'total\nend\n' },
  { program: 'forked', what: 'a child has it, too', output: 'child\nstatus 3\nend\n' },
  { program: 'signals', what: 'handlers use it, and registers come back from them', output: 'end\n' },
  { program: 'floats', what: 'floating point numbers are made of it, and a division', output: '3.0\nend\n' },
  { program: 'nested', what: 'a recursion depends on it', output: 'end\n' },
  { program: 'callee', what: 'functions that are not called would have set pointers', output: /^(end\n)?$/ },
  { program: 'vla', what: 'a variable array has its length', output: 'keep\nend\n' },
];

function compiled(program: string, flags: readonly string[]): Promise<Subject> {
  return subject(`${program}.c`, readFileSync(`${PROGRAMS}${program}.c`, 'utf8'), flags);
}

/** Each with one of the variants; in the long form with all. */
const ROWS = CASES.flatMap((row, i) => VARIANTS.filter((_, j) => LONG || i % VARIANTS.length === j).map((flags) => ({ ...row, flags, named: flags.join(' ') })));

describe('without a write', () => {
  it.each(ROWS)('$program $named: $what', async ({ program, flags, output, code = 0 }) => {
    const one = await compiled(program, flags);
    const run = await suppressed(one, [await lastWriteOf(one, 'source')]);
    try {
      expect(run.end).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
      if (program !== 'nested') expect(run.end).toMatchObject({ status: { code } });
      expect(printed(run)).toMatch(output);
      expect(run.leftOut[0]).toMatchObject({ why: 'point' });
    } finally {
      run.branch.drop();
    }
  });
});

describe('a suppressed run', () => {
  it('is the same each time, and can be gone through in both directions', async () => {
    const one = await compiled('early', ['-O0', '-static']);
    const point = await lastWriteOf(one, 'source');
    const [first, second] = [await suppressed(one, [point]), await suppressed(one, [point])];
    expect(second.leftOut).toEqual(first.leftOut);
    expect(second.branch.endTime).toBe(first.branch.endTime);
    const condition = first.leftOut.find(({ why }) => why === 'condition');
    await first.branch.seek(at(condition?.time as number));
    // The function has been left.
    const left = first.branch.state.register(point.thread, 'rip');
    await first.branch.seek(at((condition?.time as number) - 1));
    expect(first.branch.state.register(point.thread, 'rip')).not.toBe(left);
    for (const { branch } of [first, second]) branch.drop();
  });

  it('has points that were found in the run before it', async () => {
    const one = await compiled('branch', ['-O0', '-static']);
    const first = await lastWriteOf(one, 'source');
    const run = await suppressed(one, [first]);
    const { branch, leftOut } = run;
    expect(printed(run)).toBe('end\n');
    // The system call that prints is the last but one.
    await branch.seekEnd();
    const write = await branch.backward([{ kind: 'syscall', numbers: [1] }]);
    const again = await suppressed(one, [first, { position: at(write?.position.time as number), thread: first.thread }]);
    expect(again.leftOut.filter(({ why }) => why === 'point')).toHaveLength(2);
    expect(again.leftOut.slice(0, leftOut.length)).toEqual(leftOut);
    for (const each of [branch, again.branch]) each.drop();
  });

  it('ends at its limit', async () => {
    const one = await compiled('loop', ['-O0', '-static']);
    const point = await lastWriteOf(one, 'source');
    const run = await suppressed(one, [point], point.position.time + 50);
    expect(run.end).toEqual({ kind: 'limit' });
    expect(run.branch.endTime).toBe(point.position.time + 50);
    run.branch.drop();
  });
});
