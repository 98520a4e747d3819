/**
 * Signals that end us do so in order: what we started and what we stored goes with us ('exit' of the process), and the
 * process that waits for us sees the signal.
 */
import { constants } from 'node:os';

type Ending = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';

export function endBySignals(...signals: readonly Ending[]): void {
  for (const signal of signals) process.once(signal, () => endBySignal(constants.signals[signal]));
}

/** Exits, and ends by the signal: a shell whose script is interrupted goes on if its command just exits. */
export function endBySignal(signal: number): never {
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] as NodeJS.Signals | undefined;
  process.once('exit', () => {
    if (name === undefined) return;
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  });
  process.exit(128 + signal);
}
