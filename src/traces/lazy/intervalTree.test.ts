import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learn, unknown, type IntervalTree } from './intervalTree.js';
import { timeAfter } from './time.js';
import { firstSpot, firstUnknown, knownCount, knownItems, lastSpot, leaves, nearestKnown } from './treeQueries.js';

const LIMIT = 200;

/** The truth: items at even times; and which whole times are known. */
function found(from: number, to: number): { from: number; to: number; items: { time: number; value: number }[] } {
  const items = [];
  for (let time = from; time < to; time++) if (time % 2 === 0) items.push({ time, value: time });
  return { from, to, items };
}

const parts = fc.array(fc.tuple(fc.nat(LIMIT), fc.nat(LIMIT)).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const), { maxLength: 60 });

function learned(ranges: readonly (readonly [number, number])[]): { tree: IntervalTree<number>; isKnown: boolean[] } {
  let tree: IntervalTree<number> = unknown(0, LIMIT + 1);
  const isKnown = new Array<boolean>(LIMIT + 1).fill(false);
  for (const [from, to] of ranges) {
    tree = learn(tree, found(from, to));
    isKnown.fill(true, from, to);
  }
  return { tree, isKnown };
}

function heightOf<T>(tree: IntervalTree<T>): number {
  if (tree.kind !== 'branch') return 0;
  const [left, right] = [heightOf(tree.left), heightOf(tree.right)];
  expect(Math.abs(left - right)).toBeLessThanOrEqual(1);
  expect(tree.height).toBe(Math.max(left, right) + 1);
  expect(tree.left.to).toBe(tree.right.from);
  return tree.height;
}

describe('interval tree', () => {
  it('knows what it was told, balanced, without gaps, in whatever order', () => {
    fc.assert(fc.property(parts, (ranges) => {
      const { tree, isKnown } = learned(ranges);
      heightOf(tree);
      expect(knownItems(tree, 0, Infinity).map(({ time }) => time)).toEqual(isKnown.flatMap((known, time) => (known && time % 2 === 0 ? [time] : [])));
      expect(tree.complete).toBe(isKnown.every(Boolean));
      expect(leaves(tree).every((leaf) => isKnown.slice(leaf.from, leaf.to).every((known) => known === (leaf.kind === 'known')))).toBe(true);
    }));
  });

  it('answers every question as a table does', () => {
    fc.assert(fc.property(parts, fc.nat(LIMIT), fc.nat(LIMIT), (ranges, a, b) => {
      const { tree, isKnown } = learned(ranges);
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const times = Array.from({ length: to - from }, (_, i) => from + i);
      const known = times.filter((t) => isKnown[t] && t % 2 === 0);
      expect(knownCount(tree, from, to)).toBe(known.length);
      expect(nearestKnown(tree, from, to, 'first')?.time).toBe(known[0]);
      expect(nearestKnown(tree, from, to, 'last')?.time).toBe(known.at(-1));
      expect(firstUnknown(tree, from, to)?.from).toBe(times.find((t) => !isKnown[t]));
      const stop = (t: number): boolean => !isKnown[t] || t % 2 === 0;
      const first = times.find(stop);
      const spot = firstSpot(tree, from, to);
      expect(spot === undefined ? undefined : 'item' in spot ? spot.item.time : spot.from).toBe(first);
      expect(spot !== undefined && 'item' in spot).toBe(first !== undefined && isKnown[first] === true);
      const last = times.findLast(stop);
      const back = lastSpot(tree, from, to);
      expect(back === undefined ? undefined : 'item' in back ? back.item.time : back.to - 1).toBe(last);
    }));
  });

  it('keeps what it knew first, and the tree if there is nothing new', () => {
    const tree = learn(unknown(0, 10), { from: 2, to: 5, items: [{ time: 3, value: 'first' }] });
    expect(learn(tree, { from: 3, to: 4, items: [{ time: 3, value: 'second' }] })).toBe(tree);
    const more = learn(tree, { from: 0, to: 10, items: [{ time: 3, value: 'second' }, { time: 7, value: 'new' }] });
    expect(knownItems(more, 0, 10).map(({ value }) => value)).toEqual(['first', 'new']);
  });

  it('makes one leaf of known neighbours', () => {
    let tree: IntervalTree<number> = unknown(0, 1000);
    for (let t = 999; t >= 0; t--) tree = learn(tree, found(t, t + 1));
    expect(leaves(tree).length).toBeLessThan(1000 / 2 / 8);
  });
});

describe('timeAfter', () => {
  it('is the next number', () => {
    for (const t of [1, 2, 3, 4, 50, 2 ** 40, 2 ** 40 + 0.5, 49.5, 1e15, -1, -1.5, -4]) {
      expect(timeAfter(t)).toBeGreaterThan(t);
      expect((t + timeAfter(t)) / 2 === t || (t + timeAfter(t)) / 2 === timeAfter(t)).toBe(true);
    }
    expect([timeAfter(0), timeAfter(Infinity), timeAfter(-Infinity)]).toEqual([Number.MIN_VALUE, Infinity, -Infinity]);
  });
});
