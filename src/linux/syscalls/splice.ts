/** Moving bytes between a pipe and another file, another pipe or memory: splice, tee, vmsplice. */
import { E } from '../../base/errno.js';
import { MAX_TRANSFER, O, POLL, S_IFIFO, S_IFMT } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { type Pipe, PipeReader, PipeWriter } from '../files/pipe.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { type Wait, waitUntil } from '../waiting.js';
import { readFile, writeFile, writeVectors } from './transfer.js';
import { readVectors } from './vectors.js';

const SPLICE_F_NONBLOCK = 2;
const SPLICE_FLAGS = 0xf;
/** A pipe that has room at all has room for this much. */
const PIPE_CHUNK = 4096;
const FILE_CHUNK = 65536;

function isPipe(file: OpenFile): boolean {
  const stat = file.stat();
  return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFIFO;
}

function isSamePipe(one: OpenFile, other: OpenFile): boolean {
  return one instanceof PipeReader && other instanceof PipeWriter && one.pipe === other.pipe;
}

interface Ends {
  readonly from: OpenFile;
  readonly fromOffsetAt: number;
  readonly to: OpenFile;
  readonly toOffsetAt: number;
}

/** Takes what is there, no more than the target has room for; -EAGAIN if nothing is, or no room. */
function take(p: Process, { from, fromOffsetAt, to }: Ends, length: number): Uint8Array | number {
  if ((to.poll() & (POLL.OUT | POLL.ERR)) === 0) return -E.AGAIN;
  const buffer = new Uint8Array(Math.min(length, isPipe(to) ? PIPE_CHUNK : FILE_CHUNK));
  if (fromOffsetAt === 0) {
    const count = from.read(buffer, false);
    return count < 0 ? count : buffer.subarray(0, count);
  }
  const offset = p.space.readSigned64(fromOffsetAt);
  const count = from.readAt(buffer, offset);
  if (count < 0) return count;
  p.space.writeNum64(fromOffsetAt, offset + count);
  return buffer.subarray(0, count);
}

function give(p: Process, { to, toOffsetAt }: Ends, bytes: Uint8Array): number | Wait {
  if (toOffsetAt === 0) return writeFile(p, to, bytes);
  const offset = p.space.readSigned64(toOffsetAt);
  const count = to.writeAt(bytes, offset);
  if (count > 0) p.space.writeNum64(toOffsetAt, offset + count);
  return count;
}

/** Copies what is in one pipe to another, and leaves it in the first. */
function duplicate(from: Pipe, to: Pipe, length: number): number {
  if (from.filled === 0) return from.writers === 0 ? 0 : -E.AGAIN;
  const count = to.put(from.peek(length));
  return count > 0 ? count : -E.AGAIN;
}

function moveLater(p: Process, ends: Ends, length: number): Wait {
  /** What has been taken and is not yet given. */
  let giving: Wait | undefined;
  const attempt = (): number => {
    if (giving !== undefined) return giving.attempt();
    const taken = take(p, ends, length);
    if (typeof taken === 'number') return taken;
    const given = give(p, ends, taken);
    if (typeof given === 'number') return given;
    giving = given;
    return -E.AGAIN;
  };
  return waitUntil(p, attempt, {
    external: ends.from.isExternal || ends.to.isExternal,
    describe: () => `splice from ${ends.from.path} to ${ends.to.path}`,
    onSignal: () => giving?.interrupted() ?? -ERESTART.SYS,
  });
}

export const spliceCalls: SyscallFamily = {
  splice(p, a) {
    const [from, to] = [p.files.get(a.int(0)), p.files.get(a.int(2))];
    if (!from?.readable || !to?.writable) return -E.BADF;
    const ends = { from, fromOffsetAt: a.addr(1), to, toOffsetAt: a.addr(3) };
    if (!isPipe(from) && !isPipe(to)) return -E.INVAL;
    if ((a.uint(5) & ~SPLICE_FLAGS) !== 0 || (to.flags & O.APPEND) !== 0) return -E.INVAL;
    if (isSamePipe(from, to)) return -E.INVAL;
    if ((isPipe(from) && ends.fromOffsetAt !== 0) || (isPipe(to) && ends.toOffsetAt !== 0)) return -E.SPIPE;
    p.memory.sharedFiles.beforeRead(from);
    if (to.isMappable) p.memory.sharedFiles.beforeWrite(to);
    const length = Math.min(a.addr(4), MAX_TRANSFER);
    if (length === 0) return 0;
    const taken = take(p, ends, length);
    if (typeof taken !== 'number') return give(p, ends, taken);
    const impatient = (a.uint(5) & SPLICE_F_NONBLOCK) !== 0 || from.nonBlocking || to.nonBlocking;
    return taken !== -E.AGAIN || impatient ? taken : moveLater(p, ends, length);
  },

  tee(p, a) {
    const [from, to] = [p.files.get(a.int(0)), p.files.get(a.int(1))];
    if (!from?.readable || !to?.writable) return -E.BADF;
    if (!(from instanceof PipeReader) || !(to instanceof PipeWriter) || from.pipe === to.pipe) return -E.INVAL;
    const length = Math.min(a.addr(2), MAX_TRANSFER);
    const attempt = (): number => duplicate(from.pipe, to.pipe, length);
    const count = attempt();
    if (count !== -E.AGAIN || (a.uint(3) & SPLICE_F_NONBLOCK) !== 0) return count;
    return waitUntil(p, attempt, { describe: () => `tee from ${from.path} to ${to.path}` });
  },

  vmsplice(p, a): SyscallResult {
    const file = p.files.get(a.int(0));
    if (file === undefined || !isPipe(file)) return -E.BADF;
    const vectors = readVectors(p, a.addr(1), a.int(2));
    if (typeof vectors === 'number') return vectors;
    const [first] = vectors;
    if (file.writable) return writeVectors(p, file, vectors);
    return first === undefined ? 0 : readFile(p, file, first.address, first.length);
  },
};
