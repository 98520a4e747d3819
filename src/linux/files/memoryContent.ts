/**
 * The bytes of a file that exists in memory only, shared by all descriptors of it. Only what was written takes
 * memory: a file of many gigabytes may be nearly all hole.
 */
import { Budget } from '../../base/budget.js';
import { PAGE_SIZE } from '../../base/types.js';
import { FileData, type LowerBytes } from '../../host/sandbox/fileData.js';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export class MemoryContent {
  permissions = 0o777;
  private data: FileData;
  private users = 0;
  /** Pages that may have changed since the last call of takeChanged. */
  private readonly changed = new Set<number>();
  /** Pages of which something was cut off once: zeros, if the file grows again. */
  private readonly cutOff = new Set<number>();

  constructor(
    bytes: Uint8Array,
    readonly inode: bigint,
    private readonly budget = new Budget(),
  ) {
    this.data = dataOf(bytes);
  }

  get size(): number {
    return this.data.size;
  }

  /** An open file or an address space has it from now on. */
  retain(): void {
    if (this.users++ === 0) this.budget.force(this.data.bytesHeld);
  }

  /** With the last of them the bytes go, and count no more. */
  release(): void {
    if (--this.users === 0) this.budget.giveBack(this.data.bytesHeld);
  }

  read(target: Uint8Array, offset: number): number {
    return this.data.read(target, offset);
  }

  write(bytes: Uint8Array, offset: number): number {
    this.noteGrowth(offset + bytes.length);
    const count = this.data.write(bytes, offset, this.budget);
    if (count > 0) addPages(this.changed, offset, offset + count);
    return count;
  }

  /** 0 or an error. */
  resize(size: number): number {
    if (size < this.size) for (const { start, end } of this.data.heldFrom(size)) addPages(this.cutOff, start, end);
    this.noteGrowth(size);
    return this.data.truncate(size, this.budget);
  }

  /** Where something may have changed since the last call, as far as the file reaches. */
  takeChanged(): readonly ByteRange[] {
    const ranges: { start: number; end: number }[] = [];
    for (const page of this.changed) {
      const start = page * PAGE_SIZE;
      const end = Math.min(start + PAGE_SIZE, this.size);
      const last = ranges.at(-1);
      if (last?.end === start) last.end = Math.max(start, end);
      else if (start < end) ranges.push({ start, end });
    }
    this.changed.clear();
    return ranges;
  }

  /** What was cut off and is part of the file again has changed: it is zeros now. */
  private noteGrowth(size: number): void {
    if (size <= this.size) return;
    for (const page of this.cutOff) {
      if (page * PAGE_SIZE >= size) continue;
      this.changed.add(page);
      if ((page + 1) * PAGE_SIZE <= size) this.cutOff.delete(page);
    }
  }

  replace(bytes: Uint8Array): void {
    this.data = dataOf(bytes);
  }

  /** Its bytes are those of `lower` from now on, wherever they are not written to. */
  standOn(lower: LowerBytes, size: number): void {
    this.data = FileData.over(lower, size);
  }
}

function addPages(pages: Set<number>, start: number, end: number): void {
  for (let page = Math.floor(start / PAGE_SIZE); page * PAGE_SIZE < end; page++) pages.add(page);
}

function dataOf(bytes: Uint8Array): FileData {
  const read = (target: Uint8Array, position: number): number => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
  return FileData.over({ read }, bytes.length);
}
