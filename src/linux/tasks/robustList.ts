/**
 * The robust list: the mutexes that a thread holds, as its library keeps it in memory. When the thread
 * ends, a task that waits for one of them learns that the owner has died.
 */
import { BadAddress } from '../../machine/addressSpace.js';
import { FUTEX_OWNER_DIED, FUTEX_TID_MASK, FUTEX_WAITERS } from './piFutexes.js';
import type { Task } from './task.js';

/** No list is longer, or it goes round in circles. */
const LONGEST_LIST = 2048;

export function releaseRobustList(task: Task, wake: (address: number) => void): void {
  const { head } = task.robustList;
  if (head === 0) return;
  try {
    walk(task, head, wake);
  } catch (error) {
    // The list is the program's; where it leads nowhere, nothing can be told.
    if (!(error instanceof BadAddress)) throw error;
  }
}

/** struct robust_list_head: the first entry, the distance from an entry to its futex, the entry being changed. */
function walk(task: Task, head: number, wake: (address: number) => void): void {
  const { space } = task.process;
  const offset = space.readSigned64(head + 8);
  const pending = space.readNum64(head + 16);
  let entry = space.readNum64(head);
  for (let count = 0; address(entry) !== head && count < LONGEST_LIST; count++) {
    const next = space.readNum64(address(entry));
    if (entry !== pending) ownerDied(task, address(entry) + offset, isPi(entry), false, wake);
    entry = next;
  }
  if (pending !== 0) ownerDied(task, address(pending) + offset, isPi(pending), true, wake);
}

/** The lowest bit of a pointer says that the futex is one with priority inheritance. */
function address(entry: number): number {
  return entry - (entry % 2);
}

function isPi(entry: number): boolean {
  return entry % 2 === 1;
}

function ownerDied(task: Task, at: number, pi: boolean, pending: boolean, wake: (address: number) => void): void {
  const { space } = task.process;
  if (at % 4 !== 0) return;
  const value = space.readU32(at);
  // It was being unlocked: the word says that no task has it, but the waiters may not have been told.
  if (pending && !pi && value === 0) wake(at);
  if ((value & FUTEX_TID_MASK) !== task.tid) return;
  space.writeU32(at, ((value & FUTEX_WAITERS) | FUTEX_OWNER_DIED) >>> 0);
  if (!pi && (value & FUTEX_WAITERS) !== 0) wake(at);
}
