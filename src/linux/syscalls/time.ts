/** Clocks and sleeping. Timers that raise signals belong to signals/. */
import { E } from '../../base/errno.js';
import type { TimeSpec } from '../../host/host.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { ERESTART } from '../signals/restart.js';
import { type Wait, waitUntil } from '../waiting.js';
import { deadlineAfter, fromNanoseconds, readTimeout, writeTimeSpec } from './timeouts.js';

const CLOCK = {
  REALTIME: 0, MONOTONIC: 1, PROCESS_CPUTIME: 2, THREAD_CPUTIME: 3, MONOTONIC_RAW: 4, REALTIME_COARSE: 5,
  MONOTONIC_COARSE: 6, BOOTTIME: 7, REALTIME_ALARM: 8, BOOTTIME_ALARM: 9, TAI: 11,
} as const;
/** Numbers of processor time clocks. */
const CPU_CLOCK_THREAD = 4;
const CPU_CLOCK_KIND = 3;
const CPU_CLOCK_SCHED = 2;
const TIMER_ABSTIME = 1;
const TICKS_PER_SECOND = 100;
/** A jiffy at the usual 250 Hz. */
const COARSE_RESOLUTION = 4_000_000;

/** The processor time of some process or thread: ~id << 3, with what it is in the lower bits. */
function otherProcessorTime(p: Process, clock: number): TimeSpec | number {
  const id = ~(clock >> 3);
  if ((clock & CPU_CLOCK_KIND) > CPU_CLOCK_SCHED) return -E.INVAL;
  if ((clock & CPU_CLOCK_THREAD) === 0) return id === 0 || id === p.pid ? fromNanoseconds(p.cpuTime) : -E.INVAL;
  const task = id === 0 ? p.task : p.tasks.find(({ tid }) => tid === id);
  return task === undefined ? -E.INVAL : fromNanoseconds(task.instructions);
}

function clockTime(p: Process, clock: number): TimeSpec | number {
  switch (clock) {
    case CLOCK.REALTIME:
    case CLOCK.REALTIME_COARSE:
    case CLOCK.REALTIME_ALARM:
    case CLOCK.TAI:
      return p.clock.realtime();
    case CLOCK.MONOTONIC:
    case CLOCK.MONOTONIC_RAW:
    case CLOCK.MONOTONIC_COARSE:
      return p.clock.monotonic();
    case CLOCK.BOOTTIME:
    case CLOCK.BOOTTIME_ALARM:
      return p.clock.boottime();
    case CLOCK.PROCESS_CPUTIME:
      return fromNanoseconds(p.cpuTime);
    case CLOCK.THREAD_CPUTIME:
      return fromNanoseconds(p.task.instructions);
    default:
      return clock < 0 ? otherProcessorTime(p, clock) : -E.INVAL;
  }
}

/** Sleeps until `deadline`; if a signal ends it, stores what was left. */
function sleep(p: Process, deadline: number, remainingAt: number): SyscallResult {
  return deadline <= p.clock.now() ? 0 : sleepUntil(p, deadline, remainingAt);
}

function sleepUntil(p: Process, deadline: number, remainingAt: number): Wait {
  const waited = waitUntil(p, () => -E.AGAIN, {
    deadline, onTimeout: 0, onSignal: -ERESTART.RESTARTBLOCK, describe: () => 'the end of a sleep',
    restart: () => sleepUntil(p, deadline, remainingAt),
  });
  if (remainingAt === 0) return waited;
  return waited.after((result) => {
    if (result !== 0) writeTimeSpec(p, remainingAt, fromNanoseconds(Math.max(0, deadline - p.clock.now())));
    return result;
  });
}

const CLOCK_REALTIME = 0;
const TIMEX_SIZE = 208;
const STA_UNSYNC = 0x40;
const TIME_ERROR = 5;
const MICROSECONDS_PER_TICK = 10_000;
const MOST_ERROR = 16_000_000;

/** The clock, which no program adjusts, nor may: it is ours. */
function adjustTime(p: Process, address: number): number {
  if (p.space.readU32(address) !== 0) return -E.PERM;
  const { seconds, nanoseconds } = p.clock.realtime();
  p.space.write(address, new Uint8Array(TIMEX_SIZE));
  p.space.writeNum64(address + 24, MOST_ERROR);
  p.space.writeNum64(address + 32, MOST_ERROR);
  p.space.writeU32(address + 40, STA_UNSYNC);
  p.space.writeNum64(address + 72, seconds);
  p.space.writeNum64(address + 80, Math.floor(nanoseconds / 1000));
  p.space.writeNum64(address + 88, MICROSECONDS_PER_TICK);
  return TIME_ERROR;
}

export const timeCalls: SyscallFamily = {
  adjtimex: (p, a) => adjustTime(p, a.addr(0)),
  clock_adjtime: (p, a) => (a.int(0) === 0 ? adjustTime(p, a.addr(1)) : -E.OPNOTSUPP),
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

  clock_settime(p, a) {
    const nanoseconds = p.space.readNum64(a.addr(1) + 8);
    return a.int(0) !== CLOCK_REALTIME || nanoseconds >= 1e9 ? -E.INVAL : -E.PERM;
  },
  settimeofday: () => -E.PERM,

  gettimeofday(p, a) {
    const { seconds, nanoseconds } = p.clock.realtime();
    const [timeAt, zoneAt] = [a.addr(0), a.addr(1)];
    if (timeAt !== 0) {
      p.space.writeNum64(timeAt, seconds);
      p.space.writeNum64(timeAt + 8, Math.floor(nanoseconds / 1000));
    }
    if (zoneAt !== 0) p.space.writeNum64(zoneAt, 0);
    return 0;
  },

  time(p, a) {
    const { seconds } = p.clock.realtime();
    if (a.addr(0) !== 0) p.space.writeNum64(a.addr(0), seconds);
    return seconds;
  },

  times(p, a) {
    if (a.addr(0) !== 0) {
      const ticks = Math.floor((p.cpuTime * TICKS_PER_SECOND) / 1e9);
      [ticks, 0, 0, 0].forEach((n, i) => p.space.writeNum64(a.addr(0) + i * 8, n));
    }
    const { seconds, nanoseconds } = p.clock.boottime();
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

  pause: (p) => waitUntil(p, () => -E.AGAIN, { onSignal: -ERESTART.NOHAND, external: true, describe: () => 'a signal' }),
};
