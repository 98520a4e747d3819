/**
 * Reads the encodings of the WebAssembly binary format from a range of bytes. Anything malformed,
 * running past the end included, is a WasmFormatError with the offset in the module.
 */
import { hex } from '../base/types.js';

export class WasmFormatError extends Error {
  override name = 'WasmFormatError';
  constructor(
    problem: string,
    readonly offset: number,
  ) {
    super(`${problem} at offset ${hex(offset)} of the WebAssembly module`);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class ByteReader {
  constructor(
    private readonly source: Uint8Array,
    public offset = 0,
    readonly end = source.length,
  ) {}

  get done(): boolean {
    return this.offset >= this.end;
  }

  u8(): number {
    if (this.offset >= this.end) throw new WasmFormatError('unexpected end', this.offset);
    return this.source[this.offset++]!;
  }

  u32(): number {
    const start = this.offset;
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (value > 0xffff_ffff || scale > 2 ** 28) throw new WasmFormatError('integer larger than 32 bits', start);
      if (byte < 0x80) return value;
    }
  }

  s32(): number {
    return Number(this.signed(32));
  }

  s64(): bigint {
    return this.signed(64);
  }

  /** Raw bits: a NaN's payload would not survive a trip through a JavaScript number. */
  bits32(): number {
    return this.dataView(4).getUint32(0, true);
  }

  bits64(): bigint {
    return this.dataView(8).getBigUint64(0, true);
  }

  bytes(count: number): Uint8Array {
    if (count > this.end - this.offset) throw new WasmFormatError(`${count} bytes expected, but the end comes first`, this.offset);
    this.offset += count;
    return this.source.subarray(this.offset - count, this.offset);
  }

  name(): string {
    const start = this.offset;
    const encoded = this.bytes(this.u32());
    try {
      return UTF8.decode(encoded);
    } catch {
      throw new WasmFormatError('name that is not UTF-8', start);
    }
  }

  /** A reader for the next `size` bytes, which this one skips. */
  sub(size: number): ByteReader {
    const start = this.offset;
    this.bytes(size);
    return new ByteReader(this.source, start, this.offset);
  }

  /** A vector: a count, then that many items. */
  vector<T>(item: () => T): T[] {
    const count = this.u32();
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(item());
    return items;
  }

  fail(problem: string): never {
    throw new WasmFormatError(problem, this.offset);
  }

  private signed(width: number): bigint {
    const start = this.offset;
    let value = 0n;
    for (let shift = 0; shift < width; shift += 7) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte >= 0x80) continue;
      const signed = BigInt.asIntN(shift + 7, value);
      if (BigInt.asIntN(width, signed) !== signed) break;
      return signed;
    }
    throw new WasmFormatError(`integer larger than ${width} bits`, start);
  }

  private dataView(size: number): DataView {
    const bytes = this.bytes(size);
    return new DataView(bytes.buffer, bytes.byteOffset, size);
  }
}
