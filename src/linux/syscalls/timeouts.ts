/** Timeouts as system calls take them, turned into deadlines of the host's clock. */
import { E } from '../../base/errno.js';
import type { TimeSpec } from '../../host/host.js';
import type { Process } from '../process.js';

export function toMilliseconds(time: TimeSpec): number {
  return time.seconds * 1000 + time.nanoseconds / 1e6;
}

/** The struct timespec at an address; undefined for a null pointer (no timeout), a number if it makes no sense. */
export function readTimeout(p: Process, address: number): TimeSpec | undefined | number {
  if (address === 0) return undefined;
  const seconds = p.space.readSigned64(address);
  const nanoseconds = p.space.readSigned64(address + 8);
  if (seconds < 0 || nanoseconds < 0 || nanoseconds >= 1e9) return -E.INVAL;
  return { seconds, nanoseconds };
}

/** When a timeout ends, in host.clock.milliseconds(). `absolute` names the clock if it is a point in time. */
export function deadlineAfter(p: Process, timeout: TimeSpec | undefined, absolute?: 'realtime' | 'monotonic'): number {
  const { clock } = p.host;
  if (timeout === undefined) return Infinity;
  const start = absolute === undefined ? 0 : toMilliseconds(absolute === 'realtime' ? clock.realtime() : clock.monotonic());
  return clock.milliseconds() + toMilliseconds(timeout) - start;
}

export function writeTimeSpec(p: Process, address: number, time: TimeSpec): void {
  p.space.writeNum64(address, time.seconds);
  p.space.writeNum64(address + 8, time.nanoseconds);
}

export function fromMilliseconds(milliseconds: number): TimeSpec {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanoseconds: Math.round((milliseconds - seconds * 1000) * 1e6) };
}
