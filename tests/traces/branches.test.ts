/** Questions about what-if branches: if nothing is changed as of the recording, else as in the debugger. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { guestAddr } from '../../src/base/types.js';
import { branchesOf } from '../../src/cli/opening/branchesOf.js';
import { at } from '../../src/replay/log/position.js';
import { type Hit, memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import type { Snapshot } from '../../src/traces/execution/snapshot.js';
import type { TracedExecution } from '../../src/traces/execution/tracedExecution.js';
import type { Trace } from '../../src/traces/types.js';
import { record } from '../replay/recorded.js';
import { compile, executionOf } from './recordedExecution.js';

const LONG = process.env['CULPRIT_LONG'] !== undefined;

/** What can be asked of each program. */
const QUESTIONS: Readonly<Record<string, readonly ((execution: TracedExecution) => Trace<unknown>)[]>> = {
  'calls.c': [
    (e) => e.breakpoints('foo').map((s) => [s.readArg('x').number, s.readArg(1).number, `${s.backtrace()}`]),
    (e) => e.breakpoints('twice', { at: 'exit' }).map((s) => s.returned.number),
    (e) => e.watchpoints('counter', 'ACCESS').map((s) => [s.access, s.registers, s.after.readVar('counter').number]),
    (e) => e.allCalls().map((s) => s.source.function),
    (e) => e.allocations().map(({ kind, size, site }) => [kind, size, site]),
    (e) => e.output().map((s) => s.output.text),
    (e) => e.syscalls().map(({ syscall: { name, args, result } }) => [name, args, result]),
  ],
  'race.c': [
    (e) => e.threads().map(({ change, name, threadId }) => [change, name, threadId]),
    (e) => e.syscalls('futex').map((s) => [s.threadId, s.syscall.args]),
    (e) => e.breakpoints('pthread_mutex_lock').map((s) => [s.threadId, s.register('rdi')]),
  ],
  'signals.c': [
    (e) => e.signals().map((s) => [s.signal, s.register('rip'), s.threadId]),
    (e) => e.breakpoints('main', { at: 'exit' }).map((s) => s.register('rsp')),
    (e) => e.output().map((s) => s.output.text),
  ],
};

/** A branch begins when all is done that the kernel does at its time. */
async function answers(execution: TracedExecution, name: string, from: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const question of QUESTIONS[name] ?? []) all.push((await question(execution).toArray()).filter(({ time }) => time > from));
  return all;
}

describe('a branch in which nothing is changed', () => {
  it.each(Object.keys(QUESTIONS))('answers as its recording: %s', async (name) => {
    const execution = await executionOf([compile(name)]);
    const { endTime } = execution;
    const main = (await execution.breakpoints('main').first())?.time ?? 0;
    const times = fc.oneof(fc.integer({ min: main, max: endTime - 1 }), fc.constantFrom(0, main, endTime - 1, endTime));
    await fc.assert(
      fc.asyncProperty(times, async (time) => {
        const branch = await execution.branch(time);
        expect(branch.startTime).toBe(time);
        expect(await answers(branch, name, time)).toEqual(await answers(execution, name, time));
        expect(branch.endTime).toBe(endTime);
        expect(branch.departure).toBeUndefined();
        branch.drop();
      }),
      { numRuns: LONG ? 20 : 2, examples: [[Math.floor((main + endTime) / 2)]] },
    );
  }, 240_000);
});

describe('a branch in which something is changed', () => {
  let execution: TracedExecution;
  let fourth: { readonly time: number; readonly value: Snapshot };

  beforeAll(async () => {
    execution = await executionOf([compile('calls.c')]);
    fourth = (await execution.breakpoints('foo').toArray())[4] as typeof fourth;
  });

  const printed = async (one: TracedExecution): Promise<string> => (await one.output().toArray()).map(({ value }) => value.output.text).join('');

  it('variables, as gdb assigns them', async () => {
    const branch = await execution.branch(fourth.time, { write: { counter: 1000, x: 'x + 10', ratio: 2.5, 'origin.next->y': -1 } });
    const { value } = (await branch.breakpoints('foo').first()) as typeof fourth;
    expect([value.readVar('counter').number, value.readArg('x').number]).toEqual([1000, fourth.value.readArg('x').number + 10]);
    expect([+branch.getAt(fourth.time).readVar('ratio'), +branch.getAt(fourth.time).readVar('origin.y')]).toEqual([2.5, -1]);
    const before = fourth.value.readVar('counter').number;
    const told = Number((await printed(execution)).split(' ')[0]);
    expect(await printed(branch)).toBe(`${told + 1000 - before + 10} 42\n`);
    expect(branch.end).toEqual({ kind: 'ended', status: { kind: 'exited', code: 0 } });
    // What was changed is a write, too.
    expect((await branch.watchpoints('counter').toArray()).map(({ value: { access } }) => access?.by)).toEqual(['kernel', ...Array<string>(12).fill('program')]);
    await expect(execution.branch(fourth.time, { write: { nothing: 1 } })).rejects.toThrow('No symbol "nothing"');
    // The recording is as it was.
    expect(fourth.value.readVar('counter').number).toBe(before);
  });

  it('registers, jumps and instructions', async () => {
    const lost = await execution.branch(fourth.time, { set: { rip: 0 } });
    expect(lost.end).toEqual({ kind: 'ended', status: expect.objectContaining({ signal: 11 }) as unknown });
    const [signal] = await lost.signals().toArray();
    expect([signal?.time, signal?.value.register('rip')]).toEqual([fourth.time, 0n]);
    const other = await execution.branch(fourth.time, { flip: true });
    expect(await other.breakpoints('foo').length).not.toBe(await execution.breakpoints('foo').count((s) => s.time >= fourth.time));
    const { rip } = fourth.value.registers;
    const skipped = await execution.branch(fourth.time, { skip: true });
    const next = skipped.getAt(fourth.time).register('rip');
    expect(next > (rip as bigint) && next < (rip as bigint) + 16n).toBe(true);
  });

  it('finds what the debugger finds in it', async () => {
    const { options } = await record([compile('calls.c')]);
    const branches = branchesOf(new Timeline(options), options);
    const foo = guestAddr(Number(fourth.value.register('rip')));
    const place = fourth.value.readVar('counter').range;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3 }), fc.integer({ min: -5, max: 5 }), async (i, counter) => {
        const plain = await branches.branchAt(at(fourth.time));
        const thread = plain.state.current?.id ?? 0;
        const slot = fourth.value.readVar('x').addressOf();
        await plain.writeMemory(thread, slot, new Uint8Array(Int32Array.of(i).buffer));
        await plain.writeMemory(thread, place.address, new Uint8Array(Int32Array.of(counter).buffer));
        const hits: Hit[] = [];
        const ranges = [memoryRange(guestAddr(place.address), place.length)];
        await plain.seekEnd();
        await plain.each([{ kind: 'address', addresses: [foo] }, { kind: 'memory', access: 'write', ranges }], (hit) => (hits.push(hit), 'go on'));
        const branch = await execution.branch(fourth.time, { write: { x: i, counter } });
        const times = (kind: Hit['kind']): number[] => hits.filter((hit) => hit.kind === kind).map(({ position }) => position.time);
        expect((await branch.breakpoints('foo').toArray()).map(({ time }) => time)).toEqual(times('address'));
        const backward: number[] = [];
        for await (const { time } of branch.watchpoints('counter').backward()) backward.unshift(time);
        expect(backward).toEqual(times('memory'));
        expect(await printed(branch)).toBe(plain.output.map(({ bytes }) => Buffer.from(bytes).toString()).join(''));
        branch.drop();
        plain.drop();
      }),
      { numRuns: LONG ? 12 : 2 },
    );
  }, 120_000);

  it('can be followed back, counted by others, and branched again', async () => {
    const branch = await execution.branch(fourth.time, { write: { counter: 7 } });
    const last = await branch.breakpoints('foo').last();
    expect(`${await branch.origin(last?.value.readVar('y') as never)}`).toContain('y = 15, computed here');
    const again = await branch.branch(last?.time ?? 0, { write: { counter: 70 } });
    expect(again.startTime).toBe(fourth.time);
    const values = (await again.breakpoints('foo').toArray()).map(({ value }) => value.readVar('counter').number);
    expect([values.length, values[0], values.at(-1)]).toEqual([12, 7, 70]);
    expect(await printed(again)).toBe('58 42\n');
  });

  it('at the end is right before what ended it', async () => {
    const branch = await execution.branch('end', { set: { rdi: 3 } });
    expect(branch.end).toEqual({ kind: 'ended', status: { kind: 'exited', code: 3 } });
  });

  it('runs no farther than is wanted', async () => {
    const branch = await execution.branch(fourth.time, { run: 500 });
    expect([branch.endTime, branch.end]).toEqual([fourth.time + 500, undefined]);
    const expected = (await execution.breakpoints('bar').toArray()).map(({ time }) => time).filter((time) => time >= fourth.time && time <= fourth.time + 500);
    expect((await branch.breakpoints('bar').toArray()).map(({ time }) => time)).toEqual(expected);
    expect(() => branch.getAt(fourth.time - 1)).toThrow('no such time');
  });
});
