/** Arrays of struct iovec: buffers that are read or written as if they were one. */
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { MAX_TRANSFER } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import type { SyscallResult } from '../syscall.js';

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

/** The part of the buffers that begins after `skipped` bytes, and has no more than `most`. */
export function partOf(vectors: readonly Vector[], skipped: number, most: number): readonly Vector[] {
  const part: Vector[] = [];
  let [skip, left] = [skipped, most];
  for (const { address, length } of vectors) {
    const used = Math.min(length - skip, left);
    if (used > 0) part.push({ address: address + skip, length: used });
    skip = Math.max(0, skip - length);
    left -= Math.max(0, used);
  }
  return part;
}

/** What `take` is shown at first of a large buffer; then so many times more. */
const FIRST_PORTION = 256 * 1024;
const LARGER = 4;

/** For files that take what they have room for, and do not wait: costs by what they take, not by what there is. */
export function inPortions(p: Process, vectors: readonly Vector[], take: (bytes: Uint8Array) => SyscallResult): SyscallResult {
  let done = 0;
  for (let most = FIRST_PORTION; ; most *= LARGER) {
    const [next, ...others] = partOf(vectors, done, most);
    const bytes = done === 0 || next === undefined ? gather(p, next === undefined ? [] : [next, ...others]) : bufferOrNone(p, next.address, next.length, 'read');
    if (done > 0 && bytes.length === 0) return done;
    const count = take(bytes);
    if (typeof count !== 'number') return count;
    if (count < 0) return done > 0 ? done : count;
    done += count;
    if (count < bytes.length || bytes.length === 0) return done;
  }
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
