/**
 * Shared mappings of files. Linear memory holds a copy of the file, so somebody has to carry
 * changes over: what the guest wrote goes back at msync, munmap, exit, and before a file is read
 * or written through a descriptor; after such a write, mappings are loaded anew as they are touched.
 *
 * The same page of a file may be mapped twice (ring buffers, and code that is written in one place
 * and run in another). Then at most one of the copies is open for writing, and while it is the
 * others are absent: touching one of them first takes the changes over.
 */
import { PAGE_SIZE, type GuestAddr } from '../../base/types.js';
import type { AddressSpace, MappableFile, Mapping, SharedPages } from '../../machine/addressSpace.js';

export class SharedFiles implements SharedPages {
  /** Whether there ever was a shared file mapping: nearly always false, and then everything here is free. */
  private active = false;

  constructor(private readonly space: AddressSpace) {
    space.sharing = this;
  }

  note(): void {
    this.active = true;
  }

  /** For fork: the other one has the same mappings. */
  copyTo(other: SharedFiles): void {
    this.flushAll();
    other.active = this.active;
  }

  /** Writes back what changed in the range. */
  flush(start: number, length: number): void {
    if (!this.active) return;
    for (const m of this.space.mappingsWithin(start, length)) this.flushMapping(m);
  }

  flushAll(): void {
    if (!this.active) return;
    for (const m of this.space.mappings()) this.flushMapping(m);
  }

  /** Before a file is read by other means than a mapping. */
  beforeRead(): void {
    this.flushAll();
  }

  /** Right before a file is written by other means than a mapping. */
  beforeWrite(): void {
    if (!this.active) return;
    for (const m of this.space.mappings()) {
      if (!m.shared || m.file === undefined) continue;
      this.flushMapping(m);
      this.space.markAbsent(m.start, m.end - m.start);
    }
  }

  beforeLoad(m: Mapping, start: number, end: number): void {
    for (const other of this.aliases(m, start, end)) this.flushMapping(other);
  }

  beforeFirstWrite(page: number): void {
    const m = this.space.find(page);
    if (m === undefined) return;
    for (const other of this.aliases(m, page, page + PAGE_SIZE)) {
      this.flushMapping(other);
      this.space.markAbsent(other.start, other.end - other.start);
      // Compiled code may count on the page being open, for it has just looked; now it has to look again.
      this.space.onCodeWrite(other.start);
    }
  }

  /** Where else the bytes of [start, end) of `m` are mapped shared: those mappings, clipped to the bytes. */
  private aliases(m: Mapping, start: number, end: number): Mapping[] {
    const first = m.fileOffset + (start - m.start);
    return this.space.mappings().filter((other) => other.shared && other.start !== m.start && isSameFile(other, m)).flatMap((other) => {
      const from = Math.max(other.start, other.start + (first - other.fileOffset));
      return this.space.mappingsWithin(from, Math.max(0, Math.min(other.end, from + (end - start)) - from));
    });
  }

  private flushMapping(m: Mapping): void {
    const file = m.file;
    if (!m.shared || file?.writeBack === undefined) return;
    const pages = this.space.takeWrittenPages(m.start, m.end - m.start);
    for (const run of consecutive(pages)) this.writeRun(m, file, run.start, run.end);
  }

  private writeRun(m: Mapping, file: MappableFile, start: number, end: number): void {
    const offset = m.fileOffset + (start - m.start);
    // What lies in the last page beyond the end of the file is not part of it.
    const length = Math.min(end - start, file.size - offset);
    const bytes = length > 0 ? this.space.peek(start, length) : null;
    if (bytes !== null) file.writeBack?.(offset, bytes);
  }
}

function isSameFile(a: Mapping, b: Mapping): boolean {
  return a.file !== undefined && b.file !== undefined && a.inode === b.inode && a.device === b.device;
}

/** Joins pages that follow each other. */
function consecutive(pages: readonly GuestAddr[]): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last !== undefined && last.end === page) last.end = page + PAGE_SIZE;
    else runs.push({ start: page, end: page + PAGE_SIZE });
  }
  return runs;
}
