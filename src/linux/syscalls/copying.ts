/** Copies from file to file without the program's help: sendfile, copy_file_range. */
import { E } from '../../base/errno.js';
import { MAX_TRANSFER, O, S_IFIFO, S_IFMT, S_IFREG, SEEK } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { waitUntil } from '../waiting.js';
import { raiseIfBroken, readable, writable } from './transfer.js';

const COPY_CHUNK = 1 << 17;

function typeOf(file: OpenFile): number {
  const stat = file.stat();
  return typeof stat === 'number' ? 0 : stat.mode & S_IFMT;
}

function isPath(file: OpenFile): boolean {
  return (file.flags & O.PATH) !== 0;
}

function appends(file: OpenFile): boolean {
  return (file.flags & O.APPEND) !== 0;
}

interface CopyEnd {
  readonly file: OpenFile;
  /** Address of an off_t that takes the place of the file's own offset; 0 if none. */
  readonly offsetAt: number;
}

/** The count, or an error if nothing was copied. What was read and not written is as if it had not been read. */
function copy(p: Process, from: CopyEnd, to: CopyEnd, length: number): number {
  let source = from.offsetAt === 0 ? 0 : p.space.readSigned64(from.offsetAt);
  let target = to.offsetAt === 0 ? 0 : p.space.readSigned64(to.offsetAt);
  const buffer = new Uint8Array(Math.min(length, COPY_CHUNK));
  let done = 0;
  let failure = 0;
  while (done < length && failure === 0) {
    const room = buffer.subarray(0, Math.min(buffer.length, length - done));
    const got = from.offsetAt === 0 ? from.file.read(room, true) : from.file.readAt(room, source);
    if (got <= 0) {
      failure = got;
      break;
    }
    const bytes = room.subarray(0, got);
    const put = to.offsetAt === 0 ? to.file.write(bytes) : to.file.writeAt(bytes, target);
    source += Math.max(0, put);
    target += Math.max(0, put);
    done += Math.max(0, put);
    if (put === got) continue;
    failure = put < 0 ? put : -E.AGAIN;
    if (from.offsetAt === 0) from.file.seek(Math.max(0, put) - got, SEEK.CUR);
  }
  if (from.offsetAt !== 0) p.space.writeNum64(from.offsetAt, source);
  if (to.offsetAt !== 0) p.space.writeNum64(to.offsetAt, target);
  return done > 0 || failure === 0 ? done : raiseIfBroken(p, failure);
}

/** Where a copy starts that uses this end. */
function position(p: Process, { file, offsetAt }: CopyEnd): number {
  return offsetAt === 0 ? file.seek(0, SEEK.CUR) : p.space.readSigned64(offsetAt);
}

function isSameFile(one: OpenFile, other: OpenFile): boolean {
  const [a, b] = [one.stat(), other.stat()];
  return typeof a !== 'number' && typeof b !== 'number' && a.inode === b.inode && a.device === b.device;
}

function copyRange(p: Process, from: CopyEnd, to: CopyEnd, length: number): number {
  const [source, target] = [position(p, from), position(p, to)];
  if (source < 0 || target < 0) return -E.OVERFLOW;
  const overlaps = source < target + length && target < source + length;
  return isSameFile(from.file, to.file) && overlaps ? -E.INVAL : copy(p, from, to, length);
}

export const copyingCalls: SyscallFamily = {
  sendfile(p, a): SyscallResult {
    const to = writable(p, a.int(0));
    const from = readable(p, a.int(1));
    if (to === undefined || from === undefined) return -E.BADF;
    const offsetAt = a.addr(2);
    if (offsetAt !== 0 && p.space.readSigned64(offsetAt) < 0) return -E.INVAL;
    if (from.isDirectory || typeOf(from) === S_IFIFO || appends(to)) return -E.INVAL;
    const length = Math.min(a.addr(3), MAX_TRANSFER);
    const attempt = (): number => copy(p, { file: from, offsetAt }, { file: to, offsetAt: 0 }, length);
    const count = attempt();
    if (count !== -E.AGAIN || to.nonBlocking) return count;
    return waitUntil(p, attempt, { external: to.isExternal, describe: () => `sendfile to ${to.path}` });
  },

  copy_file_range(p, a) {
    const [from, to] = [p.files.get(a.int(0)), p.files.get(a.int(2))];
    if (from === undefined || to === undefined || isPath(from) || isPath(to)) return -E.BADF;
    if (a.uint(5) !== 0) return -E.INVAL;
    // What the files are comes before how they were opened.
    if (from.isDirectory || to.isDirectory) return -E.ISDIR;
    if (typeOf(from) !== S_IFREG || typeOf(to) !== S_IFREG) return -E.INVAL;
    if (readable(p, a.int(0)) === undefined || writable(p, a.int(2)) === undefined || appends(to)) return -E.BADF;
    const length = Math.min(a.addr(4), MAX_TRANSFER);
    return copyRange(p, { file: from, offsetAt: a.addr(1) }, { file: to, offsetAt: a.addr(3) }, length);
  },
};
