/** The bytes of a file that exists in memory only, with what is known of it whoever has it open. */
export class MemoryContent {
  permissions = 0o777;
  size: number;
  /** Bytes that may have changed since somebody last asked. */
  private changed = { start: Infinity, end: 0 };
  /** Beyond the end there may have been something before. */
  private hasShrunk = false;

  constructor(
    private bytes: Uint8Array,
    readonly inode: bigint,
  ) {
    this.size = bytes.length;
  }

  read(target: Uint8Array, offset: number): number {
    const count = Math.max(0, Math.min(target.length, this.size - offset));
    target.set(this.bytes.subarray(offset, offset + count));
    return count;
  }

  write(bytes: Uint8Array, offset: number): number {
    if (offset + bytes.length > this.size) this.resize(offset + bytes.length);
    this.bytes.set(bytes, offset);
    this.noteChange(offset, offset + bytes.length);
    return bytes.length;
  }

  resize(size: number): void {
    if (size > this.bytes.length) {
      const grown = new Uint8Array(Math.max(size, this.bytes.length * 2));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    } else if (size < this.size) {
      this.bytes.fill(0, size, this.size);
      this.hasShrunk = true;
    }
    if (this.hasShrunk) this.noteChange(Math.min(size, this.size), Math.max(size, this.size));
    this.size = size;
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
    this.bytes = bytes;
    this.size = bytes.length;
  }
}
