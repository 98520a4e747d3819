/**
 * The guest's time. It moves by one nanosecond with every retired instruction, and by as much as
 * the world says while everybody waits; it never looks at the host's clock after the start, so that
 * the same run sees the same times, relative to its start. It starts at a full second: what a program
 * does may well depend on when the next second begins.
 */
import type { HostClock, TimeSpec } from '../../host/host.js';

const SECOND = 1e9;
const STAMPS_PER_NANOSECOND = 2;
/** Nanoseconds that rdtsc takes. */
const STAMP_COST = 16;

/** Where a clock stands. */
export interface ClockPosition {
  readonly elapsed: number;
  readonly lastStamp: number;
}

function plus(start: TimeSpec, nanoseconds: number): TimeSpec {
  const sum = start.nanoseconds + nanoseconds;
  const carry = Math.floor(sum / SECOND);
  return { seconds: start.seconds + carry, nanoseconds: Math.floor(sum - carry * SECOND) };
}

export class VirtualClock {
  private elapsed = 0;
  private lastStamp = 0;
  private readonly start: { readonly realtime: TimeSpec; readonly monotonic: TimeSpec; readonly boottime: TimeSpec };

  constructor(host: Pick<HostClock, 'realtime' | 'monotonic' | 'boottime'>) {
    const { seconds, nanoseconds } = host.realtime();
    this.start = {
      // Not before now, or files that were just written would lie in the future.
      realtime: { seconds: nanoseconds > 0 ? seconds + 1 : seconds, nanoseconds: 0 },
      monotonic: { seconds: host.monotonic().seconds, nanoseconds: 0 },
      boottime: { seconds: host.boottime().seconds, nanoseconds: 0 },
    };
  }

  /** Seconds of the three clocks when the run began. */
  get starts(): { readonly realtime: number; readonly monotonic: number; readonly boottime: number } {
    const { realtime, monotonic, boottime } = this.start;
    return { realtime: realtime.seconds, monotonic: monotonic.seconds, boottime: boottime.seconds };
  }

  /** What CLOCK_MONOTONIC and the time stamp counter started from. */
  get startSeconds(): number {
    return this.start.monotonic.seconds;
  }

  get position(): ClockPosition {
    return { elapsed: this.elapsed, lastStamp: this.lastStamp };
  }

  set position({ elapsed, lastStamp }: ClockPosition) {
    this.elapsed = elapsed;
    this.lastStamp = lastStamp;
  }

  /** Nanoseconds since the start of the run: what deadlines are given in. */
  now(): number {
    return this.elapsed;
  }

  advance(nanoseconds: number): void {
    this.elapsed += nanoseconds;
  }

  /**
   * The time stamp counter, at 2 GHz. Between two visits to the kernel `now` stands still; asking for a
   * time stamp itself takes a while, so that who waits for it to change does not wait in vain.
   */
  timeStamp(): number {
    this.lastStamp = Math.max(this.lastStamp + STAMP_COST, this.elapsed);
    return (this.start.monotonic.seconds * SECOND + this.lastStamp) * STAMPS_PER_NANOSECOND;
  }

  /** CLOCK_REALTIME. */
  realtime(): TimeSpec {
    return plus(this.start.realtime, this.elapsed);
  }

  /** CLOCK_MONOTONIC. */
  monotonic(): TimeSpec {
    return plus(this.start.monotonic, this.elapsed);
  }

  /** CLOCK_BOOTTIME. */
  boottime(): TimeSpec {
    return plus(this.start.boottime, this.elapsed);
  }
}
