/** Reads what LogWriter wrote. Nonsense is a LogError, never a crash: recordings come from anywhere. */
import { UserError } from '../../base/errors.js';

const UTF8 = new TextDecoder();

export class LogError extends UserError {
  constructor(at: number) {
    super(`the recording is damaged: events make no sense at byte ${at} of their chunk`);
  }
}

export class LogReader {
  constructor(
    private readonly buffer: Uint8Array,
    public at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.buffer.length;
  }

  num(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.buffer[this.at++];
      if (byte === undefined || factor > Number.MAX_SAFE_INTEGER) throw new LogError(this.at);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.num();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A view of the next bytes. */
  raw(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.buffer.length) throw new LogError(this.at);
    const bytes = this.buffer.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  bytes(): Uint8Array {
    return this.raw(this.num());
  }

  text(): string {
    return UTF8.decode(this.bytes());
  }
}
