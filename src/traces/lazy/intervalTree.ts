/**
 * What is known of a trace: a sparse tree of intervals (thesis, 4.2). A leaf is a part of the axis [from, to) that is
 * known, with all its items, or not known yet. Together the leaves of a tree cover its interval without gaps.
 *
 * Trees are immutable: to learn something makes a new tree that shares all but the path to what changed. So who puts
 * values together along a tree (tree scans) can keep results by node. They are balanced (AVL, by join and split) in
 * whatever order they were learned; known neighbours are put into one leaf as long as they are small.
 */
import { assert } from '../../base/assert.js';
import type { FoundItems, Item, Time } from '../types.js';

export interface Known<T> {
  readonly kind: 'known';
  readonly from: Time;
  readonly to: Time;
  readonly height: 0;
  readonly count: number;
  readonly complete: true;
  readonly items: readonly Item<T>[];
}

export interface Unknown {
  readonly kind: 'unknown';
  readonly from: Time;
  readonly to: Time;
  readonly height: 0;
  readonly count: 0;
  readonly complete: false;
}

interface Branch<T> {
  readonly kind: 'branch';
  readonly from: Time;
  readonly to: Time;
  readonly height: number;
  /** Items that are known. */
  readonly count: number;
  /** Nothing in it is unknown. */
  readonly complete: boolean;
  readonly left: IntervalTree<T>;
  readonly right: IntervalTree<T>;
}

export type IntervalTree<T> = Known<T> | Unknown | Branch<T>;

const LARGEST_LEAF = 32;

export function unknown(from: Time, to: Time): Unknown {
  return { kind: 'unknown', from, to, height: 0, count: 0, complete: false };
}

function known<T>(from: Time, to: Time, items: readonly Item<T>[]): Known<T> {
  return { kind: 'known', from, to, height: 0, count: items.length, complete: true, items };
}

/** The tree with what was found, except where it is known already. */
export function learn<T>(tree: IntervalTree<T>, found: FoundItems<T>): IntervalTree<T> {
  const from = Math.max(found.from, tree.from);
  const to = Math.min(found.to, tree.to);
  if (!(from < to)) return tree;
  const [before, rest] = split(tree, from);
  assert(rest !== undefined, 'nothing of the tree is left');
  const [middle, after] = split(rest, to);
  assert(middle !== undefined, 'nothing of the tree was found');
  if (middle.complete) return tree;
  return joinKnown(joinKnown(before, filled(middle, found.items)), after)!;
}

function filled<T>(tree: IntervalTree<T>, items: readonly Item<T>[]): IntervalTree<T> {
  if (tree.complete) return tree;
  if (tree.kind === 'branch') return joinKnown(filled(tree.left, items), filled(tree.right, items))!;
  return ofItems(tree.from, tree.to, items.slice(firstIndex(items, tree.from), firstIndex(items, tree.to)));
}

function ofItems<T>(from: Time, to: Time, items: readonly Item<T>[]): IntervalTree<T> {
  if (items.length <= LARGEST_LEAF) return known(from, to, items);
  const middle = items.length >> 1;
  const border = items[middle]!.time;
  return branch(ofItems(from, border, items.slice(0, middle)), ofItems(border, to, items.slice(middle)));
}

/** Index of the first item at or after a time. */
export function firstIndex<T>(items: readonly Item<T>[], time: Time): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function branch<T>(left: IntervalTree<T>, right: IntervalTree<T>): Branch<T> {
  return {
    kind: 'branch', from: left.from, to: right.to, height: Math.max(left.height, right.height) + 1,
    count: left.count + right.count, complete: left.complete && right.complete, left, right,
  };
}

/** A branch of two trees whose heights differ by 2 at most. */
function balanced<T>(left: IntervalTree<T>, right: IntervalTree<T>): IntervalTree<T> {
  if (left.kind === 'branch' && left.height > right.height + 1) {
    const inner = left.right;
    if (left.left.height >= inner.height || inner.kind !== 'branch') return branch(left.left, branch(inner, right));
    return branch(branch(left.left, inner.left), branch(inner.right, right));
  }
  if (right.kind === 'branch' && right.height > left.height + 1) {
    const inner = right.left;
    if (right.right.height >= inner.height || inner.kind !== 'branch') return branch(branch(left, inner), right.right);
    return branch(branch(left, inner.left), branch(inner.right, right.right));
  }
  return branch(left, right);
}

type Maybe<T> = IntervalTree<T> | undefined;

function join<T>(left: Maybe<T>, right: Maybe<T>): Maybe<T> {
  if (left === undefined || right === undefined) return left ?? right;
  if (left.kind === 'branch' && left.height > right.height + 1) return balanced(left.left, join(left.right, right)!);
  if (right.kind === 'branch' && right.height > left.height + 1) return balanced(join(left, right.left)!, right.right);
  return balanced(left, right);
}

/** Joins, and makes one leaf of the two at the border if both are known and small. */
function joinKnown<T>(left: Maybe<T>, right: Maybe<T>): Maybe<T> {
  if (left === undefined || right === undefined) return left ?? right;
  const last = outermost(left, 'right');
  const first = outermost(right, 'left');
  if (last.kind !== 'known' || first.kind !== 'known' || last.count + first.count > LARGEST_LEAF) return join(left, right);
  const both = known(last.from, first.to, [...last.items, ...first.items]);
  const [before] = split(left, last.from);
  const [, after] = split(right, first.to);
  return join(join(before, both), after);
}

function outermost<T>(tree: IntervalTree<T>, side: 'left' | 'right'): Known<T> | Unknown {
  let at = tree;
  while (at.kind === 'branch') at = at[side];
  return at;
}

/** What is before a time, and what is not. */
function split<T>(tree: IntervalTree<T>, time: Time): readonly [Maybe<T>, Maybe<T>] {
  if (time <= tree.from) return [undefined, tree];
  if (time >= tree.to) return [tree, undefined];
  if (tree.kind === 'branch') {
    const [before, after] = split(time < tree.left.to ? tree.left : tree.right, time);
    return time < tree.left.to ? [before, join(after, tree.right)] : [join(tree.left, before), after];
  }
  if (tree.kind === 'unknown') return [unknown(tree.from, time), unknown(time, tree.to)];
  const index = firstIndex(tree.items, time);
  return [known(tree.from, time, tree.items.slice(0, index)), known(time, tree.to, tree.items.slice(index))];
}

/** The part of a leaf that is in [from, to), if it is not known to be empty. */
export function cutLeaf<T>(leaf: Known<T> | Unknown, from: Time, to: Time): (Known<T> | Unknown)[] {
  if (leaf.kind === 'unknown') return [unknown(from, to)];
  const items = leaf.items.slice(firstIndex(leaf.items, from), firstIndex(leaf.items, to));
  return items.length === 0 ? [] : [known(from, to, items)];
}
