/** Numbers of signals: gdb has its own, the same on all systems. */

/** By Linux's number; beyond 31 they are real-time signals. */
const GDB_NUMBERS: readonly number[] = [
  0, 1, 2, 3, 4, 5, 6, /* SIGBUS */ 10, 8, 9, /* SIGUSR1 */ 30, 11, /* SIGUSR2 */ 31, 13, 14, 15,
  /* SIGSTKFLT */ 143, /* SIGCHLD */ 20, /* SIGCONT */ 19, /* SIGSTOP */ 17, /* SIGTSTP */ 18, 21, 22, /* SIGURG */ 16,
  24, 25, 26, 27, 28, /* SIGIO */ 23, /* SIGPWR */ 32, /* SIGSYS */ 12,
];
/** SIG32 has a place apart: SIG33 to SIG63 came first. */
const GDB_SIG32 = 77;
const GDB_SIG33 = 45;
const GDB_SIG64 = 78;
const GDB_UNKNOWN = 143;

export const SIGNAL = { INT: 2, TRAP: 5 } as const;
export const MOST_SIGNALS = 64;

export function gdbSignal(signal: number): number {
  const known = GDB_NUMBERS[signal];
  if (known !== undefined) return known;
  if (signal === 32) return GDB_SIG32;
  if (signal === 64) return GDB_SIG64;
  return signal > 32 && signal < 64 ? GDB_SIG33 + signal - 33 : GDB_UNKNOWN;
}

/** All of Linux's that gdb calls one of these. */
export function signalsNamed(gdbNumbers: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(Array.from({ length: MOST_SIGNALS }, (_, i) => i + 1).filter((signal) => gdbNumbers.has(gdbSignal(signal))));
}
