/** The host's clocks. */
import type { HostClock, TimeSpec } from './host.js';
import { uptimeSeconds } from './nodeProc.js';

/** Beyond this the system's clock was set while we ran. */
const CLOCK_STEP_MILLISECONDS = 5;

export class NodeClock implements HostClock {
  private origin = performance.timeOrigin;
  private bootOffset: number | undefined;
  private readonly never = new Int32Array(new SharedArrayBuffer(4));

  realtime(): TimeSpec {
    const elapsed = performance.now();
    // Date has milliseconds only, performance has microseconds but does not follow a clock that is set.
    if (Math.abs(Date.now() - (this.origin + elapsed)) > CLOCK_STEP_MILLISECONDS) this.origin = Date.now() - elapsed;
    const now = this.origin + elapsed;
    const seconds = Math.floor(now / 1000);
    return { seconds, nanoseconds: Math.floor((now - seconds * 1000) * 1000) * 1000 };
  }

  monotonic(): TimeSpec {
    const [seconds, nanoseconds] = process.hrtime();
    return { seconds, nanoseconds };
  }

  boottime(): TimeSpec {
    const { seconds, nanoseconds } = this.monotonic();
    // The difference is the time spent suspended: whole seconds are as exact as /proc/uptime lets us be.
    this.bootOffset ??= Math.max(0, Math.round(uptimeSeconds() - (seconds + nanoseconds / 1e9)));
    return { seconds: seconds + this.bootOffset, nanoseconds };
  }

  milliseconds(): number {
    return performance.now();
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  yield(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  sleepBlocking(milliseconds: number): void {
    Atomics.wait(this.never, 0, 0, milliseconds);
  }
}
