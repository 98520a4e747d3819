/** Opening and closing descriptors, and making files that live in memory only. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import { EventFd } from '../files/eventFd.js';
import { AT_FDCWD, O, S_IFIFO, S_IFMT } from '../files/fileConstants.js';
import { MemFd, SEAL } from '../files/memFd.js';
import type { OpenFile } from '../files/openFile.js';
import { openHostFile } from '../files/openHostFile.js';
import { Pipe, PipeReader, PipeWriter } from '../files/pipe.js';
import { openVirtual } from '../files/virtualFile.js';
import { type PathPlace, resolvePath } from '../paths.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { type Wait, waitUntil } from '../waiting.js';

const EFD_SEMAPHORE = 1;
const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
const MFD_NOEXEC_SEAL = 8;
const MFD_KNOWN = 0x1f;
const CLOSE_RANGE_UNSHARE = 2;
const CLOSE_RANGE_CLOEXEC = 4;
const LONGEST_MEMFD_NAME = 249;

export function openPath(p: Process, dirFd: number, path: BytePath, flags: number, mode: number): OpenFile | number {
  // A link in the last place is noticed by opening, which then refuses, unless it would open the link itself.
  const follows = (flags & O.NOFOLLOW) === 0 && (flags & (O.CREAT | O.EXCL)) !== (O.CREAT | O.EXCL);
  const isNoticed = follows && (flags & O.PATH) === 0;
  const file = openPlace(p, resolvePath(p, dirFd, path, isNoticed ? 'later' : follows ? 'yes' : 'no'), flags, mode, isNoticed);
  const mayBeLink = file === -E.LOOP || (file === -E.NOTDIR && (flags & O.DIRECTORY) !== 0);
  return mayBeLink && isNoticed ? openPlace(p, resolvePath(p, dirFd, path, 'yes'), flags, mode, false) : file;
}

/** `refusesLink`: with ELOOP, if there is a link of the host's. */
function openPlace(p: Process, place: PathPlace | number, flags: number, mode: number, refusesLink: boolean): OpenFile | number {
  if (typeof place === 'number') return place;
  const masked = mode & 0o7777 & ~p.umask;
  if (place.kind === 'virtual') return openVirtual(p, place.node, flags, masked);
  const isNew = (flags & O.CREAT) !== 0 && p.world.witness !== undefined && typeof p.host.files.stat(place.path, true) === 'number';
  const file = p.world.fifos.open(p.host, place.path, refusesLink ? flags | O.NOFOLLOW : flags) ?? openHostFile(p.host, place.path, flags, masked, refusesLink);
  if (typeof file !== 'number') file.isNew = isNew;
  return file;
}

export function install(p: Process, file: OpenFile | number, flags: number): number {
  if (typeof file === 'number') return file;
  // A file that gets no number is closed again.
  file.retain();
  const fd = p.files.add(file, (flags & O.CLOEXEC) !== 0);
  file.release();
  return fd;
}

function openAt(p: Process, dirFd: number, pathAt: number, flags: number, mode: number): SyscallResult {
  if (p.files.isFull) return -E.MFILE;
  const path = p.readPath(pathAt);
  if (typeof path === 'number') return path;
  const file = openPath(p, dirFd, path, flags, mode);
  if (file === -E.NXIO && (flags & O.NONBLOCK) === 0 && isFifo(p, dirFd, path)) return awaitReader(p, dirFd, path, flags);
  if (typeof file === 'number' || file.nonBlocking || file.hasPartner()) return install(p, file, flags);
  file.retain();
  const attempt = (): number => (file.hasPartner() ? install(p, file, flags) : -E.AGAIN);
  return waitUntil(p, attempt, { external: file.isExternal, describe: () => `open ${path}` }).after((result) => {
    file.release();
    return result;
  });
}

function isFifo(p: Process, dirFd: number, path: BytePath): boolean {
  const place = resolvePath(p, dirFd, path, 'yes');
  const stat = typeof place !== 'number' && place.kind === 'host' ? p.host.files.stat(place.path, true) : -E.NOENT;
  return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFIFO;
}

/** Opens a FIFO of the outside for writing when a process reads it. */
function awaitReader(p: Process, dirFd: number, path: BytePath, flags: number): Wait {
  const attempt = (): number => {
    p.host.identity.actAs(p.credentials.actor);
    const file = openPath(p, dirFd, path, flags, 0);
    return file === -E.NXIO ? -E.AGAIN : install(p, file, flags);
  };
  return waitUntil(p, attempt, { external: true, describe: () => `somebody to read from ${path}` });
}

function makePipe(p: Process, resultAt: number, flags: number): number {
  if ((flags & ~(O.CLOEXEC | O.NONBLOCK | O.DIRECT)) !== 0) return -E.INVAL;
  const pipe = new Pipe(p.takeInode(), p.world.budget);
  if (!pipe.hasRoom) return -E.NFILE;
  const status = flags & (O.NONBLOCK | O.DIRECT);
  p.space.view(resultAt, 8, 'write');
  const readEnd = install(p, new PipeReader(pipe, status & ~O.DIRECT), flags);
  if (readEnd < 0) return readEnd;
  const writeEnd = install(p, new PipeWriter(pipe, status), flags);
  if (writeEnd < 0) {
    p.files.close(readEnd);
    return writeEnd;
  }
  p.space.writeU32(resultAt, readEnd);
  p.space.writeU32(resultAt + 4, writeEnd);
  return 0;
}

function duplicateTo(p: Process, from: number, to: number, closeOnExec: boolean): number {
  const file = p.files.get(from);
  if (file === undefined) return -E.BADF;
  return p.files.replace(to, file, closeOnExec);
}

export const openingCalls: SyscallFamily = {
  open: (p, a) => openAt(p, AT_FDCWD, a.addr(0), a.uint(1), a.uint(2)),
  openat: (p, a) => openAt(p, a.int(0), a.addr(1), a.uint(2), a.uint(3)),
  creat: (p, a) => openAt(p, AT_FDCWD, a.addr(0), O.CREAT | O.WRONLY | O.TRUNC, a.uint(1)),

  openat2(p, a) {
    const how = a.addr(2);
    if (a.addr(3) < 24) return -E.INVAL;
    // Restrictions on how the path is resolved are beyond us: the caller falls back.
    if (p.space.readU64(how + 16) !== 0n) return -E.NOSYS;
    return openAt(p, a.int(0), a.addr(1), p.space.readU32(how), p.space.readU32(how + 8));
  },

  close: (p, a) => p.files.close(a.int(0)),

  close_range(p, a) {
    const [first, last, flags] = [a.uint(0), a.uint(1), a.uint(2)];
    if (first > last || (flags & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)) !== 0) return -E.INVAL;
    if ((flags & CLOSE_RANGE_UNSHARE) !== 0 && p.files.isShared) p.unshareFiles();
    for (const fd of p.files.numbers()) {
      if (fd < first || fd > last) continue;
      if ((flags & CLOSE_RANGE_CLOEXEC) !== 0) p.files.setCloseOnExec(fd, true);
      else p.files.close(fd);
    }
    return 0;
  },

  dup(p, a) {
    const file = p.files.get(a.int(0));
    return file === undefined ? -E.BADF : p.files.add(file, false);
  },

  dup2(p, a) {
    const [from, to] = [a.int(0), a.int(1)];
    if (from === to) return p.files.get(from) === undefined ? -E.BADF : to;
    return duplicateTo(p, from, to, false);
  },

  dup3(p, a) {
    const [from, to, flags] = [a.int(0), a.int(1), a.uint(2)];
    if (from === to || (flags & ~O.CLOEXEC) !== 0) return -E.INVAL;
    return duplicateTo(p, from, to, flags !== 0);
  },

  pipe: (p, a) => makePipe(p, a.addr(0), 0),
  pipe2: (p, a) => makePipe(p, a.addr(0), a.uint(1)),

  eventfd: (p, a) => install(p, new EventFd(BigInt(a.uint(0)), false, 0), 0),

  eventfd2(p, a) {
    const flags = a.uint(1);
    if ((flags & ~(O.CLOEXEC | O.NONBLOCK | EFD_SEMAPHORE)) !== 0) return -E.INVAL;
    const semaphore = (flags & EFD_SEMAPHORE) !== 0;
    return install(p, new EventFd(BigInt(a.uint(0)), semaphore, flags & O.NONBLOCK), flags);
  },

  memfd_create(p, a) {
    const name = p.readPath(a.addr(0));
    const flags = a.uint(1);
    if (typeof name === 'number' || name.length > LONGEST_MEMFD_NAME || (flags & ~MFD_KNOWN) !== 0) return -E.INVAL;
    const path = bytePath(`/memfd:${name} (deleted)`);
    const seals = (flags & MFD_NOEXEC_SEAL) !== 0 ? SEAL.EXEC : (flags & MFD_ALLOW_SEALING) !== 0 ? 0 : SEAL.SEAL;
    return install(p, MemFd.create(path, p.takeInode(), seals, p.world.budget), (flags & MFD_CLOEXEC) !== 0 ? O.CLOEXEC : 0);
  },
};
