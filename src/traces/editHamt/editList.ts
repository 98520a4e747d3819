/**
 * EditList (thesis, 4.3.3): the edits of some keys, the newest first, with a lazy tail. To add or to remove is to put
 * an edit in front. A lookup goes from the newest to older ones, as far as it has to.
 */
import { LazyCell } from '../lazy/lazyCell.js';
import type { Lazy } from '../types.js';
import type { Keys } from './keys.js';

export type Edit<K, V> =
  | { readonly kind: 'add'; readonly key: K; readonly value: V }
  /** All bindings of the key. */
  | { readonly kind: 'remove'; readonly key: K }
  /** The latest one. */
  | { readonly kind: 'removeOne'; readonly key: K }
  /** The latest one to this value. */
  | { readonly kind: 'removeKeyValue'; readonly key: K; readonly value: V };

export interface EditList<K, V> {
  readonly head: Edit<K, V> | { readonly kind: 'concat'; readonly list: EditList<K, V> };
  readonly tail: Lazy<EditList<K, V> | undefined>;
}

/** Edits one by one. The stack is what remains of lists in the middle of which others were put. */
async function* newestFirst<K, V>(list: EditList<K, V> | undefined): AsyncGenerator<Edit<K, V>, void, undefined> {
  const rest: Lazy<EditList<K, V> | undefined>[] = [LazyCell.of(list)];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const at = await next.force();
    if (at === undefined) continue;
    rest.push(at.tail);
    if (at.head.kind === 'concat') rest.push(LazyCell.of<EditList<K, V> | undefined>(at.head.list));
    else yield at.head;
  }
}

/**
 * All values bound to a key, the latest first. Going back in time, a removal is noted until the binding comes that it
 * removed: the latest one before it that no other removal took. So the earliest of the removals that fit takes a
 * binding.
 */
export async function* valuesOf<K, V>(list: EditList<K, V> | undefined, key: K, keys: Keys<K>, values: Keys<V>): AsyncGenerator<V, void, undefined> {
  const removals: Edit<K, V>[] = [];
  for await (const edit of newestFirst(list)) {
    if (!keys.equals(edit.key, key)) continue;
    if (edit.kind === 'remove') return;
    if (edit.kind !== 'add') {
      removals.push(edit);
      continue;
    }
    const taken = removals.findLastIndex((removal) => removal.kind !== 'removeKeyValue' || values.equals(removal.value, edit.value));
    if (taken >= 0) removals.splice(taken, 1);
    else yield edit.value;
  }
}
