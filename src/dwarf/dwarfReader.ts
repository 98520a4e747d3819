/**
 * A cursor over the bytes of one section. Whatever lies outside of them is a DwarfError that says where. Numbers are
 * doubles, exact up to 2^53, which is enough for addresses and offsets; who needs all 64 bits asks for a bigint.
 */
import { DwarfError } from './dwarfError.js';

const decoder = new TextDecoder('utf-8');
/** A LEB128 number may be padded, but not for ever. */
const LONGEST_LEB = 20;

export class DwarfReader {
  constructor(
    readonly section: string,
    readonly bytes: Uint8Array,
    public position = 0,
    public end: number = bytes.length,
    private readonly view: DataView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  ) {
    if (!(position >= 0 && position <= end && end <= bytes.length)) this.fail('offset lies outside the section');
  }

  /** Another cursor over [position, end) of the same section. */
  at(position: number, end: number = this.bytes.length): DwarfReader {
    return new DwarfReader(this.section, this.bytes, position, end, this.view);
  }

  get atEnd(): boolean {
    return this.position >= this.end;
  }

  fail(problem: string, offset: number = this.position): never {
    throw new DwarfError(this.section, offset, problem);
  }

  /** Throws unless `size` more bytes are there. */
  need(size: number): void {
    if (!(size >= 0 && this.position + size <= this.end)) this.fail('data is cut off');
  }

  skip(size: number): void {
    this.need(size);
    this.position += size;
  }

  u8(): number {
    if (this.position >= this.end) this.fail('data is cut off');
    return this.bytes[this.position++] as number;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    this.need(2);
    this.position += 2;
    return this.view.getUint16(this.position - 2, true);
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  u24(): number {
    return this.u16() + this.u8() * 0x10000;
  }

  u32(): number {
    this.need(4);
    this.position += 4;
    return this.view.getUint32(this.position - 4, true);
  }

  i32(): number {
    return this.u32() | 0;
  }

  u64(): number {
    const low = this.u32();
    return this.u32() * 0x1_0000_0000 + low;
  }

  i64(): number {
    const low = this.u32();
    return this.i32() * 0x1_0000_0000 + low;
  }

  u64Big(): bigint {
    this.need(8);
    this.position += 8;
    return this.view.getBigUint64(this.position - 8, true);
  }

  /** An unsigned number of 1, 2, 3, 4 or 8 bytes. */
  unsigned(size: number): number {
    switch (size) {
      case 1: return this.u8();
      case 2: return this.u16();
      case 3: return this.u24();
      case 4: return this.u32();
      case 8: return this.u64();
      default: return this.fail(`number of ${size} bytes`);
    }
  }

  /** An offset into a section: 4 bytes in 32-bit DWARF, 8 in 64-bit. */
  offset(size: number): number {
    return size === 8 ? this.u64() : this.u32();
  }

  uleb(): number {
    const { position } = this;
    if (position >= this.end) this.fail('data is cut off');
    const byte = this.bytes[position] as number;
    if (byte >= 0x80) return this.longUleb();
    this.position = position + 1;
    return byte;
  }

  sleb(): number {
    let [result, scale] = [0, 1];
    for (let i = 0; i < LONGEST_LEB; i++) {
      const byte = this.u8();
      result += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return (byte & 0x40) === 0 ? result : result - scale;
    }
    return this.fail('number is too long');
  }

  ulebBig(): bigint {
    return BigInt.asUintN(64, this.longLeb(false));
  }

  slebBig(): bigint {
    return BigInt.asIntN(64, this.longLeb(true));
  }

  skipLeb(): void {
    const { bytes, end } = this;
    let at = this.position;
    while (at < end && (bytes[at] as number) >= 0x80) at++;
    if (at >= end) this.fail('data is cut off');
    this.position = at + 1;
  }

  /** The next `size` bytes: not a copy. */
  take(size: number): Uint8Array {
    this.skip(size);
    return this.bytes.subarray(this.position - size, this.position);
  }

  /** A string up to its NUL. */
  cString(): string {
    const start = this.position;
    this.skipString();
    return decodeText(this.bytes, start, this.position - 1);
  }

  skipString(): void {
    const nul = this.bytes.indexOf(0, this.position);
    if (nul < 0 || nul >= this.end) this.fail('string has no end');
    this.position = nul + 1;
  }

  private longUleb(): number {
    let [result, scale] = [0, 1];
    for (let i = 0; i < LONGEST_LEB; i++) {
      const byte = this.u8();
      result += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return result;
    }
    return this.fail('number is too long');
  }

  private longLeb(signed: boolean): bigint {
    let [result, shift] = [0n, 0n];
    for (let i = 0; i < LONGEST_LEB; i++) {
      const byte = this.u8();
      result |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) return signed && (byte & 0x40) !== 0 ? result - (1n << shift) : result;
    }
    return this.fail('number is too long');
  }
}

/** Names are short and ASCII nearly always, for which the decoder is slower than this. */
function decodeText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > 64) return decoder.decode(bytes.subarray(start, end));
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte >= 0x80) return decoder.decode(bytes.subarray(start, end));
    text += String.fromCharCode(byte);
  }
  return text;
}
