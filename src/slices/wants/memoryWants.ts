/**
 * The bytes of an address space that are wanted, and by which nodes. Bytes are named by where they lie in linear
 * memory: blocks with addresses of their own (machine/views.ts) differ from others above bit 31 only.
 */
import { NO_WANTERS, type WanterSet } from './wanters.js';

const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
const LINEAR = 0x8000_0000;

export function linearOf(address: number): number {
  return address % LINEAR;
}

export class MemoryWants {
  /** How many bytes are wanted. */
  size = 0;
  private readonly pages: (Int32Array | undefined)[] = [];
  private readonly counts: number[] = [];

  at(linear: number): WanterSet {
    const page = this.pages[linear >>> PAGE_BITS];
    return page === undefined ? NO_WANTERS : (page[linear & (PAGE_BYTES - 1)] as number);
  }

  set(linear: number, wanters: WanterSet): void {
    const number = linear >>> PAGE_BITS;
    let page = this.pages[number];
    if (page === undefined) {
      if (wanters === NO_WANTERS) return;
      this.pages[number] = page = new Int32Array(PAGE_BYTES);
      this.counts[number] = 0;
    }
    const at = linear & (PAGE_BYTES - 1);
    const change = (wanters === NO_WANTERS ? 0 : 1) - (page[at] === NO_WANTERS ? 0 : 1);
    page[at] = wanters;
    if (change === 0) return;
    this.size += change;
    this.counts[number] = (this.counts[number] as number) + change;
    if (this.counts[number] === 0) this.pages[number] = undefined;
  }

  /** Whether any of so many bytes is wanted. */
  meets(linear: number, bytes: number): boolean {
    const [first, last] = [linear >>> PAGE_BITS, (linear + bytes - 1) >>> PAGE_BITS];
    for (let number = first; number <= last; number++) {
      const page = this.pages[number];
      if (page === undefined) continue;
      const [from, to] = [number === first ? linear & (PAGE_BYTES - 1) : 0, number === last ? (linear + bytes - 1) & (PAGE_BYTES - 1) : PAGE_BYTES - 1];
      for (let at = from; at <= to; at++) if (page[at] !== NO_WANTERS) return true;
    }
    return false;
  }

  /** All that is wanted, in order. */
  *all(): Generator<readonly [linear: number, wanters: WanterSet]> {
    for (const [number, page] of this.pages.entries()) {
      if (page === undefined) continue;
      for (let at = 0; at < PAGE_BYTES; at++) if (page[at] !== NO_WANTERS) yield [number * PAGE_BYTES + at, page[at] as number];
    }
  }
}
