/** A recording in memory. */
import type { ByteSource } from '../byteSource.js';

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
