/**
 * A growing byte buffer with the encodings of the WebAssembly binary format: LEB128 integers,
 * little-endian floats, length-prefixed names. `u8`, `u32` and `s32` are the hot path of code generation:
 * they reserve once and write without further checks.
 */
const UTF8 = new TextEncoder();

export class ByteWriter {
  private buffer: Uint8Array<ArrayBuffer>;
  private floats: DataView;
  length = 0;

  constructor(capacity = 256) {
    this.buffer = new Uint8Array(capacity);
    this.floats = new DataView(this.buffer.buffer);
  }

  /** A view, invalidated by the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length);
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
    if (this.length + 5 > this.buffer.length) this.grow(5);
    const { buffer } = this;
    let at = this.length;
    while (rest > 0x7f) {
      buffer[at++] = rest | 0x80;
      rest >>>= 7;
    }
    buffer[at++] = rest;
    this.length = at;
  }

  /** Signed LEB128 of the value modulo 2^32, taken as signed. */
  s32(value: number): void {
    let rest = value | 0;
    if (this.length + 5 > this.buffer.length) this.grow(5);
    const { buffer } = this;
    let at = this.length;
    while (rest < -64 || rest > 63) {
      buffer[at++] = rest | 0x80;
      rest >>= 7;
    }
    buffer[at++] = rest & 0x7f;
    this.length = at;
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
    this.floats.setFloat32(this.length, value, true);
    this.length += 4;
  }

  f64(value: number): void {
    if (this.length + 8 > this.buffer.length) this.grow(8);
    this.floats.setFloat64(this.length, value, true);
    this.length += 8;
  }

  name(text: string): void {
    const encoded = UTF8.encode(text);
    this.u32(encoded.length);
    this.bytes(encoded);
  }

  private grow(extra: number): void {
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.length + extra));
    larger.set(this.buffer);
    this.buffer = larger;
    this.floats = new DataView(larger.buffer);
  }
}

/** How many bytes `u32` writes. */
export function u32Size(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}
