/** Arrays of struct iovec: buffers that are read or written as if they were one. */
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { MAX_TRANSFER } from '../files/fileConstants.js';
import type { Process } from '../process.js';

const IOVEC_SIZE = 16;
const MOST_VECTORS = 1024;

export interface Vector {
  readonly address: number;
  readonly length: number;
}

/** The array, cut off at the most that one call transfers; a number if it is malformed. */
export function readVectors(p: Process, address: number, count: number): Vector[] | number {
  if (count < 0 || count > MOST_VECTORS) return -E.INVAL;
  const vectors: Vector[] = [];
  let total = 0;
  for (let i = 0; i < count; i++) {
    const length = p.space.readNum64(address + i * IOVEC_SIZE + 8);
    if (length >= 2 ** 63) return -E.INVAL;
    const used = Math.min(length, MAX_TRANSFER - total);
    total += used;
    if (used > 0) vectors.push({ address: p.space.readNum64(address + i * IOVEC_SIZE), length: used });
  }
  return vectors;
}

/** All bytes in one array, as far as they can be read. */
export function gather(p: Process, vectors: readonly Vector[]): Uint8Array {
  const [first] = vectors;
  if (first === undefined) return new Uint8Array(0);
  if (vectors.length === 1) return p.buffer(first.address, first.length, 'read');
  const bytes = new Uint8Array(vectors.reduce((sum, v) => sum + v.length, 0));
  let at = 0;
  for (const { address, length } of vectors) {
    const piece = at === 0 ? p.buffer(address, length, 'read') : bufferOrNone(p, address, length, 'read');
    bytes.set(piece, at);
    at += piece.length;
    if (piece.length < length) break;
  }
  return bytes.subarray(0, at);
}

/** A bad buffer after good ones ends the transfer there. */
export function bufferOrNone(p: Process, address: number, length: number, access: 'read' | 'write'): Uint8Array {
  try {
    return p.buffer(address, length, access);
  } catch (error) {
    if (!(error instanceof BadAddress)) throw error;
    return new Uint8Array(0);
  }
}
