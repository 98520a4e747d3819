/**
 * An open file description: what descriptors point to. Kinds of file derive from it and override
 * what they can do; the defaults are what Linux answers for a file that cannot.
 *
 * Reading and writing never wait by themselves unless `mayBlock` allows it: a file that is not ready
 * returns -EAGAIN, and the system call layer decides whether to come back later (see waiting.ts).
 */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostFd, HostStat, TerminalAttributes, TimeSpec } from '../../host/host.js';
import type { MappableFile } from '../../machine/mapping.js';
import { O, POLL } from './fileConstants.js';
import { ReadinessWatchers, type ReadinessWatcher } from './readiness.js';

/** A directory entry as getdents reports it. `next` is the position after it (d_off). */
export interface DirectoryEntry {
  readonly name: BytePath;
  readonly inode: bigint;
  readonly type: number;
  readonly next: number;
}

/** What a terminal behind a file answers to ioctls. */
export interface TerminalFile {
  attributes(): TerminalAttributes | number;
  setAttributes(attributes: TerminalAttributes): number;
  windowSize(): { readonly rows: number; readonly columns: number } | number;
}

export abstract class OpenFile {
  private references = 0;
  private watchers: ReadinessWatchers | undefined;
  private closeListeners: (() => void)[] | undefined;
  /** The owner that F_SETOWN set, and with whose rights. */
  owner = 0;
  ownerSetBy: { readonly real: number; readonly effective: number } | undefined;
  /** What F_SETSIG set: the signal that tells of readiness, SIGIO if 0. */
  ownerSignal = 0;

  /** Opening has made it. Known only if a witness watches the run. */
  isNew = false;

  constructor(
    /** Access mode and status flags (O_APPEND, O_NONBLOCK, ...). */
    public flags: number,
  ) {}

  /** As /proc/self/fd shows it. */
  abstract get path(): BytePath;

  /** The path as it was at some time since opening: cheap, good for telling which file system it is in. */
  get knownPath(): BytePath {
    return this.path;
  }

  get readable(): boolean {
    return (this.flags & O.ACCMODE) !== O.WRONLY && (this.flags & O.PATH) === 0;
  }

  get writable(): boolean {
    return (this.flags & O.ACCMODE) !== O.RDONLY && (this.flags & O.PATH) === 0;
  }

  get nonBlocking(): boolean {
    return (this.flags & O.NONBLOCK) !== 0;
  }

  /** The host's descriptor, if the file has one that others may use for path look-up and the like. */
  get hostFd(): HostFd | undefined {
    return undefined;
  }

  get isDirectory(): boolean {
    return false;
  }

  /** Whether mmap can map it: then its bytes may have changed in memory. */
  get isMappable(): boolean {
    return false;
  }

  /** Whether nothing but adding to it is allowed. */
  get isAppendOnly(): boolean {
    return false;
  }

  /** Whether reading may stop everything, because the host has no other way to read it. */
  get readStopsAll(): boolean {
    return false;
  }

  /** Whether it is the world outside that makes it ready. */
  get isExternal(): boolean {
    return false;
  }

  /** The time of the guest's clock at which it becomes ready by itself (a timer); Infinity if never. */
  readyAt(): number {
    return Infinity;
  }

  /** Writing does nothing, whatever is written: no code looks at the bytes. */
  get takesAnything(): boolean {
    return false;
  }

  /** A mapping of it is plain memory. */
  get mapsZeros(): boolean {
    return false;
  }

  get terminal(): TerminalFile | undefined {
    return undefined;
  }

  read(_target: Uint8Array, _mayBlock: boolean): number {
    return -E.INVAL;
  }

  write(_bytes: Uint8Array, _mayBlock?: boolean): number {
    return -E.INVAL;
  }

  /** Where the next write goes, if the file has a size that is limited. */
  writePosition(): number | undefined {
    return undefined;
  }

  /** Where the next byte is read or written, if it has such a place. */
  get position(): number | undefined {
    return undefined;
  }

  readAt(_target: Uint8Array, _offset: number): number {
    return -E.SPIPE;
  }

  writeAt(_bytes: Uint8Array, _offset: number): number {
    return -E.SPIPE;
  }

  /** As writeAt, also if the file was opened for appending: how the kernel itself writes. */
  writeInPlace(bytes: Uint8Array, offset: number): number {
    return this.writeAt(bytes, offset);
  }

  seek(_offset: number, _whence: number): number {
    return -E.SPIPE;
  }

  abstract stat(): HostStat | number;

  /** Whether opening it is complete: a FIFO that was just opened needs a process at its other end. */
  hasPartner(): boolean {
    return true;
  }

  /** Which POLL* events hold now. */
  poll(): number {
    return POLL.IN | POLL.OUT | POLL.RDNORM | POLL.WRNORM;
  }

  /** What /proc/self/fdinfo says of such a file in particular: lines. */
  details(): string {
    return '';
  }

  /** Whether there is anything to wait for: epoll refuses files that are always ready. */
  get canPoll(): boolean {
    return !this.isDirectory && !this.isMappable;
  }

  /** Whether `wake` is called whenever `poll` may have something new to say. If not, epoll asks again and again. */
  get announcesReadiness(): boolean {
    return false;
  }

  watchReadiness(watcher: ReadinessWatcher): void {
    this.watchers ??= new ReadinessWatchers();
    this.watchers.add(watcher);
  }

  unwatchReadiness(watcher: ReadinessWatcher): void {
    this.watchers?.remove(watcher);
  }

  /** Something has happened: `events` are the POLL bits that may hold now. Costs nothing without watchers. */
  wake(events: number): void {
    this.watchers?.wake(events);
  }

  /** For files that do not announce their readiness: what it was for, `events`, has been taken. */
  protected hasTaken(events: number): void {
    this.watchers?.taken(events);
  }

  /** Bytes that can be read at once, for FIONREAD. */
  available(): number {
    return -E.NOTTY;
  }

  truncate(_size: number): number {
    return -E.INVAL;
  }

  sync(): number {
    return -E.INVAL;
  }

  /** The entry at the directory's current position, without moving on. */
  peekEntry(): DirectoryEntry | undefined | number {
    return -E.NOTDIR;
  }

  takeEntry(): void {}

  chmod(_mode: number): number {
    return -E.INVAL;
  }

  chown(_uid: number, _gid: number): number {
    return -E.INVAL;
  }

  setTimes(_accessed: TimeSpec, _modified: TimeSpec): number {
    return -E.INVAL;
  }

  /** `forWriting`: so that what is written to memory goes to the file. */
  mappable(_forWriting?: boolean): MappableFile | number {
    return -E.NODEV;
  }

  /** F_SETOWN: who hears of readiness; the signal is sent with the rights that who sets it has now. */
  setOwner(owner: number, by: { readonly real: number; readonly effective: number }): void {
    this.owner = owner;
    this.ownerSetBy = { real: by.real, effective: by.effective };
  }

  /** One more descriptor refers to this. */
  retain(): this {
    this.references++;
    return this;
  }

  /** The process ends: processes that share the file find it as the process left it. */
  settle(): void {}

  /** Whether the last descriptor is gone. */
  get isClosed(): boolean {
    return this.references === 0;
  }

  /** `listener` is called when the last descriptor is gone, right before the file is closed. */
  whenClosed(listener: () => void): void {
    this.closeListeners ??= [];
    this.closeListeners.push(listener);
  }

  /** One descriptor fewer; the last one closes. */
  release(): number {
    if (--this.references > 0) return 0;
    this.watchers?.close();
    for (const listener of this.closeListeners ?? []) listener();
    return this.close();
  }

  protected close(): number {
    return 0;
  }
}
