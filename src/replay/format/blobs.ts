/**
 * The files that a recording holds. Their parts are read when the player wants bytes of them, and the
 * last ones used are kept: pages of programs and libraries are asked for one by one.
 */
import { UserError } from '../../base/errors.js';
import { type BlobChunk, CHUNK } from './chunks.js';
import type { RecordingReader } from './recordingReader.js';

/** Large enough to compress well, small enough to be read for the sake of one page. */
export const BLOB_PART = 256 * 1024;
const CACHE_SIZE = 32 * 1024 * 1024;

/** One stored file. */
interface Blob {
  /** Up to the end of the last part that is there. */
  readonly size: number;
  /**
   * Fills `target` from `offset` on; the result is how many bytes there were, fewer only at the end.
   * Throws a UserError if a part is damaged or missing.
   */
  read(offset: number, target: Uint8Array): number;
}

export class BlobStore {
  private readonly blobs: ReadonlyMap<number, Blob>;

  constructor(reader: RecordingReader, cacheSize = CACHE_SIZE) {
    const cache = new PartCache((part) => reader.read(part), cacheSize);
    this.blobs = new Map([...partsByBlob(reader)].map(([id, parts]) => [id, new StoredBlob(id, parts, cache)]));
  }

  /** Undefined if nothing of it is there: never stored, lost, or an empty file without parts. */
  blob(id: number): Blob | undefined {
    return this.blobs.get(id);
  }

  get ids(): number[] {
    return [...this.blobs.keys()];
  }
}

function partsByBlob({ chunks }: RecordingReader): Map<number, BlobChunk[]> {
  const parts = new Map<number, BlobChunk[]>();
  for (const chunk of chunks) {
    if (chunk.kind !== CHUNK.BLOB) continue;
    const known = parts.get(chunk.blobId);
    if (known === undefined) parts.set(chunk.blobId, [chunk]);
    else known.push(chunk);
  }
  return parts;
}

class StoredBlob implements Blob {
  readonly size: number;
  /** By their offsets. */
  private readonly parts: readonly BlobChunk[];

  constructor(
    private readonly id: number,
    parts: readonly BlobChunk[],
    private readonly cache: PartCache,
  ) {
    this.parts = [...parts].sort((one, two) => one.offset - two.offset);
    this.size = parts.reduce((size, part) => Math.max(size, endOf(part)), 0);
  }

  read(offset: number, target: Uint8Array): number {
    const count = Math.max(0, Math.min(target.length, this.size - offset));
    for (let filled = 0; filled < count; ) {
      const part = this.partWith(offset + filled);
      const from = offset + filled - part.offset;
      const bytes = this.cache.bytes(part).subarray(from, from + count - filled);
      target.set(bytes, filled);
      filled += bytes.length;
    }
    return count;
  }

  private partWith(position: number): BlobChunk {
    let [low, high] = [0, this.parts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.parts[middle]!.offset <= position) low = middle + 1;
      else high = middle;
    }
    const part = this.parts[low - 1];
    if (part === undefined || position >= endOf(part)) throw new UserError(`the recording lacks byte ${position} of stored file ${this.id}`);
    return part;
  }
}

function endOf({ offset, where }: BlobChunk): number {
  return offset + where.length;
}

/** The parts used last, up to a number of bytes. */
class PartCache {
  /** The one used last is at the end. */
  private readonly kept = new Map<BlobChunk, Uint8Array>();
  private size = 0;

  constructor(
    private readonly load: (part: BlobChunk) => Uint8Array,
    private readonly limit: number,
  ) {}

  bytes(part: BlobChunk): Uint8Array {
    const known = this.kept.get(part);
    if (known !== undefined) this.kept.delete(part);
    const bytes = known ?? this.load(part);
    this.kept.set(part, bytes);
    if (known === undefined) this.makeRoom(bytes.length);
    return bytes;
  }

  private makeRoom(added: number): void {
    this.size += added;
    for (const [part, { length }] of this.kept) {
      if (this.size <= this.limit) return;
      this.kept.delete(part);
      this.size -= length;
    }
  }
}
