/** Programs that cannot be compiled in every way, and why. */

/** Use something that musl lacks, or hand it addresses that it looks at itself. */
export const GLIBC_ONLY: ReadonlySet<string> = new Set([
  'files_descriptors.c', 'files_rename.c', 'files_stat.c', 'files_transfer.c', 'files_truncate.c', 'memory_protect.c', 'threads_futex.c',
  'files_times.c', 'signals_stack.c', 'sockets_inet.c', 'random_files.c', 'random_memory.c',
]);
