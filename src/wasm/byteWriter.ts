/**
 * A growing byte buffer with the encodings of the WebAssembly binary format: LEB128 integers,
 * little-endian floats, length-prefixed names. The hot path of code generation is `u8` and `s32`.
 */
const UTF8 = new TextEncoder();

export class ByteWriter {
  private buffer: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 256) {
    this.buffer = new Uint8Array(capacity);
  }

  /** A view, invalidated by the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  u8(byte: number): void {
    if (this.length === this.buffer.length) this.grow(1);
    this.buffer[this.length++] = byte;
  }

  bytes(source: ArrayLike<number>): void {
    if (this.length + source.length > this.buffer.length) this.grow(source.length);
    this.buffer.set(source, this.length);
    this.length += source.length;
  }

  /** Unsigned LEB128 of an integer below 2^32. */
  u32(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  /** Signed LEB128 of the value modulo 2^32, taken as signed. */
  s32(value: number): void {
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.u8(rest & 0x7f);
  }

  /** Signed LEB128 of the 64-bit number with these halves. */
  s64(low: number, high: number): void {
    let lo = low | 0;
    let hi = high | 0;
    while (hi !== lo >> 31 || lo < -64 || lo > 63) {
      this.u8((lo & 0x7f) | 0x80);
      lo = (lo >>> 7) | (hi << 25);
      hi >>= 7;
    }
    this.u8(lo & 0x7f);
  }

  f32(value: number): void {
    if (this.length + 4 > this.buffer.length) this.grow(4);
    this.dataView().setFloat32(this.length, value, true);
    this.length += 4;
  }

  f64(value: number): void {
    if (this.length + 8 > this.buffer.length) this.grow(8);
    this.dataView().setFloat64(this.length, value, true);
    this.length += 8;
  }

  name(text: string): void {
    const encoded = UTF8.encode(text);
    this.u32(encoded.length);
    this.bytes(encoded);
  }

  private dataView(): DataView {
    return new DataView(this.buffer.buffer);
  }

  private grow(extra: number): void {
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.length + extra));
    larger.set(this.buffer);
    this.buffer = larger;
  }
}

/** How many bytes `u32` writes. */
export function u32Size(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}
