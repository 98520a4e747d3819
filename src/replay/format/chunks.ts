/**
 * What a recording's file consists of. It starts with 24 bytes (magic, format version, the recording's
 * own number, CRC); then come chunks, each with a header of 64 bytes and its payload:
 *
 *    0  u32  marker, by which the next chunk is found after a damaged one
 *    4  u16  kind           6  u16  flags
 *    8  u32  length of the payload
 *   12  u32  length as stored (the same unless it is deflated)
 *   16  u64  first         24  u64  last        times, or what the kind says
 *   32  u32  a             36  u32  b           what the kind says
 *   40  u32  number: 0 for the file's first chunk, and so on; a gap shows that some are lost
 *   44  u64  the recording's number: chunks of another recording that lies inside of a payload are not ours
 *   52  u32  zero
 *   56  u32  CRC-32 of the stored payload
 *   60  u32  CRC-32 of the header up to here
 *
 * All little-endian. Readers skip kinds they do not know, so that a new kind needs no new version.
 */
import { type Time, time } from '../../base/types.js';

/** To be raised when an older reader would misunderstand the file. */
export const FORMAT_VERSION = 1;

export const CHUNK = {
  /** JSON: program, arguments, environment and so on. The first chunk. */
  HEADER: 1,
  /** What the recorder logged. */
  EVENTS: 2,
  /** A part of the bytes of a stored file. */
  BLOB: 3,
  /** State of the machine at a time. */
  CHECKPOINT: 4,
  /** JSON: a summary. Missing if the recording was cut off. After it come only checkpoints. */
  END: 5,
  /** Contents of pages of memory, one after the other, that checkpoints after it refer to by number. */
  PAGES: 6,
  /** JSON: what a check of the run found. Before END. */
  FOUND: 7,
} as const;

export type ChunkKind = (typeof CHUNK)[keyof typeof CHUNK];

/** A longer payload does not exist: a writer that has more makes several chunks of it. */
export const MAX_PAYLOAD = 64 * 1024 * 1024;

export interface EventsFields {
  /** The times of the first and of the last event in it. */
  readonly firstTime: Time;
  readonly lastTime: Time;
  /** How many events it has. */
  readonly count: number;
}

export interface BlobFields {
  readonly blobId: number;
  /** Where in the stored file the payload belongs. */
  readonly offset: number;
}

export interface CheckpointFields {
  readonly time: Time;
  /** A large checkpoint has several chunks: part 0, 1, … of `parts`. */
  readonly part?: number;
  readonly parts?: number;
}

export interface PagesFields {
  /** The number of the first one; the others follow. */
  readonly firstPage: number;
}

type NoFields = Readonly<Record<never, never>>;

/** What the header of each kind of chunk says beside the payload. */
export interface FieldsOf {
  readonly [CHUNK.HEADER]: NoFields;
  readonly [CHUNK.EVENTS]: EventsFields;
  readonly [CHUNK.BLOB]: BlobFields;
  readonly [CHUNK.CHECKPOINT]: CheckpointFields;
  readonly [CHUNK.END]: NoFields;
  readonly [CHUNK.PAGES]: PagesFields;
  readonly [CHUNK.FOUND]: NoFields;
}

/** The header's numbers, whose meaning depends on the kind. */
export interface RawFields {
  readonly first: number;
  readonly last: number;
  readonly a: number;
  readonly b: number;
}

/** Where a chunk lies in its file. */
export interface ChunkPlace {
  /** Which chunk of the file it is, from 0. */
  readonly number: number;
  /** Of the chunk's header. */
  readonly offset: number;
  readonly storedLength: number;
  /** Of the payload, as it was given to the writer. */
  readonly length: number;
  readonly flags: number;
  readonly checksum: number;
}

export interface EventsChunk extends EventsFields {
  readonly kind: typeof CHUNK.EVENTS;
  readonly where: ChunkPlace;
  /** 0 for the first EVENTS chunk of the recording, and so on. */
  readonly index: number;
}

export interface BlobChunk extends BlobFields {
  readonly kind: typeof CHUNK.BLOB;
  readonly where: ChunkPlace;
}

export interface CheckpointChunk extends Required<CheckpointFields> {
  readonly kind: typeof CHUNK.CHECKPOINT;
  readonly where: ChunkPlace;
}

export interface PagesChunk extends PagesFields {
  readonly kind: typeof CHUNK.PAGES;
  readonly where: ChunkPlace;
}

export interface JsonChunk {
  readonly kind: typeof CHUNK.HEADER | typeof CHUNK.END | typeof CHUNK.FOUND;
  readonly where: ChunkPlace;
}

export type Chunk = JsonChunk | EventsChunk | BlobChunk | CheckpointChunk | PagesChunk;

const NO_FIELDS: RawFields = { first: 0, last: 0, a: 0, b: 0 };

export function eventsFields({ firstTime, lastTime, count }: EventsFields, index: number): RawFields {
  return { first: firstTime, last: lastTime, a: count, b: index };
}

export function blobFields({ blobId, offset }: BlobFields): RawFields {
  return { ...NO_FIELDS, first: offset, a: blobId };
}

export function checkpointFields({ time, part = 0, parts = 1 }: CheckpointFields): RawFields {
  return { first: time, last: time, a: part, b: parts };
}

export function pagesFields({ firstPage }: PagesFields): RawFields {
  return { ...NO_FIELDS, first: firstPage };
}

export function noFields(): RawFields {
  return NO_FIELDS;
}

/** The chunk that a header describes; undefined if we do not know its kind. */
export function chunkFrom(kind: number, { first, last, a, b }: RawFields, where: ChunkPlace): Chunk | undefined {
  switch (kind) {
    case CHUNK.HEADER:
    case CHUNK.END:
    case CHUNK.FOUND:
      return { kind, where };
    case CHUNK.EVENTS:
      return { kind, where, firstTime: time(first), lastTime: time(last), count: a, index: b };
    case CHUNK.BLOB:
      return { kind, where, blobId: a, offset: first };
    case CHUNK.CHECKPOINT:
      return { kind, where, time: time(first), part: a, parts: b };
    case CHUNK.PAGES:
      return { kind, where, firstPage: first };
    default:
      return undefined;
  }
}
