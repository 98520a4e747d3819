/**
 * The mappings of an address space in order of address. They never overlap, and neighbours that
 * Linux would merge are merged. Look-up is a binary search; changes cost a splice.
 */
import { canMerge, clipMapping, type Mapping } from './mapping.js';

export class MappingList {
  private readonly items: Mapping[] = [];

  all(): readonly Mapping[] {
    return this.items;
  }

  /** Replaces all of them. */
  reset(items: readonly Mapping[]): void {
    this.items.length = 0;
    for (const m of items) this.items.push(m);
  }

  /** Index of the first mapping that ends above `address`; the length of the list if none does. */
  indexAfter(address: number): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.items[middle] as Mapping).end > address) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  at(index: number): Mapping | undefined {
    return this.items[index];
  }

  find(address: number): Mapping | undefined {
    const m = this.items[this.indexAfter(address)];
    return m !== undefined && m.start <= address ? m : undefined;
  }

  /** Those that have a byte in [start, end), clipped to it. */
  within(start: number, end: number): Mapping[] {
    const found: Mapping[] = [];
    for (let i = this.indexAfter(start); i < this.items.length; i++) {
      const m = this.items[i] as Mapping;
      if (m.start >= end) break;
      found.push(clipMapping(m, start, end));
    }
    return found;
  }

  isFree(start: number, end: number): boolean {
    const m = this.items[this.indexAfter(start)];
    return m === undefined || m.start >= end;
  }

  /** Takes [start, end) out, splitting what sticks out, and returns the pieces taken. */
  cut(start: number, end: number): Mapping[] {
    const first = this.indexAfter(start);
    const removed: Mapping[] = [];
    const kept: Mapping[] = [];
    let last = first;
    for (; last < this.items.length; last++) {
      const m = this.items[last] as Mapping;
      if (m.start >= end) break;
      removed.push(clipMapping(m, start, end));
      if (m.start < start) kept.push(clipMapping(m, m.start, start));
      if (m.end > end) kept.push(clipMapping(m, end, m.end));
    }
    this.items.splice(first, last - first, ...kept);
    return removed;
  }

  /** Puts a mapping into a free range and merges it with its neighbours. */
  add(added: Mapping): void {
    let m = added;
    let index = this.indexAfter(m.start);
    let replaced = 0;
    const next = this.items[index];
    if (next !== undefined && canMerge(m, next)) {
      m = { ...m, end: next.end };
      replaced = 1;
    }
    const before = this.items[index - 1];
    if (before !== undefined && canMerge(before, m)) {
      m = { ...before, end: m.end };
      index--;
      replaced++;
    }
    this.items.splice(index, replaced, m);
  }
}
