/**
 * Every operation against its definition on plain arrays: random traces, random questions in random order, sources of
 * all manners.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../base/errors.js';
import { editHamt } from './editHamt/editHamt.js';
import { traceOf, traceOfItems } from './lazyTrace.js';
import { CountingSource, itemsAt, type CountingOptions } from './testing/countingSource.js';
import type { Item, Lazy, Trace } from './types.js';

const LAST = 40;

type Items = readonly Item<unknown>[];
interface Inputs {
  readonly a: readonly Item<number>[];
  readonly b: readonly Item<number>[];
}

const items = fc.uniqueArray(fc.nat(LAST), { maxLength: 20, size: 'max' }).chain((times) =>
  fc.array(fc.nat(4), { minLength: times.length, maxLength: times.length }).map((values) => itemsAt(times.toSorted((x, y) => x - y), (_, i) => values[i]!)),
);
const manner: fc.Arbitrary<CountingOptions> = fc.record({ generous: fc.constantFrom(0, 0, 2), slow: fc.constantFrom(false, false, true), stride: fc.constantFrom(Infinity, 3) });

type Question = (trace: Trace<unknown>, expected: Items) => Promise<void>;

const at = fc.integer({ min: -1, max: LAST + 1 });
const question: fc.Arbitrary<Question> = fc.oneof(
  at.map((t): Question => async (trace, all) => expect(await trace.getAt(t)).toEqual(all.find(({ time }) => time === t))),
  at.map((t): Question => async (trace, all) => expect(await trace.getBefore(t)).toEqual(all.findLast(({ time }) => time < t))),
  at.map((t): Question => async (trace, all) => expect(await trace.getAfter(t)).toEqual(all.find(({ time }) => time > t))),
  at.map((t): Question => async (trace, all) => expect(await taken(trace.forward(t), 3)).toEqual(all.filter(({ time }) => time > t).slice(0, 3))),
  at.map((t): Question => async (trace, all) => expect(await taken(trace.backward(t), 3)).toEqual(all.filter(({ time }) => time < t).reverse().slice(0, 3))),
  fc.constant<Question>(async (trace, all) => expect(await taken(trace, Infinity)).toEqual(all)),
  fc.constant<Question>(async (trace, all) => expect(await taken(trace.backward(), Infinity)).toEqual(all.toReversed())),
  fc.constant<Question>(async (trace, all) => expect(await trace.length).toBe(all.length)),
  fc.constant<Question>(async (trace, all) => expect(await trace.toArray()).toEqual(all)),
  fc.constant<Question>(async (trace, all) => expect([await trace.first(), await trace.last()]).toEqual([all[0], all.at(-1)])),
  fc.nat(2).map((rest): Question => async (trace, all) => {
    const fits = (value: unknown, time: number): boolean => (JSON.stringify(value)?.length ?? time) % 3 === rest;
    const fitting = all.filter(({ time, value }) => fits(value, time));
    expect([await trace.last(fits), await trace.count(fits), await trace.first(fits)]).toEqual([fitting.at(-1), fitting.length, fitting[0]]);
  }),
  fc.integer({ min: 1, max: LAST }).map((limit): Question => async (trace, all) => {
    const table = await trace.toTable({ limit });
    expect([table.rows.map(([time]) => Number(time)), table.more]).toEqual([all.slice(0, limit).map(({ time }) => time), all.length > limit]);
  }),
);

async function taken<T>(iterable: AsyncIterable<T>, count: number): Promise<T[]> {
  const all: T[] = [];
  for await (const each of iterable) if (all.push(each) >= count) break;
  return all;
}

/** Asks the trace that `make` makes, and compares with the items that it has by definition. */
async function check(make: (a: Trace<number>, b: Trace<number>) => Trace<unknown>, define: (inputs: Inputs) => Items): Promise<void> {
  const property = fc.asyncProperty(items, items, manner, fc.array(question, { minLength: 1, maxLength: 8, size: 'max' }), fc.boolean(), async (a, b, options, questions, atOnce) => {
    const trace = make(traceOf(new CountingSource(a, options, LAST + 1)), traceOf(new CountingSource(b, options, LAST + 1)));
    const expected = define({ a, b });
    if (atOnce) await Promise.all(questions.map((ask) => ask(trace, expected)));
    else for (const ask of questions) await ask(trace, expected);
  });
  await fc.assert(property, { numRuns: process.env['CULPRIT_LONG'] === undefined ? 30 : 5000 });
}

async function later<T>(value: T): Promise<T> {
  await Promise.resolve();
  return value;
}

const before = (all: readonly Item<number>[], t: number): number | undefined => all.findLast(({ time }) => time < t)?.value;
const after = (all: readonly Item<number>[], t: number): number | undefined => all.find(({ time }) => time > t)?.value;

describe('traces against their definitions', () => {
  it('a source', () => check((a) => a, ({ a }) => a));

  it('map', () => check((a) => a.map((v, t) => v * 100 + t), ({ a }) => a.map(({ time, value }) => ({ time, value: value * 100 + time }))));

  it('map, later', () => check((a) => a.map((v) => later(-v)), ({ a }) => a.map(({ time, value }) => ({ time, value: -value }))));

  it('filter', () => check((a) => a.filter((v, t) => v > 1 && t < 30), ({ a }) => a.filter(({ time, value }) => value > 1 && time < 30)));

  it('filter, later', () => check((a) => a.filter((v) => later(v === 2)), ({ a }) => a.filter(({ value }) => value === 2)));

  it('slice', () => check((a) => a.slice(10, 30), ({ a }) => a.filter(({ time }) => time >= 10 && time < 30)));

  it('slice of what is filtered, and empty', () => check((a) => a.filter((v) => v > 0).slice(20, 10), () => []));

  it('takeUntil', () => check((a) => a.takeUntil((v) => v === 3), ({ a }) => {
    const stop = a.findIndex(({ value }) => value === 3);
    return stop < 0 ? a : a.slice(0, stop + 1);
  }));

  it('merge', () => check((a, b) => a.merge(b, (x, y) => `${x}&${y}`), ({ a, b }) => {
    const times = [...new Set([...a, ...b].map(({ time }) => time))].sort((x, y) => x - y);
    return times.map((time) => {
      const [x, y] = [a, b].map((all) => all.find((item) => item.time === time)?.value);
      return { time, value: x !== undefined && y !== undefined ? `${x}&${y}` : (x ?? y) };
    });
  }));

  it('merge of what cannot coincide', () => check((a) => a.filter((v) => v > 2).merge(a.filter((v) => v <= 2)), ({ a }) => a));

  it('trailingMerge', () => check((a, b) => a.trailingMerge(b, async (v, p, t) => [v, await p.force(), t]), ({ a, b }) =>
    a.map(({ time, value }) => ({ time, value: [value, before(b, time), time] }))));

  it('trailingMerge with itself', () => check((a) => a.trailingMerge(a, (v, p) => (v > 1 ? p.force() : 'none')), ({ a }) =>
    a.map(({ time, value }) => ({ time, value: value > 1 ? before(a, time) : 'none' }))));

  it('revTrailingMerge', () => check((a, b) => a.revTrailingMerge(b, async (v, n) => [v, await n.force()]), ({ a, b }) =>
    a.map(({ time, value }) => ({ time, value: [value, after(b, time)] }))));

  it('scan', () => check((a) => a.scan(async (n, v, t) => `${await n.force()} ${v}@${t}`, ''), ({ a }) => {
    let text = '';
    return a.map(({ time, value }) => ({ time, value: (text = `${text} ${value}@${time}`) }));
  }));

  it('scan that asks now and then', () => check((a) => a.scan(async (n, v) => (v === 0 ? 0 : (await n.force()) + 1), 0), ({ a }) => {
    let n = 0;
    return a.map(({ time, value }) => ({ time, value: (n = value === 0 ? 0 : n + 1) }));
  }));

  it('scan with an operator that answers at once now and then', () => check((a) => a.scan((n: Lazy<number>, v) => (v === 0 ? 0 : n.force().then((m) => m + 1)), 0), ({ a }) => {
    let n = 0;
    return a.map(({ time, value }) => ({ time, value: (n = value === 0 ? 0 : n + 1) }));
  }));

  it('scan without a beginning', () => check((a) => a.scan<string>(async (n, v) => `${await n.force()}${v}`), ({ a }) => {
    let text: string | undefined;
    return a.map(({ time, value }) => ({ time, value: (text = `${text}${value}`) }));
  }));

  it('revScan', () => check((a) => a.revScan(async (n, v) => `${v} ${await n.force()}`, 'end'), ({ a }) => {
    let text = 'end';
    return a.toReversed().map(({ time, value }) => ({ time, value: (text = `${value} ${text}`) })).reverse();
  }));

  const joined = async (left: Lazy<string | undefined>, right: Lazy<string | undefined>): Promise<string> => ((await left.force()) ?? '') + ((await right.force()) ?? '');

  it('tscan', () => check((a) => a.map((v, t) => `${v}@${t} `).tscan(joined), ({ a }) => {
    let text = '';
    return a.map(({ time, value }) => ({ time, value: (text += `${value}@${time} `) }));
  }));

  it('tscan of a slice, right side first', () => check((a) => a.map(String).slice(5, 30).tscan(async (l, r) => {
    const right = await r.force();
    return ((await l.force()) ?? '') + right;
  }), ({ a }) => {
    let text = '';
    return a.filter(({ time }) => time >= 5 && time < 30).map(({ time, value }) => ({ time, value: (text += value) }));
  }));

  it('tscan that asks only for what it needs', () => check((a) => a.map((v) => v === 3).tscan(eitherTrue), ({ a }) => {
    let any = false;
    return a.map(({ time, value }) => ({ time, value: (any ||= value === 3) }));
  }));

  it('revTscan', () => check((a) => a.map((v, t) => `${v}@${t} `).revTscan(joined), ({ a }) => {
    let text = '';
    return a.toReversed().map(({ time, value }) => ({ time, value: (text = `${value}@${time} ${text}`) })).reverse();
  }));

  it('window', () => check((a) => a.window(3), ({ a }) => a.map(({ time }, i) => ({ time, value: a.slice(Math.max(0, i - 2), i + 1) }))));

  it('windowTime', () => check((a) => a.windowTime(10), ({ a }) => a.map(({ time }) => ({ time, value: a.filter((item) => item.time > time - 10 && item.time <= time) }))));

  it('distinct', () => check((a) => a.distinct(), ({ a }) => a.filter(({ value }, i) => a.findIndex((item) => item.value === value) === i)));

  it('distinct by key', () => check((a) => a.distinct((v, t) => [v % 2, t % 3]), ({ a }) => {
    const key = ({ time, value }: Item<number>): number => (value % 2) * 3 + (time % 3);
    return a.filter((item, i) => a.findIndex((other) => key(other) === key(item)) === i);
  }));

  it('join', () => check(
    (a, b) => a.join(b, (v) => [v], (v) => [v]).map(async ({ value, match }) => [value, await match.force()]),
    ({ a, b }) => a.map(({ time, value }) => ({ time, value: [value, b.findLast((item) => item.time < time && item.value === value)] })),
  ));

  it('groupBy', () => check((a) => a.groupBy((v) => v % 3).get(1), ({ a }) => a.filter(({ value }) => value % 3 === 1)));

  it('groups, put together again', () => check((a) => {
    const groups = a.groupBy((v) => later(v % 3));
    return groups.get(0).merge(groups.get(1)).merge(groups.get(2));
  }, ({ a }) => a));

  it('keys of groups', () => check((a) => a.groupBy((v) => v % 3).keys(), ({ a }) =>
    a.map(({ time, value }) => ({ time, value: value % 3 })).filter(({ value }, i) => a.findIndex((item) => item.value % 3 === value) === i)));

  it('many of them together', () => check(
    (a, b) => a.filter((v) => v > 0).map((v) => v * 2).merge(b.scan(async (n, v) => (await n.force()) + v, 0).slice(3, 38), (x, y) => x + y).trailingMerge(a.tscan(async (l, r) => ((await l.force()) ?? 0) + (await r.force())), async (v, p) => v - ((await p.force()) ?? 0)),
    ({ a, b }) => {
      let sum = 0;
      const sums = b.map(({ time, value }) => ({ time, value: (sum += value) })).filter(({ time }) => time >= 3 && time < 38);
      const doubled = a.filter(({ value }) => value > 0).map(({ time, value }) => ({ time, value: value * 2 }));
      const times = [...new Set([...sums, ...doubled].map(({ time }) => time))].sort((x, y) => x - y);
      return times.map((time) => {
        const here = [...sums, ...doubled].filter((item) => item.time === time).reduce((total, { value }) => total + value, 0);
        return { time, value: here - a.filter((item) => item.time < time).reduce((total, { value }) => total + value, 0) };
      });
    },
  ));
});

describe('tree scans of long traces', () => {
  const texts = itemsAt(Array.from({ length: 300 }, (_, i) => 2 * i), (time) => `${time} `);
  const joined = async (left: Lazy<string | undefined>, right: Lazy<string | undefined>): Promise<string> => ((await left.force()) ?? '') + ((await right.force()) ?? '');

  it.each(['tscan', 'revTscan'] as const)('%s puts nodes together in order, whatever was known before', async (scan) => {
    const time = fc.nat(600);
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(time, time)), fc.array(time, { minLength: 1, maxLength: 6 }), fc.boolean(), async (parts, times, atOnce) => {
      const trace = traceOf(new CountingSource(texts));
      for (const [from, to] of parts) await trace.slice(from, to).toArray();
      const scanned = trace[scan](joined);
      const ask = async (at: number): Promise<void> => {
        const item = texts.findLast((each) => each.time < at);
        const whole = texts.filter((each) => item !== undefined && (scan === 'tscan' ? each.time <= item.time : each.time >= item.time));
        expect(await scanned.getBefore(at)).toEqual(item && { time: item.time, value: whole.map(({ value }) => value).join('') });
      };
      if (atOnce) await Promise.all(times.map(ask));
      else for (const at of times) await ask(at);
    }), { numRuns: process.env['CULPRIT_LONG'] === undefined ? 25 : 1000 });
  });
});

/** The operator of section 4.2.2. */
async function eitherTrue(left: Lazy<boolean | undefined>, right: Lazy<boolean>): Promise<boolean> {
  if (left.isForced && (await left.force()) === true) return true;
  if (right.isForced && (await right.force())) return true;
  return (await left.force()) === true || right.force();
}

describe('traces', () => {
  const foo = traceOfItems(itemsAt([10, 20, 30, 40], (time) => ({ thread: time % 20 === 0 ? 2 : 1, x: time / 10 })));

  it('infer types without help', async () => {
    const xs: Trace<number> = foo.map((s) => s.x);
    const defined: Trace<number> = foo.map((s) => (s.x > 1 ? s.x : undefined)).filter((x) => x !== undefined);
    const counts: Trace<number> = foo.scan(async (n, s) => (await n.force()) + s.x, 0);
    const sets = foo.map((s) => editHamt.addKeyValue(undefined, s.thread, s.x)).scan(editHamt.concat);
    const found: number | undefined = await (await sets.getBefore(Infinity))?.value.find(1);
    const trees = foo.map((s) => editHamt.add(undefined, [s.thread, s.x] as const)).tscan(editHamt.concat);
    const contains: boolean | undefined = await (await trees.last())?.value.contains([1, 3]);
    const merged: Trace<number | string> = xs.merge(foo.map((s) => `${s.x}`), (x) => x);
    expect([await xs.length, await defined.length, (await counts.last())?.value, found, contains, await merged.length]).toEqual([4, 3, 10, 3, true, 4]);
  });

  it('group', async () => {
    const groups: unknown[] = [];
    for await (const { key, trace } of foo.groupBy((s) => s.thread)) groups.push([key, (await trace.toArray()).map(({ time }) => time)]);
    expect(groups).toEqual([[1, [10, 30]], [2, [20, 40]]]);
  });

  it('count', async () => expect([await foo.count(), await foo.count((s) => s.thread === 1), await foo.slice(15, 35).length]).toEqual([4, 2, 2]));

  it('find the first and the last that fit', async () => expect([(await foo.first((s) => s.x > 2))?.time, (await foo.last((s) => s.x < 3))?.time]).toEqual([30, 20]));

  it('make tables', async () => {
    expect(`${await foo.toTable({ limit: 2 })}`).toBe('time  thread  x\n  10       1  1\n  20       2  2\n...');
    expect(`${await traceOfItems<unknown>(itemsAt([5, 100], (t) => (t === 5 ? 'abc' : { a: [1n, { b: null }] }))).toTable()}`).toBe('time  value  a\n   5  abc\n 100         [1, {b: null}]');
  });

  it('say what is wrong', async () => {
    await expect(foo.merge(foo).toArray()).rejects.toThrow(new UserError('both traces have an item at time 10: give merge a function that combines them'));
    await expect(foo.getBefore(Number.NaN)).rejects.toThrow('NaN is no time');
    expect(() => foo.window(0)).toThrow(UserError);
    await expect(foo.distinct((s) => new Map([[s, s]])).toArray()).rejects.toThrow('a Map cannot be a key');
  });
});
