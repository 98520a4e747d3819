/** Signals in gdb's words, which are not always those of the C library. */
import { signalMessage, signalName, signalNumber } from '../base/signalNames.js';
import { SIGNAL_COUNT } from '../base/signalNumbers.js';

const OWN_WORDS: Readonly<Record<string, string>> = {
  SIGFPE: 'Arithmetic exception', SIGCHLD: 'Child status changed', SIGTSTP: 'Stopped (user)', SIGWINCH: 'Window size changed', SIGPWR: 'Power fail/restart',
};
const FIRST_REALTIME = 32;

export function gdbSignalName(signal: number): string {
  return signal >= FIRST_REALTIME ? `SIG${signal}` : signalName(signal);
}

export function gdbSignalWords(signal: number): string {
  return signal >= FIRST_REALTIME ? `Real-time event ${signal}` : (OWN_WORDS[signalName(signal)] ?? signalMessage(signal));
}

export function allSignals(): number[] {
  return Array.from({ length: SIGNAL_COUNT }, (_, i) => i + 1);
}

export { signalNumber };
