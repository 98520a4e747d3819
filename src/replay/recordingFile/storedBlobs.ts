/** The contents of mapped files that are stored in a recording. What is lost is an error, never zeros. */
import { UserError } from '../../base/errors.js';
import { BlobStore } from '../format/blobs.js';
import { type BlobChunk, CHUNK } from '../format/chunks.js';
import type { RecordingReader } from '../format/recordingReader.js';
import type { BlobSource } from '../play/playedObject.js';

export class StoredBlobs implements BlobSource {
  private readonly store: BlobStore;
  private readonly parts: readonly BlobChunk[];
  /** Whether a chunk is missing that may have been a part of something. */
  private readonly anyLost: boolean;

  constructor(private readonly reader: RecordingReader) {
    this.store = new BlobStore(reader);
    this.parts = reader.chunks.filter((chunk) => chunk.kind === CHUNK.BLOB);
    this.anyLost = reader.chunks.some(({ where }, i) => where.number !== i);
  }

  get totalBytes(): number {
    return this.parts.reduce((sum, { where }) => sum + where.length, 0);
  }

  read(blob: number, offset: number, target: Uint8Array): number {
    const count = this.store.blob(blob)?.read(offset, target) ?? 0;
    // Beyond the end of what is there may be the end of the file.
    if (count < target.length && this.anyLost) throw new UserError('the recording is damaged: contents of a mapped file are lost');
    return count;
  }

  /** Reads all of it; says what is wrong, if anything. `progress` is told how much of 1 is done. */
  check(progress: (part: number) => void): string | undefined {
    for (const [i, part] of this.parts.entries()) {
      try {
        this.reader.read(part);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return error.message;
      }
      progress(i / this.parts.length);
    }
    return undefined;
  }
}
