/**
 * tscan and revTscan (thesis, 4.2.2): all values up to an item, or from it on, put together by an associative operator.
 * It is applied along the tree of what is known of the input: for each node once, if at all, because both of its
 * arguments are lazy.
 *
 * "Near" is the side of the item for which a value is made, "far" the other one: for tscan near is right. A far side
 * may turn out to be empty, a near side never is: what is put there contains an item that is known.
 */
import type { Awaitable, Item, Lazy, Time } from '../types.js';
import { cutLeaf, type IntervalTree } from './intervalTree.js';
import { after, LazyCell } from './lazyCell.js';
import { isRunning } from './nesting.js';
import { Pointwise } from './pointwise.js';
import type { Remembered } from './remembered.js';
import { DEEPEST_NESTING } from './scanning.js';
import { BEGINNING, END, timeAfter } from './time.js';
import { nearestKnown } from './treeQueries.js';

/** The operator, with sides named as above. */
export type TreeOperator<T> = (far: Lazy<T | undefined>, near: Lazy<T>) => Awaitable<T>;

export function treeScanned<T>(input: Remembered<T>, f: TreeOperator<T>, side: 'before' | 'after'): Remembered<T> {
  return new TreeScan(input, f, side).memory;
}

class TreeScan<T> {
  private readonly definition: Pointwise<T, T>;
  /**
   * Results by node, so that queries share them and see which are there. A node may be forgotten; its interval's value
   * stays right.
   */
  private readonly cells = new WeakMap<IntervalTree<T>, LazyCell<T | undefined>>();

  constructor(
    private readonly input: Remembered<T>,
    private readonly f: TreeOperator<T>,
    private readonly side: 'before' | 'after',
  ) {
    this.definition = new Pointwise<T, T>(input, (item) => after(this.evaluate(item), (value) => ({ time: item.time, value })));
  }

  get memory(): Remembered<T> {
    return this.definition.memory;
  }

  /** The nearest value that was computed before has all that is behind it. */
  private evaluate(item: Item<T>): Awaitable<T> {
    const { time, value } = item;
    const isBefore = this.side === 'before';
    const done = isBefore ? nearestKnown(this.memory.tree, BEGINNING, time, 'last') : nearestKnown(this.memory.tree, timeAfter(time), END, 'first');
    if (done === undefined) return this.upTo(this.side === 'before' ? BEGINNING : END, item, 0);
    const border = isBefore ? timeAfter(done.time) : done.time;
    if (this.parts(border, item).length === 0) return this.f(LazyCell.of(done.value), LazyCell.of(value));
    return this.f(LazyCell.of(done.value), new LazyCell(() => this.upTo(border, item, 0)));
  }

  /** Everything from the border to the item, the item included. */
  private upTo(border: Time, item: Item<T>, depth: number): Awaitable<T> {
    return this.combine([...this.parts(border, item)], LazyCell.of(item.value), depth);
  }

  /** Far parts come first. They are put together in halves, so that operators are nested no deeper than need be. */
  private combine(parts: readonly IntervalTree<T>[], near: LazyCell<T>, depth: number): Awaitable<T> {
    if (parts.length === 0) return near.force();
    const running = isRunning();
    const deeper = (): number => (running.now ? depth + 1 : 0);
    const half = (parts.length + 1) >> 1;
    const [only] = parts;
    const far = half === 1 ? this.cellOf(only!, deeper) : new LazyCell(() => this.ofParts(parts.slice(0, half), deeper()));
    const rest = parts.slice(half);
    const nearer = rest.length === 0 ? near : new LazyCell(() => this.combine(rest, near, deeper()));
    return running.watch(this.f(far, nearer));
  }

  /**
   * Adjacent parts are an interval. If it is known that there is something in the nearest, they can be put together as
   * they are.
   */
  private ofParts(parts: readonly IntervalTree<T>[], depth: number): Awaitable<T | undefined> {
    const nearest = parts.at(-1)!;
    if (nearest.complete) return this.combine(parts.slice(0, -1), this.cellOf(nearest, () => depth) as LazyCell<T>, depth);
    const [first, last] = this.side === 'before' ? [parts[0]!, parts.at(-1)!] : [parts.at(-1)!, parts[0]!];
    return this.ofInterval(first.from, last.to, depth);
  }

  private async ofInterval(from: Time, to: Time, depth: number): Promise<T | undefined> {
    const nearest = await this.nearest(from, to);
    if (nearest === undefined) return undefined;
    // Who has waited for very many items is taken to need them all: what is known can be put together as a tree.
    if (depth >= DEEPEST_NESTING) await this.input.all(from, to);
    return this.upTo(this.side === 'before' ? from : to, nearest, depth);
  }

  private nearest(from: Time, to: Time): Promise<Item<T> | undefined> {
    return this.side === 'before' ? this.input.last(from, to) : this.input.first(from, to);
  }

  private cellOf(node: IntervalTree<T>, depth: () => number): LazyCell<T | undefined> {
    let cell = this.cells.get(node);
    if (cell === undefined) {
      cell = new LazyCell(() => this.ofNode(node, depth()));
      this.cells.set(node, cell);
    }
    return cell;
  }

  private ofNode(node: IntervalTree<T>, depth: number): Awaitable<T | undefined> {
    if (!node.complete) return this.ofInterval(node.from, node.to, depth);
    if (node.kind === 'known') return this.ofItems(this.side === 'before' ? node.items : node.items.toReversed());
    const [far, near] = this.side === 'before' ? [node.left, node.right] : [node.right, node.left];
    if (far.count === 0 || near.count === 0) return this.cellOf(far.count === 0 ? near : far, () => depth).force();
    return this.f(this.cellOf(far, () => depth), this.cellOf(near, () => depth) as LazyCell<T>);
  }

  private ofItems(items: readonly Item<T>[]): Awaitable<T> {
    if (items.length === 1) return items[0]!.value;
    const half = items.length >> 1;
    return this.f(new LazyCell(() => this.ofItems(items.slice(0, half))), new LazyCell(() => this.ofItems(items.slice(half))));
  }

  /** The nodes between the border and the item that are not known to be empty, the far ones first. */
  private parts(border: Time, item: Item<T>): readonly IntervalTree<T>[] {
    const [from, to] = this.side === 'before' ? [border, item.time] : [timeAfter(item.time), border];
    const parts = coveringNodes(this.input.tree, from, to);
    return this.side === 'before' ? parts : parts.reverse();
  }
}

/**
 * As few nodes as possible that make up [from, to), without those that are known to be empty; leaves at the borders are
 * cut.
 */
function coveringNodes<T>(tree: IntervalTree<T>, from: Time, to: Time, into: IntervalTree<T>[] = []): IntervalTree<T>[] {
  if (from >= tree.to || to <= tree.from || (tree.complete && tree.count === 0)) return into;
  if (from <= tree.from && tree.to <= to) into.push(tree);
  else if (tree.kind === 'branch') coveringNodes(tree.right, from, to, coveringNodes(tree.left, from, to, into));
  else into.push(...cutLeaf(tree, Math.max(from, tree.from), Math.min(to, tree.to)));
  return into;
}
