/** Random numbers that a seed determines (mulberry32): the same in every run. */

export class RandomNumbers {
  private state: number;

  constructor(seed: number) {
    // Neighbouring seeds, and those beyond 32 bits, are to have nothing in common.
    this.state = (Math.imul(seed ^ (seed / 0x1_0000_0000), 0x9e37_79b1) ^ 0x5bd1_e995) >>> 0;
  }

  /** 32 bits. */
  next(): number {
    this.state = (this.state + 0x6d2b_79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * limit);
  }

  /** Whether something happens that happens once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  /** From `low` to `high`, small ones as likely as large ones. */
  logarithmic(low: number, high: number): number {
    return Math.floor(low * (high / low) ** (this.next() / 0x1_0000_0000));
  }
}
