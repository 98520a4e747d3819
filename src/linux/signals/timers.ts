/**
 * Timers that send signals: the three interval timers of setitimer, and POSIX timers. A periodic
 * timer starts its next period when its signal is taken out of the queue, and counts the periods
 * that passed meanwhile. Times are nanoseconds of the timer's own clock.
 */
import type { SignalSource } from './pendingSignals.js';
import type { SigInfo } from './siginfo.js';
import type { ThreadSignals } from './threadSignals.js';

/** What time it is; all in nanoseconds. */
export interface SignalClock {
  /** Monotonic. */
  now(): number;
  /** Used by the process. Monotonic time if absent. */
  cpuTime?(): number;
}

export type RealClock = 'realtime' | 'monotonic' | 'boottime';

interface TimerOptions {
  readonly now: () => number;
  /** Whether that is processor time. */
  readonly processorTime?: boolean;
  /** If not: the clock that absolute times refer to. */
  readonly clock?: RealClock;
  /** What to send, given the number of missed periods. Absent: SIGEV_NONE. */
  readonly info?: (overrun: number) => SigInfo;
  /** See SignalSource. */
  readonly merges?: boolean;
  /** The thread that gets the signal; the process if absent. */
  readonly target?: ThreadSignals | undefined;
}

const LARGEST_OVERRUN = 0x7fff_ffff;

export class SignalTimer implements SignalSource {
  /** Undefined while not armed. */
  private deadline: number | undefined;
  private period = 0;
  /** The signal is in the queue. */
  private queued = false;
  /** Missed periods before the signal that was delivered last. */
  overrun = 0;

  constructor(private readonly options: TimerOptions) {}

  get target(): ThreadSignals | undefined {
    return this.options.target;
  }

  get clock(): RealClock {
    return this.options.clock ?? 'monotonic';
  }

  get countsProcessorTime(): boolean {
    return this.options.processorTime ?? false;
  }

  get merges(): boolean {
    return this.options.merges ?? false;
  }

  /** Whether a signal will come of it. */
  get isRunning(): boolean {
    return this.deadline !== undefined && this.options.info !== undefined;
  }

  get interval(): number {
    return this.period;
  }

  /** Undefined while not armed. */
  get dueAt(): number | undefined {
    return this.deadline;
  }

  get now(): number {
    return this.options.now();
  }

  /** `deadline` in the timer's clock, undefined to disarm. */
  arm(deadline: number | undefined, interval: number): void {
    this.deadline = deadline;
    this.period = deadline === undefined ? 0 : interval;
    this.queued = false;
    this.overrun = 0;
  }

  /**
   * Time to the next expiry: 0 if none is to come, at least `smallest` if one is. A timer that expires once and has,
   * says 0 even if its signal still waits; so does the periodic ITIMER_REAL, which Linux stops until then.
   */
  remaining(smallest: number): number {
    if (this.deadline === undefined) return 0;
    const now = this.now;
    if (this.deadline > now) return Math.max(this.deadline - now, smallest);
    if (this.period === 0 || (this.merges && !this.countsProcessorTime)) return 0;
    return Math.max(this.period - ((now - this.deadline) % this.period), smallest);
  }

  /** Nanoseconds until `check` has something to do; undefined if never. */
  due(): number | undefined {
    if (this.deadline === undefined || this.queued || this.options.info === undefined) return undefined;
    return Math.max(0, this.deadline - this.now);
  }

  /** If expired: the signal to send now. */
  expire(): SigInfo | undefined {
    if (this.due() !== 0) return undefined;
    this.queued = true;
    return this.options.info?.(0);
  }

  taken(): SigInfo {
    // If the timer was set anew meanwhile, that goes on as it is.
    if (this.queued) this.overrun = Math.min(this.restart(), LARGEST_OVERRUN);
    this.queued = false;
    return this.options.info?.(this.overrun) as SigInfo;
  }

  /** Starts the next period that is not yet over; returns how many were. */
  private restart(): number {
    if (this.deadline === undefined || this.period === 0) {
      this.deadline = undefined;
      return 0;
    }
    const missed = Math.max(0, Math.floor((this.now - this.deadline) / this.period));
    this.deadline += (missed + 1) * this.period;
    return missed;
  }
}
