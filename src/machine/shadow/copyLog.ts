/**
 * Where stretches of unwritten bytes were copied from: a report should name the bytes that were not written, not a
 * copy of them. Only the latest copies are known, and few for each page; of others the copy itself is named.
 */

interface Copy {
  readonly start: number;
  readonly end: number;
  /** Of the first byte. */
  readonly origin: number;
}

const PAGE = 4096;
const MOST_OF_A_PAGE = 16;
const MOST_PAGES = 8192;

export class CopyLog {
  private pages = new Map<number, Copy[]>();

  /** Bytes from `start` on are copies of those that were at `origin` and after it. */
  note(start: number, length: number, origin: number): void {
    if (this.pages.size > MOST_PAGES) this.pages.clear();
    for (let at = start; at < start + length; ) {
      const page = Math.floor(at / PAGE);
      const end = Math.min(start + length, (page + 1) * PAGE);
      const copies = this.pages.get(page) ?? [];
      if (copies.length >= MOST_OF_A_PAGE) copies.shift();
      copies.push({ start: at, end, origin: origin + at - start });
      this.pages.set(page, copies);
      at = end;
    }
  }

  originOf(at: number): number | undefined {
    const copy = this.pages.get(Math.floor(at / PAGE))?.findLast(({ start, end }) => at >= start && at < end);
    return copy && copy.origin + at - copy.start;
  }

  /** These bytes are new. */
  forget(start: number, length: number): void {
    if (this.pages.size === 0 || length === 0) return;
    const [first, last] = [Math.floor(start / PAGE), Math.floor((start + length - 1) / PAGE)];
    if (last - first > this.pages.size) {
      for (const page of [...this.pages.keys()]) if (page >= first && page <= last) this.forgetIn(page, start, start + length);
      return;
    }
    for (let page = first; page <= last; page++) this.forgetIn(page, start, start + length);
  }

  copyFrom(other: CopyLog): void {
    this.pages = new Map([...other.pages].map(([page, copies]) => [page, [...copies]]));
  }

  private forgetIn(page: number, start: number, end: number): void {
    const copies = this.pages.get(page);
    if (copies === undefined) return;
    const left = copies.filter((copy) => copy.start >= end || copy.end <= start);
    if (left.length === 0) this.pages.delete(page);
    else if (left.length < copies.length) this.pages.set(page, left);
  }
}
