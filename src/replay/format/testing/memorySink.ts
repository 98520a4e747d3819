/** A recording in memory, the same bytes as in a file: for tests, and where there are no files. */
import { ChunkEncoder, type ChunkToWrite, type EncoderOptions } from '../encoding.js';
import type { ChunkSink } from '../recordingWriter.js';

export class MemorySink implements ChunkSink {
  readonly failure = undefined;
  private readonly encoder: ChunkEncoder;
  private readonly parts: Uint8Array[];

  constructor(options: Partial<EncoderOptions> = {}) {
    this.encoder = new ChunkEncoder({ recordingId: 1, ...options });
    this.parts = [this.encoder.start()];
  }

  write(chunk: ChunkToWrite): void {
    this.parts.push(...this.encoder.chunk(chunk));
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  /** The whole file as far as it is written. */
  bytes(): Uint8Array {
    const whole = new Uint8Array(this.parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}
