/**
 * Sets of nodes that want the same thing, as small numbers. Sets are made once: the same nodes have the same number. A
 * set of one that is asked for again and again, which is what loops do, costs a look into a table.
 */

/** 0: no one wants it. */
export type WanterSet = number;
export const NO_WANTERS: WanterSet = 0;

/** Keys of pairs are products: numbers of nodes and sets stay below this. */
const PAIR = 0x400_0000;

export class Wanters {
  private readonly sets: (readonly number[])[] = [[]];
  private readonly known = new Map<string, WanterSet>();
  private readonly unions = new Map<number, WanterSet>();
  private readonly singles: (WanterSet | undefined)[] = [];

  of(node: number): WanterSet {
    return (this.singles[node] ??= this.make([node]));
  }

  nodes(set: WanterSet): readonly number[] {
    return this.sets[set] as readonly number[];
  }

  union(a: WanterSet, b: WanterSet): WanterSet {
    if (a === b || b === NO_WANTERS) return a;
    if (a === NO_WANTERS) return b;
    const key = a < b ? a * PAIR + b : b * PAIR + a;
    let known = this.unions.get(key);
    if (known === undefined) this.unions.set(key, (known = this.make([...new Set([...this.nodes(a), ...this.nodes(b)])].sort((x, y) => x - y))));
    return known;
  }

  without(set: WanterSet, nodes: readonly number[]): WanterSet {
    const rest = this.nodes(set).filter((node) => !nodes.includes(node));
    return rest.length === 0 ? NO_WANTERS : this.make(rest);
  }

  private make(nodes: readonly number[]): WanterSet {
    const key = nodes.join();
    let known = this.known.get(key);
    if (known === undefined) this.known.set(key, (known = this.sets.push(nodes) - 1));
    return known;
  }
}
