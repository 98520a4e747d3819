/** What a recording is read from: random access to bytes that do not change. */
export interface ByteSource {
  readonly size: number;
  /** What messages call it: the file's path. */
  readonly name: string;
  /** The bytes are the caller's own. Fewer come only at the end, or if something is wrong with the file. */
  read(offset: number, length: number): Uint8Array;
}

export class MemorySource implements ByteSource {
  constructor(
    private readonly bytes: Uint8Array,
    readonly name = 'recording',
  ) {}

  get size(): number {
    return this.bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.bytes.slice(offset, offset + length);
  }
}

const WINDOW = 16 * 1024;

/** Reads a little ahead: the headers of small chunks lie close together. */
export class ReadAhead {
  private start = 0;
  private window = new Uint8Array(0);

  constructor(private readonly source: ByteSource) {}

  /** Fewer bytes only at the end. To be used before the next call. */
  at(offset: number, length: number): Uint8Array {
    const inside = offset - this.start;
    if (inside < 0 || inside + length > this.window.length) return this.refill(offset, length);
    return this.window.subarray(inside, inside + length);
  }

  private refill(offset: number, length: number): Uint8Array {
    this.start = offset;
    this.window = new Uint8Array(this.source.read(offset, Math.max(length, WINDOW)));
    return this.window.subarray(0, length);
  }
}
