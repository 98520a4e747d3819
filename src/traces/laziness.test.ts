/**
 * That no more is looked at than an answer needs: the examples of the thesis (4.2, 4.3.2), with a source that notes
 * what it was asked.
 */
import { describe, expect, it } from 'vitest';
import { editHamt, type EditHamt } from './editHamt/editHamt.js';
import { DEEPEST_NESTING } from './lazy/scanning.js';
import { timeAfter } from './lazy/time.js';
import { traceOf } from './lazyTrace.js';
import { CountingSource, itemsAt } from './testing/countingSource.js';
import type { Lazy } from './types.js';

function calls(times: readonly number[]): CountingSource<number> {
  return new CountingSource(itemsAt(times, (time) => time));
}

describe('a trace of calls (4.2)', () => {
  it('runs nothing when it is made', () => {
    const source = calls([10, 50, 150]);
    const foo = traceOf(source);
    foo.filter((x) => x > 1).map((x) => x + 1).slice(1, 2).merge(foo, (x) => x).trailingMerge(foo, (x) => x).scan((_, x) => x, 0).tscan((_, x) => x.force());
    foo.groupBy((x) => x).get(3);
    foo.join(foo, (x) => x, (x) => x).window(3);
    expect(source.looked).toEqual([]);
  });

  it('getBefore(100) looks from 100 back to the hit, and then knows [50, 100)', async () => {
    const source = calls([10, 50, 150]);
    const foo = traceOf(source);
    expect(await foo.getBefore(100)).toEqual({ time: 50, value: 50 });
    expect(source.looked).toEqual([[50, 100]]);
    await foo.getBefore(100);
    await foo.getBefore(70);
    await foo.getAt(50);
    await foo.getAt(80);
    await foo.slice(50, 100).toArray();
    expect(source.looked).toEqual([[50, 100]]);
  });

  it('looks at what is left, and only at that', async () => {
    const source = calls([10, 50, 150]);
    const foo = traceOf(source);
    await foo.getBefore(100);
    await foo.getAfter(60);
    expect(source.looked.slice(1)).toEqual([[100, timeAfter(150)]]);
    await foo.getBefore(50);
    expect(source.looked.slice(2)).toEqual([[10, 50]]);
    await foo.getAt(5);
    expect(source.looked.slice(3)).toEqual([[5, timeAfter(5)]]);
    expect(await foo.length).toBe(3);
    expect(source.looked.slice(4)).toEqual([[0, 5], [timeAfter(5), 10], [timeAfter(150), Infinity]]);
    await foo.toArray();
    expect(source.looked).toHaveLength(7);
  });

  it('takes what a search tells beyond the question', async () => {
    const source = new CountingSource(itemsAt([10, 20, 30, 40], (t) => t), { generous: 2 });
    const foo = traceOf(source);
    const seen: number[] = [];
    const mapped = foo.map((t) => (seen.push(t), t));
    await mapped.getBefore(100);
    expect([source.looked, seen]).toEqual([[[20, 100]], [40]]);
    await mapped.getBefore(40);
    await mapped.getBefore(30);
    expect([source.looked, seen]).toEqual([[[20, 100]], [40, 30, 20]]);
  });
});

describe('derived traces (4.2.1)', () => {
  it('map and filter call their functions once for what is asked for', async () => {
    const source = calls([10, 20, 30, 40, 50]);
    const seen: number[] = [];
    const odd = traceOf(source).filter((t) => (seen.push(t), t % 20 !== 0));
    expect((await odd.getBefore(45))?.time).toBe(30);
    expect([source.looked, seen]).toEqual([[[40, 45], [30, 40]], [40, 30]]);
    await Promise.all([odd.getBefore(45), odd.getAfter(29), odd.getAfter(30)]);
    expect(seen).toEqual([40, 30, 50]);
  });

  it('equal traces share what they know', async () => {
    const source = calls([10, 20, 30]);
    const foo = traceOf(source);
    let called = 0;
    const f = (x: number): number => (called++, x);
    expect(foo.map(f)).toBe(foo.map(f));
    await foo.map(f).length;
    await foo.map(f).last();
    expect(called).toBe(3);
    await foo.filter((x) => x > 10).length;
    expect(source.looked).toEqual([[0, Infinity]]);
    expect(foo.merge(foo.map(f), f)).toBe(foo.merge(foo.map(f), f));
    expect(foo.groupBy(f).get(10)).toBe(foo.groupBy(f).get(10));
  });

  it('calls a slow function once, whatever is asked meanwhile', async () => {
    let called = 0;
    const slow = traceOf(calls([10, 20])).map(async (x) => {
      called++;
      await new Promise((done) => setImmediate(done));
      return x;
    });
    await Promise.all([slow.getBefore(15), slow.getAt(10), slow.toArray(), slow.last(), slow.length]);
    expect(called).toBe(2);
  });

  it('searches a source once, whatever is asked meanwhile', async () => {
    const source = new CountingSource(itemsAt([10, 50], (t) => t), { slow: true });
    const foo = traceOf(source);
    await Promise.all([foo.getBefore(100), foo.getBefore(90), foo.getAt(60), foo.slice(50, 100).toArray()]);
    expect([source.looked, source.mostUnderWay]).toEqual([[[50, 100]], 1]);
  });

  it('merge looks at the other trace only as far as at the first', async () => {
    const [one, other] = [calls([10, 50, 90]), calls([20, 70])];
    const both = traceOf(one).merge(traceOf(other));
    expect((await both.getBefore(100))?.time).toBe(90);
    expect([one.looked, other.looked]).toEqual([[[90, 100]], [[90, 100]]]);
    expect((await both.getBefore(90))?.time).toBe(70);
    expect([one.looked.slice(1), other.looked.slice(1)]).toEqual([[[50, 90]], [[70, 90]]]);
  });

  it('slice looks at nothing outside', async () => {
    const source = calls([10, 50, 90]);
    await traceOf(source).slice(20, 40).toArray();
    await traceOf(source).slice(20, 40).getBefore(1000);
    expect(source.looked.every(([from, to]) => from >= 20 && to <= 40)).toBe(true);
  });

  it('takeUntil going forward looks no further than the end', async () => {
    const source = calls([10, 50, 90]);
    const head = traceOf(source).takeUntil((t) => t >= 50);
    expect((await head.first())?.time).toBe(10);
    expect(source.looked).toEqual([[0, timeAfter(10)]]);
    expect((await head.last())?.time).toBe(50);
    expect(source.looked.at(-1)?.[1]).toBe(timeAfter(50));
  });

  it('a scan whose operator does not ask looks at one item: count_nonzero_foo', async () => {
    const source = new CountingSource([7, 0, 3, 4].map((value, i) => ({ time: 10 * (i + 1), value })));
    const nonzero = traceOf(source).scan(async (count, x) => (x === 0 ? 0 : (await count.force()) + 1), 0);
    expect((await nonzero.getBefore(25))?.value).toBe(0);
    expect(source.looked).toEqual([[20, 25]]);
    expect((await nonzero.getBefore(1000))?.value).toBe(2);
    expect(source.looked).toEqual([[20, 25], [40, 1000], [30, 40], [25, 30]]);
  });

  it('a scan calls its operator once per item, whether that answers at once or later', async () => {
    const seen: number[] = [];
    const resets = traceOf(calls([1, 2, 3, 4, 5, 6])).scan((n: Lazy<number>, t) => (seen.push(t), t % 3 === 0 ? n.force().then((m) => m + t) : t), 0);
    expect((await resets.toArray()).map(({ value }) => value)).toEqual([1, 2, 5, 4, 5, 11]);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('an accumulator that is known says so', async () => {
    const forced: boolean[] = [];
    const last = traceOf(calls([1, 2, 3])).scan((n: Lazy<number>, t) => (forced.push(n.isForced), t), 0);
    await last.getAt(1);
    for await (const item of last) expect(item.value).toBe(item.time);
    expect(forced).toEqual([false, true, true]);
  });

  it('a trailing merge that does not ask leaves the other trace alone', async () => {
    const [one, other] = [calls([10, 50]), calls([5, 20, 45, 60])];
    const merged = traceOf(one).trailingMerge(traceOf(other), (t, previous) => (t === 10 ? undefined : previous.force()));
    await merged.getBefore(20);
    expect(other.looked).toEqual([]);
    expect((await merged.last())?.value).toBe(45);
    expect(other.looked).toEqual([[45, 50]]);
    const [calling, returning] = [calls([10]), calls([5, 20, 45])];
    expect((await traceOf(calling).revTrailingMerge(traceOf(returning), (_, next) => next.force()).first())?.value).toBe(20);
    expect(returning.looked).toEqual([[timeAfter(10), timeAfter(20)]]);
  });
});

describe('tree scans (4.2.2)', () => {
  /** has_true of the thesis. */
  async function hasTrue(left: Lazy<boolean | undefined>, right: Lazy<boolean>): Promise<boolean> {
    if (left.isForced && (await left.force()) === true) return true;
    if (right.isForced && (await right.force())) return true;
    return (await left.force()) === true || right.force();
  }

  it('look back no further than the first true', async () => {
    const source = calls([10, 20, 30, 40, 50]);
    const anyOf30 = traceOf(source).map((t) => t === 30).tscan(hasTrue);
    expect((await anyOf30.getBefore(Infinity))?.value).toBe(true);
    expect(source.looked).toEqual([[50, Infinity], [40, 50], [30, 40]]);
  });

  it('use the side that is known first', async () => {
    const source = calls([10, 20, 30, 40, 50]);
    const anyOf20 = traceOf(source).map((t) => t === 20).tscan(hasTrue);
    expect((await anyOf20.getAt(20))?.value).toBe(true);
    const known = source.looked.length;
    expect((await anyOf20.getBefore(Infinity))?.value).toBe(true);
    expect(source.looked.slice(known)).toEqual([[50, Infinity]]);
  });

  it('in the other direction', async () => {
    const source = calls([10, 20, 30, 40, 50]);
    const anyOf30 = traceOf(source).map((t) => t === 30).revTscan((left, right) => hasTrue(right, left));
    expect((await anyOf30.first())?.value).toBe(true);
    expect(source.looked).toEqual([[0, timeAfter(10)], [timeAfter(10), timeAfter(20)], [timeAfter(20), timeAfter(30)]]);
  });

  it('apply the operator a few times per query, not once per item', async () => {
    let applied = 0;
    const numbers = traceOf(calls(Array.from({ length: 4096 }, (_, i) => i + 1)));
    const sums = numbers.tscan(async (left, right) => (applied++, ((await left.force()) ?? 0) + (await right.force())));
    await numbers.length;
    expect((await sums.last())?.value).toBe((4096 * 4097) / 2);
    const whole = applied;
    expect((await sums.getAt(3000))?.value).toBe((3000 * 3001) / 2);
    expect((await sums.getAt(3500))?.value).toBe((3500 * 3501) / 2);
    expect(whole).toBeLessThanOrEqual(4096);
    expect(applied - whole).toBeLessThan(150);
  });
});

describe('EditHAMTs in traces (4.3.2)', () => {
  type Access = readonly ['read' | 'write', number];

  /** Figure 4.7: accesses to var1 and var2 at t1 to t4, each with its thread. */
  const history: { time: number; variable: string; access: Access }[] = [
    { time: 100, variable: 'var1', access: ['read', 1] },
    { time: 200, variable: 'var1', access: ['write', 1] },
    { time: 300, variable: 'var2', access: ['write', 2] },
    { time: 400, variable: 'var1', access: ['read', 2] },
  ];

  function accessEvents(variable: string): { sources: CountingSource<Access>[]; edits: ReturnType<typeof traceOfEdits> } {
    const of = (kind: string): CountingSource<Access> =>
      new CountingSource(history.filter((h) => h.variable === variable && h.access[0] === kind).map(({ time, access }) => ({ time, value: access })), { stride: 50 }, 450);
    const [reads, writes] = [of('read'), of('write')];
    return { sources: [reads, writes], edits: traceOfEdits(variable, reads, writes) };
  }

  function traceOfEdits(variable: string, reads: CountingSource<Access>, writes: CountingSource<Access>) {
    const read = traceOf(reads).map((access) => editHamt.addKeyValue(undefined, variable, access));
    return read.merge(traceOf(writes).map((access) => editHamt.addKeyValue(editHamt.remove<string, Access>(undefined, variable), variable, access)));
  }

  async function lastHistory(): Promise<{ sources: CountingSource<Access>[]; last: EditHamt<string, Access>; earliest: () => number }> {
    const [one, two] = [accessEvents('var1'), accessEvents('var2')];
    const sources = [...one.sources, ...two.sources];
    const last = await one.edits.merge(two.edits).scan(editHamt.concat).getBefore(Infinity);
    return { sources, last: last!.value, earliest: () => Math.min(...sources.flatMap(({ looked }) => looked.map(([from]) => from))) };
  }

  it('find looks at t4 and not before', async () => {
    const { last, earliest } = await lastHistory();
    expect(await last.find('var1')).toEqual(['read', 2]);
    expect(earliest()).toBe(400);
  });

  it('findMulti looks as far back as the write at t2 and not before', async () => {
    const { last, earliest } = await lastHistory();
    const accesses: Access[] = [];
    for await (const access of last.findMulti('var1')) accesses.push(access);
    expect(accesses).toEqual([['read', 2], ['write', 1]]);
    expect(earliest()).toBe(200);
  });

  it('a lookup of another variable looks as far back as its last access', async () => {
    const { last, earliest } = await lastHistory();
    expect(await last.find('var2')).toEqual(['write', 2]);
    expect(earliest()).toBe(300);
    expect(await last.contains('var3')).toBe(false);
    expect(earliest()).toBe(0);
  });
});

describe('what fails', () => {
  it('leaves what is known, and can be asked again', async () => {
    const source = calls([10, 20, 30]);
    const doubled = traceOf(source).map((t) => 2 * t).scan(async (sum, t) => (await sum.force()) + t, 0);
    source.failure = new Error('cancelled');
    await expect(doubled.getBefore(25)).rejects.toThrow('cancelled');
    const beyond = doubled.getBefore(25);
    expect((await beyond)?.value).toBe(60);
    source.failure = new Error('cancelled');
    await expect(doubled.last()).rejects.toThrow('cancelled');
    const looked = source.looked.length;
    expect((await doubled.getBefore(25))?.value).toBe(60);
    expect(source.looked).toHaveLength(looked);
    expect((await doubled.last())?.value).toBe(120);
  });

  it('an accumulator that could not be computed is computed the next time', async () => {
    const source = calls([10, 20]);
    let failing = true;
    const sums = traceOf(source).scan(async (sum, t) => {
      if (t === 10 && failing) throw new Error('not yet');
      return (await sum.force()) + t;
    }, 0);
    await expect(sums.last()).rejects.toThrow('not yet');
    failing = false;
    expect((await sums.last())?.value).toBe(30);
  });
});

describe('long chains', () => {
  const count = DEEPEST_NESTING + 2000;
  const times = Array.from({ length: count }, (_, i) => i);

  /** Like calls, but quick. */
  function quick(): { source: Parameters<typeof traceOf<number>>[0]; searches: () => number } {
    let searches = 0;
    const found = (from: number, to: number) => ({ from, to, items: times.slice(from, to).map((time) => ({ time, value: 1 })) });
    return {
      source: {
        start: 0, end: count,
        searchForward: (from) => (searches++, found(Math.ceil(from), Math.ceil(from) + 1 > count ? count : Math.ceil(from) + 1)),
        searchBackward: (_, to) => (searches++, found(Math.max(0, Math.ceil(to) - 1), Math.ceil(to))),
      },
      searches: () => searches,
    };
  }

  it('scan from the end', async () => {
    const { source } = quick();
    expect((await traceOf(source).scan(async (n, x) => (await n.force()) + x, 0).last())?.value).toBe(count);
    expect((await traceOf(source).revScan(async (n, x) => (await n.force()) + x, 0).first())?.value).toBe(count);
  });

  it('tscan from the end', async () => {
    const { source } = quick();
    const sum = async (left: Lazy<number | undefined>, right: Lazy<number | undefined>): Promise<number> => ((await left.force()) ?? 0) + ((await right.force()) ?? 0);
    expect((await traceOf(source).tscan(sum).last())?.value).toBe(count);
    expect((await traceOf(source).revTscan(sum).first())?.value).toBe(count);
  });
});
