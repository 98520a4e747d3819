/**
 * EditHAMT (thesis, 4.3): sets, maps, multisets and multimaps for traces. One is made by an edit of another, which need
 * not be computed for that, and a lookup computes only as many of the earlier ones as it needs: from the newest back to
 * the one that has the answer. LazyAMT leads from a key's hash to the list of edits of keys with that hash.
 *
 *     const live = mallocs.map((m) => editHamt.add(undefined, m.result))
 *       .merge(frees.map((f) => editHamt.remove(undefined, f.pointer)))
 *       .scan(editHamt.concat);
 *     await (await live.getBefore(1000))?.value.contains(pointer);
 */
import { LazyCell } from '../lazy/lazyCell.js';
import type { Lazy } from '../types.js';
import { valuesOf, type Edit, type EditList } from './editList.js';
import { plainKeys, type Keys } from './keys.js';
import { addTo, lookUp, merge, type Root } from './lazyAmt.js';

/** What an edit is applied to. Undefined is the empty one; a lazy one is not computed before a lookup needs it. */
export type Prior<K, V> = EditHamt<K, V> | Lazy<EditHamt<K, V> | undefined> | undefined;

export class EditHamt<K, V> {
  /** By `editHamt.empty()` and the other operations. */
  constructor(
    /** For our own use: where lookups begin. */
    readonly root: Root<EditList<K, V>>,
    private readonly keys: Keys<unknown>,
  ) {}

  /** Whether the key is in it. `await set.contains('x')` */
  async contains(key: K): Promise<boolean> {
    return (await this.findMulti(key).next()).done !== true;
  }

  /** The latest value of the key. `await map.find('x')` */
  async find(key: K): Promise<V | undefined> {
    const { done, value } = await this.findMulti(key).next();
    return done === true ? undefined : (value as V);
  }

  /**
   * All values of the key, the latest first, each looked up when it is asked for. `for await (const value of
   * multimap.findMulti('x'))`
   */
  async *findMulti(key: K): AsyncGenerator<V, void, undefined> {
    yield* valuesOf<K, V>(await lookUp(this.root, this.keys.hash(key)), key, this.keys, plainKeys);
  }
}

/** The operations, for keys that are told apart in one way. */
export class EditHamts<Any> {
  constructor(private readonly keys: Keys<Any>) {}

  /** One with nothing in it. `editHamt.empty<string, number>()` */
  readonly empty = <K extends Any, V>(): EditHamt<K, V> => this.of<K, V>(undefined);

  /** With the key bound to itself once more: a set or a multiset. `editHamt.add(set, 'x')` */
  readonly add = <K extends Any>(prior: Prior<K, K>, key: K): EditHamt<K, K> => this.edited(prior, { kind: 'add', key, value: key });

  /** With one more binding of the key: a map or a multimap. `editHamt.addKeyValue(map, 'x', 42)` */
  readonly addKeyValue = <K extends Any, V>(prior: Prior<K, V>, key: K, value: V): EditHamt<K, V> => this.edited(prior, { kind: 'add', key, value });

  /** Without all bindings of the key. `editHamt.remove(map, 'x')` */
  readonly remove = <K extends Any, V>(prior: Prior<K, V>, key: K): EditHamt<K, V> => this.edited(prior, { kind: 'remove', key });

  /** Without the latest binding of the key. `editHamt.removeOne(multiset, 'x')` */
  readonly removeOne = <K extends Any, V>(prior: Prior<K, V>, key: K): EditHamt<K, V> => this.edited(prior, { kind: 'removeOne', key });

  /** Without the latest binding of the key to the value. `editHamt.removeKeyValue(multimap, 'x', 42)` */
  readonly removeKeyValue = <K extends Any, V>(prior: Prior<K, V>, key: K, value: V): EditHamt<K, V> =>
    this.edited(prior, { kind: 'removeKeyValue', key, value });

  /** The older one with all edits of the newer one, removals too. `trace.scan(editHamt.concat)` */
  readonly concat = <K extends Any, V>(older: Prior<K, V>, newer: Prior<K, V>): EditHamt<K, V> => {
    const append = (tail: Lazy<EditList<K, V> | undefined>, list: EditList<K, V>): EditList<K, V> => ({ head: { kind: 'concat', list }, tail });
    return this.of(merge(rootOf(older), rootOf(newer), append));
  };

  private edited<K extends Any, V>(prior: Prior<K, V>, head: Edit<K, V>): EditHamt<K, V> {
    return this.of(addTo<EditList<K, V>>(rootOf(prior), this.keys.hash(head.key), (tail) => ({ head, tail })));
  }

  private of<K, V>(root: Root<EditList<K, V>>): EditHamt<K, V> {
    return new EditHamt<K, V>(root, this.keys as Keys<unknown>);
  }
}

function rootOf<K, V>(prior: Prior<K, V>): LazyCell<Root<EditList<K, V>>> {
  if (prior === undefined || prior instanceof EditHamt) return LazyCell.of<Root<EditList<K, V>>>(prior?.root);
  return new LazyCell(async () => (await prior.force())?.root);
}

/**
 * EditHAMTs with strings, numbers, bigints, tuples, records of such and so on as keys. `editHamt.add(undefined,
 * [thread, address])`
 */
export const editHamt = new EditHamts<unknown>(plainKeys);

/** EditHAMTs with keys of another kind. `editHamtBy<Frame>({ hash: (f) => f.pc, equals: (a, b) => a.pc === b.pc })` */
export function editHamtBy<K>(keys: Keys<K>): EditHamts<K> {
  return new EditHamts<K>(keys);
}
