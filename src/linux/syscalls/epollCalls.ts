/** epoll's system calls. */
import { E } from '../../base/errno.js';
import { EPOLL, Epoll } from '../files/epoll.js';
import { O } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { waitUntil } from '../waiting.js';
import { install } from './opening.js';
import { deadlineAfter, readTimeout } from './timeouts.js';
import { withMaskAt } from './polling.js';

/** struct epoll_event is packed on x86-64. */
const EVENT_SIZE = 12;
const MOST_EVENTS = Math.floor(0x7fff_ffff / EVENT_SIZE);
const MILLISECOND = 1e6;

function control(p: Process, a: SyscallArgs): number {
  const [operation, fd, eventAt] = [a.int(1), a.int(2), a.addr(3)];
  const hasEvent = operation !== EPOLL.CTL_DEL;
  const [events, data] = hasEvent ? [p.space.readU32(eventAt), p.space.readU64(eventAt + 4)] : [0, 0n];
  const epoll = p.files.get(a.int(0));
  const file = p.files.get(fd);
  if (epoll === undefined || file === undefined || isPathOnly(epoll.flags) || isPathOnly(file.flags)) return -E.BADF;
  if (!file.canPoll) return -E.PERM;
  if (file === epoll || !(epoll instanceof Epoll)) return -E.INVAL;
  switch (operation) {
    case EPOLL.CTL_ADD:
      return epoll.add(fd, file, events, data);
    case EPOLL.CTL_MOD:
      return epoll.modify(fd, file, events, data);
    case EPOLL.CTL_DEL:
      return epoll.remove(fd, file);
    default:
      return -E.INVAL;
  }
}

function isPathOnly(flags: number): boolean {
  return (flags & O.PATH) !== 0;
}

function waitForEvents(p: Process, a: SyscallArgs, deadline: number): SyscallResult {
  const [fd, eventsAt, most] = [a.int(0), a.addr(1), a.int(2)];
  if (most <= 0 || most > MOST_EVENTS) return -E.INVAL;
  const epoll = p.files.get(fd);
  if (epoll === undefined) return -E.BADF;
  if (!(epoll instanceof Epoll)) return -E.INVAL;
  const attempt = (): number => epoll.collect(most, ({ events, data }, i) => {
    p.space.writeU32(eventsAt + i * EVENT_SIZE, events);
    p.space.writeU64(eventsAt + i * EVENT_SIZE + 4, data);
  });
  const count = attempt();
  if (count > 0 || deadline <= p.clock.now()) return count;
  epoll.waiting++;
  const options = {
    deadline, onTimeout: 0, onSignal: -ERESTART.NEVER, external: () => epoll.isExternal, readyAt: () => epoll.readyAt(),
    describe: () => `epoll_wait on descriptor ${fd}`,
  };
  return waitUntil(p, () => attempt() || -E.AGAIN, options).after((result) => {
    epoll.waiting--;
    return result;
  });
}

function millisecondDeadline(p: Process, timeout: number): number {
  if (timeout < 0) return Infinity;
  return timeout === 0 ? 0 : p.clock.now() + timeout * MILLISECOND;
}

export const epollCalls: SyscallFamily = {
  epoll_create: (p, a) => (a.int(0) <= 0 ? -E.INVAL : install(p, new Epoll(), 0)),
  epoll_create1: (p, a) => ((a.uint(0) & ~O.CLOEXEC) !== 0 ? -E.INVAL : install(p, new Epoll(), a.uint(0))),
  epoll_ctl: control,
  epoll_wait: (p, a) => waitForEvents(p, a, millisecondDeadline(p, a.int(3))),

  epoll_pwait: (p, a) =>
    withMaskAt(p, a.addr(4), a.addr(5), () => waitForEvents(p, a, millisecondDeadline(p, a.int(3)))),

  epoll_pwait2(p, a) {
    const timeout = readTimeout(p, a.addr(3));
    if (typeof timeout === 'number') return timeout;
    return withMaskAt(p, a.addr(4), a.addr(5), () => waitForEvents(p, a, deadlineAfter(p, timeout)));
  },
};
