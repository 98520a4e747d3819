/** Opens a path of the host and finds out what kind of file it is. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { Host, HostFd, HostStat } from '../../host/host.js';
import { DirectoryFile } from './directoryFile.js';
import { NullFile, ZeroFile } from './nullFile.js';
import { O, S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFMT, S_IFREG } from './fileConstants.js';
import type { OpenFile } from './openFile.js';
import { PathFile } from './pathFile.js';
import { RandomFile } from './randomFile.js';
import { RegularFile } from './regularFile.js';
import { StreamFile } from './streamFile.js';

const NULL_MINOR = 3n;
const ZERO_MINOR = 5n;
const RANDOM_MINORS = [8n, 9n];

/** Flags that act at the moment of opening and are not remembered. */
const OPENING_FLAGS = O.CREAT | O.EXCL | O.NOCTTY | O.TRUNC | O.CLOEXEC;

/** Never waits: for the other end of a FIFO the caller waits (OpenFile.hasPartner; -ENXIO if it is to read). */
export function openHostFile(host: Host, path: BytePath, flags: number, mode: number, refusesLink = false): OpenFile | number {
  const waiting = (flags & O.PATH) !== 0 ? 0 : O.NONBLOCK;
  const fd = host.files.open(path, flags | O.CLOEXEC | waiting | (refusesLink ? O.NOFOLLOW : 0), mode);
  if (fd < 0) return fd;
  return fileOfHostFd(host, fd as HostFd, (flags & ~OPENING_FLAGS) | O.LARGEFILE, false);
}

/** The file behind a descriptor that the shell gave us. */
export function inheritedFile(host: Host, fd: HostFd): OpenFile | undefined {
  const description = host.files.describe(fd);
  if (description === undefined) return undefined;
  const file = fileOfHostFd(host, fd, description.flags & ~OPENING_FLAGS, true);
  return typeof file === 'number' ? undefined : file;
}

function fileOfHostFd(host: Host, fd: HostFd, flags: number, inherited: boolean): OpenFile | number {
  const stat = host.files.statFd(fd);
  if (typeof stat === 'number') {
    host.files.close(fd);
    return stat;
  }
  if (!inherited && isOfOurProcess(host, fd, stat)) {
    host.files.close(fd);
    return -E.NOENT;
  }
  if ((flags & O.PATH) !== 0) return new PathFile(host, fd, flags & (O.PATH | O.DIRECTORY | O.NOFOLLOW));
  switch (stat.mode & S_IFMT) {
    case S_IFDIR:
      return new DirectoryFile(host, fd, flags);
    case S_IFREG:
    case S_IFBLK:
      return new RegularFile(host, fd, flags, inherited);
    default:
      if (isRandomDevice(stat)) return new RandomFile(host, fd, flags, true);
      if (isMemoryDevice(stat) && (stat.specialDevice & 0xffn) === NULL_MINOR) return new NullFile(host, fd, flags, true);
      if (isMemoryDevice(stat) && (stat.specialDevice & 0xffn) === ZERO_MINOR) return new ZeroFile(host, fd, flags, true);
      return inherited
        ? new StreamFile(host, fd, flags, isMemoryDevice(stat))
        : new StreamFile(host, fd, flags, isMemoryDevice(stat), (stat.mode & S_IFMT) === S_IFIFO ? 'fifo' : 'other');
  }
}

/** Where the directories of processes are, by host. */
const procDevices = new WeakMap<Host['files'], bigint>();

/**
 * The last door to our own process, should a path have led there after all: a directory may have become a link since it
 * was last looked at.
 */
function isOfOurProcess(host: Host, fd: HostFd, stat: HostStat): boolean {
  const { files, identity } = host;
  let device = procDevices.get(files);
  if (device === undefined) {
    const proc = files.stat(bytePath('/proc'), true);
    device = typeof proc === 'number' ? -1n : proc.device;
    procDevices.set(files, device);
  }
  if (stat.device !== device || identity.isOurs === undefined) return false;
  const path = files.readLink(files.pathOfFd(fd));
  const found = typeof path === 'number' ? null : /^\/proc\/(\d+)(?:\/(?!net\/|net$)|$)/.exec(path);
  return found !== null && identity.isOurs(Number(found[1]));
}

/** /dev/random and /dev/urandom. */
function isRandomDevice(stat: HostStat): boolean {
  return isMemoryDevice(stat) && RANDOM_MINORS.includes(stat.specialDevice & 0xffn);
}

/** /dev/null, /dev/zero, /dev/full, /dev/random, ...: character devices with major number 1. */
function isMemoryDevice(stat: HostStat): boolean {
  return (stat.mode & S_IFMT) === S_IFCHR && stat.specialDevice >> 8n === 1n;
}
