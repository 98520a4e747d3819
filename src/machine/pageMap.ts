/**
 * A map from numbers of pages to things. Such numbers are too large to be small integers to V8, whose own maps then
 * make an object of every key; allocations of checked programs (views.ts) look up and change several each. Open
 * addressing; who is removed leaves no gap.
 */
const SMALLEST = 64;
const FREE = -1;
const SPREAD = 0x9e37_79b1;

export class PageMap<T> {
  private keys = new Float64Array(SMALLEST).fill(FREE);
  private items: (T | undefined)[] = new Array<T | undefined>(SMALLEST).fill(undefined);
  size = 0;

  get(page: number): T | undefined {
    const { keys } = this;
    const mask = keys.length - 1;
    for (let at = hashOf(page) & mask; ; at = (at + 1) & mask) {
      const key = keys[at];
      if (key === page) return this.items[at];
      if (key === FREE) return undefined;
    }
  }

  has(page: number): boolean {
    return this.get(page) !== undefined;
  }

  set(page: number, item: T): void {
    if (this.size * 2 >= this.keys.length) this.grow();
    const { keys } = this;
    const mask = keys.length - 1;
    let at = hashOf(page) & mask;
    while (keys[at] !== page && keys[at] !== FREE) at = (at + 1) & mask;
    if (keys[at] === FREE) this.size++;
    keys[at] = page;
    this.items[at] = item;
  }

  delete(page: number): void {
    const { keys, items } = this;
    const mask = keys.length - 1;
    let gap = hashOf(page) & mask;
    while (keys[gap] !== page) {
      if (keys[gap] === FREE) return;
      gap = (gap + 1) & mask;
    }
    this.size--;
    // Entries that hash to here, or before, move up.
    for (let at = (gap + 1) & mask; keys[at] !== FREE; at = (at + 1) & mask) {
      const wanted = hashOf(keys[at] as number) & mask;
      if (((at - wanted) & mask) < ((at - gap) & mask)) continue;
      keys[gap] = keys[at] as number;
      items[gap] = items[at];
      gap = at;
    }
    keys[gap] = FREE;
    items[gap] = undefined;
  }

  clear(): void {
    this.keys = new Float64Array(SMALLEST).fill(FREE);
    this.items = new Array<T | undefined>(SMALLEST).fill(undefined);
    this.size = 0;
  }

  *entries(): Iterable<[page: number, item: T]> {
    for (let i = 0; i < this.keys.length; i++) if (this.keys[i] !== FREE) yield [this.keys[i] as number, this.items[i] as T];
  }

  private grow(): void {
    const { keys, items } = this;
    this.keys = new Float64Array(keys.length * 2).fill(FREE);
    this.items = new Array<T | undefined>(keys.length * 2).fill(undefined);
    this.size = 0;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== FREE) this.set(keys[i] as number, items[i] as T);
  }
}

/** The upper bits count as well: they tell views of the same memory apart. */
function hashOf(page: number): number {
  const high = Math.floor(page / 0x1_0000);
  const hash = Math.imul((page | 0) ^ Math.imul(high, SPREAD), SPREAD);
  return hash ^ (hash >>> 15);
}
