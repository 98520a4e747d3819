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

export class Wanters {
  private readonly sets: (readonly number[])[] = [];
  /** Of each set of several: whether there are tags in it. */
  private readonly tagged: boolean[] = [];
  private readonly known = new Map<string, WanterSet>();
  private readonly unions = new PairTable();

  of(node: number): WanterSet {
    return node + 1;
  }

  nodes(set: WanterSet): readonly number[] {
    return set === NO_WANTERS ? [] : set < SETS ? [set - 1] : (this.sets[set - SETS] as readonly number[]);
  }

  union(a: WanterSet, b: WanterSet): WanterSet {
    if (a === b || b === NO_WANTERS) return a;
    if (a === NO_WANTERS) return b;
    const known = this.unions.get(a, b);
    if (known !== 0) return known;
    const made = this.make([...new Set([...this.nodes(a), ...this.nodes(b)])].sort((x, y) => x - y));
    this.unions.set(a, b, made);
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
    if (nodes.length < 2) return nodes.length === 0 ? NO_WANTERS : (nodes[0] as number) + 1;
    const key = nodes.join();
    let known = this.known.get(key);
    if (known === undefined) {
      this.known.set(key, (known = SETS + this.sets.push(nodes) - 1));
      this.tagged.push((nodes.at(-1) as number) >= NODES);
    }
    assert(this.sets.length < 0x7f00_0000 - SETS, 'too many sets of nodes');
    return known;
  }
}
