/**
 * What is known of single bytes that are undefined in part, or whose value came from elsewhere. By page, because most
 * memory that is allocated has no such bytes.
 */

export interface Note {
  /** Ones for undefined bits; there are some. */
  readonly bits: number;
  /** The address of the byte that the value comes from. */
  readonly origin: number;
}

const PAGE = 4096;

/** Of each byte of a page its undefined bits, 0 if there is no note; origins may be there without one. */
interface NotedPage {
  readonly bits: Uint8Array;
  readonly origins: Map<number, number>;
  count: number;
}

export class ByteNotes {
  private pages = new Map<number, NotedPage>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(at: number): Note | undefined {
    const page = this.count === 0 ? undefined : this.pages.get(pageOf(at));
    return page && noteIn(page, at % PAGE);
  }

  set(at: number, { bits, origin }: Note): void {
    const number = pageOf(at);
    const page = this.pages.get(number) ?? { bits: new Uint8Array(PAGE), origins: new Map<number, number>(), count: 0 };
    this.pages.set(number, page);
    const offset = at % PAGE;
    if (page.bits[offset] === 0) this.added(page, 1);
    page.bits[offset] = bits;
    page.origins.set(offset, origin);
  }

  /** Those of bytes from `start` on. */
  in(start: number, length: number): { readonly at: number; readonly note: Note }[] {
    const found: { readonly at: number; readonly note: Note }[] = [];
    for (const [number, page] of this.pagesIn(start, length)) {
      const [first, end] = partOf(number, start, length);
      for (let offset = first; offset < end; offset++) {
        const note = noteIn(page, offset);
        if (note !== undefined) found.push({ at: number * PAGE + offset, note });
      }
    }
    return found;
  }

  forget(start: number, length: number): void {
    for (const [number, page] of this.pagesIn(start, length)) {
      const [first, end] = partOf(number, start, length);
      let gone = 0;
      for (let offset = first; offset < end; offset++) if (page.bits[offset] !== 0) gone++;
      if (gone === 0) continue;
      page.bits.fill(0, first, end);
      this.added(page, -gone);
      if (page.count === 0) this.pages.delete(number);
    }
  }

  *addresses(): Iterable<number> {
    for (const [number, { bits }] of this.pages) for (let offset = 0; offset < PAGE; offset++) if (bits[offset] !== 0) yield number * PAGE + offset;
  }

  clear(): void {
    this.pages.clear();
    this.count = 0;
  }

  copyFrom(other: ByteNotes): void {
    this.pages = new Map([...other.pages].map(([number, { bits, origins, count }]) => [number, { bits: bits.slice(), origins: new Map(origins), count }]));
    this.count = other.count;
  }

  private added(page: NotedPage, count: number): void {
    page.count += count;
    this.count += count;
  }

  private *pagesIn(start: number, length: number): Iterable<readonly [number, NotedPage]> {
    if (this.count === 0 || length === 0) return;
    const [first, last] = [pageOf(start), pageOf(start + length - 1)];
    if (last - first > this.pages.size) {
      for (const [number, page] of this.pages) if (number >= first && number <= last) yield [number, page];
      return;
    }
    for (let number = first; number <= last; number++) {
      const page = this.pages.get(number);
      if (page !== undefined) yield [number, page];
    }
  }
}

function noteIn({ bits, origins }: NotedPage, offset: number): Note | undefined {
  const own = bits[offset] as number;
  return own === 0 ? undefined : { bits: own, origin: origins.get(offset) as number };
}

/** Offsets in a page of the bytes from `start` on that are in it. */
function partOf(number: number, start: number, length: number): readonly [first: number, end: number] {
  return [Math.max(start - number * PAGE, 0), Math.min(start + length - number * PAGE, PAGE)];
}

function pageOf(at: number): number {
  return Math.floor(at / PAGE);
}
