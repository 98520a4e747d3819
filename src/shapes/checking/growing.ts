/** Typed arrays that grow: what a million nodes need must not be a million objects. */
export class GrowingIntegers {
  private items: Int32Array;

  constructor(private readonly initial: number) {
    this.items = new Int32Array(64).fill(initial);
  }

  get(index: number): number {
    return index < this.items.length ? this.items[index]! : this.initial;
  }

  set(index: number, value: number): void {
    if (index >= this.items.length) this.grow(index);
    this.items[index] = value;
  }

  add(index: number, amount: number): void {
    this.set(index, this.get(index) + amount);
  }

  private grow(index: number): void {
    const larger = new Int32Array(Math.max(index + 1, 2 * this.items.length)).fill(this.initial, this.items.length);
    larger.set(this.items);
    this.items = larger;
  }
}

/** Values of fields: doubles, and the few integers that are larger than they hold beside them. */
export class GrowingValues {
  private items = new Float64Array(64);
  private readonly large = new Map<number, bigint>();

  get(index: number): number | bigint {
    const value = this.items[index]!;
    return value !== value && this.large.size > 0 ? (this.large.get(index) ?? value) : value;
  }

  set(index: number, value: number | bigint): void {
    if (index >= this.items.length) this.grow(index);
    if (typeof value === 'bigint') {
      this.items[index] = Number.NaN;
      this.large.set(index, value);
    } else {
      if (this.large.size > 0) this.large.delete(index);
      this.items[index] = value;
    }
  }

  private grow(index: number): void {
    const larger = new Float64Array(Math.max(index + 1, 2 * this.items.length));
    larger.set(this.items);
    this.items = larger;
  }
}
