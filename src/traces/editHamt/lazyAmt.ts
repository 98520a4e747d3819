/**
 * LazyAMT (thesis, 4.3.3): a trie from hashes to values whose nodes are filled in when a lookup comes by. A trie is
 * made from the one before it by adding a value, or from two by merging them; neither looks at them. An element of a
 * node is found by asking: is it on the path of what this trie adds? Otherwise it is that of the trie before, which the
 * lookup goes on to.
 *
 * A lookup of something old passes by all tries since. That is a loop, not a recursion, and what it finds is noted on
 * the way. Recursion is as deep as the trie, and as merged tries are nested on the right. What is there already is
 * passed without promises.
 */
import { after, isPromise, LazyCell } from '../lazy/lazyCell.js';
import type { Awaitable } from '../types.js';

const WIDTH = 5;
const LEVELS = 6;
/**
 * In one of so many tries that a lookup passes it is noted what it found: another lookup passes few of them, and most
 * take no memory for it.
 */
const NOTED_EVERY = 16;
/** Merged tries on the right of each other; deeper ones are looked at later, with a new stack. */
const DEEPEST_RIGHT = 64;

interface Leaf<V> {
  readonly value: V;
}

type Subtrie<V> = TrieNode<V> | Leaf<V> | undefined;

/** The prior value comes as a lazy one: undefined if there is none. */
type MakeValue<V> = (prior: LazyCell<V | undefined>) => V;
type MergeValues<V> = (left: LazyCell<V | undefined>, right: V) => V;

/** The root of a trie; undefined is the empty one. */
export type Root<V> = TrieNode<V> | undefined;

export function addTo<V>(prior: LazyCell<Root<V>>, hash: number, make: MakeValue<V>): TrieNode<V> {
  return new AddedNode(0, hash, make, prior);
}

export function merge<V>(left: LazyCell<Root<V>>, right: LazyCell<Root<V>>, mergeValues: MergeValues<V>): TrieNode<V> {
  return new MergedNode(left, right, mergeValues);
}

export async function lookUp<V>(root: Root<V>, hash: number): Promise<V | undefined> {
  let at: Subtrie<V> = root;
  for (let level = 0; level < LEVELS; level++) {
    const next: Awaitable<Subtrie<V>> = element(at, slotOf(hash, level), 0);
    at = isPromise(next) ? await next : next;
    if (at === undefined) return undefined;
  }
  return (at as Leaf<V>).value;
}

function slotOf(hash: number, level: number): number {
  return (hash >>> (WIDTH * level)) & (2 ** WIDTH - 1);
}

/** A lazy sparse array: which elements are known, which of them are there, and these. */
abstract class TrieNode<V> {
  private known = 0;
  private present = 0;
  private readonly elements: (TrieNode<V> | Leaf<V>)[] = [];

  /** What this trie itself has there, on its path. The depth is that of recursion to the right. */
  abstract own(slot: number, depth: number): Awaitable<Subtrie<V>>;
  /** The node at the same place in the trie before. */
  abstract readonly prior: LazyCell<Subtrie<V>>;

  has(slot: number): boolean {
    return (this.known & (1 << slot)) !== 0;
  }

  get(slot: number): Subtrie<V> {
    return (this.present & (1 << slot)) === 0 ? undefined : this.elements[this.indexOf(slot)];
  }

  set(slot: number, value: Subtrie<V>): void {
    if (this.has(slot)) return;
    this.known |= 1 << slot;
    if (value === undefined) return;
    this.elements.splice(this.indexOf(slot), 0, value);
    this.present |= 1 << slot;
  }

  private indexOf(slot: number): number {
    return bitCount(this.present & ((1 << slot) - 1));
  }
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function element<V>(start: Subtrie<V>, slot: number, depth: number): Awaitable<Subtrie<V>> {
  const way: Way<V> = { slot, depth, noting: [], steps: 0 };
  for (let node = start as Root<V>; ; ) {
    if (node === undefined || node.has(slot)) return noted(way, node);
    const next = holderOf(node, way);
    if (isPromise(next)) return elementLater(way, next);
    node = next;
  }
}

async function elementLater<V>(way: Way<V>, coming: Promise<Root<V>>): Promise<Subtrie<V>> {
  let node = await coming;
  while (node !== undefined && !node.has(way.slot)) {
    const next = holderOf(node, way);
    node = isPromise(next) ? await next : next;
  }
  return noted(way, node);
}

/** Of a lookup from trie to trie. */
interface Way<V> {
  readonly slot: number;
  readonly depth: number;
  /** Where it will be noted what was found. */
  readonly noting: TrieNode<V>[];
  steps: number;
}

/** The node itself if it has the element, otherwise the one before it. */
function holderOf<V>(node: TrieNode<V>, way: Way<V>): Awaitable<Root<V>> {
  if (way.steps++ % NOTED_EVERY === 0) way.noting.push(node);
  const own = node.own(way.slot, way.depth);
  return isPromise(own) ? own.then((there) => holderWith(node, way.slot, there)) : holderWith(node, way.slot, own);
}

function holderWith<V>(node: TrieNode<V>, slot: number, own: Subtrie<V>): Awaitable<Root<V>> {
  if (own === undefined) return node.prior.get() as Awaitable<Root<V>>;
  node.set(slot, own);
  return node;
}

function noted<V>({ slot, noting }: Way<V>, holder: Root<V>): Subtrie<V> {
  const found = holder?.get(slot);
  for (const node of noting) node.set(slot, found);
  return found;
}

class AddedNode<V> extends TrieNode<V> {
  constructor(
    private readonly level: number,
    private readonly hash: number,
    private readonly make: MakeValue<V>,
    readonly prior: LazyCell<Subtrie<V>>,
  ) {
    super();
  }

  own(slot: number): Subtrie<V> {
    const { level, hash, make, prior } = this;
    if (slot !== slotOf(hash, level)) return undefined;
    if (level < LEVELS - 1) return new AddedNode(level + 1, hash, make, below(prior, slot));
    return { value: make(valueBelow(prior, slot)) };
  }
}

class MergedNode<V> extends TrieNode<V> {
  constructor(
    readonly prior: LazyCell<Subtrie<V>>,
    private readonly right: LazyCell<Subtrie<V>>,
    private readonly mergeValues: MergeValues<V>,
  ) {
    super();
  }

  own(slot: number, depth: number): Awaitable<Subtrie<V>> {
    if (depth > DEEPEST_RIGHT) return Promise.resolve().then(() => this.own(slot, 0));
    const right = after(this.right.get(), (node) => element(node, slot, depth + 1));
    return after(right, (there) => this.merged(there, slot));
  }

  private merged(right: Subtrie<V>, slot: number): Subtrie<V> {
    const { prior, mergeValues } = this;
    if (right === undefined) return undefined;
    if (right instanceof TrieNode) return new MergedNode(below(prior, slot), LazyCell.of<Subtrie<V>>(right), mergeValues);
    return { value: mergeValues(valueBelow(prior, slot), right.value) };
  }
}

function below<V>(node: LazyCell<Subtrie<V>>, slot: number): LazyCell<Subtrie<V>> {
  return new LazyCell(() => after(node.get(), (there) => element(there, slot, 0)));
}

function valueBelow<V>(node: LazyCell<Subtrie<V>>, slot: number): LazyCell<V | undefined> {
  return new LazyCell(() => after(below(node, slot).get(), (leaf) => (leaf as Leaf<V> | undefined)?.value));
}
