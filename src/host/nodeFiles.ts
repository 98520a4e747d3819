/**
 * Files of the host through node:fs, synchronously: the guest waits for its system call anyway.
 * Node reports failures as exceptions whose `errno` is already the negative Linux number.
 */
import fs from 'node:fs';
import { E } from '../base/errno.js';
import { bytePath, type BytePath, bytePathFromBytes, bytesOfBytePath } from '../base/bytePath.js';
import type { FileVersion, HostDirectory, HostFd, HostFiles, HostStat, HostStatfs, TimeSpec } from './host.js';
import { NodeAttributes } from './nodeAttributes.js';
import { inheritedFds } from './nodeInherited.js';
import { exchange, linkFd, makeFifo, seekTo, setTimesExactly } from './nodePrograms.js';
import { makeSocketFile } from './nodeSocketFile.js';
import { permits } from './permissions.js';
import { userUmask } from './userUmask.js';

const DT_BY_NODE_TYPE = [0, 8, 4, 10, 1, 12, 2, 6] as const;

/** Plain ASCII needs no byte buffer: Node's UTF-8 encoding of it is itself. */
function nodePath(path: BytePath): string | Buffer {
  for (let i = 0; i < path.length; i++) {
    if (path.charCodeAt(i) >= 0x80) return Buffer.from(path, 'latin1');
  }
  return path;
}

function errnoOf(error: unknown): number {
  if (error instanceof Error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    if (typeof errno === 'number' && errno < 0) return errno;
    if (code === 'ERR_INVALID_ARG_VALUE' || code === 'ERR_OUT_OF_RANGE') return -E.INVAL;
  }
  throw error;
}

/**
 * Runs a call that may fail. Failing is ordinary here (programs probe for files), so the stack
 * trace that each exception would carry is switched off: it costs more than the call.
 */
function attempt<T>(call: () => T): T | number {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } catch (error) {
    return errnoOf(error);
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function done(call: () => void): number {
  const result = attempt(call);
  return typeof result === 'number' ? result : 0;
}

function timeSpec(nanoseconds: bigint): TimeSpec {
  const seconds = nanoseconds >= 0n ? nanoseconds / 1_000_000_000n : (nanoseconds - 999_999_999n) / 1_000_000_000n;
  return { seconds: Number(seconds), nanoseconds: Number(nanoseconds - seconds * 1_000_000_000n) };
}

function hostStat(stats: fs.BigIntStats): HostStat {
  return {
    device: stats.dev,
    inode: stats.ino,
    mode: Number(stats.mode),
    links: Number(stats.nlink),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    specialDevice: stats.rdev,
    size: Number(stats.size),
    blockSize: Number(stats.blksize),
    blocks: Number(stats.blocks),
    accessed: timeSpec(stats.atimeNs),
    modified: timeSpec(stats.mtimeNs),
    changed: timeSpec(stats.ctimeNs),
    born: timeSpec(stats.birthtimeNs),
  };
}

const STANDARD_ERROR = 2;
const STAT_OPTIONS = { bigint: true, throwIfNoEntry: false } as const;

/** Node takes microseconds as a fraction, cut off: half of one more keeps it exact. Negative numbers mean now to it. */
function nodeTime(time: TimeSpec): number | Date {
  if (time.seconds < 0) return new Date(time.seconds * 1000 + time.nanoseconds / 1e6);
  return time.seconds + (Math.floor(time.nanoseconds / 1000) + 0.5) / 1e6;
}

function isExact(time: TimeSpec): boolean {
  return time.nanoseconds % 1000 === 0;
}

/** Node types directory entries by an internal number that it does not export, so we ask one by one. */
function entryType(entry: fs.Dirent): number {
  if (entry.isFile()) return DT_BY_NODE_TYPE[1];
  if (entry.isDirectory()) return DT_BY_NODE_TYPE[2];
  if (entry.isSymbolicLink()) return DT_BY_NODE_TYPE[3];
  if (entry.isFIFO()) return DT_BY_NODE_TYPE[4];
  if (entry.isSocket()) return DT_BY_NODE_TYPE[5];
  if (entry.isCharacterDevice()) return DT_BY_NODE_TYPE[6];
  if (entry.isBlockDevice()) return DT_BY_NODE_TYPE[7];
  return DT_BY_NODE_TYPE[0];
}

class NodeDirectory implements HostDirectory {
  constructor(private readonly dir: fs.Dir) {}

  next(): { name: BytePath; type: number } | undefined {
    const entry = attempt(() => this.dir.readSync());
    if (entry === null || typeof entry === 'number') return undefined;
    const name = entry.name as unknown as Buffer;
    return { name: bytePath(name.toString('latin1')), type: entryType(entry) };
  }

  close(): void {
    this.dir.closeSync();
  }
}

/**
 * The guest's kernel applies the guest's umask. Only the main thread can set ours; guests in other threads are
 * branches, which change no file of ours.
 */
function takeUmask(): number {
  const given = userUmask();
  try {
    process.umask(0);
  } catch {
    // Another thread.
  }
  return given;
}

export class NodeFiles implements HostFiles {
  private readonly umask = takeUmask();
  private readonly fromShell = inheritedFds();
  private readonly extended = new NodeAttributes();

  open(path: BytePath, flags: number, mode: number): HostFd | number {
    return attempt(() => fs.openSync(nodePath(path), flags, mode));
  }

  close(fd: HostFd): number {
    // Our own messages go there: the number must not come to mean another file.
    if (fd === STANDARD_ERROR) return 0;
    const result = done(() => fs.closeSync(fd));
    // Were the numbers of standard streams free, libuv would use them for its own, and then refuse to close them.
    if (fd < STANDARD_ERROR) attempt(() => fs.openSync('/dev/null', 'r'));
    return result;
  }

  read(fd: HostFd, target: Uint8Array, position?: number): number {
    try {
      return fs.readSync(fd, target, 0, target.byteLength, position ?? null);
    } catch (error) {
      return errnoOf(error);
    }
  }

  write(fd: HostFd, bytes: Uint8Array, position?: number): number {
    try {
      return fs.writeSync(fd, bytes, 0, bytes.byteLength, position ?? null);
    } catch (error) {
      return errnoOf(error);
    }
  }

  inherited(): readonly HostFd[] {
    return this.fromShell as HostFd[];
  }

  describe(fd: HostFd): { flags: number; offset: number } | undefined {
    const text = attempt(() => fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
    if (typeof text === 'number') return undefined;
    const offset = /^pos:\s*(\d+)/m.exec(text)?.[1];
    const flags = /^flags:\s*([0-7]+)/m.exec(text)?.[1];
    return { flags: Number.parseInt(flags ?? '0', 8), offset: Number(offset ?? 0) };
  }

  setOffset(fd: HostFd, offset: number): number {
    return seekTo(fd, offset);
  }

  pathOfFd(fd: HostFd): BytePath {
    return bytePath(`/proc/self/fd/${fd}`);
  }

  stat(path: BytePath, followLinks: boolean): HostStat | number {
    const name = nodePath(path);
    const stats = attempt(() => (followLinks ? fs.statSync(name, STAT_OPTIONS) : fs.lstatSync(name, STAT_OPTIONS)));
    if (typeof stats === 'number') return stats;
    // Without an entry Node swallows the reason, which may be ENOENT or ENOTDIR: ask again the slow way.
    return stats === undefined ? this.whyMissing(path) : hostStat(stats);
  }

  statFd(fd: HostFd): HostStat | number {
    const stats = attempt(() => fs.fstatSync(fd, { bigint: true }));
    return typeof stats === 'number' ? stats : hostStat(stats);
  }

  statfs(path: BytePath): HostStatfs | number {
    const stats = attempt(() => fs.statfsSync(nodePath(path)));
    if (typeof stats === 'number') return stats;
    return {
      type: stats.type,
      blockSize: stats.bsize,
      blocks: stats.blocks,
      blocksFree: stats.bfree,
      blocksAvailable: stats.bavail,
      files: stats.files,
      filesFree: stats.ffree,
    };
  }

  openDirectory(path: BytePath): HostDirectory | number {
    // Node takes the encoding 'buffer' here, though its types do not say so; a scan in libuv's readdir keeps the
    // file system's order, which fs.readdir sorts away.
    const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 256 };
    const dir = attempt(() => fs.opendirSync(nodePath(path) as string, options));
    return typeof dir === 'number' ? dir : new NodeDirectory(dir);
  }

  readLink(path: BytePath): BytePath | number {
    const target = attempt(() => fs.readlinkSync(nodePath(path), 'buffer'));
    return typeof target === 'number' ? target : bytePath(target.toString('latin1'));
  }

  /** access(2) goes by the real user, who is ours; while we act for another one, permissions tell. */
  access(path: BytePath, mode: number): number {
    const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
    if (mode === fs.constants.F_OK || uid === process.getuid?.()) return done(() => fs.accessSync(nodePath(path), mode));
    const stat = this.stat(path, true);
    if (typeof stat === 'number') return stat;
    return permits({ uid, gid, groups: process.getgroups?.() ?? [] }, stat, mode) ? 0 : -E.ACCES;
  }

  makeDirectory(path: BytePath, mode: number): number {
    return done(() => fs.mkdirSync(nodePath(path), mode));
  }

  removeDirectory(path: BytePath): number {
    return done(() => fs.rmdirSync(nodePath(path)));
  }

  unlink(path: BytePath): number {
    return done(() => fs.unlinkSync(nodePath(path)));
  }

  rename(from: BytePath, to: BytePath): number {
    return done(() => fs.renameSync(nodePath(from), nodePath(to)));
  }

  exchange(one: BytePath, other: BytePath): number {
    return exchange(one, other);
  }

  link(from: BytePath, to: BytePath): number {
    const fd = /^\/proc\/self\/fd\/(\d+)$/.exec(from)?.[1];
    if (fd !== undefined) return linkFd(Number(fd), to);
    return done(() => fs.linkSync(nodePath(from), nodePath(to)));
  }

  symlink(target: BytePath, path: BytePath): number {
    return done(() => fs.symlinkSync(nodePath(target), nodePath(path)));
  }

  makeFifo(path: BytePath, mode: number): number {
    return makeFifo(path, mode);
  }

  makeSocket(path: BytePath, mode: number): number {
    return makeSocketFile(Buffer.from(bytesOfBytePath(path)), mode);
  }

  chmod(path: BytePath, mode: number): number {
    return done(() => fs.chmodSync(nodePath(path), mode));
  }

  chown(path: BytePath, uid: number, gid: number, followLinks: boolean): number {
    const name = nodePath(path);
    return done(() => (followLinks ? fs.chownSync(name, uid, gid) : fs.lchownSync(name, uid, gid)));
  }

  setTimes(path: BytePath, accessed: TimeSpec, modified: TimeSpec, followLinks: boolean): number {
    if (!isExact(accessed) || !isExact(modified)) return setTimesExactly(path, accessed, modified, followLinks);
    const name = nodePath(path);
    const set = followLinks ? fs.utimesSync : fs.lutimesSync;
    return done(() => set(name, nodeTime(accessed), nodeTime(modified)));
  }

  attributes(path: BytePath, followLinks: boolean): ReadonlyMap<string, Uint8Array> | number {
    const stat = this.stat(path, followLinks);
    if (typeof stat === 'number') return stat;
    const itself = followLinks ? attempt(() => fs.realpathSync.native(nodePath(path), 'buffer')) : bytesOfBytePath(path);
    // Without a name there is no way to ask.
    if (typeof itself === 'number') return new Map();
    return this.extended.of(bytePathFromBytes(itself), stat);
  }

  setAttribute(path: BytePath, name: BytePath, value: Uint8Array, flags: number, followLinks: boolean): number {
    return this.extended.set(path, name, value, flags, followLinks);
  }

  removeAttribute(path: BytePath, name: BytePath, followLinks: boolean): number {
    return this.extended.remove(path, name, followLinks);
  }

  truncate(path: BytePath, size: number): number {
    return done(() => fs.truncateSync(nodePath(path), size));
  }

  truncateFd(fd: HostFd, size: number): number {
    return done(() => fs.ftruncateSync(fd, size));
  }

  sync(fd: HostFd): number {
    return done(() => fs.fsyncSync(fd));
  }

  version(path: BytePath): FileVersion | number {
    const stats = attempt(() => fs.lstatSync(nodePath(path), { bigint: true }));
    if (typeof stats === 'number') return stats;
    const { dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid, nlink } = stats;
    return { identity: `${dev}:${ino}`, content: `${size} ${mtimeNs}`, attributes: [ctimeNs, mode, uid, gid, nlink].join(' ') };
  }

  watch(path: BytePath, changed: (name: BytePath | undefined) => void): (() => void) | number {
    const options = { encoding: 'buffer', persistent: false } as const;
    const watcher = attempt(() => fs.watch(nodePath(path), options, (_, name) => changed(name === null ? undefined : bytePath(name.toString('latin1')))));
    if (typeof watcher === 'number') return watcher;
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  }

  initialUmask(): number {
    return this.umask;
  }

  workingDirectory(): BytePath {
    const path = this.readLink(bytePath('/proc/self/cwd'));
    return typeof path === 'number' ? bytePath('/') : path;
  }

  private whyMissing(path: BytePath): number {
    const result = this.access(path, fs.constants.F_OK);
    return result < 0 ? result : -E.NOENT;
  }
}
