/** System calls that wait for a signal. (pause is with the other ways to sleep, in syscalls/time.ts.) */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { deadlineAfter, readTimeout } from '../syscalls/timeouts.js';
import { waitUntil } from '../waiting.js';
import { ERESTART } from './restart.js';
import { SIGSET_BYTES, UNCATCHABLE } from '../../base/signalNumbers.js';

function sigsuspend(p: Process, args: SyscallArgs): SyscallResult {
  if (args.addr(1) !== SIGSET_BYTES) return -E.INVAL;
  const mask = p.space.readU64(args.addr(0));
  const options = { onSignal: -ERESTART.NOHAND, external: true, describe: () => 'a signal' };
  return p.signals.withMask(mask, () => waitUntil(p, () => -E.AGAIN, options));
}

function sigtimedwait(p: Process, args: SyscallArgs): SyscallResult {
  if (args.addr(3) !== SIGSET_BYTES) return -E.INVAL;
  const wanted = p.space.readU64(args.addr(0)) & ~UNCATCHABLE;
  const infoAt = args.addr(1);
  const timeout = readTimeout(p, args.addr(2));
  if (typeof timeout === 'number') return timeout;
  const take = (): number => {
    p.signals.checkTimers();
    const info = p.signals.takeFrom(wanted);
    if (info === undefined) return -E.AGAIN;
    if (infoAt !== 0) p.space.write(infoAt, info.bytes);
    return info.signal;
  };
  const first = take();
  if (first !== -E.AGAIN) return first;
  return waitUntil(p, take, {
    deadline: deadlineAfter(p, timeout), onTimeout: -E.AGAIN, onSignal: -E.INTR, external: true, describe: () => 'a signal',
  });
}

export const waitingCalls: SyscallFamily = {
  rt_sigsuspend: sigsuspend,
  rt_sigtimedwait: sigtimedwait,
  restart_syscall: (p) => p.task.restart?.() ?? -E.INTR,
};
