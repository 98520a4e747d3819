/** Timeouts as system calls take them, turned into deadlines: times of the guest's clock (process.clock.now()). */
import { E } from '../../base/errno.js';
import type { TimeSpec } from '../../host/host.js';
import type { Process } from '../process.js';

const SECOND = 1e9;

export function toNanoseconds(time: TimeSpec): number {
  return time.seconds * SECOND + time.nanoseconds;
}

/** The struct timespec at an address; undefined for a null pointer (no timeout), a number if it makes no sense. */
export function readTimeout(p: Process, address: number): TimeSpec | undefined | number {
  if (address === 0) return undefined;
  const seconds = p.space.readSigned64(address);
  const nanoseconds = p.space.readSigned64(address + 8);
  if (seconds < 0 || nanoseconds < 0 || nanoseconds >= SECOND) return -E.INVAL;
  return { seconds, nanoseconds };
}

/** When a timeout ends. `absolute` names the clock if it is a point in time. */
export function deadlineAfter(p: Process, timeout: TimeSpec | undefined, absolute?: 'realtime' | 'monotonic' | 'boottime'): number {
  const { clock } = p;
  if (timeout === undefined) return Infinity;
  if (absolute === undefined) return clock.now() + toNanoseconds(timeout);
  const now = clock[absolute]();
  // Seconds first: all nanoseconds since 1970 are more than a double holds exactly.
  const left = (timeout.seconds - now.seconds) * SECOND + (timeout.nanoseconds - now.nanoseconds);
  return clock.now() + left;
}

export function writeTimeSpec(p: Process, address: number, time: TimeSpec): void {
  p.space.writeNum64(address, time.seconds);
  p.space.writeNum64(address + 8, time.nanoseconds);
}

export function fromNanoseconds(nanoseconds: number): TimeSpec {
  const seconds = Math.floor(nanoseconds / SECOND);
  return { seconds, nanoseconds: Math.round(nanoseconds - seconds * SECOND) };
}
