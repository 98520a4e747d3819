/** Signals that end us do so in order: what we started and what we stored goes with us ('exit' of the process). */
import { constants } from 'node:os';

type Ending = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export function endBySignals(...signals: readonly Ending[]): void {
  for (const signal of signals) process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
