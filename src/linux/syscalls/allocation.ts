/** How much of a file there is: truncate, and fallocate with its ways to make holes and to move what is behind them. */
import { E } from '../../base/errno.js';
import { AT_FDCWD, LARGEST_FILE, O, S_IFDIR, S_IFIFO, S_IFMT, S_IFREG } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { RLIMIT } from '../limits.js';
import { hostPathArgument } from '../paths.js';
import type { Process } from '../process.js';
import { SIG } from '../../base/signalNumbers.js';
import type { SyscallFamily } from '../syscall.js';

const FALLOC = { KEEP_SIZE: 1, PUNCH_HOLE: 2, COLLAPSE_RANGE: 8, ZERO_RANGE: 16, INSERT_RANGE: 32 } as const;
const CHUNK = 1 << 17;

/** Whether a file may become that large: 0 or an error. */
function mayGrow(p: Process, from: number, to: number): number {
  if (to <= from) return 0;
  if (to > p.limits.soft(RLIMIT.FSIZE)) {
    p.signals.raise(SIG.XFSZ);
    return -E.FBIG;
  }
  return to > LARGEST_FILE ? -E.FBIG : 0;
}

function writeZeros(file: OpenFile, start: number, end: number): number {
  const zeros = new Uint8Array(Math.min(CHUNK, Math.max(0, end - start)));
  for (let at = start; at < end; ) {
    const count = file.writeInPlace(zeros.subarray(0, end - at), at);
    if (count <= 0) return count;
    at += count;
  }
  return 0;
}

/** Everything from `from` on. */
function readTail(file: OpenFile, from: number, size: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, size - from));
  let done = 0;
  while (done < bytes.length) {
    const count = file.readAt(bytes.subarray(done), from + done);
    if (count <= 0) break;
    done += count;
  }
  return bytes;
}

function collapse(file: OpenFile, offset: number, length: number, size: number): number {
  const tail = readTail(file, offset + length, size);
  const count = file.writeInPlace(tail, offset);
  return count < 0 ? count : file.truncate(size - length);
}

function insert(file: OpenFile, offset: number, length: number, size: number): number {
  const tail = readTail(file, offset, size);
  const count = file.writeInPlace(tail, offset + length);
  return count < 0 ? count : writeZeros(file, offset, offset + length);
}

interface Range {
  readonly mode: number;
  readonly offset: number;
  readonly length: number;
}

/** Holes are zeros: that they need no room on the disk is not for us to see to. */
function change(p: Process, file: OpenFile, { mode, offset, length }: Range, size: number, blockSize: number): number {
  const end = offset + length;
  const keepsSize = (mode & FALLOC.KEEP_SIZE) !== 0;
  const kind = mode & ~FALLOC.KEEP_SIZE;
  if (kind === FALLOC.COLLAPSE_RANGE || kind === FALLOC.INSERT_RANGE) {
    if (keepsSize || offset % blockSize !== 0 || length % blockSize !== 0) return keepsSize ? -E.OPNOTSUPP : -E.INVAL;
    if (kind === FALLOC.COLLAPSE_RANGE) return end >= size ? -E.INVAL : collapse(file, offset, length, size);
    return offset >= size ? -E.INVAL : insert(file, offset, length, size);
  }
  const failure = keepsSize ? 0 : mayGrow(p, size, end);
  if (failure < 0) return failure;
  if (!keepsSize && end > size) file.truncate(end);
  return kind === 0 ? 0 : writeZeros(file, offset, Math.min(end, Math.max(size, keepsSize ? 0 : end)));
}

const MODES: ReadonlySet<number> = new Set([
  0, FALLOC.KEEP_SIZE, FALLOC.PUNCH_HOLE | FALLOC.KEEP_SIZE, FALLOC.ZERO_RANGE, FALLOC.ZERO_RANGE | FALLOC.KEEP_SIZE,
  FALLOC.COLLAPSE_RANGE, FALLOC.INSERT_RANGE,
]);

function allocate(p: Process, file: OpenFile, range: Range): number {
  if (range.offset < 0 || range.length <= 0) return -E.INVAL;
  if (!MODES.has(range.mode)) return -E.OPNOTSUPP;
  if (!file.writable) return -E.BADF;
  if (file.isAppendOnly) return -E.PERM;
  const stat = file.stat();
  if (typeof stat === 'number') return stat;
  switch (stat.mode & S_IFMT) {
    case S_IFIFO:
      return -E.SPIPE;
    case S_IFDIR:
      return -E.ISDIR;
    case S_IFREG:
      return range.offset + range.length > LARGEST_FILE ? -E.FBIG : change(p, file, range, stat.size, stat.blockSize);
    default:
      return -E.NODEV;
  }
}

export const allocationCalls: SyscallFamily = {
  ftruncate(p, a) {
    const file = p.files.get(a.int(0));
    const size = a.long(1);
    if (size < 0) return -E.INVAL;
    if (file === undefined || (file.flags & O.PATH) !== 0) return -E.BADF;
    const stat = file.stat();
    if (typeof stat === 'number') return stat;
    if ((stat.mode & S_IFMT) !== S_IFREG || !file.writable) return -E.INVAL;
    p.memory.sharedFiles.beforeWrite(file);
    const failure = mayGrow(p, stat.size, size);
    return failure < 0 ? failure : file.truncate(size);
  },

  truncate(p, a) {
    const size = a.long(1);
    if (size < 0) return -E.INVAL;
    const path = hostPathArgument(p, AT_FDCWD, a.addr(0), true);
    if (typeof path === 'number') return path;
    const stat = p.host.files.stat(path, true);
    if (typeof stat === 'number') return stat;
    if ((stat.mode & S_IFMT) === S_IFDIR) return -E.ISDIR;
    if ((stat.mode & S_IFMT) !== S_IFREG) return -E.INVAL;
    p.memory.sharedFiles.beforeWrite();
    const failure = mayGrow(p, stat.size, size);
    return failure < 0 ? failure : p.host.files.truncate(path, size);
  },

  fallocate(p, a) {
    const file = p.files.get(a.int(0));
    if (file === undefined) return -E.BADF;
    p.memory.sharedFiles.beforeWrite(file);
    return allocate(p, file, { mode: a.uint(1), offset: a.long(2), length: a.long(3) });
  },
};
