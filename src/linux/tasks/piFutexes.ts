/**
 * Futexes with priority inheritance, as glibc's PTHREAD_PRIO_INHERIT mutexes use them. All our tasks
 * have the same priority; what is left of them is that the kernel hands the lock from owner to owner, and
 * that the word of memory always says who has it.
 */
import { E } from '../../base/errno.js';
import type { FutexKey } from './futexes.js';
import type { Task } from './task.js';

/** The futex word. */
export const FUTEX_WAITERS = 0x8000_0000;
export const FUTEX_OWNER_DIED = 0x4000_0000;
export const FUTEX_TID_MASK = 0x3fff_ffff;

/** The word itself, which the owner's and the waiters' programs look at, too. */
export interface FutexWord {
  read(): number;
  write(value: number): void;
}

interface PiWaiter {
  readonly task: Task;
  readonly word: FutexWord;
  granted: boolean;
}

interface PiLock {
  readonly key: FutexKey;
  owner: number;
  readonly waiters: PiWaiter[];
}

export class PiFutexes {
  private locks: PiLock[] = [];

  /** Takes the lock if no task has it. -EAGAIN: one has. */
  tryLock(key: FutexKey, word: FutexWord, task: Task): number {
    const value = word.read();
    if ((value & FUTEX_TID_MASK) === task.tid) return -E.DEADLK;
    if ((value & FUTEX_TID_MASK) !== 0 || this.find(key) !== undefined) return -E.AGAIN;
    word.write((task.tid | (value & FUTEX_OWNER_DIED)) >>> 0);
    return 0;
  }

  /** After tryLock has failed: waits behind the others. `isAlive`: whether there is such a thread. */
  enqueue(key: FutexKey, word: FutexWord, task: Task, isAlive: (tid: number) => boolean): PiWaiter | number {
    const value = word.read();
    const owner = value & FUTEX_TID_MASK;
    if (!isAlive(owner)) return -E.SRCH;
    word.write((value | FUTEX_WAITERS) >>> 0);
    let lock = this.find(key);
    if (lock === undefined) this.locks.push((lock = { key, owner, waiters: [] }));
    const waiter: PiWaiter = { task, word, granted: false };
    lock.waiters.push(waiter);
    return waiter;
  }

  /** The waiter gives up. */
  remove(waiter: PiWaiter): void {
    for (const lock of this.locks) {
      const index = lock.waiters.indexOf(waiter);
      if (index >= 0) lock.waiters.splice(index, 1);
    }
    this.locks = this.locks.filter(({ waiters }) => waiters.length > 0);
  }

  unlock(key: FutexKey, word: FutexWord, task: Task): number {
    if ((word.read() & FUTEX_TID_MASK) !== task.tid) return -E.PERM;
    const lock = this.find(key);
    if (lock === undefined) word.write(0);
    else this.handOver(lock, word, 0);
    return 0;
  }

  /** A thread ends: what others wait for goes to them. */
  ownerEnds(task: Task): void {
    for (const lock of [...this.locks]) {
      const [heir] = lock.waiters;
      if (lock.owner !== task.tid || heir === undefined) continue;
      // Where the word is in the owner's memory we do not know; perhaps it is another process that waits.
      heir.task.process.actFor(heir.task);
      this.handOver(lock, heir.word, FUTEX_OWNER_DIED);
    }
  }

  private handOver(lock: PiLock, word: FutexWord, bits: number): void {
    const next = lock.waiters.shift();
    if (next === undefined) return;
    next.granted = true;
    next.task.process.world.witness?.futexWoken(next.task);
    lock.owner = next.task.tid;
    word.write((next.task.tid | bits | (lock.waiters.length > 0 ? FUTEX_WAITERS : 0)) >>> 0);
    if (lock.waiters.length === 0) this.locks = this.locks.filter((other) => other !== lock);
  }

  private find(key: FutexKey): PiLock | undefined {
    return this.locks.find((lock) => lock.key.scope === key.scope && lock.key.place === key.place);
  }
}
