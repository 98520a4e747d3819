/** Compression and checksums of recordings, by Node's zlib. */
import zlib from 'node:zlib';
import { crc32 } from '../replay/format/crc32.js';
import type { Checksum, Deflate } from '../replay/format/encoding.js';
import type { Inflate } from '../replay/format/recordingReader.js';

/** zlib allocates its result in pieces of this size; fewer are quicker. */
const PIECE = 256 * 1024;

/** The quickest level: recording must not slow the program down. */
export const deflate: Deflate = (bytes) => zlib.deflateRawSync(bytes, { level: 1, chunkSize: PIECE });

/** Throws if the result were longer. */
export const inflate: Inflate = (stored, length) => {
  const chunkSize = Math.min(Math.max(length, 64), PIECE);
  return zlib.inflateRawSync(stored, { chunkSize, maxOutputLength: Math.max(length, 1) });
};

/** zlib's is ten times as fast as ours, but the first releases of Node 20 do not show it. */
export const checksum: Checksum = (zlib as Partial<Pick<typeof zlib, 'crc32'>>).crc32 ?? crc32;
