/**
 * The bytes of an address space that are wanted, and by which nodes. Bytes are named by where they lie in linear
 * memory: blocks with addresses of their own (machine/views.ts) differ from others above bit 31 only.
 */
import { NO_WANTERS, type WanterSet, type Wanters } from './wanters.js';

const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
const IN_PAGE = PAGE_BYTES - 1;
const PAGES = 1 << (31 - PAGE_BITS);
const LINEAR = 0x7fff_ffff;

export function linearOf(address: number): number {
  return (address | 0) & LINEAR;
}

export class MemoryWants {
  /** How many bytes are wanted. */
  size = 0;
  /** By page. */
  private readonly counts = new Uint16Array(PAGES);
  private readonly pages: (Int32Array | undefined)[] = [];

  constructor(private readonly wanters: Wanters) {}

  at(linear: number): WanterSet {
    const page = linear >>> PAGE_BITS;
    return this.counts[page] === 0 ? NO_WANTERS : ((this.pages[page] as Int32Array)[linear & IN_PAGE] as number);
  }

  set(linear: number, wanters: WanterSet): void {
    const number = linear >>> PAGE_BITS;
    const page = (this.pages[number] ??= new Int32Array(PAGE_BYTES));
    const at = linear & IN_PAGE;
    const change = (wanters === NO_WANTERS ? 0 : 1) - (page[at] === NO_WANTERS ? 0 : 1);
    page[at] = wanters;
    if (change === 0) return;
    this.size += change;
    this.counts[number] = (this.counts[number] as number) + change;
  }

  /** So many bytes are wanted by more. */
  add(linear: number, bytes: number, own: WanterSet): void {
    for (let i = 0; i < bytes; i++) {
      const before = this.at(linear + i);
      if (before !== own) this.set(linear + i, this.wanters.union(before, own));
    }
  }

  /** Whether any of so many bytes is wanted. */
  meets(linear: number, bytes: number): boolean {
    const first = linear >>> PAGE_BITS;
    const last = (linear + bytes - 1) >>> PAGE_BITS;
    for (let number = first; number <= last; number++) {
      if (this.counts[number] === 0) continue;
      const page = this.pages[number] as Int32Array;
      const from = number === first ? linear & IN_PAGE : 0;
      const to = number === last ? (linear + bytes - 1) & IN_PAGE : IN_PAGE;
      for (let at = from; at <= to; at++) if (page[at] !== NO_WANTERS) return true;
    }
    return false;
  }

  /** Of so many bytes: those that are wanted, which they are no more. */
  take(linear: number, bytes: number, taken: (linear: number, wanters: WanterSet) => void): void {
    const end = linear + bytes;
    for (let number = linear >>> PAGE_BITS; number * PAGE_BYTES < end; number++) {
      if (this.counts[number] === 0 || this.counts[number] === undefined) continue;
      const first = number * PAGE_BYTES;
      for (let at = Math.max(first, linear); at < Math.min(first + PAGE_BYTES, end); at++) {
        const set = this.at(at);
        if (set === NO_WANTERS) continue;
        this.set(at, NO_WANTERS);
        taken(at, set);
      }
    }
  }

  /** All that is wanted, in order. */
  *all(): Generator<readonly [linear: number, wanters: WanterSet]> {
    for (const [number, page] of this.pages.entries()) {
      if (page === undefined || this.counts[number] === 0) continue;
      for (let at = 0; at < PAGE_BYTES; at++) if (page[at] !== NO_WANTERS) yield [number * PAGE_BYTES + at, page[at] as number];
    }
  }
}
