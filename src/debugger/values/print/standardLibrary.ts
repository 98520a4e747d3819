/**
 * Objects of the C++ standard library (libstdc++) as its printers for gdb show them. Anything unexpected is shown as
 * the structure that it is.
 */
import { unlessFailed } from '../expressionError.js';
import type { NameLookup } from '../nameLookup.js';
import type { Value } from '../value.js';
import type { PrintSettings } from './settings.js';
import { hashTable, tree } from './standard/associative.js';
import { adaptor, bitset, deque, dequeIterator, forwardList, forwardListIterator, initializerList, list, listIterator, normalIterator, treeIterator, vector } from './standard/sequences.js';
import type { Kind, Shape } from './standard/shape.js';
import { string, stringView } from './standard/strings.js';
import { any, atomic, optional, pair, sharedPointer, tuple, uniquePointer, variant } from './standard/wrappers.js';

/** By the names of the templates, without what only says which version of the library it is. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['basic_string', string], ['basic_string_view', stringView],
  ['vector', vector], ['deque', deque], ['list', list], ['forward_list', forwardList], ['initializer_list', initializerList], ['bitset', bitset],
  ['stack', adaptor], ['queue', adaptor], ['priority_queue', adaptor],
  ['map', tree], ['multimap', tree], ['set', tree], ['multiset', tree],
  ['unordered_map', hashTable], ['unordered_multimap', hashTable], ['unordered_set', hashTable], ['unordered_multiset', hashTable],
  ['pair', pair], ['optional', optional], ['variant', variant], ['tuple', tuple], ['atomic', atomic], ['unique_ptr', uniquePointer], ['shared_ptr', sharedPointer], ['weak_ptr', sharedPointer],
  ['__normal_iterator', normalIterator], ['_Deque_iterator', dequeIterator], ['_List_iterator', listIterator], ['_List_const_iterator', listIterator],
  ['_Fwd_list_iterator', forwardListIterator], ['_Fwd_list_const_iterator', forwardListIterator], ['_Rb_tree_iterator', treeIterator], ['_Rb_tree_const_iterator', treeIterator],
]);

/** Undefined if it is nothing of the standard library, or not as it should be. */
export function standardShape(names: NameLookup, value: Value, settings: PrintSettings): Shape | undefined {
  const type = value.plain;
  if (type.kind !== 'struct' || settings.raw) return undefined;
  const { qualifiedName = '' } = type;
  const template = /^(?:std|__gnu_cxx)::(?:__cxx11::)?(\w+)</.exec(qualifiedName)?.[1];
  const kind = template === undefined ? (qualifiedName === 'std::any' ? any : undefined) : KINDS.get(template);
  return kind === undefined ? undefined : unlessFailed(() => kind({ names, value, type, settings, shapeOf: (other) => standardShape(names, other, settings) }), () => undefined);
}
