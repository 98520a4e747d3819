/**
 * All locks on files in the guest's world: record locks of processes and of open files (OFD), which know of each
 * other, and flock's, which are apart. They are advice: reading and writing do not look here. Locks that
 * programs outside of the guest hold are not seen.
 *
 * Record locks of a process go when it closes any descriptor of the file; the others with the last descriptor of
 * the open file through which they were taken.
 */
import { type LockKind, type LockOwner, type RecordLock, RecordLocks, type LockRange } from './recordLocks.js';

/** As much of an open file as matters here. */
export interface LockableFile {
  stat(): { readonly device: bigint; readonly inode: bigint } | number;
  whenClosed(listener: () => void): void;
}

/** A descriptor table: the owner of the record locks of a process. */
export interface LockingTable {
  /** Called when a descriptor of the file is closed, last or not. */
  onClose: ((file: LockableFile) => void) | undefined;
}

interface FileLocks {
  readonly records: RecordLocks;
  readonly flocks: Map<LockableFile, LockKind>;
}

/** A request that waits: who is waited for follows from it. */
interface WaitingRequest {
  readonly records: RecordLocks;
  readonly wanted: RecordLock;
}

/** Longer chains of processes waiting for each other are not followed, as on Linux. */
const LONGEST_CHAIN = 10;

export class LockTable {
  private readonly files = new Map<string, FileLocks>();
  private readonly waiting = new Set<WaitingRequest>();
  private readonly knownFiles = new WeakSet<LockableFile>();

  /** The lock that stands in the way. */
  conflict(file: LockableFile, wanted: RecordLock): RecordLock | undefined {
    return this.files.get(identity(file))?.records.conflict(wanted);
  }

  /** A lock that the owner itself has in the range (F_OFD_GETLK with F_UNLCK). */
  own(file: LockableFile, owner: LockOwner, range: LockRange): RecordLock | undefined {
    const locks = this.files.get(identity(file))?.records.ofOwner(owner) ?? [];
    return locks.find((lock) => lock.start <= range.end && lock.end >= range.start);
  }

  /** For a process: `owner` is its descriptor table. */
  takeForProcess(file: LockableFile, wanted: RecordLock & { readonly owner: LockingTable }): void {
    const table = wanted.owner;
    table.onClose ??= (closed) => this.dropOfProcess(table, closed);
    this.of(file).records.set(wanted);
  }

  /** For an open file, which is its owner. */
  takeForFile(file: LockableFile, wanted: RecordLock): void {
    this.dropWhenClosed(file);
    this.of(file).records.set(wanted);
  }

  release(file: LockableFile, owner: LockOwner, range: LockRange): void {
    const key = identity(file);
    this.files.get(key)?.records.clear(owner, range);
    this.tidy(key);
  }

  /** Whether `wanted`, if it waited for its conflict, would in the end wait for its own owner. */
  wouldDeadlock(file: LockableFile, wanted: RecordLock): boolean {
    let blocker = this.conflict(file, wanted);
    for (let i = 0; i < LONGEST_CHAIN && blocker !== undefined; i++) {
      if (blocker.owner === wanted.owner) return true;
      const { owner } = blocker;
      const next = [...this.waiting].find((request) => request.wanted.owner === owner);
      blocker = next?.records.conflict(next.wanted);
    }
    return false;
  }

  /** Notes that a process waits; the result ends it. */
  startWaiting(file: LockableFile, wanted: RecordLock): () => void {
    const request = { records: this.of(file).records, wanted };
    this.waiting.add(request);
    return () => {
      this.waiting.delete(request);
      this.tidy(identity(file));
    };
  }

  /** Tries flock's lock. A lock of another kind that the file had is gone, even if this returns false. */
  takeFlock(file: LockableFile, kind: LockKind): boolean {
    const { flocks } = this.of(file);
    if (flocks.get(file) === kind) return true;
    flocks.delete(file);
    const free = kind === 'write' ? flocks.size === 0 : [...flocks.values()].every((other) => other === 'read');
    if (!free) return false;
    this.dropWhenClosed(file);
    flocks.set(file, kind);
    return true;
  }

  releaseFlock(file: LockableFile): void {
    const key = identity(file);
    this.files.get(key)?.flocks.delete(file);
    this.tidy(key);
  }

  private of(file: LockableFile): FileLocks {
    const key = identity(file);
    let locks = this.files.get(key);
    if (locks === undefined) this.files.set(key, (locks = { records: new RecordLocks(), flocks: new Map() }));
    return locks;
  }

  private tidy(key: string): void {
    const locks = this.files.get(key);
    const awaited = [...this.waiting].some((request) => request.records === locks?.records);
    if (locks?.records.isEmpty && locks.flocks.size === 0 && !awaited) this.files.delete(key);
  }

  private dropOfProcess(table: LockingTable, file: LockableFile): void {
    const key = identity(file);
    this.files.get(key)?.records.clearAll(table);
    this.tidy(key);
  }

  private dropWhenClosed(file: LockableFile): void {
    if (this.knownFiles.has(file)) return;
    this.knownFiles.add(file);
    // Asked now: when the file has been closed it cannot be asked any more.
    const key = identity(file);
    file.whenClosed(() => {
      this.files.get(key)?.records.clearAll(file);
      this.files.get(key)?.flocks.delete(file);
      this.tidy(key);
    });
  }
}

function identity(file: LockableFile): string {
  const stat = file.stat();
  return typeof stat === 'number' ? 'unknown' : `${stat.device}:${stat.inode}`;
}
