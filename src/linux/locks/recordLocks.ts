/**
 * The record locks of one file (fcntl F_SETLK and its kin): ranges of bytes, each held by an owner for reading or
 * writing. An owner's ranges never overlap: a new one takes the place of what it covers, and what it touches
 * and is of its kind grows together with it.
 *
 *   read [0, 99] + write [40, 59]   gives   read [0, 39], write [40, 59], read [60, 99]
 */

/** A descriptor table (locks of a process) or an open file (OFD locks). */
export type LockOwner = object;
export type LockKind = 'read' | 'write';

/** Both ends included; `end` is Infinity up to the end of any file. */
export interface LockRange {
  readonly start: number;
  readonly end: number;
}

export interface RecordLock extends LockRange {
  readonly kind: LockKind;
  readonly owner: LockOwner;
  /** Who took it, as F_GETLK says; -1 for OFD locks. */
  readonly pid: number;
}

export class RecordLocks {
  /** By owner, in the order in which owners got their first lock; each owner's by start. */
  private readonly held = new Map<LockOwner, RecordLock[]>();

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  /** The first lock of another owner that does not go with `wanted`. */
  conflict(wanted: RecordLock): RecordLock | undefined {
    for (const [owner, locks] of this.held) {
      if (owner === wanted.owner) continue;
      const found = locks.find((lock) => overlaps(lock, wanted) && (lock.kind === 'write' || wanted.kind === 'write'));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Takes the lock; there must be no conflict. */
  set(lock: RecordLock): void {
    let { start, end } = lock;
    const rest: RecordLock[] = [];
    for (const old of this.held.get(lock.owner) ?? []) {
      if (old.kind === lock.kind && old.start <= end + 1 && old.end >= start - 1) {
        start = Math.min(start, old.start);
        end = Math.max(end, old.end);
      } else {
        rest.push(...without(old, lock));
      }
    }
    this.store(lock.owner, [...rest, { ...lock, start, end }].sort((a, b) => a.start - b.start));
  }

  /** Gives a range back, held or not. */
  clear(owner: LockOwner, range: LockRange): void {
    this.store(owner, (this.held.get(owner) ?? []).flatMap((lock) => without(lock, range)));
  }

  /** Gives back all that an owner has. */
  clearAll(owner: LockOwner): boolean {
    return this.held.delete(owner);
  }

  ofOwner(owner: LockOwner): readonly RecordLock[] {
    return this.held.get(owner) ?? [];
  }

  all(): RecordLock[] {
    return [...this.held.values()].flat();
  }

  private store(owner: LockOwner, locks: RecordLock[]): void {
    if (locks.length > 0) this.held.set(owner, locks);
    else this.held.delete(owner);
  }
}

function overlaps(a: LockRange, b: LockRange): boolean {
  return a.start <= b.end && b.start <= a.end;
}

/** What is left of a lock outside of a range. */
function without(lock: RecordLock, range: LockRange): RecordLock[] {
  if (!overlaps(lock, range)) return [lock];
  const parts: RecordLock[] = [];
  if (lock.start < range.start) parts.push({ ...lock, end: range.start - 1 });
  if (lock.end > range.end) parts.push({ ...lock, start: range.end + 1 });
  return parts;
}
