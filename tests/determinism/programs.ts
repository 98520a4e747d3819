/**
 * Programs with threads and processes whose every run must be the same. Those of `determinism/` print their own
 * schedule.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OWN = readdirSync(fileURLToPath(new URL('../programs/determinism/', import.meta.url))).sort().map((name) => `determinism/${name}`);

/** What `npm test` has time for: one in three. */
export function isShort(source: string): boolean {
  return PROGRAMS.indexOf(source) % 5 === 0;
}

export const PROGRAMS: readonly string[] = [
  ...OWN,
  'racyCounter.c', 'threadLocks.c', 'threadCancel.c', 'threadKeys.c', 'robustMutexes.c', 'sharedLocks.c', 'forks.c', 'forkedThreads.c',
  'signalsBetween.c', 'systemV.c', 'waitingTogether.c',
  'syscalls/process_fork.c', 'syscalls/process_groups.c', 'syscalls/pipes_pipes.c', 'syscalls/threads_process.c', 'syscalls/threads_futex.c',
  'syscalls/signals_waiting.c', 'syscalls/signals_stack.c', 'syscalls/events_epoll.c', 'syscalls/files_locks.c', 'syscalls/sockets_unix.c',
];
