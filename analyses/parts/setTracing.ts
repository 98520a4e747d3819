/**
 * Set-like behaviour of a program (thesis, 4.5): what is in the set at any time, from traces of insertions and
 * removals.
 */
import { type EditHamt, editHamt, type Trace } from 'culprit/traces';

/** At each insertion and removal: the set after it, which is computed only as far back as a lookup needs it. */
export function setTracing<K>(inserted: Trace<K>, removed: Trace<K>): Trace<EditHamt<K, K>> {
  return inserted
    .map((key) => editHamt.add<K>(undefined, key))
    .merge(removed.map((key) => editHamt.remove<K, K>(undefined, key)))
    .scan(editHamt.concat);
}
