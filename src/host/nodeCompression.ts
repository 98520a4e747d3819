/** Compression and checksums of recordings, by Node's zlib. */
import zlib from 'node:zlib';
import { crc32 } from '../replay/format/crc32.js';
import type { Checksum, Deflate } from '../replay/format/encoding.js';
import type { Inflate } from '../replay/format/recordingReader.js';

/** zlib's result comes in pieces of one size: few if it is large, and not too much to allocate if it is small. */
function pieces(length: number): number {
  return Math.min(Math.max(length + 64, 1024), 256 * 1024);
}

/** The quickest level: recording must not slow the program down. */
export const deflate: Deflate = (bytes) => zlib.deflateRawSync(bytes, { level: 1, chunkSize: pieces(bytes.length) });

/** Throws if the result were longer. It is no Buffer: of those `slice` makes no copy. */
export const inflate: Inflate = (stored, length) => {
  const { buffer, byteOffset, byteLength } = zlib.inflateRawSync(stored, { chunkSize: pieces(length), maxOutputLength: Math.max(length, 1) });
  return new Uint8Array(buffer, byteOffset, byteLength);
};

/** zlib's is ten times as fast as ours, but the first releases of Node 20 do not show it. */
export const checksum: Checksum = (zlib as Partial<Pick<typeof zlib, 'crc32'>>).crc32 ?? crc32;
