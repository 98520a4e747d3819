/** epoll and timerfd. */
import { E } from '../../base/errno.js';
import { EPOLL, Epoll } from '../files/epoll.js';
import { O } from '../files/fileConstants.js';
import { TimerFd } from '../files/timerFd.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { waitUntil } from '../waiting.js';
import { install } from './opening.js';
import { deadlineAfter, fromNanoseconds, readTimeout, toNanoseconds, writeTimeSpec } from './timeouts.js';

/** struct epoll_event is packed on x86-64. */
const EVENT_SIZE = 12;
const CLOCK_REALTIME = 0;
const HIGHEST_CLOCK = 9;
const TFD_TIMER_ABSTIME = 1;

function epollOf(p: Process, fd: number): Epoll | number {
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  return file instanceof Epoll ? file : -E.INVAL;
}

function controlEpoll(p: Process, a: SyscallArgs): number {
  const epoll = epollOf(p, a.int(0));
  if (typeof epoll === 'number') return epoll;
  const [operation, fd, eventAt] = [a.int(1), a.int(2), a.addr(3)];
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  if (file === epoll) return -E.INVAL;
  if (operation === EPOLL.CTL_DEL) return epoll.remove(fd, file);
  // Regular files and directories are always ready, which epoll refuses to watch.
  if (file.isDirectory || (file.hostFd !== undefined && file.seek(0, 1) >= 0)) return -E.PERM;
  const events = p.space.readU32(eventAt);
  const data = p.space.readU64(eventAt + 4);
  if (operation === EPOLL.CTL_ADD) return epoll.add(fd, file, events, data);
  return operation === EPOLL.CTL_MOD ? epoll.modify(fd, file, events, data) : -E.INVAL;
}

function waitEpoll(p: Process, a: SyscallArgs, deadline: number): SyscallResult {
  const fd = a.int(0);
  const epoll = epollOf(p, fd);
  if (typeof epoll === 'number') return epoll;
  const [eventsAt, most] = [a.addr(1), a.int(2)];
  if (most <= 0) return -E.INVAL;
  const attempt = (): number => epoll.collect(most, ({ events, data }, i) => {
    p.space.writeU32(eventsAt + i * EVENT_SIZE, events);
    p.space.writeU64(eventsAt + i * EVENT_SIZE + 4, data);
  });
  const count = attempt();
  if (count > 0 || deadline <= p.clock.now()) return count;
  const options = {
    deadline, onTimeout: 0, onSignal: -ERESTART.NOHAND, external: epoll.isExternal, readyAt: () => epoll.readyAt(),
    describe: () => `epoll_wait on descriptor ${fd}`,
  };
  return waitUntil(p, () => attempt() || -E.AGAIN, options);
}

function millisecondDeadline(p: Process, timeout: number): number {
  if (timeout < 0) return Infinity;
  return timeout === 0 ? 0 : p.clock.now() + timeout * 1e6;
}

function masked(p: Process, a: SyscallArgs, wait: () => SyscallResult): SyscallResult {
  const maskAt = a.addr(4);
  return maskAt === 0 ? wait() : p.signals.withMask(p.space.readU64(maskAt), wait);
}

function writeSetting(p: Process, address: number, timer: TimerFd): void {
  const { remaining, interval } = timer.setting();
  writeTimeSpec(p, address, fromNanoseconds(interval));
  writeTimeSpec(p, address + 16, fromNanoseconds(remaining));
}

function setTimer(p: Process, a: SyscallArgs): number {
  const timer = p.files.get(a.int(0));
  if (timer === undefined) return -E.BADF;
  if (!(timer instanceof TimerFd)) return -E.INVAL;
  const interval = readTimeout(p, a.addr(2));
  const value = readTimeout(p, a.addr(2) + 16);
  if (typeof interval !== 'object' || typeof value !== 'object') return -E.INVAL;
  if (a.addr(3) !== 0) writeSetting(p, a.addr(3), timer);
  const base = timer.clock === CLOCK_REALTIME ? 'realtime' : 'monotonic';
  const absolute = (a.uint(1) & TFD_TIMER_ABSTIME) !== 0 ? base : undefined;
  const armed = value.seconds !== 0 || value.nanoseconds !== 0;
  timer.arm(armed ? deadlineAfter(p, value, absolute) : Infinity, toNanoseconds(interval));
  return 0;
}

export const eventFileCalls: SyscallFamily = {
  epoll_create: (p, a) => (a.int(0) <= 0 ? -E.INVAL : install(p, new Epoll(), 0)),
  epoll_create1: (p, a) => ((a.uint(0) & ~O.CLOEXEC) !== 0 ? -E.INVAL : install(p, new Epoll(), a.uint(0))),
  epoll_ctl: controlEpoll,
  epoll_wait: (p, a) => waitEpoll(p, a, millisecondDeadline(p, a.int(3))),
  epoll_pwait: (p, a) => masked(p, a, () => waitEpoll(p, a, millisecondDeadline(p, a.int(3)))),

  epoll_pwait2(p, a) {
    const timeout = readTimeout(p, a.addr(3));
    if (typeof timeout === 'number') return timeout;
    return masked(p, a, () => waitEpoll(p, a, deadlineAfter(p, timeout)));
  },

  timerfd_create(p, a) {
    const [clock, flags] = [a.int(0), a.uint(1)];
    if (clock < 0 || clock > HIGHEST_CLOCK || (flags & ~(O.CLOEXEC | O.NONBLOCK)) !== 0) return -E.INVAL;
    return install(p, new TimerFd(p.clock, clock, flags & O.NONBLOCK), flags);
  },

  timerfd_settime: setTimer,

  timerfd_gettime(p, a) {
    const timer = p.files.get(a.int(0));
    if (timer === undefined) return -E.BADF;
    if (!(timer instanceof TimerFd)) return -E.INVAL;
    writeSetting(p, a.addr(1), timer);
    return 0;
  },
};
