/** alarm, setitimer, and the POSIX timers that send signals (SIGEV_SIGNAL) or nothing (SIGEV_NONE). */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import type { IntervalTimerKind } from './processTimers.js';
import { SIG, isSignal } from './signalNumbers.js';
import type { SignalTimer } from './timers.js';

const SECOND = 1e9;
const MICROSECOND = 1e3;
const LONGEST_ALARM = 0x7fff_ffff;
const ITIMER_REAL = 0;
const ITIMER_PROF = 2;
const TIMER_ABSTIME = 1;
const SIGEV = { SIGNAL: 0, NONE: 1, THREAD: 2, THREAD_ID: 4 } as const;
const SIGEVENT_SIZE = 64;

/** Clocks that have timers, and clocks that have not. */
const CLOCK = { REALTIME: 0, MONOTONIC: 1, PROCESS_CPUTIME: 2, THREAD_CPUTIME: 3, BOOTTIME: 7, TAI: 11 } as const;
const CLOCKS_WITHOUT_TIMERS = [4, 5, 6];

/** it_interval and it_value, in nanoseconds. */
interface Setting {
  readonly interval: number;
  readonly value: number;
}

/** Two struct timeval (unit 1000) or timespec (unit 1); undefined if a part is out of range. */
function readSetting(p: Process, address: number, unit: number): Setting | undefined {
  const [interval, value] = [address, address + 16].map((at) => {
    const seconds = p.space.readSigned64(at);
    const part = p.space.readSigned64(at + 8) * unit;
    return seconds < 0 || part < 0 || part >= SECOND ? undefined : seconds * SECOND + part;
  });
  return interval === undefined || value === undefined ? undefined : { interval, value };
}

function writeSetting(p: Process, address: number, unit: number, setting: Setting): void {
  p.space.fillBytes(address, 32, 0);
  [setting.interval, setting.value].forEach((time, i) => {
    const seconds = Math.floor(time / SECOND);
    p.space.writeNum64(address + i * 16, seconds);
    p.space.writeNum64(address + i * 16 + 8, Math.floor((time - seconds * SECOND) / unit));
  });
}

function current(timer: SignalTimer, unit: number): Setting {
  return { interval: timer.interval, value: timer.remaining(unit) };
}

/** Replaces what the timer was set to; a signal it has already sent is still delivered by interval timers only. */
function arm(p: Process, timer: SignalTimer, setting: Setting, absolute: boolean): void {
  const deadline = setting.value === 0 ? undefined : setting.value + (absolute ? 0 : timer.now);
  timer.arm(deadline, setting.interval);
  p.signals.process.timers.noteArmed();
}

function alarm(p: Process, args: SyscallArgs): number {
  const timer = p.signals.process.timers.intervalTimer(ITIMER_REAL);
  const left = timer.remaining(MICROSECOND);
  arm(p, timer, { interval: 0, value: Math.min(args.uint(0), LONGEST_ALARM) * SECOND }, false);
  const seconds = Math.floor(left / SECOND);
  const rest = left - seconds * SECOND;
  return seconds + ((seconds === 0 && rest > 0) || rest >= SECOND / 2 ? 1 : 0);
}

function intervalTimer(p: Process, which: number): SignalTimer | undefined {
  return which >= ITIMER_REAL && which <= ITIMER_PROF ? p.signals.process.timers.intervalTimer(which as IntervalTimerKind) : undefined;
}

function setitimer(p: Process, args: SyscallArgs): number {
  const next = args.addr(1) === 0 ? { interval: 0, value: 0 } : readSetting(p, args.addr(1), MICROSECOND);
  const timer = intervalTimer(p, args.int(0));
  if (next === undefined || timer === undefined) return -E.INVAL;
  const old = current(timer, MICROSECOND);
  arm(p, timer, next, false);
  if (args.addr(2) !== 0) writeSetting(p, args.addr(2), MICROSECOND, old);
  return 0;
}

function getitimer(p: Process, args: SyscallArgs): number {
  const timer = intervalTimer(p, args.int(0));
  if (timer === undefined) return -E.INVAL;
  writeSetting(p, args.addr(1), MICROSECOND, current(timer, MICROSECOND));
  return 0;
}

function clockOf(p: Process, id: number): (() => number) | number {
  switch (id) {
    case CLOCK.REALTIME:
    case CLOCK.TAI:
      return () => p.signals.process.timers.realtime();
    case CLOCK.MONOTONIC:
    case CLOCK.BOOTTIME:
      return () => p.signals.process.timers.clock.now();
    case CLOCK.PROCESS_CPUTIME:
    case CLOCK.THREAD_CPUTIME:
      return () => p.signals.process.timers.cpuTime();
    default:
      return CLOCKS_WITHOUT_TIMERS.includes(id) ? -E.OPNOTSUPP : -E.INVAL;
  }
}

/** The signal that a struct sigevent asks for, 0 for none, a negative error number. */
function requestedSignal(p: Process, event: DataView): number {
  const [signal, notify, tid] = [event.getInt32(8, true), event.getInt32(12, true), event.getInt32(16, true)];
  if (notify === SIGEV.NONE) return 0;
  const known = notify === SIGEV.SIGNAL || notify === SIGEV.THREAD || (notify === SIGEV.THREAD_ID && tid === p.tid);
  return known && isSignal(signal) ? signal : -E.INVAL;
}

function timerCreate(p: Process, args: SyscallArgs): number {
  const eventAt = args.addr(1);
  const event = eventAt === 0 ? undefined : new DataView(p.space.read(eventAt, SIGEVENT_SIZE).buffer);
  const now = clockOf(p, args.int(0));
  if (typeof now === 'number') return now;
  const signal = event === undefined ? SIG.ALRM : requestedSignal(p, event);
  if (signal < 0) return signal;
  // Before the timer exists, so that a bad address leaves none behind.
  p.space.view(args.addr(2), 4, 'write');
  const value = event?.getBigUint64(0, true);
  p.space.writeU32(args.addr(2), p.signals.process.timers.create(value === undefined ? { now, signal } : { now, signal, value }));
  return 0;
}

function timerSettime(p: Process, args: SyscallArgs): number {
  if (args.addr(2) === 0) return -E.INVAL;
  const next = readSetting(p, args.addr(2), 1);
  const timer = p.signals.process.timers.find(args.int(0));
  if (next === undefined || timer === undefined) return -E.INVAL;
  const old = current(timer, 1);
  p.signals.process.pending.discardFrom(timer);
  arm(p, timer, next, (args.int(1) & TIMER_ABSTIME) !== 0);
  if (args.addr(3) !== 0) writeSetting(p, args.addr(3), 1, old);
  return 0;
}

function timerGettime(p: Process, args: SyscallArgs): number {
  const timer = p.signals.process.timers.find(args.int(0));
  if (timer === undefined) return -E.INVAL;
  writeSetting(p, args.addr(1), 1, current(timer, 1));
  return 0;
}

function timerDelete(p: Process, args: SyscallArgs): number {
  const timer = p.signals.process.timers.find(args.int(0));
  if (timer === undefined) return -E.INVAL;
  p.signals.process.pending.discardFrom(timer);
  p.signals.process.timers.delete(args.int(0));
  p.signals.process.timers.noteArmed();
  return 0;
}

export const timerCalls: SyscallFamily = {
  alarm,
  setitimer,
  getitimer,
  timer_create: timerCreate,
  timer_settime: timerSettime,
  timer_gettime: timerGettime,
  timer_getoverrun: (p, args) => p.signals.process.timers.find(args.int(0))?.overrun ?? -E.INVAL,
  timer_delete: timerDelete,
};
