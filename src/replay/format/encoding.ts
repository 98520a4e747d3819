/**
 * The bytes of a recording's start and of its chunks' headers (chunks.ts has the layout), both ways.
 * All that write recordings use ChunkEncoder, in whatever thread.
 */
import { assert } from '../../base/assert.js';
import { FORMAT_VERSION, MAX_PAYLOAD, type RawFields } from './chunks.js';
import { crc32 } from './crc32.js';

/** As PNG's: neither text nor anything that survives a change of line ends. */
export const MAGIC = Uint8Array.of(0x89, 0x43, 0x55, 0x4c, 0x50, 0x0d, 0x0a, 0x1a);
export const START_SIZE = 24;
export const CHUNK_HEADER_SIZE = 64;
/** As it lies in the file: f5 'C' 'U' 'L'. UTF-8 text has no f5. */
export const MARKER_BYTES = Uint8Array.of(0xf5, 0x43, 0x55, 0x4c);
const MARKER = 0x4c5543f5;

export const FLAG = { DEFLATED: 1 } as const;

export type Deflate = (bytes: Uint8Array) => Uint8Array;
export type Checksum = (bytes: Uint8Array) => number;

/** What a sink is given: everything but what compression decides. */
export interface ChunkToWrite extends RawFields {
  readonly kind: number;
  readonly number: number;
  readonly payload: Uint8Array;
}

/** A header of a file, as it is there. */
export interface ChunkHeader extends RawFields {
  readonly kind: number;
  readonly flags: number;
  readonly length: number;
  readonly storedLength: number;
  readonly number: number;
  readonly recordingId: number;
  readonly checksum: number;
}

export interface EncoderOptions {
  /** Tells this recording's chunks from those of others; random, below 2^53. */
  readonly recordingId: number;
  /** Raw deflate; without it nothing is compressed. */
  readonly deflate?: Deflate;
  readonly checksum?: Checksum;
}

export class ChunkEncoder {
  constructor(private readonly options: EncoderOptions) {}

  /** What the file starts with. */
  start(): Uint8Array {
    const bytes = new Uint8Array(START_SIZE);
    const view = new DataView(bytes.buffer);
    bytes.set(MAGIC);
    view.setUint32(8, FORMAT_VERSION, true);
    setU64(view, 12, this.options.recordingId);
    view.setUint32(20, crc32(bytes.subarray(0, 20)), true);
    return bytes;
  }

  /** A chunk's header and its payload as it is to be stored. */
  chunk({ payload, ...fields }: ChunkToWrite): [header: Uint8Array, stored: Uint8Array] {
    assert(payload.length <= MAX_PAYLOAD, `a chunk of ${payload.length} bytes`);
    const { deflate, checksum = crc32, recordingId } = this.options;
    const deflated = payload.length > 0 ? deflate?.(payload) : undefined;
    const smaller = deflated !== undefined && deflated.length < payload.length;
    const stored = smaller ? deflated : payload;
    const header = encodeChunkHeader({
      ...fields,
      flags: smaller ? FLAG.DEFLATED : 0,
      length: payload.length,
      storedLength: stored.length,
      recordingId,
      checksum: checksum(stored),
    });
    return [header, stored];
  }
}

export function encodeChunkHeader(header: ChunkHeader): Uint8Array {
  const bytes = new Uint8Array(CHUNK_HEADER_SIZE);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MARKER, true);
  view.setUint16(4, header.kind, true);
  view.setUint16(6, header.flags, true);
  view.setUint32(8, header.length, true);
  view.setUint32(12, header.storedLength, true);
  setU64(view, 16, header.first);
  setU64(view, 24, header.last);
  view.setUint32(32, header.a, true);
  view.setUint32(36, header.b, true);
  view.setUint32(40, header.number, true);
  setU64(view, 44, header.recordingId);
  view.setUint32(56, header.checksum, true);
  view.setUint32(60, crc32(bytes.subarray(0, 60)), true);
  return bytes;
}

/** The header at an offset; undefined if there is none, or not a sound one. */
export function decodeChunkHeader(bytes: Uint8Array, offset = 0): ChunkHeader | undefined {
  if (bytes.length - offset < CHUNK_HEADER_SIZE) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, CHUNK_HEADER_SIZE);
  if (view.getUint32(0, true) !== MARKER) return undefined;
  if (view.getUint32(60, true) !== crc32(bytes.subarray(offset, offset + 60))) return undefined;
  const header: ChunkHeader = {
    kind: view.getUint16(4, true),
    flags: view.getUint16(6, true),
    length: view.getUint32(8, true),
    storedLength: view.getUint32(12, true),
    first: getU64(view, 16),
    last: getU64(view, 24),
    a: view.getUint32(32, true),
    b: view.getUint32(36, true),
    number: view.getUint32(40, true),
    recordingId: getU64(view, 44),
    checksum: view.getUint32(56, true),
  };
  return isPlausible(header) ? header : undefined;
}

/** Numbers up to 2^53; BigInt is many times slower. */
function setU64(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value >>> 0, true);
  view.setUint32(offset + 4, Math.floor(value / 2 ** 32), true);
}

function getU64(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}

/** A checksum is no proof against malice: readers of a header may rely on this. */
function isPlausible({ length, storedLength, flags, first, last }: ChunkHeader): boolean {
  if (length > MAX_PAYLOAD || storedLength > length) return false;
  if ((flags & FLAG.DEFLATED) === 0 && storedLength !== length) return false;
  return Number.isSafeInteger(first) && Number.isSafeInteger(last);
}

type FileStart =
  | { readonly kind: 'sound'; readonly version: number; readonly recordingId: number }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'foreign' };

/** Damaged: some of the magic is there, or all of it and the rest is wrong. */
export function decodeStart(bytes: Uint8Array): FileStart {
  const known = MAGIC.filter((byte, i) => bytes[i] === byte).length;
  if (known < Math.min(MAGIC.length, bytes.length)) return { kind: known < 4 ? 'foreign' : 'damaged' };
  if (bytes.length < START_SIZE) return { kind: 'damaged' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, START_SIZE);
  if (view.getUint32(20, true) !== crc32(bytes.subarray(0, 20))) return { kind: 'damaged' };
  return { kind: 'sound', version: view.getUint32(8, true), recordingId: getU64(view, 12) };
}
