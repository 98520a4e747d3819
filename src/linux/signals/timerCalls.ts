/**
 * alarm, setitimer, and POSIX timers. Those that start threads (SIGEV_THREAD) are the library's doing, with
 * SIGEV_THREAD_ID.
 */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import type { TimeSpec } from '../../host/host.js';
import { deadlineAfter, readTimeout, toNanoseconds } from '../syscalls/timeouts.js';
import type { IntervalTimerKind, PosixTimerRequest } from './processTimers.js';
import { SIG, isSignal } from '../../base/signalNumbers.js';
import type { ThreadSignals } from './threadSignals.js';
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
const CLOCKS_WITHOUT_TIMERS = [4, 5, 6, 8, 9];
/** The lowest bits of a negative clock that is a descriptor of some device. */
const CLOCK_OF_DESCRIPTOR = 3;

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
function arm(p: Process, timer: SignalTimer, { interval, value }: Setting, deadline = value + timer.now): void {
  timer.arm(value === 0 ? undefined : deadline, interval);
  p.signals.process.timers.noteArmed();
}

/** When a point in time that the guest names has come, in the timer's own time. */
function absoluteDeadline(p: Process, timer: SignalTimer, valueAt: number): number {
  const time = readTimeout(p, valueAt) as TimeSpec;
  if (timer.countsProcessorTime) return toNanoseconds(time);
  // Not by adding up nanoseconds since 1970: those are more than a double holds exactly.
  return timer.now + deadlineAfter(p, time, timer.clock) - p.clock.now();
}

function alarm(p: Process, args: SyscallArgs): number {
  const timer = p.signals.process.timers.intervalTimer(ITIMER_REAL);
  const left = timer.remaining(MICROSECOND);
  arm(p, timer, { interval: 0, value: Math.min(args.uint(0), LONGEST_ALARM) * SECOND });
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
  arm(p, timer, next);
  if (args.addr(2) !== 0) writeSetting(p, args.addr(2), MICROSECOND, old);
  return 0;
}

function getitimer(p: Process, args: SyscallArgs): number {
  const timer = intervalTimer(p, args.int(0));
  if (timer === undefined) return -E.INVAL;
  writeSetting(p, args.addr(1), MICROSECOND, current(timer, MICROSECOND));
  return 0;
}

type TimerClock = Pick<PosixTimerRequest, 'clockId' | 'now' | 'processorTime' | 'clock'>;

/**
 * The clock of that number, as the process's current thread sees it; a negative error number if it can have no timers.
 */
export function timerClock(p: Process, id: number): TimerClock | number {
  const { timers } = p.signals.process;
  const { task } = p;
  if (id < 0) return processorClock(p, id);
  switch (id) {
    case CLOCK.REALTIME:
    case CLOCK.TAI:
      return { clockId: id, now: () => timers.clock.now(), clock: 'realtime' };
    case CLOCK.MONOTONIC:
      return { clockId: id, now: () => timers.clock.now(), clock: 'monotonic' };
    case CLOCK.BOOTTIME:
      return { clockId: id, now: () => timers.clock.now(), clock: 'boottime' };
    case CLOCK.PROCESS_CPUTIME:
      return { clockId: id, now: () => timers.cpuTime(), processorTime: true };
    case CLOCK.THREAD_CPUTIME:
      return { clockId: clockOfThread(task.tid), now: () => task.instructions, processorTime: true };
    default:
      return CLOCKS_WITHOUT_TIMERS.includes(id) ? -E.OPNOTSUPP : -E.INVAL;
  }
}

/**
 * Negative clocks are the processor time of the process or thread whose number is in the upper bits, 0 for the caller.
 */
function processorClock(p: Process, id: number): TimerClock | number {
  const number = ~(id >> 3);
  const [ofThread, kind] = [(id & 4) !== 0, id & 3];
  if (kind === CLOCK_OF_DESCRIPTOR) return -E.INVAL;
  const task = number === 0 ? p.task : p.tasks.find((one) => one.tid === number);
  if (task === undefined || (!ofThread && number !== 0 && number !== p.pid)) return -E.INVAL;
  return { clockId: ofThread ? clockOfThread(task.tid) : CLOCK.PROCESS_CPUTIME, now: ofThread ? () => task.instructions : () => p.signals.process.timers.cpuTime(), processorTime: true };
}

function clockOfThread(tid: number): number {
  return (~tid << 3) | 4 | CLOCK.PROCESS_CPUTIME;
}

interface Notice {
  /** 0: none. */
  readonly signal: number;
  readonly target?: ThreadSignals | undefined;
  readonly value?: bigint;
}

/** What a struct sigevent asks for; a negative error number if it makes no sense. */
function requestedNotice(p: Process, eventAt: number): Notice | number {
  const event = new DataView(p.space.read(eventAt, SIGEVENT_SIZE).buffer);
  const value = event.getBigUint64(0, true);
  const [signal, notify, tid] = [event.getInt32(8, true), event.getInt32(12, true), event.getInt32(16, true)];
  if (notify === SIGEV.NONE) return { signal: 0, value };
  const target = notify === SIGEV.THREAD_ID ? p.tasks.find((task) => task.tid === tid)?.signals : undefined;
  const known = notify === SIGEV.SIGNAL || notify === SIGEV.THREAD || target !== undefined;
  return known && isSignal(signal) ? { signal, value, target } : -E.INVAL;
}

function timerCreate(p: Process, args: SyscallArgs): number {
  const notice = args.addr(1) === 0 ? { signal: SIG.ALRM } : requestedNotice(p, args.addr(1));
  const clock = timerClock(p, args.int(0));
  if (typeof clock === 'number') return clock;
  if (typeof notice === 'number') return notice;
  // Before the timer exists, so that a bad address leaves none behind.
  p.space.view(args.addr(2), 4, 'write');
  p.space.writeU32(args.addr(2), p.signals.process.timers.create({ ...clock, ...notice }));
  return 0;
}

/** Forgets the signal that the timer has sent but no thread has got yet. */
function discardSignal(p: Process, timer: SignalTimer): void {
  (timer.target ?? p.signals.process).pending.discardFrom(timer);
}

function timerSettime(p: Process, args: SyscallArgs): number {
  if (args.addr(2) === 0) return -E.INVAL;
  const next = readSetting(p, args.addr(2), 1);
  const timer = p.signals.process.timers.find(args.int(0));
  if (next === undefined || timer === undefined) return -E.INVAL;
  const old = current(timer, 1);
  discardSignal(p, timer);
  if ((args.int(1) & TIMER_ABSTIME) === 0) arm(p, timer, next);
  else arm(p, timer, next, absoluteDeadline(p, timer, args.addr(2) + 16));
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
  discardSignal(p, timer);
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
