/**
 * Shared mappings of files. Linear memory holds a copy of the file, so somebody has to carry
 * changes over: what the guest wrote goes back at msync, munmap, exit, and before the file is read
 * through a descriptor; what is written through a descriptor is put into the mappings.
 */
import { PAGE_SIZE, type GuestAddr } from '../../base/types.js';
import type { AddressSpace, MappableFile, Mapping } from '../../machine/addressSpace.js';

export class SharedFiles {
  /** Whether there ever was a shared file mapping: nearly always false, and then everything here is free. */
  private active = false;

  constructor(private readonly space: AddressSpace) {}

  note(): void {
    this.active = true;
  }

  /** Writes back what changed in the range. */
  flush(start: number, length: number): void {
    if (!this.active) return;
    for (const m of this.space.mappingsWithin(start, length)) this.flushMapping(m);
  }

  /** Before somebody reads the file by other means. */
  flushFile(device: number, inode: number): void {
    if (!this.active) return;
    for (const m of [...this.space.mappings()]) {
      if (m.shared && m.device === device && m.inode === inode) this.flushMapping(m);
    }
  }

  flushAll(): void {
    this.flush(0, Number.MAX_SAFE_INTEGER);
  }

  /** After somebody has written to the file by other means. */
  fileWritten(device: number, inode: number, offset: number, bytes: Uint8Array): void {
    if (!this.active) return;
    for (const m of [...this.space.mappings()]) {
      if (!m.shared || m.file === undefined || m.device !== device || m.inode !== inode) continue;
      const from = Math.max(offset, m.fileOffset);
      const to = Math.min(offset + bytes.length, m.fileOffset + (m.end - m.start));
      if (from < to) this.space.poke(m.start + (from - m.fileOffset), bytes.subarray(from - offset, to - offset));
    }
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
