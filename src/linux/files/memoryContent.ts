import { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';

/** The bytes of a file that exists in memory only, with what is known of it whoever has it open. */
export class MemoryContent {
  permissions = 0o777;
  size: number;
  /** Bytes that may have changed since somebody last asked. */
  private changed = { start: Infinity, end: 0 };
  /** Beyond the end there may have been something before. */
  private hasShrunk = false;
  private users = 0;

  constructor(
    private bytes: Uint8Array,
    readonly inode: bigint,
    private readonly budget = new Budget(),
  ) {
    this.size = bytes.length;
  }

  /** An open file or an address space has it from now on. */
  retain(): void {
    if (this.users++ === 0) this.budget.force(this.bytes.length);
  }

  /** With the last of them the bytes go, and count no more. */
  release(): void {
    if (--this.users === 0) this.budget.giveBack(this.bytes.length);
  }

  read(target: Uint8Array, offset: number): number {
    const count = Math.max(0, Math.min(target.length, this.size - offset));
    target.set(this.bytes.subarray(offset, offset + count));
    return count;
  }

  write(bytes: Uint8Array, offset: number): number {
    const result = offset + bytes.length > this.size ? this.resize(offset + bytes.length) : 0;
    if (result < 0) return result;
    this.bytes.set(bytes, offset);
    this.noteChange(offset, offset + bytes.length);
    return bytes.length;
  }

  /** 0 or an error. */
  resize(size: number): number {
    if (size > this.bytes.length) {
      const room = Math.max(size, Math.min(this.bytes.length * 2, this.bytes.length + this.budget.left));
      if (!this.count(room - this.bytes.length)) return -E.NOSPC;
      const grown = new Uint8Array(room);
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    } else if (size < this.size) {
      this.bytes.fill(0, size, this.size);
      this.hasShrunk = true;
    }
    if (this.hasShrunk) this.noteChange(Math.min(size, this.size), Math.max(size, this.size));
    this.size = size;
    return 0;
  }

  private count(more: number): boolean {
    return this.users === 0 || this.budget.take(more);
  }

  /** Where something may have changed since the last call. */
  takeChanged(): { readonly start: number; readonly end: number } | undefined {
    const { changed } = this;
    this.changed = { start: Infinity, end: 0 };
    return changed.start < changed.end ? { start: changed.start, end: Math.min(changed.end, this.size) } : undefined;
  }

  private noteChange(start: number, end: number): void {
    this.changed.start = Math.min(this.changed.start, start);
    this.changed.end = Math.max(this.changed.end, end);
  }

  replace(bytes: Uint8Array): void {
    this.count(bytes.length - this.bytes.length);
    this.bytes = bytes;
    this.size = bytes.length;
  }
}
