/**
 * Files that stand for events: timerfd and signalfd. (eventfd is with the other ways to open, inotify in
 * inotifyCalls.ts.)
 */
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import { type CurrentSignals, SignalFd } from '../files/signalFd.js';
import { TimerFd, type TimerSetting } from '../files/timerFd.js';
import type { Process } from '../process.js';
import { EMPTY_SET, SIGSET_BYTES } from '../../base/signalNumbers.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { install } from './opening.js';
import { deadlineAfter, fromNanoseconds, readTimeout, toNanoseconds, writeTimeSpec } from './timeouts.js';

const CLOCK = { REALTIME: 0, MONOTONIC: 1, BOOTTIME: 7, REALTIME_ALARM: 8, BOOTTIME_ALARM: 9 } as const;
const TFD = { ABSTIME: 1, CANCEL_ON_SET: 2 } as const;
const SETTING_SIZE = 32;

function timerOf(p: Process, fd: number): TimerFd | number {
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  return file instanceof TimerFd ? file : -E.INVAL;
}

function createTimer(p: Process, clock: number, flags: number): number {
  if (!(Object.values(CLOCK) as number[]).includes(clock) || (flags & ~(O.CLOEXEC | O.NONBLOCK)) !== 0) return -E.INVAL;
  const wakesMachine = clock === CLOCK.REALTIME_ALARM || clock === CLOCK.BOOTTIME_ALARM;
  if (wakesMachine && !p.credentials.privileged) return -E.PERM;
  return install(p, new TimerFd(p.clock, clock, flags & O.NONBLOCK), flags);
}

function writeSetting(p: Process, address: number, { remaining, interval }: TimerSetting): void {
  p.space.view(address, SETTING_SIZE, 'write');
  writeTimeSpec(p, address, fromNanoseconds(interval));
  writeTimeSpec(p, address + 16, fromNanoseconds(remaining));
}

function setTimer(p: Process, a: SyscallArgs): number {
  const [flags, newAt, oldAt] = [a.uint(1), a.addr(2), a.addr(3)];
  p.space.view(newAt, SETTING_SIZE, 'read');
  const interval = readTimeout(p, newAt);
  const value = readTimeout(p, newAt + 16);
  if (typeof interval !== 'object' || typeof value !== 'object' || (flags & ~(TFD.ABSTIME | TFD.CANCEL_ON_SET)) !== 0) return -E.INVAL;
  const timer = timerOf(p, a.int(0));
  if (typeof timer === 'number') return timer;
  const old = timer.setting();
  const realtime = timer.clock === CLOCK.REALTIME || timer.clock === CLOCK.REALTIME_ALARM;
  const absolute = (flags & TFD.ABSTIME) === 0 ? undefined : realtime ? 'realtime' : timer.clock === CLOCK.MONOTONIC ? 'monotonic' : 'boottime';
  const armed = value.seconds !== 0 || value.nanoseconds !== 0;
  timer.arm(armed ? deadlineAfter(p, value, absolute) : Infinity, toNanoseconds(interval));
  if (oldAt !== 0) writeSetting(p, oldAt, old);
  return 0;
}

/** The signals of the task that acts when the file is read. */
export function currentSignals(p: Process): () => CurrentSignals {
  const { world } = p;
  return () => {
    const { signals } = world.acting ?? p;
    signals.checkTimers();
    return {
      pendingFor: (wanted) => (signals.pendingSet & wanted) !== EMPTY_SET,
      takeFrom: (wanted) => signals.takeFrom(wanted),
    };
  };
}

function signalFile(p: Process, fd: number, maskAt: number, maskSize: number, flags: number): number {
  if (maskSize !== SIGSET_BYTES) return -E.INVAL;
  const mask = p.space.readU64(maskAt);
  if ((flags & ~(O.CLOEXEC | O.NONBLOCK)) !== 0) return -E.INVAL;
  if (fd === -1) return install(p, new SignalFd(mask, flags & O.NONBLOCK, currentSignals(p)), flags);
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  if (!(file instanceof SignalFd)) return -E.INVAL;
  file.mask = mask;
  return fd;
}

export const eventFileCalls: SyscallFamily = {
  timerfd_create: (p, a) => createTimer(p, a.int(0), a.uint(1)),
  timerfd_settime: setTimer,

  timerfd_gettime(p, a) {
    const timer = timerOf(p, a.int(0));
    if (typeof timer === 'number') return timer;
    writeSetting(p, a.addr(1), timer.setting());
    return 0;
  },

  signalfd: (p, a) => signalFile(p, a.int(0), a.addr(1), a.addr(2), 0),
  signalfd4: (p, a) => signalFile(p, a.int(0), a.addr(1), a.addr(2), a.uint(3)),
};
