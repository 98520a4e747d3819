/** What is known of single bytes that are undefined in part, or whose value came from elsewhere. By page, because most memory that is allocated has no such bytes. */

export interface Note {
  /** Ones for undefined bits. */
  readonly bits: number;
  /** The address of the byte that the value comes from. */
  readonly origin: number;
}

const PAGE = 4096;

export class ByteNotes {
  private pages = new Map<number, Map<number, Note>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(at: number): Note | undefined {
    return this.count === 0 ? undefined : this.pages.get(pageOf(at))?.get(at);
  }

  set(at: number, note: Note): void {
    const page = pageOf(at);
    const notes = this.pages.get(page) ?? new Map<number, Note>();
    this.pages.set(page, notes);
    if (!notes.has(at)) this.count++;
    notes.set(at, note);
  }

  /** Those of bytes from `start` on. */
  in(start: number, length: number): { readonly at: number; readonly note: Note }[] {
    const found: { readonly at: number; readonly note: Note }[] = [];
    for (const [, notes] of this.pagesIn(start, length)) {
      for (const [at, note] of notes) if (at >= start && at < start + length) found.push({ at, note });
    }
    return found;
  }

  forget(start: number, length: number): void {
    for (const [page, notes] of this.pagesIn(start, length)) {
      for (const at of notes.keys()) {
        if (at < start || at >= start + length) continue;
        notes.delete(at);
        this.count--;
      }
      if (notes.size === 0) this.pages.delete(page);
    }
  }

  *addresses(): Iterable<number> {
    for (const notes of this.pages.values()) yield* notes.keys();
  }

  clear(): void {
    this.pages.clear();
    this.count = 0;
  }

  copyFrom(other: ByteNotes): void {
    this.pages = new Map([...other.pages].map(([page, notes]) => [page, new Map(notes)]));
    this.count = other.count;
  }

  private *pagesIn(start: number, length: number): Iterable<readonly [number, Map<number, Note>]> {
    if (this.count === 0 || length === 0) return;
    const [first, last] = [pageOf(start), pageOf(start + length - 1)];
    if (last - first > this.pages.size) {
      for (const [page, notes] of this.pages) if (page >= first && page <= last) yield [page, notes];
      return;
    }
    for (let page = first; page <= last; page++) {
      const notes = this.pages.get(page);
      if (notes !== undefined) yield [page, notes];
    }
  }
}

function pageOf(at: number): number {
  return Math.floor(at / PAGE);
}
