/**
 * Writes a recording's chunks to a file, each at once and whole: what is written survives the end of
 * this process. After the first error nothing more is written, and half a chunk is taken back.
 */
import fs from 'node:fs';
import { ChunkEncoder, type ChunkToWrite } from '../replay/format/encoding.js';
import { checksum, deflate } from './nodeCompression.js';
import { systemErrorText } from './systemError.js';
import { writeFully } from './writeFully.js';

export class RecordingFileWriter {
  failure: string | undefined;
  private readonly encoder: ChunkEncoder;

  /**
   * `end`: where the file ends, which has all before the next chunk. It stays the caller's, who closes it. What comes
   * before `packedFrom` is stored as it is.
   */
  constructor(
    private readonly fd: number,
    recordingId: number,
    private end = 0,
    packedFrom = 0,
  ) {
    this.encoder = new ChunkEncoder({ recordingId, deflate: (bytes) => (this.end < packedFrom ? bytes : deflate(bytes)), checksum });
    if (end === 0) this.store(() => [this.encoder.start()]);
  }

  write(chunk: ChunkToWrite): void {
    this.store(() => this.encoder.chunk(chunk));
  }

  private store(encode: () => readonly Uint8Array[]): void {
    if (this.failure !== undefined) return;
    try {
      const parts = encode();
      writeFully(this.fd, parts);
      this.end += parts.reduce((sum, { length }) => sum + length, 0);
    } catch (error) {
      this.failure = systemErrorText(error);
      this.takeBack();
    }
  }

  private takeBack(): void {
    try {
      fs.ftruncateSync(this.fd, this.end);
    } catch {
      // Not a file that can be cut, or worse; readers cope with half a chunk.
    }
  }
}
