/**
 * Sets of nodes that want the same thing, as small numbers: the same nodes have the same number. A set of one node is
 * that node's number plus one, so that it costs nothing; others are looked up in tables of our own, because a walk
 * unites sets tens of millions of times.
 */
import { assert } from '../../base/assert.js';
import { PairTable } from './pairTable.js';

/** 0: no one wants it. */
export type WanterSet = number;
export const NO_WANTERS: WanterSet = 0;
/** In place of a set for several bytes: that differs by byte. */
export const SPLIT = -1;

/** Nodes have numbers below. Above are tags of restores (restores.ts), and then sets of several. */
export const NODES = 0x40_0000;
const SETS = 0x80_0000;

const NO_NODES: readonly number[] = [];
const [MIX_A, MIX_B] = [0x9e37_79b1, 0x85eb_ca6b];

export class Wanters {
  /** In the order of numbers. */
  private readonly sets: (readonly number[])[] = [];
  /** Of each set of several: whether there are tags in it. */
  private readonly tagged: boolean[] = [];
  /** Sets of several by two hashes of their nodes. */
  private readonly known = new PairTable();
  private readonly unions = new PairTable();

  of(node: number): WanterSet {
    return node + 1;
  }

  nodes(set: WanterSet): readonly number[] {
    return set === NO_WANTERS ? NO_NODES : set < SETS ? [set - 1] : (this.sets[set - SETS] as readonly number[]);
  }

  union(a: WanterSet, b: WanterSet): WanterSet {
    if (a === b || b === NO_WANTERS) return a;
    if (a === NO_WANTERS) return b;
    const [first, second] = a < b ? [a, b] : [b, a];
    const known = this.unions.get(first, second);
    if (known !== 0) return known;
    const made = this.make(merged(this.nodes(first), this.nodes(second)));
    this.unions.set(first, second, made);
    return made;
  }

  without(set: WanterSet, nodes: readonly number[]): WanterSet {
    return this.make(this.nodes(set).filter((node) => !nodes.includes(node)));
  }

  /** Whether there are tags in it. */
  hasTags(set: WanterSet): boolean {
    return set > NODES && (set < SETS || this.tagged[set - SETS] === true);
  }

  private make(nodes: readonly number[]): WanterSet {
    const { length } = nodes;
    if (length < 2) return length === 0 ? NO_WANTERS : (nodes[0] as number) + 1;
    let [a, b] = [length, length];
    for (let i = 0; i < length; i++) {
      const node = nodes[i] as number;
      a = Math.imul(a ^ node, MIX_A);
      a ^= a >>> 15;
      b = Math.imul(b + node, MIX_B) ^ (b >>> 13);
    }
    // Positive, and far from the largest number. Others with the same hashes have those that follow.
    const first = (a >>> 2) + 1;
    for (let second = (b >>> 2) + 1; ; second++) {
      const known = this.known.get(first, second);
      if (known === 0) return this.add(nodes, first, second);
      if (areEqual(this.sets[known - SETS] as readonly number[], nodes)) return known;
    }
  }

  private add(nodes: readonly number[], first: number, second: number): WanterSet {
    const made = SETS + this.sets.push(nodes) - 1;
    this.tagged.push((nodes.at(-1) as number) >= NODES);
    this.known.set(first, second, made);
    assert(this.sets.length < 0x7f00_0000 - SETS, 'too many sets of nodes');
    return made;
  }
}

/** Of two lists in order: all of both, in order, each once. */
function merged(a: readonly number[], b: readonly number[]): number[] {
  const all: number[] = [];
  let [i, k] = [0, 0];
  while (i < a.length && k < b.length) {
    const [x, y] = [a[i] as number, b[k] as number];
    all.push(x <= y ? x : y);
    if (x <= y) i++;
    if (y <= x) k++;
  }
  while (i < a.length) all.push(a[i++] as number);
  while (k < b.length) all.push(b[k++] as number);
  return all;
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
