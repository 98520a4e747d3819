/** EditHAMTs against a plain history of edits that is carried out from the beginning. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import { LazyCell } from '../lazy/lazyCell.js';
import { traceOf } from '../lazyTrace.js';
import { CountingSource } from '../testing/countingSource.js';
import { editHamt, editHamtBy, type EditHamt, type EditHamts, type Prior } from './editHamt.js';
import { plainKeys, type Keys } from './keys.js';

type Key = string | number;
type Edit = { readonly kind: 'add' | 'addKeyValue' | 'remove' | 'removeOne' | 'removeKeyValue'; readonly key: Key; readonly value: Key };

// Few of them, and few removals of everything, so that removals of one binding meet.
const key = fc.constantFrom<Key>('a', 'a', 'a', 'b', 1);
const kind = fc.constantFrom('add', 'addKeyValue', 'addKeyValue', 'addKeyValue', 'removeOne', 'removeKeyValue', 'removeKeyValue');
const edit: fc.Arbitrary<Edit> = fc.record({ kind: fc.oneof({ arbitrary: kind, weight: 20 }, { arbitrary: fc.constant<'remove'>('remove'), weight: 1 }), key, value: fc.constantFrom<Key>('a', 'b') });
const history = fc.array(edit, { maxLength: 30, size: 'max' });

/** Values by key, the latest first: what the definition of each edit says. */
function applied(edits: readonly Edit[]): Map<Key, Key[]> {
  const all = new Map<Key, Key[]>();
  for (const { kind, key: k, value } of edits) {
    const values = all.get(k) ?? [];
    all.set(k, values);
    if (kind === 'add') values.unshift(k);
    if (kind === 'addKeyValue') values.unshift(value);
    if (kind === 'remove') values.length = 0;
    if (kind === 'removeOne') values.shift();
    const index = kind === 'removeKeyValue' ? values.indexOf(value) : -1;
    if (index >= 0) values.splice(index, 1);
  }
  return all;
}

function apply(hamts: EditHamts<unknown>, prior: Prior<Key, Key>, { kind, key: k, value }: Edit): EditHamt<Key, Key> {
  if (kind === 'add') return hamts.add(prior, k);
  if (kind === 'remove' || kind === 'removeOne') return hamts[kind](prior, k);
  return hamts[kind](prior, k, value);
}

type Question = readonly ['contains' | 'find' | 'findMulti' | 'findSome', Key];
const question: fc.Arbitrary<Question> = fc.tuple(fc.constantFrom('contains', 'find', 'findMulti', 'findSome'), key);

async function ask(hamt: EditHamt<Key, Key>, [kind, k]: Question, edits: readonly Edit[]): Promise<void> {
  const values = applied(edits).get(k) ?? [];
  if (kind === 'contains') expect(await hamt.contains(k)).toBe(values.length > 0);
  if (kind === 'find') expect(await hamt.find(k)).toBe(values[0]);
  if (kind !== 'findMulti' && kind !== 'findSome') return;
  const limit = kind === 'findSome' ? 2 : Infinity;
  const found: Key[] = [];
  if (limit > 0) for await (const value of hamt.findMulti(k)) if (found.push(value) >= limit) break;
  expect(found).toEqual(values.slice(0, limit));
}

/** All keys in one list, in a few lists, and as they come. */
const hashes: Keys<unknown>[] = [0, 3, Infinity].map((some) => ({ equals: plainKeys.equals, hash: (k) => (some === Infinity ? plainKeys.hash(k) : some === 0 ? 0 : plainKeys.hash(k) & some) }));
const numRuns = process.env['CULPRIT_LONG'] === undefined ? 100 : 10_000;

describe('EditHAMT against a history', () => {
  it('edit by edit, asked at any time in any order', async () => {
    await fc.assert(fc.asyncProperty(history, fc.array(fc.tuple(fc.nat(31), question), { maxLength: 20, size: 'max' }), fc.constantFrom(...hashes), fc.boolean(), async (edits, questions, keys, lazy) => {
      const hamts = editHamtBy(keys);
      const versions: Prior<Key, Key>[] = [undefined];
      for (const each of edits) {
        const prior = versions.at(-1);
        versions.push(lazy ? new LazyCell(() => apply(hamts, prior, each)) : apply(hamts, prior, each));
      }
      for (const [when, q] of questions) {
        const version = versions[Math.min(when, edits.length)];
        const hamt = version !== undefined && 'force' in version ? await version.force() : version;
        await ask(hamt ?? hamts.empty(), q, edits.slice(0, when));
      }
    }), { numRuns });
  });

  it('concatenated in any grouping', async () => {
    await fc.assert(fc.asyncProperty(history, fc.infiniteStream(fc.nat()), fc.array(question, { maxLength: 10, size: 'max' }), fc.constantFrom(...hashes), async (edits, cuts, questions, keys) => {
      const hamts = editHamtBy(keys);
      const grouped = (from: number, to: number): Prior<Key, Key> => {
        if (to === from) return undefined;
        if (to - from === 1) return apply(hamts, undefined, edits[from]!);
        const cut = from + ((cuts.next().value as number) % (to - from + 1));
        if (cut === from || cut === to) return apply(hamts, grouped(from, to - 1), edits[to - 1]!);
        return hamts.concat(grouped(from, cut), new LazyCell(() => later(grouped(cut, to) as EditHamt<Key, Key>)));
      };
      const whole = hamts.concat(undefined, grouped(0, edits.length));
      for (const q of questions) await ask(whole, q, edits);
    }), { numRuns });
  });

  it('along scans and tree scans of a trace, forward and backward', async () => {
    const scans = fc.constantFrom<'scan' | 'tscan'>('scan', 'tscan');
    await fc.assert(fc.asyncProperty(history, fc.array(fc.tuple(fc.nat(31), question), { maxLength: 12, size: 'max' }), scans, async (edits, questions, scan) => {
      const trace = traceOf(new CountingSource(edits.map((value, time) => ({ time, value })))).map((each) => apply(editHamt, undefined, each))[scan](editHamt.concat);
      for (const [when, q] of questions) await ask((await trace.getBefore(when))?.value ?? editHamt.empty(), q, edits.slice(0, when));
    }), { numRuns });
  });
});

describe('small EditHAMTs, all there are', () => {
  const EDITS: readonly Edit[] = [
    { kind: 'add', key: 'a', value: 'a' }, { kind: 'addKeyValue', key: 'a', value: 'x' }, { kind: 'addKeyValue', key: 'b', value: 'x' },
    { kind: 'remove', key: 'a', value: 'a' }, { kind: 'removeOne', key: 'a', value: 'a' }, { kind: 'removeKeyValue', key: 'a', value: 'x' },
  ];
  const histories = EDITS.flatMap((one) => EDITS.flatMap((two) => EDITS.map((three) => [one, two, three])));
  const orders = permutations([0, 1, 2, 3]);

  function permutations(all: readonly number[]): number[][] {
    return all.length === 0 ? [[]] : all.flatMap((first) => permutations(all.filter((other) => other !== first)).map((rest) => [first, ...rest]));
  }

  /**
   * Every history of three edits, every order in which its versions can be asked, every kind of question first; usually
   * some of them.
   */
  it('answer the same in every order of questions', async () => {
    const kinds = ['contains', 'find', 'findMulti', 'findSome'] as const;
    let number = 0;
    for (const edits of histories) {
      for (const order of orders) {
        for (const [i, first] of kinds.entries()) {
          if (number++ % (process.env['CULPRIT_LONG'] === undefined ? 29 : 1) !== 0) continue;
          const versions = [editHamt.empty<Key, Key>()];
          for (const each of edits) versions.push(apply(editHamt, versions.at(-1), each));
          for (const version of order) for (const kind of [first, ...kinds.slice(i + 1), ...kinds.slice(0, i)]) await ask(versions[version]!, [kind, 'a'], edits.slice(0, version));
        }
      }
    }
    expect(number).toBe(216 * 24 * 4);
  });

  it('answer the same however they are put together', async () => {
    for (const edits of histories) {
      const [one, two, three] = edits.map((each) => apply(editHamt, undefined, each));
      for (const whole of [editHamt.concat(editHamt.concat(one, two), three), editHamt.concat(one, editHamt.concat(two, three))]) {
        for (const key of ['a', 'b']) await ask(whole, ['findMulti', key], edits);
      }
    }
  });
});

async function later<T>(value: T): Promise<T> {
  await Promise.resolve();
  return value;
}

describe('EditHAMT', () => {
  it('gives a removal the binding that it removed then, also if a later removal would take it, too', async () => {
    const both = editHamt.addKeyValue(editHamt.addKeyValue<string, string>(undefined, 'x', 'first'), 'x', 'second');
    const none = editHamt.removeOne(editHamt.removeKeyValue(both, 'x', 'second'), 'x');
    expect(await none.contains('x')).toBe(false);
  });

  it('needs nothing of what came before, if the newest edit answers', async () => {
    const never = new LazyCell<EditHamt<string, number> | undefined>(() => expect.unreachable());
    expect(await editHamt.addKeyValue(never, 'x', 42).find('x')).toBe(42);
    expect(await editHamt.remove(never, 'x').contains('x')).toBe(false);
    const added = editHamt.addKeyValue<string, number>(undefined, 'x', 1);
    expect(await editHamt.concat(never, added).find('x')).toBe(1);
    expect(await editHamt.addKeyValue(editHamt.remove(never, 'x'), 'x', 7).findMulti('x').next()).toEqual({ done: false, value: 7 });
  });

  it('shares what a lookup found out with the versions that it passed', async () => {
    let computed = 0;
    let version: EditHamt<number, number> = editHamt.addKeyValue(new LazyCell<EditHamt<number, number> | undefined>(() => (computed++, undefined)), 0, 0);
    const versions = [version];
    for (let i = 1; i < 200; i++) versions.push((version = editHamt.addKeyValue(version, i, i)));
    expect(await version.find(-1)).toBe(undefined);
    for (const each of versions) expect(await each.contains(-1)).toBe(false);
    expect(computed).toBe(1);
  });

  it('is not stopped by long histories, nested on either side', async () => {
    let [left, right]: EditHamt<number, number>[] = [editHamt.add(undefined, -1), editHamt.add(undefined, -1)];
    for (let i = 0; i < 4000; i++) {
      left = editHamt.concat(left, editHamt.add(undefined, i));
      right = editHamt.concat(editHamt.add(undefined, i), right);
    }
    expect([await left!.contains(-1), await right!.contains(3999), await right!.contains(-1), await left!.contains(-2)]).toEqual([true, true, true, false]);
  });
});

describe('keys', () => {
  it('are told apart by value', () => {
    const text = fc.anything({ withBigInt: true, maxDepth: 2, withNullPrototype: true });
    fc.assert(fc.property(text, (value) => {
      const copy = structuredClone(value);
      expect(plainKeys.equals(value, copy)).toBe(true);
      expect(plainKeys.hash(value)).toBe(plainKeys.hash(copy));
    }));
    const different = [1, 1n, '1', [1], [[1]], { a: 1 }, { b: 1 }, null, undefined, true, [1, undefined], [], {}];
    for (const [i, a] of different.entries()) for (const [j, b] of different.entries()) expect(plainKeys.equals(a, b)).toBe(i === j);
    expect([plainKeys.equals(0, -0), plainKeys.hash(0) === plainKeys.hash(-0), plainKeys.equals([NaN], [NaN]), plainKeys.equals(NaN, 5)]).toEqual([true, true, true, false]);
  });

  it('spread over hashes', () => {
    const numbers = new Set(Array.from({ length: 10_000 }, (_, i) => plainKeys.hash(0x7ffff000 + i * 16) & 0x3fffffff));
    const texts = new Set(Array.from({ length: 10_000 }, (_, i) => plainKeys.hash([`t${i}`, i]) & 0x3fffffff));
    expect(Math.min(numbers.size, texts.size)).toBeGreaterThan(9_990);
  });

  it('may be objects that say what they stand for', async () => {
    class Pointer {
      constructor(readonly address: number) {}
      toKey(): number {
        return this.address;
      }
    }
    const set = editHamt.add<Pointer | number>(undefined, new Pointer(5));
    expect([await set.contains(5), await set.contains(new Pointer(5)), await set.contains(new Pointer(6))]).toEqual([true, true, false]);
    const numeric = { value: 7n, valueOf: () => 7n };
    Object.setPrototypeOf(numeric, Pointer);
    expect(await editHamt.add<unknown>(undefined, [7n]).contains([numeric])).toBe(true);
    expect(() => editHamt.add(undefined, new Set())).toThrow(new UserError('a Set cannot be a key: take a field of it, or give it a method toKey()'));
  });
});
