/** Questions to an interval tree. None of them looks at the execution: where something is unknown, they say so. */
import type { Item, Time } from '../types.js';
import { firstIndex, type IntervalTree, type Known, type Unknown } from './intervalTree.js';

/** An item, or a part of the axis that has to be looked at first. */
type Spot<T> = { readonly item: Item<T> } | { readonly from: Time; readonly to: Time };

/** The first item in [from, to), or what is unknown before it. */
export function firstSpot<T>(tree: IntervalTree<T>, from: Time, to: Time): Spot<T> | undefined {
  if (isOutside(tree, from, to)) return undefined;
  if (tree.kind === 'branch') return firstSpot(tree.left, from, to) ?? firstSpot(tree.right, from, to);
  if (tree.kind === 'unknown') return part(tree, from, to);
  const item = tree.items[firstIndex(tree.items, from)];
  return item !== undefined && item.time < to ? { item } : undefined;
}

/** The last item in [from, to), or what is unknown after it. */
export function lastSpot<T>(tree: IntervalTree<T>, from: Time, to: Time): Spot<T> | undefined {
  if (isOutside(tree, from, to)) return undefined;
  if (tree.kind === 'branch') return lastSpot(tree.right, from, to) ?? lastSpot(tree.left, from, to);
  if (tree.kind === 'unknown') return part(tree, from, to);
  const item = tree.items[firstIndex(tree.items, to) - 1];
  return item !== undefined && item.time >= from ? { item } : undefined;
}

/** There is nothing to find: another interval, or a part that is known to be empty. */
function isOutside<T>(tree: IntervalTree<T>, from: Time, to: Time): boolean {
  return from >= to || from >= tree.to || to <= tree.from || (tree.complete && tree.count === 0);
}

function part(leaf: Unknown, from: Time, to: Time): Spot<never> {
  return { from: Math.max(leaf.from, from), to: Math.min(leaf.to, to) };
}

/** The first part of [from, to) that is unknown. */
export function firstUnknown<T>(tree: IntervalTree<T>, from: Time, to: Time): { readonly from: Time; readonly to: Time } | undefined {
  if (tree.complete || from >= to || from >= tree.to || to <= tree.from) return undefined;
  if (tree.kind === 'branch') return firstUnknown(tree.left, from, to) ?? firstUnknown(tree.right, from, to);
  return { from: Math.max(tree.from, from), to: Math.min(tree.to, to) };
}

/** The known item that is the last in [from, to), or the first, whatever is unknown around it. */
export function nearestKnown<T>(tree: IntervalTree<T>, from: Time, to: Time, which: 'first' | 'last'): Item<T> | undefined {
  if (tree.count === 0 || from >= tree.to || to <= tree.from || tree.kind === 'unknown') return undefined;
  if (tree.kind === 'branch') {
    const [near, far] = which === 'last' ? [tree.right, tree.left] : [tree.left, tree.right];
    return nearestKnown(near, from, to, which) ?? nearestKnown(far, from, to, which);
  }
  const item = which === 'last' ? tree.items[firstIndex(tree.items, to) - 1] : tree.items[firstIndex(tree.items, from)];
  return item !== undefined && item.time >= from && item.time < to ? item : undefined;
}

/** The known items in [from, to), in order. */
export function knownItems<T>(tree: IntervalTree<T>, from: Time, to: Time, into: Item<T>[] = []): Item<T>[] {
  if (tree.count === 0 || from >= tree.to || to <= tree.from || tree.kind === 'unknown') return into;
  if (tree.kind === 'branch') return knownItems(tree.right, from, to, knownItems(tree.left, from, to, into));
  for (let i = firstIndex(tree.items, from); i < tree.items.length && tree.items[i]!.time < to; i++) into.push(tree.items[i]!);
  return into;
}

/** How many items are known in [from, to). */
export function knownCount<T>(tree: IntervalTree<T>, from: Time, to: Time): number {
  if (tree.count === 0 || from >= tree.to || to <= tree.from || tree.kind === 'unknown') return 0;
  if (from <= tree.from && tree.to <= to) return tree.count;
  if (tree.kind === 'branch') return knownCount(tree.left, from, to) + knownCount(tree.right, from, to);
  return firstIndex(tree.items, to) - firstIndex(tree.items, from);
}

/** The leaves, for those who want to see what is known. */
export function leaves<T>(tree: IntervalTree<T>, into: (Known<T> | Unknown)[] = []): (Known<T> | Unknown)[] {
  if (tree.kind === 'branch') return leaves(tree.right, leaves(tree.left, into));
  into.push(tree);
  return into;
}
