/**
 * Numbers by pairs of numbers: a hash table in one array. Pairs and values are positive and below 2^31; 0 is no value.
 */

const ENTRY = 4;
const FIRST_CAPACITY = 4096;
const [MIX_A, MIX_B] = [0x9e37_79b1, 0x85eb_ca6b];

export class PairTable {
  private capacity = FIRST_CAPACITY;
  private entries = new Int32Array(FIRST_CAPACITY * ENTRY);
  private size = 0;

  get(a: number, b: number): number {
    const { entries, capacity } = this;
    for (let at = (Math.imul(a, MIX_A) ^ Math.imul(b, MIX_B)) & (capacity - 1); ; at = (at + 1) & (capacity - 1)) {
      const entry = at * ENTRY;
      const value = entries[entry + 2] as number;
      if (value === 0 || (entries[entry] === a && entries[entry + 1] === b)) return value;
    }
  }

  /** The pair must not be there yet. */
  set(a: number, b: number, value: number): void {
    if (this.size * 2 >= this.capacity) this.grow();
    this.put(a, b, value);
    this.size++;
  }

  private put(a: number, b: number, value: number): void {
    const { entries, capacity } = this;
    let at = (Math.imul(a, MIX_A) ^ Math.imul(b, MIX_B)) & (capacity - 1);
    while (entries[at * ENTRY + 2] !== 0) at = (at + 1) & (capacity - 1);
    entries[at * ENTRY] = a;
    entries[at * ENTRY + 1] = b;
    entries[at * ENTRY + 2] = value;
  }

  private grow(): void {
    const before = this.entries;
    this.capacity *= 2;
    this.entries = new Int32Array(this.capacity * ENTRY);
    for (let at = 0; at < before.length; at += ENTRY) if (before[at + 2] !== 0) this.put(before[at] as number, before[at + 1] as number, before[at + 2] as number);
  }
}
