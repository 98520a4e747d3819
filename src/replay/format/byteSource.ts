/** What a recording is read from: random access to bytes that do not change. */
export interface ByteSource {
  readonly size: number;
  /** What messages call it: the file's path. */
  readonly name: string;
  /** The bytes are the caller's own. Fewer come only at the end, or if something is wrong with the file. */
  read(offset: number, length: number): Uint8Array;
}

const SMALLEST_WINDOW = 4 * 1024;
const LARGEST_WINDOW = 1024 * 1024;

/** Reads ahead, the further the closer together what is asked for lies: headers of small chunks, or of large ones. */
export class ReadAhead {
  private start = 0;
  private window: Uint8Array = new Uint8Array(0);
  private size = SMALLEST_WINDOW;

  constructor(private readonly source: ByteSource) {}

  /** Fewer bytes only at the end. To be used before the next call. */
  at(offset: number, length: number): Uint8Array {
    if (offset < this.start || offset + length > this.start + this.window.length) this.refill(offset, length);
    return this.window.subarray(offset - this.start, offset - this.start + length);
  }

  private refill(offset: number, length: number): void {
    const skipped = offset - (this.start + this.window.length);
    this.size = skipped < this.size ? Math.min(this.size * 2, LARGEST_WINDOW) : SMALLEST_WINDOW;
    this.start = offset;
    this.window = this.source.read(offset, Math.max(length, this.size));
  }
}
