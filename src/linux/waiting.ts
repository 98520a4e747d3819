/**
 * Waiting inside a system call without stopping the host's event loop: signals and timers come in
 * meanwhile. There is nothing that would wake us when a pipe or terminal of the host becomes ready,
 * so the condition is tried again and again, at growing intervals.
 */
import { E } from '../base/errno.js';
import type { Process } from './process.js';
import { ERESTART } from './signals/restart.js';

const LONGEST_PAUSE = 8;
/** Pauses below this are not worth a trip through the event loop, whose timers count milliseconds. */
const SHORTEST_PAUSE = 1;

export interface WaitOptions {
  /** Give up at this time of host.clock.milliseconds(), with `onTimeout` as the result. */
  readonly deadline?: number;
  readonly onTimeout?: number;
  /** The result if a signal comes: -ERESTART.SYS unless said otherwise. */
  readonly onSignal?: number;
}

/** Repeats `attempt` until its result is not -EAGAIN. */
export async function waitUntil(process: Process, attempt: () => number, options: WaitOptions = {}): Promise<number> {
  const { clock } = process.host;
  const deadline = options.deadline ?? Infinity;
  let pause = SHORTEST_PAUSE;
  for (;;) {
    const result = attempt();
    if (result !== -E.AGAIN) return result;
    if (process.signals.hasDeliverable()) return options.onSignal ?? -ERESTART.SYS;
    const remaining = deadline - clock.milliseconds();
    if (remaining <= 0) return options.onTimeout ?? -E.AGAIN;
    if (remaining < SHORTEST_PAUSE) clock.sleepBlocking(remaining);
    else await clock.sleep(Math.min(pause, remaining));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}
