/** Stretches of addresses with values, which may overlap: who contains an address? */
export class IntervalMap<T> {
  private readonly lows: Float64Array;
  private readonly highs: Float64Array;
  /** The largest `high` up to here: how far back a search must go. */
  private readonly reach: Float64Array;
  private readonly values: readonly T[];

  constructor(intervals: readonly { readonly low: number; readonly high: number; readonly value: T }[]) {
    const sorted = [...intervals].sort((a, b) => a.low - b.low || b.high - a.high);
    this.lows = Float64Array.from(sorted, (i) => i.low);
    this.highs = Float64Array.from(sorted, (i) => i.high);
    this.values = sorted.map((i) => i.value);
    let most = -Infinity;
    this.reach = this.highs.map((high) => (most = Math.max(most, high)));
  }

  /** All values whose stretch contains the address, the one that begins last first. */
  find(address: number): T[] {
    const found: T[] = [];
    for (let i = this.lastAtOrBelow(address); i >= 0 && (this.reach[i] as number) > address; i--) {
      if ((this.highs[i] as number) > address) found.push(this.values[i] as T);
    }
    return found;
  }

  private lastAtOrBelow(address: number): number {
    let [low, high] = [0, this.lows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.lows[middle] as number) <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
