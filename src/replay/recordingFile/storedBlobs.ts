/**
 * The contents of files that are stored in a recording, read part by part as they are wanted; a few
 * parts are kept. What is lost is an error, never zeros.
 */
import { UserError } from '../../base/errors.js';
import { type BlobChunk, CHUNK } from '../format/chunks.js';
import type { RecordingReader } from '../format/recordingReader.js';
import type { BlobSource } from '../play/playedObject.js';

const MOST_KEPT = 16;

export class StoredBlobs implements BlobSource {
  /** In order of offset. */
  private readonly parts = new Map<number, BlobChunk[]>();
  /** The last one used is at the end. */
  private readonly kept = new Map<BlobChunk, Uint8Array>();
  /** Whether a chunk may have been a part that we need. */
  private readonly anyLost: boolean;
  readonly totalBytes: number;

  constructor(private readonly reader: RecordingReader) {
    let total = 0;
    for (const chunk of reader.chunks) {
      if (chunk.kind !== CHUNK.BLOB) continue;
      const parts = this.parts.get(chunk.blobId);
      if (parts === undefined) this.parts.set(chunk.blobId, [chunk]);
      else parts.push(chunk);
      total += chunk.where.length;
    }
    for (const parts of this.parts.values()) parts.sort((a, b) => a.offset - b.offset);
    this.totalBytes = total;
    this.anyLost = reader.chunks.some(({ where }, i) => where.number !== i);
  }

  /** How many files are stored. */
  get count(): number {
    return this.parts.size;
  }

  read(blob: number, offset: number, target: Uint8Array): number {
    const parts = this.parts.get(blob) ?? [];
    let filled = 0;
    while (filled < target.length) {
      const at = offset + filled;
      const part = findPart(parts, at);
      if (part === undefined) break;
      const bytes = this.bytesOf(part).subarray(at - part.offset, at - part.offset + target.length - filled);
      target.set(bytes, filled);
      filled += bytes.length;
    }
    if (filled < target.length && (this.anyLost || isBeforeEnd(parts, offset + filled))) throw new UserError('the recording is damaged: contents of a mapped file are lost');
    return filled;
  }

  /** Reads all of it; says what is wrong, if anything. `progress` is told how much of 1 is done. */
  check(progress: (part: number) => void): string | undefined {
    let done = 0;
    for (const part of [...this.parts.values()].flat()) {
      try {
        this.reader.read(part);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return error.message;
      }
      progress(++done / this.parts.size);
    }
    return undefined;
  }

  private bytesOf(part: BlobChunk): Uint8Array {
    const known = this.kept.get(part);
    const bytes = known ?? this.reader.read(part);
    this.kept.delete(part);
    this.kept.set(part, bytes);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value as BlobChunk);
    return bytes;
  }
}

function findPart(parts: readonly BlobChunk[], at: number): BlobChunk | undefined {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((parts[middle] as BlobChunk).offset <= at) low = middle + 1;
    else high = middle;
  }
  const part = parts[low - 1];
  return part !== undefined && at < part.offset + part.where.length ? part : undefined;
}

function isBeforeEnd(parts: readonly BlobChunk[], at: number): boolean {
  const last = parts.at(-1);
  return last !== undefined && at < last.offset + last.where.length;
}
