/** Sets of address ranges: sorted, disjoint, and quick to ask. */
export interface AddressInterval {
  readonly start: number;
  /** First address after it. */
  readonly end: number;
}

export class IntervalSet {
  readonly intervals: readonly AddressInterval[];

  /** In any order, overlapping or not. */
  constructor(intervals: readonly AddressInterval[]) {
    const sorted = intervals.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
    const merged: { start: number; end: number }[] = [];
    for (const { start, end } of sorted) {
      const last = merged.at(-1);
      if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
      else merged.push({ start, end });
    }
    this.intervals = merged;
  }

  /** Whether it has one of `length` addresses from `start` on. */
  overlaps(start: number, length: number): boolean {
    const { intervals } = this;
    let low = 0;
    let high = intervals.length;
    // The first interval that ends after `start`.
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((intervals[middle] as AddressInterval).end > start) high = middle;
      else low = middle + 1;
    }
    const found = intervals[low];
    return found !== undefined && found.start < start + length;
  }
}
