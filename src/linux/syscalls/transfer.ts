/** Moving bytes: read, write and their vectored and positioned forms. */
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { MAX_TRANSFER, POLL } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { RLIMIT } from '../limits.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import { SIG } from '../../base/signalNumbers.js';
import { Socket } from '../sockets/socket.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { type Wait, waitUntil, type WaitOptions } from '../waiting.js';
import { runOn } from './socketAccess.js';
import { receiving, sending } from './socketTransfer.js';
import { gather, inPortions, readVectors, type Vector } from './vectors.js';

export function readable(p: Process, fd: number): OpenFile | undefined {
  const file = p.files.get(fd);
  if (file?.isMappable) p.memory.sharedFiles.beforeRead(file);
  return file?.readable ? file : undefined;
}

export function writable(p: Process, fd: number): OpenFile | undefined {
  const file = p.files.get(fd);
  if (file?.isMappable) p.memory.sharedFiles.beforeWrite(file);
  return file?.writable ? file : undefined;
}

/** Only at first may it wait: what there is already comes back at once. */
function readMore(file: OpenFile, target: Uint8Array, done: number, mayBlock: boolean): number {
  return done > 0 && (file.poll() & POLL.IN) === 0 ? 0 : file.read(target, mayBlock && done === 0);
}

function readOnce(p: Process, file: OpenFile, address: number, length: number, mayBlock: boolean): number {
  if (file.readStopsAll) p.world.witness?.blocked();
  try {
    return p.space.fill(address, length, (target, done) => readMore(file, target, done, mayBlock));
  } catch (error) {
    // At the end of a file the kernel does not look at the buffer.
    if (error instanceof BadAddress && file.isMappable && file.available() <= 0) return 0;
    throw error;
  }
}

function readAt(p: Process, file: OpenFile, { address, length }: Vector, offset: number): number {
  try {
    return p.space.fill(address, length, (target, done) => file.readAt(target, offset + done));
  } catch (error) {
    if (error instanceof BadAddress && file.isMappable && file.readAt(new Uint8Array(1), offset) === 0) return 0;
    throw error;
  }
}

/** The end of user space: a buffer that claims to reach beyond is not even looked at. */
const LAST_ADDRESS = 0x7fff_ffff_f000;

function isBeyond(address: number, length: number): boolean {
  return address + length > LAST_ADDRESS;
}

/** Reads as read(2) does. */
export function readFile(p: Process, file: OpenFile, address: number, length: number): SyscallResult {
  if (file instanceof Socket) return length === 0 ? 0 : readSocket(p, file, [{ address, length }]);
  const inBackground = file.terminal === undefined ? 0 : p.world.terminal.checkBackground(p, SIG.TTIN);
  if (inBackground !== 0) return inBackground;
  const count = readOnce(p, file, address, length, false);
  if (count !== -E.AGAIN || file.nonBlocking) return count;
  return waitUntil(p, () => readOnce(p, file, address, length, false), {
    ...fileWait('read from', file), block: () => readOnce(p, file, address, length, true),
  });
}

/** Sockets have timeouts of their own, and messages are not to be torn apart. */
function readSocket(p: Process, socket: Socket, vectors: readonly Vector[]): SyscallResult {
  return runOn(p, socket, receiving(p, socket, { vectors, flags: 0 }), 'receive');
}

function fileWait(doing: string, file: OpenFile): WaitOptions {
  return { external: file.isExternal, readyAt: () => file.readyAt(), describe: () => `${doing} ${file.path}` };
}

export function raiseIfBroken(p: Process, count: number): number {
  if (count === -E.PIPE) p.signals.raise(SIG.PIPE);
  return count;
}

/** As many of the bytes as RLIMIT_FSIZE lets be written at `position`; if none, the signal is on its way. */
function limited(p: Process, bytes: Uint8Array, position: number | undefined): Uint8Array | null {
  const limit = p.limits.soft(RLIMIT.FSIZE);
  if (limit === Infinity || position === undefined || position + bytes.length <= limit) return bytes;
  if (position < limit) return bytes.subarray(0, limit - position);
  p.signals.raise(SIG.XFSZ);
  return null;
}

function writeLimitedAt(p: Process, file: OpenFile, bytes: Uint8Array, offset: number): number {
  const allowed = limited(p, bytes, file.writePosition() === undefined ? undefined : offset);
  return allowed === null ? -E.FBIG : file.writeAt(allowed, offset);
}

/** Writes as write(2) does: a file that waits for room takes everything in the end. */
export function writeFile(p: Process, file: OpenFile, wanted: Uint8Array): number | Wait {
  if (file instanceof Socket) return runOn(p, file, sending(p, file, { bytes: wanted, flags: 0 }), 'send');
  const unlimited = p.limits.soft(RLIMIT.FSIZE) === Infinity;
  const bytes = unlimited ? wanted : limited(p, wanted, file.writePosition());
  if (bytes === null) return -E.FBIG;
  const count = raiseIfBroken(p, file.write(bytes));
  if (file.nonBlocking || count === bytes.length || (count < 0 && count !== -E.AGAIN)) return count;
  return writeRest(p, file, bytes.slice(), Math.max(0, count));
}

/** Writes what buffers hold. A file that takes only what it has room for is not shown more than that. */
export function writeVectors(p: Process, file: OpenFile, vectors: readonly Vector[]): SyscallResult {
  const takesPart = file.nonBlocking && !file.isMappable && !(file instanceof Socket && file.keepsMessages);
  return takesPart ? inPortions(p, vectors, (bytes) => writeFile(p, file, bytes)) : writeFile(p, file, gather(p, vectors));
}

/** What cannot be written at once; `written` bytes already are. */
function writeRest(p: Process, file: OpenFile, bytes: Uint8Array, written: number): Wait {
  let done = written;
  const attempt = (mayBlock: boolean): number => {
    const count = file.write(bytes.subarray(done), mayBlock);
    if (count < 0) return count === -E.AGAIN || done === 0 ? raiseIfBroken(p, count) : done;
    done += count;
    return done === bytes.length || count === 0 ? done : -E.AGAIN;
  };
  return waitUntil(p, () => attempt(false), {
    ...fileWait('write to', file), onSignal: () => (done > 0 ? done : -ERESTART.SYS), block: () => attempt(true),
  });
}

/** Runs `read` on one buffer after the other until one is not filled. */
function scatter(p: Process, vectors: readonly Vector[], read: (target: Uint8Array, done: number) => number): number {
  let done = 0;
  for (const { address, length } of vectors) {
    const count = filled(p, address, length, done, read);
    if (count < 0) return done > 0 ? done : count;
    done += count;
    if (count < length) break;
  }
  return done;
}

function filled(p: Process, address: number, length: number, before: number, read: (target: Uint8Array, done: number) => number): number {
  try {
    return p.space.fill(address, length, (target, done) => read(target, before + done));
  } catch (error) {
    // A bad buffer after good ones ends the transfer there.
    if (before > 0 && error instanceof BadAddress) return 0;
    throw error;
  }
}

function readVectored(p: Process, a: SyscallArgs): SyscallResult {
  const file = readable(p, a.int(0));
  if (file === undefined) return -E.BADF;
  const vectors = readVectors(p, a.addr(1), a.int(2));
  if (typeof vectors === 'number') return vectors;
  if (file instanceof Socket) return readSocket(p, file, vectors);
  // Only the first buffer may wait: what there is already comes back at once.
  const attempt = (block: boolean): number =>
    scatter(p, vectors, (target, done) => readMore(file, target, done, block));
  const count = attempt(false);
  if (count !== -E.AGAIN || file.nonBlocking) return count;
  return waitUntil(p, () => attempt(false), { ...fileWait('read from', file), block: () => attempt(true) });
}

function writeVectored(p: Process, a: SyscallArgs): SyscallResult {
  const file = writable(p, a.int(0));
  if (file === undefined) return -E.BADF;
  const vectors = readVectors(p, a.addr(1), a.int(2));
  if (typeof vectors === 'number') return vectors;
  return writeVectors(p, file, vectors);
}

function readVectoredAt(p: Process, a: SyscallArgs): SyscallResult {
  const offset = a.long(3);
  const file = readable(p, a.int(0));
  if (file === undefined) return -E.BADF;
  if (offset < 0) return -E.INVAL;
  const vectors = readVectors(p, a.addr(1), a.int(2));
  if (typeof vectors === 'number') return vectors;
  return scatter(p, vectors, (target, done) => file.readAt(target, offset + done));
}

function writeVectoredAt(p: Process, a: SyscallArgs): SyscallResult {
  const offset = a.long(3);
  const file = writable(p, a.int(0));
  if (file === undefined) return -E.BADF;
  if (offset < 0) return -E.INVAL;
  const vectors = readVectors(p, a.addr(1), a.int(2));
  if (typeof vectors === 'number') return vectors;
  return writeLimitedAt(p, file, gather(p, vectors), offset);
}

/** High priority, two ways to sync, not to wait: nothing that shows. */
const RWF_SILENT = 0xf;
const RWF_APPEND = 0x10;

function readVectoredWith(p: Process, a: SyscallArgs): SyscallResult {
  if ((a.uint(5) & ~RWF_SILENT) !== 0) return -E.OPNOTSUPP;
  return a.long(3) === -1 ? readVectored(p, a) : readVectoredAt(p, a);
}

function writeVectoredWith(p: Process, a: SyscallArgs): SyscallResult {
  const flags = a.uint(5);
  if ((flags & ~(RWF_SILENT | RWF_APPEND)) !== 0) return -E.OPNOTSUPP;
  if ((flags & RWF_APPEND) === 0) return a.long(3) === -1 ? writeVectored(p, a) : writeVectoredAt(p, a);
  const file = writable(p, a.int(0));
  if (file === undefined) return -E.BADF;
  const vectors = readVectors(p, a.addr(1), a.int(2));
  if (typeof vectors === 'number') return vectors;
  const stat = file.stat();
  return writeLimitedAt(p, file, gather(p, vectors), typeof stat === 'number' ? 0 : stat.size);
}

export const transferCalls: SyscallFamily = {
  read(p, a) {
    const file = readable(p, a.int(0));
    if (file === undefined) return -E.BADF;
    if (isBeyond(a.addr(1), a.addr(2))) return -E.FAULT;
    return readFile(p, file, a.addr(1), Math.min(a.addr(2), MAX_TRANSFER));
  },

  write(p, a) {
    const file = writable(p, a.int(0));
    if (file === undefined) return -E.BADF;
    if (isBeyond(a.addr(1), a.addr(2))) return -E.FAULT;
    const length = Math.min(a.addr(2), MAX_TRANSFER);
    return file.takesAnything ? length : writeVectors(p, file, [{ address: a.addr(1), length }]);
  },

  pread64(p, a) {
    const file = readable(p, a.int(0));
    if (file === undefined) return -E.BADF;
    if (a.long(3) < 0) return -E.INVAL;
    return readAt(p, file, { address: a.addr(1), length: Math.min(a.addr(2), MAX_TRANSFER) }, a.long(3));
  },

  pwrite64(p, a) {
    const file = writable(p, a.int(0));
    if (file === undefined) return -E.BADF;
    if (a.long(3) < 0) return -E.INVAL;
    const bytes = p.buffer(a.addr(1), Math.min(a.addr(2), MAX_TRANSFER), 'read');
    return writeLimitedAt(p, file, bytes, a.long(3));
  },

  readv: readVectored,
  writev: writeVectored,
  preadv: readVectoredAt,
  pwritev: writeVectoredAt,
  preadv2: readVectoredWith,
  pwritev2: writeVectoredWith,

  lseek(p, a) {
    const file = p.files.get(a.int(0));
    return file === undefined ? -E.BADF : file.seek(a.long(1), a.int(2));
  },
};
