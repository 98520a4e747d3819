/** Clocks and sleeping. Timers that raise signals belong to signals/. */
import { E } from '../../base/errno.js';
import type { TimeSpec } from '../../host/host.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { ERESTART } from '../signals/restart.js';
import { waitUntil } from '../waiting.js';
import { deadlineAfter, fromMilliseconds, readTimeout, writeTimeSpec } from './timeouts.js';

const CLOCK = {
  REALTIME: 0, MONOTONIC: 1, PROCESS_CPUTIME: 2, THREAD_CPUTIME: 3, MONOTONIC_RAW: 4, REALTIME_COARSE: 5,
  MONOTONIC_COARSE: 6, BOOTTIME: 7, REALTIME_ALARM: 8, BOOTTIME_ALARM: 9, TAI: 11,
} as const;
const TIMER_ABSTIME = 1;
const TICKS_PER_SECOND = 100;
/** A jiffy at the usual 250 Hz. */
const COARSE_RESOLUTION = 4_000_000;

function processorTime(p: Process): TimeSpec {
  const { userMicroseconds, systemMicroseconds } = p.host.system.resourceUsage();
  const total = userMicroseconds + systemMicroseconds;
  const seconds = Math.floor(total / 1e6);
  return { seconds, nanoseconds: Math.floor(total - seconds * 1e6) * 1000 };
}

function clockTime(p: Process, clock: number): TimeSpec | number {
  switch (clock) {
    case CLOCK.REALTIME:
    case CLOCK.REALTIME_COARSE:
    case CLOCK.REALTIME_ALARM:
    case CLOCK.TAI:
      return p.host.clock.realtime();
    case CLOCK.MONOTONIC:
    case CLOCK.MONOTONIC_RAW:
    case CLOCK.MONOTONIC_COARSE:
      return p.host.clock.monotonic();
    case CLOCK.BOOTTIME:
    case CLOCK.BOOTTIME_ALARM:
      return p.host.clock.boottime();
    case CLOCK.PROCESS_CPUTIME:
    case CLOCK.THREAD_CPUTIME:
      return processorTime(p);
    default:
      // Negative numbers are the processor time clocks of some process; ours is the only one.
      return clock < 0 ? processorTime(p) : -E.INVAL;
  }
}

/** Sleeps until `deadline`; if a signal ends it, stores what was left. */
function sleep(p: Process, deadline: number, remainingAt: number): SyscallResult {
  const { clock } = p.host;
  const left = deadline - clock.milliseconds();
  if (left <= 0) return 0;
  const options = { deadline, onTimeout: 0, onSignal: -E.INTR };
  const waited = waitUntil(p, () => -E.AGAIN, options);
  if (remainingAt === 0) return waited;
  return waited.then((result) => {
    if (result !== 0) writeTimeSpec(p, remainingAt, fromMilliseconds(Math.max(0, deadline - clock.milliseconds())));
    return result;
  });
}

export const timeCalls: SyscallFamily = {
  clock_gettime(p, a) {
    const time = clockTime(p, a.int(0));
    if (typeof time === 'number') return time;
    writeTimeSpec(p, a.addr(1), time);
    return 0;
  },

  clock_getres(p, a) {
    const clock = a.int(0);
    if (typeof clockTime(p, clock) === 'number') return -E.INVAL;
    const coarse = clock === CLOCK.REALTIME_COARSE || clock === CLOCK.MONOTONIC_COARSE;
    if (a.addr(1) !== 0) writeTimeSpec(p, a.addr(1), { seconds: 0, nanoseconds: coarse ? COARSE_RESOLUTION : 1 });
    return 0;
  },

  clock_settime: () => -E.PERM,
  settimeofday: () => -E.PERM,

  gettimeofday(p, a) {
    const { seconds, nanoseconds } = p.host.clock.realtime();
    const [timeAt, zoneAt] = [a.addr(0), a.addr(1)];
    if (timeAt !== 0) {
      p.space.writeNum64(timeAt, seconds);
      p.space.writeNum64(timeAt + 8, Math.floor(nanoseconds / 1000));
    }
    if (zoneAt !== 0) p.space.writeNum64(zoneAt, 0);
    return 0;
  },

  time(p, a) {
    const { seconds } = p.host.clock.realtime();
    if (a.addr(0) !== 0) p.space.writeNum64(a.addr(0), seconds);
    return seconds;
  },

  times(p, a) {
    const { userMicroseconds, systemMicroseconds } = p.host.system.resourceUsage();
    const ticks = (microseconds: number): number => Math.floor((microseconds * TICKS_PER_SECOND) / 1e6);
    if (a.addr(0) !== 0) {
      [ticks(userMicroseconds), ticks(systemMicroseconds), 0, 0].forEach((n, i) => p.space.writeNum64(a.addr(0) + i * 8, n));
    }
    const { seconds, nanoseconds } = p.host.clock.boottime();
    return seconds * TICKS_PER_SECOND + Math.floor((nanoseconds * TICKS_PER_SECOND) / 1e9);
  },

  nanosleep(p, a) {
    const time = readTimeout(p, a.addr(0));
    if (time === undefined) return -E.FAULT;
    return typeof time === 'number' ? time : sleep(p, deadlineAfter(p, time), a.addr(1));
  },

  clock_nanosleep(p, a) {
    const [clock, flags] = [a.int(0), a.uint(1)];
    const time = readTimeout(p, a.addr(2));
    if (time === undefined) return -E.FAULT;
    if (typeof time === 'number') return time;
    if (typeof clockTime(p, clock) === 'number' || clock === CLOCK.THREAD_CPUTIME) return -E.INVAL;
    if ((flags & TIMER_ABSTIME) === 0) return sleep(p, deadlineAfter(p, time), a.addr(3));
    const base = clock === CLOCK.REALTIME || clock === CLOCK.TAI ? 'realtime' : 'monotonic';
    return sleep(p, deadlineAfter(p, time, base), 0);
  },

  pause: (p) => waitUntil(p, () => -E.AGAIN, { onSignal: -ERESTART.NOHAND }),
};
