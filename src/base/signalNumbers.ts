/** Signal numbers, sets of signals and what happens by default (Linux x86-64). */

export const SIG = {
  HUP: 1, INT: 2, QUIT: 3, ILL: 4, TRAP: 5, ABRT: 6, BUS: 7, FPE: 8, KILL: 9, USR1: 10, SEGV: 11, USR2: 12,
  PIPE: 13, ALRM: 14, TERM: 15, STKFLT: 16, CHLD: 17, CONT: 18, STOP: 19, TSTP: 20, TTIN: 21, TTOU: 22, URG: 23,
  XCPU: 24, XFSZ: 25, VTALRM: 26, PROF: 27, WINCH: 28, IO: 29, PWR: 30, SYS: 31,
} as const;

export const SIGNAL_COUNT = 64;
/** First signal that queues instead of merging. */
export const FIRST_REALTIME = 32;

/** A sigset_t: bit n - 1 is signal n. */
export type SigSet = bigint;

export const SIGSET_BYTES = 8;
export const EMPTY_SET: SigSet = 0n;

export function setOf(...signals: readonly number[]): SigSet {
  return signals.reduce((set, signal) => set | (1n << BigInt(signal - 1)), EMPTY_SET);
}

export function contains(set: SigSet, signal: number): boolean {
  return ((set >> BigInt(signal - 1)) & 1n) === 1n;
}

/** The lowest signal in a set, or 0. */
export function lowest(set: SigSet): number {
  if (set === EMPTY_SET) return 0;
  let signal = 1;
  for (let rest = set; (rest & 1n) === 0n; rest >>= 1n) signal++;
  return signal;
}

export function isSignal(n: number): boolean {
  return n >= 1 && n <= SIGNAL_COUNT;
}

/** Can be neither caught, blocked nor ignored. */
export const UNCATCHABLE = setOf(SIG.KILL, SIG.STOP);
export const STOP_SIGNALS = setOf(SIG.STOP, SIG.TSTP, SIG.TTIN, SIG.TTOU);
/** Raised by an instruction: delivered before all others, so that the frame shows that instruction. */
export const SYNCHRONOUS = setOf(SIG.SEGV, SIG.BUS, SIG.ILL, SIG.TRAP, SIG.FPE, SIG.SYS);
const IGNORED_BY_DEFAULT = setOf(SIG.CONT, SIG.CHLD, SIG.WINCH, SIG.URG);
const CORE_SIGNALS = setOf(
  SIG.QUIT, SIG.ILL, SIG.TRAP, SIG.ABRT, SIG.FPE, SIG.SEGV, SIG.BUS, SIG.SYS, SIG.XCPU, SIG.XFSZ,
);

export type DefaultAction = 'ignore' | 'stop' | 'core' | 'terminate';

export function defaultAction(signal: number): DefaultAction {
  if (contains(IGNORED_BY_DEFAULT, signal)) return 'ignore';
  if (contains(STOP_SIGNALS, signal)) return 'stop';
  return contains(CORE_SIGNALS, signal) ? 'core' : 'terminate';
}
