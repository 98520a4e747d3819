/**
 * Who waits on which futex, first come first served. A futex is a word of memory: of one address space,
 * or of an object that several have mapped (FutexKey says which). Waking only marks the waiter; the
 * scheduler finds the mark when it tries the task's Wait again.
 */
import type { Task } from './task.js';

export interface FutexKey {
  /** The machine, or what is mapped there. */
  readonly scope: object;
  /** The address, or the offset in the object. */
  readonly place: number;
}

interface FutexWaiter {
  readonly task: Task;
  key: FutexKey;
  /** A wake-up with a mask reaches it only if they have a bit in common. */
  readonly bitset: number;
  woken: boolean;
}

export const ANY_BIT = 0xffff_ffff;

export class Futexes {
  private readonly queues = new Map<object, Map<number, FutexWaiter[]>>();

  enqueue(task: Task, key: FutexKey, bitset = ANY_BIT): FutexWaiter {
    const waiter: FutexWaiter = { task, key, bitset, woken: false };
    this.append(waiter);
    return waiter;
  }

  /** The waiter gives up, or has been woken. */
  remove(waiter: FutexWaiter): void {
    const byPlace = this.queues.get(waiter.key.scope);
    const queue = byPlace?.get(waiter.key.place);
    const index = queue?.indexOf(waiter) ?? -1;
    if (byPlace === undefined || queue === undefined || index < 0) return;
    queue.splice(index, 1);
    if (queue.length > 0) return;
    byPlace.delete(waiter.key.place);
    if (byPlace.size === 0) this.queues.delete(waiter.key.scope);
  }

  /** Wakes up to `most`; returns how many. */
  wake(key: FutexKey, most: number, bitset = ANY_BIT): number {
    const chosen = this.waiters(key).filter((waiter) => (waiter.bitset & bitset) !== 0).slice(0, most);
    for (const waiter of chosen) this.wakeOne(waiter);
    return chosen.length;
  }

  /** Wakes up to `wake`, and makes up to `move` others wait elsewhere; returns how many it was altogether. */
  requeue(from: FutexKey, to: FutexKey, wake: number, move: number): number {
    const woken = this.wake(from, wake);
    const moved = this.waiters(from).slice(0, move);
    for (const waiter of moved) {
      this.remove(waiter);
      waiter.key = to;
      this.append(waiter);
    }
    return woken + moved.length;
  }

  private wakeOne(waiter: FutexWaiter): void {
    this.remove(waiter);
    waiter.woken = true;
    const { task } = waiter;
    task.process.world.witness?.futexWoken(task);
  }

  private waiters(key: FutexKey): readonly FutexWaiter[] {
    return this.queues.get(key.scope)?.get(key.place) ?? [];
  }

  private append(waiter: FutexWaiter): void {
    const { scope, place } = waiter.key;
    let byPlace = this.queues.get(scope);
    if (byPlace === undefined) this.queues.set(scope, (byPlace = new Map()));
    const queue = byPlace.get(place);
    if (queue === undefined) byPlace.set(place, [waiter]);
    else queue.push(waiter);
  }
}
