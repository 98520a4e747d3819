/**
 * A recording that is read. Opening looks at the chunks' headers only; payloads are read, checked and
 * inflated one by one when asked for. What is damaged is reported in `damage` or, if it is a payload,
 * when that is read; everything else stays usable. Files may be malicious: nothing here trusts them.
 */
import { assert } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { parseJson } from '../../base/json.js';
import type { ByteSource } from './byteSource.js';
import { CHUNK, type Chunk, type ChunkKind, chunkFrom, type ChunkPlace, type EventsChunk, FORMAT_VERSION } from './chunks.js';
import { crc32 } from './crc32.js';
import { type Checksum, CHUNK_HEADER_SIZE, type ChunkHeader, decodeStart, FLAG, START_SIZE } from './encoding.js';
import type { JsonObject } from './recordingWriter.js';
import { endOf, type Scan, scanChunks } from './scan.js';

/** Raw inflate of `stored` to `length` bytes; may throw whatever it likes if that is not what comes out. */
export type Inflate = (stored: Uint8Array, length: number) => Uint8Array;

/** Deflate cannot do better. More is a lie, and would only cost us memory. */
const BEST_RATIO = 1032;

/**
 * No command line and environment, and no list of findings, comes near. In memory JSON may take thirty times as much.
 */
const LONGEST_JSON = 16 * 1024 * 1024;
const LONGEST_FINDINGS = 32 * 1024 * 1024;

/** A payload is not what was written. */
export class DamagedChunk extends UserError {
  override name = 'DamagedChunk';
  readonly file: string;
  /** Which chunk of the file it is, and where it starts. */
  readonly number: number;
  readonly offset: number;

  constructor(file: string, { where: { number, offset } }: Chunk, what = 'is damaged') {
    super(`${file}: chunk ${number} (at byte ${offset}) ${what}`);
    this.file = file;
    this.number = number;
    this.offset = offset;
  }
}

/** Where checkpoints can be added to a recording. Behind it there is nothing but checkpoints, or nothing of use. */
export interface Continuation {
  readonly recordingId: number;
  readonly offset: number;
  /** How many chunks there are before it. */
  readonly chunks: number;
}

const ADDED_LATER: ReadonlySet<number> = new Set<ChunkKind>([CHUNK.CHECKPOINT, CHUNK.PAGES]);

interface ReaderOptions {
  readonly inflate: Inflate;
  /** A CRC-32 faster than ours. */
  readonly checksum?: Checksum;
}

export class RecordingReader {
  /** The HEADER chunk's content. */
  readonly header: JsonObject;
  /** The END chunk's; undefined if the recording was cut off. */
  readonly end: JsonObject | undefined;
  /** All chunks of known kinds that are there, in the order in which they were written. */
  readonly chunks: readonly Chunk[];
  /**
   * The EVENTS chunks up to the first one that is missing: replay cannot go further. One of these may still
   * turn out to be damaged when it is read, and is the end then.
   */
  readonly usableEvents: readonly EventsChunk[];
  /** In one line; undefined if the file is sound as far as the headers tell. */
  readonly damage: string | undefined;
  readonly continuation: Continuation;
  private readonly inflate: Inflate;
  private readonly checksum: Checksum;

  /** Throws a UserError if there is nothing that can be used. */
  static open(source: ByteSource, options: ReaderOptions | Inflate): RecordingReader {
    return new RecordingReader(source, typeof options === 'function' ? { inflate: options } : options);
  }

  private constructor(
    private readonly source: ByteSource,
    { inflate, checksum = crc32 }: ReaderOptions,
  ) {
    this.inflate = inflate;
    this.checksum = checksum;
    const start = readStart(source);
    const scan = scanChunks(source, start.recordingId);
    this.chunks = scan.chunks.flatMap(({ offset, header }) => chunkFrom(header.kind, header, placeOf(header, offset)) ?? []);
    this.header = this.readHeader();
    const end = this.readEnd();
    this.end = end.value;
    this.usableEvents = beforeGap(this.chunks);
    this.continuation = continuationOf(scan);
    // What is cut off after the end are checkpoints, which the recording does not need.
    const cut = scan.cut === undefined || end.value !== undefined ? [] : [scan.cut];
    const damage = [...start.damage, ...scan.damage, ...cut, ...end.damage];
    this.damage = damage.length === 0 ? undefined : `${source.name}: ${damage.join('; ')}`;
  }

  /** A chunk's payload, as it was given to the writer. Throws DamagedChunk if that cannot be had. */
  read(chunk: Chunk): Uint8Array {
    const { length, flags, storedLength } = chunk.where;
    const stored = this.stored(chunk);
    if (stored === undefined) throw this.damaged(chunk);
    if (flags === 0) return stored;
    if (flags !== FLAG.DEFLATED) throw this.damaged(chunk, 'is stored in a way that this version of culprit does not know');
    if (length > storedLength * BEST_RATIO) throw this.damaged(chunk);
    return this.inflated(chunk, stored);
  }

  /** Whether its bytes are those that were written. */
  isIntact(chunk: Chunk): boolean {
    return this.stored(chunk) !== undefined;
  }

  /** Undefined if they are not what was written. */
  private stored({ where: { offset, storedLength, checksum } }: Chunk): Uint8Array | undefined {
    const stored = this.source.read(offset + CHUNK_HEADER_SIZE, storedLength);
    return stored.length === storedLength && this.checksum(stored) === checksum ? stored : undefined;
  }

  private inflated(chunk: Chunk, stored: Uint8Array): Uint8Array {
    let bytes;
    try {
      bytes = this.inflate(stored, chunk.where.length);
    } catch {
      throw this.damaged(chunk);
    }
    if (bytes.length !== chunk.where.length) throw this.damaged(chunk);
    return bytes;
  }

  private damaged(chunk: Chunk, what?: string): DamagedChunk {
    return new DamagedChunk(this.source.name, chunk, what);
  }

  /** The FOUND chunk's content; undefined if the run was not checked. */
  found(): JsonObject | undefined {
    const chunk = this.chunks.findLast(({ kind }) => kind === CHUNK.FOUND);
    return chunk && this.readJson(chunk, LONGEST_FINDINGS);
  }

  private readHeader(): JsonObject {
    const [chunk] = this.chunks;
    const header = chunk?.kind === CHUNK.HEADER && chunk.where.number === 0 ? this.readJson(chunk) : undefined;
    if (header === undefined) throw new UserError(`${this.source.name}: its header is damaged, without which it cannot be used`);
    return header;
  }

  private readEnd(): { readonly value: JsonObject | undefined; readonly damage: readonly string[] } {
    const chunk = this.chunks.findLast(({ kind }) => kind === CHUNK.END);
    if (chunk === undefined) return { value: undefined, damage: [] };
    const value = this.readJson(chunk);
    return { value, damage: value === undefined ? ['the summary at its end is damaged'] : [] };
  }

  private readJson(chunk: Chunk, most = LONGEST_JSON): JsonObject | undefined {
    if (chunk.where.length > most) return undefined;
    try {
      const value: unknown = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(this.read(chunk)));
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
    } catch {
      return undefined;
    }
  }
}

function continuationOf({ chunks }: Scan): Continuation {
  const last = chunks.findLast(({ header }) => !ADDED_LATER.has(header.kind));
  assert(last !== undefined, 'a recording has a header');
  return { recordingId: last.header.recordingId, offset: endOf(last), chunks: last.header.number + 1 };
}

/** Only what is needed: there may be very many. */
function placeOf({ number, storedLength, length, flags, checksum }: ChunkHeader, offset: number): ChunkPlace {
  return { number, offset, storedLength, length, flags, checksum };
}

function readStart(source: ByteSource): { readonly recordingId: number | undefined; readonly damage: readonly string[] } {
  if (source.size === 0) throw new UserError(`${source.name}: an empty file, not a recording`);
  const start = decodeStart(source.read(0, START_SIZE));
  switch (start.kind) {
    case 'foreign':
      throw new UserError(`${source.name}: not a recording of culprit`);
    case 'damaged':
      return { recordingId: undefined, damage: ['damaged at byte 0'] };
    default:
      if (start.version > FORMAT_VERSION) {
        const reads = `(format ${start.version}; this one reads up to ${FORMAT_VERSION})`;
        throw new UserError(`${source.name} was made by a newer version of culprit ${reads}`);
      }
      return { recordingId: start.recordingId, damage: [] };
  }
}

function beforeGap(chunks: readonly Chunk[]): EventsChunk[] {
  const events = chunks.filter((chunk) => chunk.kind === CHUNK.EVENTS);
  let last = 0;
  const gap = events.findIndex(({ index, firstTime, lastTime }, i) => {
    const inOrder = index === i && firstTime >= last && lastTime >= firstTime;
    last = lastTime;
    return !inOrder;
  });
  return gap < 0 ? events : events.slice(0, gap);
}
