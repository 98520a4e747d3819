/** The part of signal handling that all threads of a process share. */
import { PendingSignals } from './pendingSignals.js';
import { ProcessTimers } from './processTimers.js';
import { SignalActions } from './signalActions.js';
import type { SignalClock } from './timers.js';

/** RLIMIT_SIGPENDING, about what a machine with a few gigabytes has. */
const DEFAULT_QUEUE_LIMIT = 15_000;

export class ProcessSignals {
  readonly actions = new SignalActions();
  /** Sent to the process: any thread may take them. */
  readonly pending = new PendingSignals();
  readonly timers: ProcessTimers;
  /** How many signals may be queued before rt_sigqueueinfo fails with EAGAIN. */
  queueLimit = DEFAULT_QUEUE_LIMIT;

  constructor(clock: SignalClock) {
    this.timers = new ProcessTimers(clock);
  }
}
