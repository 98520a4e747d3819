/**
 * A map that can be forked in constant time. Changes go to a layer of its own; `fork` freezes that
 * layer and puts it below both copies, which from then on go separate ways. Long piles of layers
 * are merged, so that a look-up stays cheap however often a map was forked.
 */
const GONE = Symbol('gone');

type Layer<K, V> = Map<K, V | typeof GONE>;

const MOST_LAYERS = 8;

export class LayeredMap<K, V> {
  private own: Layer<K, V> = new Map();

  constructor(
    /** Frozen, newest first. */
    private below: readonly Layer<K, V>[] = [],
  ) {}

  get(key: K): V | undefined {
    let found = this.own.get(key);
    for (let i = 0; found === undefined && i < this.below.length; i++) found = this.below[i]?.get(key);
    return found === GONE ? undefined : found;
  }

  set(key: K, value: V): void {
    this.own.set(key, value);
  }

  delete(key: K): void {
    if (this.below.length === 0) this.own.delete(key);
    else this.own.set(key, GONE);
  }

  /** Whether the value was set here since the last fork: then no other view can see it. */
  owns(key: K): boolean {
    return this.own.has(key);
  }

  /** All that is in the map now, in no particular order. */
  entries(): [K, V][] {
    const all = this.below.length === 0 ? this.own : merged([this.own, ...this.below]);
    return [...all].filter((entry): entry is [K, V] => entry[1] !== GONE);
  }

  fork(): LayeredMap<K, V> {
    if (this.own.size > 0) {
      this.below = [this.own, ...this.below];
      this.own = new Map();
    }
    if (this.below.length > MOST_LAYERS) this.below = [withoutGone(merged(this.below))];
    return new LayeredMap(this.below);
  }
}

function merged<K, V>(layers: readonly Layer<K, V>[]): Layer<K, V> {
  const all: Layer<K, V> = new Map();
  for (const layer of [...layers].reverse()) {
    for (const [key, value] of layer) all.set(key, value);
  }
  return all;
}

function withoutGone<K, V>(layer: Layer<K, V>): Layer<K, V> {
  return new Map([...layer].filter(([, value]) => value !== GONE));
}
