/** Signal numbers, names and the words a shell reports a killed process with. */
import { SIGNAL_COUNT } from './signalNumbers.js';

/** [name without SIG, message], from signal 1. */
const STANDARD: readonly (readonly [string, string])[] = [
  ['HUP', 'Hangup'], ['INT', 'Interrupt'], ['QUIT', 'Quit'], ['ILL', 'Illegal instruction'],
  ['TRAP', 'Trace/breakpoint trap'], ['ABRT', 'Aborted'], ['BUS', 'Bus error'], ['FPE', 'Floating point exception'],
  ['KILL', 'Killed'], ['USR1', 'User defined signal 1'], ['SEGV', 'Segmentation fault'],
  ['USR2', 'User defined signal 2'], ['PIPE', 'Broken pipe'], ['ALRM', 'Alarm clock'], ['TERM', 'Terminated'],
  ['STKFLT', 'Stack fault'], ['CHLD', 'Child exited'], ['CONT', 'Continued'], ['STOP', 'Stopped (signal)'],
  ['TSTP', 'Stopped'], ['TTIN', 'Stopped (tty input)'], ['TTOU', 'Stopped (tty output)'],
  ['URG', 'Urgent I/O condition'], ['XCPU', 'CPU time limit exceeded'], ['XFSZ', 'File size limit exceeded'],
  ['VTALRM', 'Virtual timer expired'], ['PROF', 'Profiling timer expired'], ['WINCH', 'Window changed'],
  ['IO', 'I/O possible'], ['PWR', 'Power failure'], ['SYS', 'Bad system call'],
];

const SYNONYMS: Readonly<Record<string, string>> = { POLL: 'IO', IOT: 'ABRT', CLD: 'CHLD' };

/** The two realtime signals below this one belong to the C library. */
const SIGRTMIN = 34;
const SIGRTMAX = SIGNAL_COUNT;

/** `SIGSEGV` for 11, `SIGRTMIN+1` for 35, `SIG32` for numbers without a name. */
export function signalName(signal: number): string {
  const standard = STANDARD[signal - 1];
  if (standard !== undefined) return `SIG${standard[0]}`;
  if (signal < SIGRTMIN || signal > SIGRTMAX) return `SIG${signal}`;
  if (signal === SIGRTMAX) return 'SIGRTMAX';
  return signal === SIGRTMIN ? 'SIGRTMIN' : `SIGRTMIN+${signal - SIGRTMIN}`;
}

/** 11 for `SIGSEGV`, `segv` and `11`; undefined if there is no such signal. */
export function signalNumber(name: string): number | undefined {
  const bare = name.toUpperCase().replace(/^SIG/, '');
  const found = STANDARD.findIndex(([known]) => known === (SYNONYMS[bare] ?? bare));
  if (found >= 0) return found + 1;
  const realtime = /^RT(MIN|MAX)([+-]\d+)?$/.exec(bare);
  const number = realtime ? (realtime[1] === 'MIN' ? SIGRTMIN : SIGRTMAX) + Number(realtime[2] ?? 0) : Number(bare);
  return bare !== '' && Number.isInteger(number) && number >= 1 && number <= SIGNAL_COUNT ? number : undefined;
}

/** strsignal(3): `Segmentation fault` for 11. */
export function signalMessage(signal: number): string {
  const standard = STANDARD[signal - 1];
  if (standard !== undefined) return standard[1];
  return signal >= SIGRTMIN && signal <= SIGRTMAX ? `Real-time signal ${signal - SIGRTMIN}` : `Unknown signal ${signal}`;
}

/** What bash says of a program killed by a signal; undefined for those it keeps silent about. */
export function shellMessage(signal: number, dumpedCore: boolean): string | undefined {
  const name = STANDARD[signal - 1]?.[0];
  if (name === 'INT' || name === 'PIPE') return undefined;
  return signalMessage(signal) + (dumpedCore ? ' (core dumped)' : '');
}
