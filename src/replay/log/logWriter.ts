/** A growing buffer of numbers, bytes and texts: what events are written into. */
const UTF8 = new TextEncoder();
/** Seven bits a byte: 2^53 takes eight. */
const LONGEST_NUMBER = 8;
const SMALL = 0x1000_0000;

export class LogWriter {
  private buffer: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1024) {
    this.buffer = new Uint8Array(capacity);
  }

  /** A whole number from 0 to 2^53, seven bits at a time. */
  num(value: number): void {
    this.reserve(LONGEST_NUMBER);
    let rest = value;
    while (rest >= SMALL) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest > 0x7f) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  /** A whole number of either sign. */
  signed(value: number): void {
    this.num(value < 0 ? -value * 2 - 1 : value * 2);
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Bytes with their number before them. */
  bytes(bytes: Uint8Array): void {
    this.num(bytes.length);
    this.raw(bytes);
  }

  text(text: string): void {
    this.bytes(UTF8.encode(text));
  }

  /** What was written, valid until the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length);
  }

  /** What was written; the writer starts again with nothing. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.buffer.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  clear(): void {
    this.length = 0;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.length + count));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}
