/** alarm, setitimer, and the POSIX timers that send signals (SIGEV_SIGNAL) or nothing (SIGEV_NONE). */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import type { IntervalTimerKind } from './processTimers.js';
import { SIG, isSignal } from './signalNumbers.js';
import type { SignalState } from './signalState.js';
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

export function timerCalls(signals: SignalState): SyscallFamily {
  const { space } = signals;
  const { timers } = signals.process;

  /** Two struct timeval (unit 1000) or timespec (unit 1); undefined if a part is out of range. */
  function readSetting(address: number, unit: number): Setting | undefined {
    const [interval, value] = [address, address + 16].map((at) => {
      const seconds = space.readSigned64(at);
      const part = space.readSigned64(at + 8) * unit;
      return seconds < 0 || part < 0 || part >= SECOND ? undefined : seconds * SECOND + part;
    });
    return interval === undefined || value === undefined ? undefined : { interval, value };
  }

  function writeSetting(address: number, unit: number, setting: Setting): void {
    space.fillBytes(address, 32, 0);
    [setting.interval, setting.value].forEach((time, i) => {
      const seconds = Math.floor(time / SECOND);
      space.writeNum64(address + i * 16, seconds);
      space.writeNum64(address + i * 16 + 8, Math.floor((time - seconds * SECOND) / unit));
    });
  }

  function current(timer: SignalTimer, unit: number): Setting {
    return { interval: timer.interval, value: timer.remaining(unit) };
  }

  /** Replaces what the timer was set to; a signal it has already sent is still delivered by interval timers only. */
  function arm(timer: SignalTimer, setting: Setting, absolute: boolean): void {
    const deadline = setting.value === 0 ? undefined : setting.value + (absolute ? 0 : timer.now);
    timer.arm(deadline, setting.interval);
    timers.noteArmed();
  }

  function alarm(args: SyscallArgs): number {
    const timer = timers.intervalTimer(ITIMER_REAL);
    const left = timer.remaining(MICROSECOND);
    arm(timer, { interval: 0, value: Math.min(args.uint(0), LONGEST_ALARM) * SECOND }, false);
    const seconds = Math.floor(left / SECOND);
    const rest = left - seconds * SECOND;
    return seconds + ((seconds === 0 && rest > 0) || rest >= SECOND / 2 ? 1 : 0);
  }

  function intervalTimer(which: number): SignalTimer | undefined {
    return which >= ITIMER_REAL && which <= ITIMER_PROF ? timers.intervalTimer(which as IntervalTimerKind) : undefined;
  }

  function setitimer(args: SyscallArgs): number {
    const next = args.addr(1) === 0 ? { interval: 0, value: 0 } : readSetting(args.addr(1), MICROSECOND);
    const timer = intervalTimer(args.int(0));
    if (next === undefined || timer === undefined) return -E.INVAL;
    const old = current(timer, MICROSECOND);
    arm(timer, next, false);
    if (args.addr(2) !== 0) writeSetting(args.addr(2), MICROSECOND, old);
    return 0;
  }

  function getitimer(args: SyscallArgs): number {
    const timer = intervalTimer(args.int(0));
    if (timer === undefined) return -E.INVAL;
    writeSetting(args.addr(1), MICROSECOND, current(timer, MICROSECOND));
    return 0;
  }

  function clockOf(id: number): (() => number) | number {
    switch (id) {
      case CLOCK.REALTIME:
      case CLOCK.TAI:
        return () => timers.realtime();
      case CLOCK.MONOTONIC:
      case CLOCK.BOOTTIME:
        return () => timers.clock.now();
      case CLOCK.PROCESS_CPUTIME:
      case CLOCK.THREAD_CPUTIME:
        return () => timers.cpuTime();
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
    const event = eventAt === 0 ? undefined : new DataView(space.read(eventAt, SIGEVENT_SIZE).buffer);
    const now = clockOf(args.int(0));
    if (typeof now === 'number') return now;
    const signal = event === undefined ? SIG.ALRM : requestedSignal(p, event);
    if (signal < 0) return signal;
    // Before the timer exists, so that a bad address leaves none behind.
    space.view(args.addr(2), 4, 'write');
    const value = event?.getBigUint64(0, true);
    space.writeU32(args.addr(2), timers.create(value === undefined ? { now, signal } : { now, signal, value }));
    return 0;
  }

  function timerSettime(args: SyscallArgs): number {
    if (args.addr(2) === 0) return -E.INVAL;
    const next = readSetting(args.addr(2), 1);
    const timer = timers.find(args.int(0));
    if (next === undefined || timer === undefined) return -E.INVAL;
    const old = current(timer, 1);
    signals.process.pending.discardFrom(timer);
    arm(timer, next, (args.int(1) & TIMER_ABSTIME) !== 0);
    if (args.addr(3) !== 0) writeSetting(args.addr(3), 1, old);
    return 0;
  }

  function timerGettime(args: SyscallArgs): number {
    const timer = timers.find(args.int(0));
    if (timer === undefined) return -E.INVAL;
    writeSetting(args.addr(1), 1, current(timer, 1));
    return 0;
  }

  function timerDelete(args: SyscallArgs): number {
    const timer = timers.find(args.int(0));
    if (timer === undefined) return -E.INVAL;
    signals.process.pending.discardFrom(timer);
    timers.delete(args.int(0));
    timers.noteArmed();
    return 0;
  }

  return {
    alarm: (_, args) => alarm(args),
    setitimer: (_, args) => setitimer(args),
    getitimer: (_, args) => getitimer(args),
    timer_create: timerCreate,
    timer_settime: (_, args) => timerSettime(args),
    timer_gettime: (_, args) => timerGettime(args),
    timer_getoverrun: (_, args) => timers.find(args.int(0))?.overrun ?? -E.INVAL,
    timer_delete: (_, args) => timerDelete(args),
  };
}
