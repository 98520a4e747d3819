/** The clocks by which a process's timers run. */
import type { Process } from '../process.js';
import { toNanoseconds } from '../syscalls/timeouts.js';
import type { SignalClock } from './timers.js';

/** `process` is asked when the time is: it need not exist yet. */
export function processClock(process: () => Process): SignalClock {
  return {
    now: () => toNanoseconds(process().clock.monotonic()),
    cpuTime: () => process().cpuTime,
  };
}
