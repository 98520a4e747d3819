/**
 * The two ways in which zstd packs bits: from the first byte on (tables), and from the last one back (everything
 * coded).
 */
import { fail } from './zstdError.js';

/** Numbers of a few bits, the lowest bit of the first byte first. */
export class ForwardBits {
  private position = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** At most 16 bits. */
  read(count: number): number {
    const at = this.position >> 3;
    const value = ((this.bytes[at] ?? 0) | ((this.bytes[at + 1] ?? 0) << 8) | ((this.bytes[at + 2] ?? 0) << 16)) >> (this.position & 7);
    this.position += count;
    if (this.position > this.bytes.length * 8) fail('table is cut off');
    return value & ((1 << count) - 1);
  }

  unread(count: number): void {
    this.position -= count;
  }

  /** How many bytes have been begun. */
  get byteLength(): number {
    return (this.position + 7) >> 3;
  }
}

/**
 * A stream that was written forward and is read back: its last byte ends with a 1, below which is what was written
 * last.
 */
export class BackwardBits {
  /** Bits that are left; below zero when more were read than there are, which come as zeros. */
  left: number;

  constructor(private readonly bytes: Uint8Array) {
    const last = bytes[bytes.length - 1] ?? 0;
    if (last === 0) fail('stream has no end');
    this.left = bytes.length * 8 - Math.clz32(last) + 23;
  }

  /** At most 31 bits. */
  read(count: number): number {
    if (count > 16) return this.read(count - 16) * 0x1_0000 + this.read(16);
    const value = this.peek(count);
    this.left -= count;
    return value;
  }

  /** The next bits, at most 16, which stay there. */
  peek(count: number): number {
    const start = this.left - count;
    if (start < 0) return this.left <= 0 ? 0 : (this.bitsAt(0) & ((1 << this.left) - 1)) << -start;
    return this.bitsAt(start) & ((1 << count) - 1);
  }

  private bitsAt(bit: number): number {
    const { bytes } = this;
    const at = bit >> 3;
    return ((bytes[at] as number) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)) >> (bit & 7);
  }
}
