/** Traces of a recorded program, through the library: what they find, against what the program does by construction. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { TracedExecution } from '../../src/traces/execution/tracedExecution.js';
import { compile, executionOf } from './recordedExecution.js';

let execution: TracedExecution;

beforeAll(async () => {
  execution = await executionOf([compile('calls.c')]);
});

/** calls.c: foo is called with x = i, y = 4i + j. */
const CALLS = [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].map((j) => [i, i * 4 + j] as const));

describe('coverage', () => {
  it('counts calls and lines, of all and of a part', async () => {
    const all = await execution.coverage();
    const calls = new Map(all.functions().map(({ name, calls: times }) => [name, times]));
    expect([calls.get('foo'), calls.get('bar'), calls.get('main')]).toEqual([16, 64, 1]);
    const { time, value } = (await execution.breakpoints('foo').last())!;
    const { line } = value.source;
    expect(all.line('calls.c', line)).toBe(16);
    expect(all.function('foo')[0]?.lines.find((one) => one.line === line)?.count).toBe(16);
    const [before, after] = [await execution.coverage({ to: time }), await execution.coverage({ from: time })];
    // It stands behind the first instructions of the last call.
    expect([before.function('foo')[0]?.calls, after.function('foo')[0]?.calls]).toEqual([16, 0]);
    expect(before.instructions + after.instructions).toBe(all.instructions);
  });
});

describe('breakpoints', () => {
  it('are all calls, with arguments by name and number', async () => {
    const foo = execution.breakpoints('foo').map((s) => [s.readArg('x').number, s.readArg(1).number]);
    expect((await foo.toArray()).map(({ value }) => value)).toEqual(CALLS);
    expect(await execution.breakpoints('bar').length).toBe(64);
  });

  it('backward find the same as forward', async () => {
    const fresh = await executionOf([compile('calls.c')]);
    const times: number[] = [];
    for await (const { time } of fresh.breakpoints('foo').backward()) times.unshift(time);
    expect(times).toEqual((await execution.breakpoints('foo').toArray()).map(({ time }) => time));
  });

  it('at a line, at an address, and where a function returns', async () => {
    const first = (await execution.breakpoints('foo').first())!;
    const { line, function: name } = first.value.source;
    expect(name).toBe('foo');
    expect(await execution.breakpoints(`calls.c:${line}`).length).toBe(16);
    expect(await execution.breakpoints(Number(first.value.register('rip'))).length).toBe(16);
    expect(`${(await execution.breakpoints('twice', { at: 'exit' }).last())?.value.returned}`).toBe('42');
  });

  it('of the same place are the same trace, and what is not there is one clear line', async () => {
    expect(execution.breakpoints('foo')).toBe(execution.breakpoints('foo'));
    await expect(execution.breakpoints('fooo').length).rejects.toThrow('Function "fooo" not defined.');
  });
});

describe('laziness', () => {
  it('making traces runs nothing, and asking again costs nothing', async () => {
    const fresh = await executionOf([compile('calls.c')]);
    const even = fresh.breakpoints('foo').filter((s) => s.readArg('x').number % 2 === 0);
    expect(fresh.cost).toBe(0);
    const found = await even.getBefore(Infinity);
    const { cost } = fresh;
    expect(cost).toBeGreaterThan(0);
    expect(await even.getBefore(Infinity)).toBe(found);
    expect(fresh.cost).toBe(cost);
  });

  it("the program's own functions are looked up without replaying anything; those of libraries are not there before main", async () => {
    const fresh = await executionOf([compile('calls.c')]);
    expect(fresh.isDefined('foo') && fresh.isDefined('calls.c:12')).toBe(true);
    expect(fresh.cost).toBe(0);
    const first = await fresh.breakpoints('foo').first();
    expect(fresh.cost).toBe(first!.time);
    expect(fresh.isDefined('exit')).toBe(true);
  });

  it('what is asked of every item is the same whether a search has looked at it on its way or not', async () => {
    const fresh = await executionOf([compile('calls.c')]);
    const seen: [number, number, number][] = [];
    // Both have to be looked at in the same searches: each finds what the other one asks for.
    for await (const { time, value } of fresh.breakpoints('bar').backward()) {
      const call = await fresh.breakpoints('foo').getBefore(time);
      seen.unshift([time, value.readArg(0).number, call?.value.readArg('y').number ?? -1]);
    }
    const plain: [number, number, number][] = [];
    for (const { time } of await execution.breakpoints('bar').toArray()) {
      const call = await execution.breakpoints('foo').getBefore(time);
      plain.push([time, execution.getAt(time).readArg(0).number, call === undefined ? -1 : execution.getAt(call.time).readArg('y').number]);
    }
    expect(seen).toEqual(plain);
  });

  it('looks back no further than the last item, by checkpoints', async () => {
    const fresh = await executionOf([compile('calls.c')]);
    const foo = fresh.breakpoints('foo');
    expect(fresh.getAt(fresh.endTime).time).toBe(fresh.endTime);
    await foo.getBefore(Infinity);
    const { cost } = fresh;
    // The last call is less than 4000 instructions from the end of main; the whole run is a hundred thousand.
    const last = (await fresh.watchpoints('counter').getBefore(Infinity))!;
    expect(last.time).toBeGreaterThan(0);
    expect(fresh.cost - cost).toBeLessThan(50_000);
  });

  it('what is asked of every item is read ahead, but not far', async () => {
    const fresh = await executionOf([compile('manyCalls.c')]);
    const odd = fresh.breakpoints('near').filter((s) => s.readArg('x').number % 2 === 1);
    let item = await odd.first();
    for (let asked = 1; asked < 31; asked++) item = await odd.getAfter(item!.time);
    expect(item?.value.readArg('x').number).toBe(61);
    // Behind the 64 calls come millions of instructions without any.
    expect(fresh.cost).toBeLessThan(item!.time + 100_000);
    const values = (await odd.toArray()).map(({ value }) => value.readArg('x').number);
    expect(values).toEqual([1, 2, 3].flatMap(() => Array.from({ length: 32 }, (_, i) => 2 * i + 1)));
  });

  it('who a hit belongs to is known without going there, and what was read once is known to all who ask', async () => {
    const [first, last] = [(await execution.breakpoints('foo').first())!.value, (await execution.breakpoints('foo').last())!.value];
    const read = (): unknown[] => [first.readArg('x').number, last.readArg('x').number, first.readVar('y').number, last.readVar('y', { frame: 0 }).number, first.readVar('i', { frame: 1 }).number, last.readArg(1).number];
    const values = read();
    expect(values).toEqual([0, 3, 0, 15, 0, 15]);
    const { cost } = execution;
    expect(read()).toEqual(values);
    expect(new Set((await execution.breakpoints('bar').toArray()).map(({ value }) => value.threadId))).toEqual(new Set([first.thread.tid]));
    expect(execution.cost - cost).toBeLessThan(execution.endTime + 10_000);
  });

  it('system calls, output and threads are in the recording: nothing is replayed', async () => {
    const fresh = await executionOf([compile('calls.c')]);
    expect((await fresh.output().first())?.value.output.text).toBe('-96 42\n');
    expect((await fresh.syscalls('write').last())?.value.syscall).toMatchObject({ name: 'write', result: 7 });
    expect((await fresh.threads().toArray()).map(({ value }) => value.change)).toEqual(['start', 'end']);
    expect(fresh.cost).toBe(0);
  });
});

describe('watchpoints', () => {
  it('know the value before and after', async () => {
    const values = execution.watchpoints('counter').map((s) => [s.readVar('counter').number, s.after.readVar('counter').number]);
    let counter = 0;
    expect((await values.toArray()).map(({ value }) => value)).toEqual(CALLS.map(([x, y]) => [counter, (counter += x - y)]));
  });

  it('watch what a value of a snapshot is in, and any bytes', async () => {
    const { value } = (await execution.breakpoints('main').first())!;
    const counter = value.readVar('counter');
    expect(await execution.watchpoints(counter).length).toBe(16);
    expect(await execution.watchpoints({ address: counter.addressOf() + 3, length: 1 }).length).toBe(16);
    expect(await execution.watchpoints('counter', 'READ').length).toBe(17);
  });
});

describe('snapshots and values', () => {
  it('values have fields, elements, numbers and gdb’s text', async () => {
    const { value } = (await execution.breakpoints('twice').first())!;
    const origin = value.readVar('origin');
    expect(`${origin}`).toMatch(/^\{x = 3, y = 4, next = 0x[\da-f]+ <origin>\}$/);
    expect([origin.type, origin.keys, origin.field('next').deref().field('next').field('y').number]).toEqual(['struct point', ['x', 'y', 'next'], 4]);
    expect([+value.readVar('ratio'), value.readVar('title').string, value.readVar('title').index(1).number, +value.readVar('2 * n')]).toEqual([0.5, 'calls', 0x61, 42]);
    expect(() => value.readVar('nothing')).toThrow('No symbol "nothing" in current context.');
    expect(() => origin.number).toThrow('origin is no number: it is struct point');
  });

  it('stay what they were when the execution has moved on', async () => {
    const [first, last] = [(await execution.breakpoints('foo').first())!.value, (await execution.breakpoints('foo').last())!.value];
    const x = first.readVar('x');
    expect([last.readVar('x').number, x.number, first.readVar('y').number]).toEqual([3, 0, 0]);
  });

  it('have frames, source lines, registers, memory and return addresses', async () => {
    const { value } = (await execution.breakpoints('foo').first())!;
    expect(value.backtrace().map((frame) => frame.function)).toEqual(['foo', 'main']);
    expect(`${value.backtrace()}`).toMatch(/^#0 {2}foo \(x=0, y=0\) at .*calls\.c:\d+\n#1 {2}0x[\da-f]{16} in main \(\) at /);
    expect(value.source.text).toContain('void foo(int x, int y)');
    expect(value.registers['rip']).toBe(value.register('rip'));
    const [back] = value.readRetaddrs();
    expect(value.memory(back!.addressOf(), 8)).toEqual(new Uint8Array(new BigUint64Array([BigInt(back!.number)]).buffer));
    expect(back!.number).toBe(value.backtrace()[1]?.pc);
  });

  it('refuse times outside of the run', () => {
    expect(() => execution.getAt(execution.endTime + 1)).toThrow(/^no such time: \d+; there are times from 0 to \d+$/);
  });
});

it('allocations know sizes, places and pointers', async () => {
  const all = (await execution.allocations().toArray()).map(({ value }) => value).filter(({ site, size }) => site.startsWith('main') && size < 1000);
  expect(all.map(({ kind, size }) => [kind, size])).toEqual([['malloc', 100], ['malloc', 101], ['free', 0], ['malloc', 102], ['malloc', 103], ['free', 0]]);
  expect(all[2]?.freed).toBe(all[1]?.pointer);
});

it('all calls are as many as all returns, but for what never returns', async () => {
  const names = (await execution.allCalls().toArray()).map(({ value }) => value.source.function);
  expect(names.filter((name) => name === 'bar').length).toBe(64);
  expect(await execution.allReturns().count((s) => s.source.function === 'bar')).toBe(64);
});

it('a function that ends with a jump through a pointer is left there; cases of a switch are not the end', async () => {
  const tails = await executionOf([compile('tailCalls.c', ['-g', '-O2', '-fcf-protection=none', '-static'])]);
  const left = await tails.breakpoints('twice', { at: 'exit' }).toArray();
  expect(left.map(({ value }) => value.after.source.function)).toEqual(Array.from({ length: 6 }, () => 'next'));
  expect(await tails.breakpoints('pick', { at: 'exit' }).length).toBe(6);
  const code = await tails.breakpoints('pick').first();
  expect(code?.value.readArg('x').number).toBe(0);
});

it('what takes long is searched by another timeline, with the same result, while others ask', async () => {
  const longSearches = { aloneAtFirst: 1000, hitsAlone: 5, worthIt: 2000 };
  const helped = await executionOf([compile('calls.c')], {}, { longSearches });
  const last = helped.breakpoints('foo').last();
  const all = [helped.breakpoints('bar'), helped.watchpoints('counter', 'ACCESS'), helped.allCalls()].map(async (trace) => (await trace.toArray()).map(({ time, value }) => [time, value.threadId, value.access]));
  const [bar, counter, calls] = await Promise.all(all);
  const expected = [execution.breakpoints('bar'), execution.watchpoints('counter', 'ACCESS'), execution.allCalls()].map(async (trace) => (await trace.toArray()).map(({ time, value }) => [time, value.threadId, value.access]));
  expect([bar, counter, calls]).toEqual(await Promise.all(expected));
  expect((await last)?.time).toBe((await execution.breakpoints('foo').last())?.time);
  const { cost } = helped;
  expect([await helped.breakpoints('bar').length, helped.cost - cost]).toEqual([64, 0]);
});

describe('where values come from', () => {
  it('an argument is followed into its caller, to the line that computed it', async () => {
    const { value } = (await execution.breakpoints('foo').last())!;
    const origin = await execution.origin(value.readVar('x'));
    expect(origin.links.map(({ kind, target, how, function: name }) => [kind, target, how, name])).toEqual([['copy', 'x', 'from i', 'main'], ['computed', 'i', 'computed here', 'main']]);
    expect([origin.value, origin.isComplete, origin.made?.text]).toEqual(['3', true, 'for (i = 0; i < 4; i++) {']);
    expect(origin.made?.snapshot.after.readVar('i').number).toBe(3);
    expect(String(origin)).toMatch(/^x = 3\n#0 .*\n2 steps to where it was made\.$/s);
  });

  it('memory has its writers and readers, also while a script follows a value', async () => {
    const [origin, writers, readers] = await Promise.all([execution.origin('counter'), execution.writers('counter').toArray(), execution.readers('counter').length]);
    expect([writers.length, readers]).toEqual([16, 17]);
    expect([origin.made?.kind, origin.made?.time]).toEqual(['computed', writers.at(-1)!.time]);
    await expect(execution.origin('counter', { at: -1 })).rejects.toThrow('no such time: -1');
    await expect(execution.origin((await execution.breakpoints('foo').first())!.value.readVar('origin'))).resolves.toMatchObject({ value: expect.stringContaining('x = 3') as string });
  });
});
