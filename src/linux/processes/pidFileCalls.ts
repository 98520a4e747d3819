/** pidfd_open, pidfd_send_signal and pidfd_getfd. */
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { sendSignal } from '../signals/sendingCalls.js';
import { queuedInfo, senderInfo, SI, SIGINFO_SIZE, type SigInfo } from '../signals/siginfo.js';
import { isSignal } from '../../base/signalNumbers.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { install } from '../syscalls/opening.js';
import { findProcess, groupMembers } from './groups.js';
import { PidFile } from './pidFile.js';

/** PIDFD_SIGNAL_*: to the thread that the descriptor means, its process, its group. */
const SCOPE = { THREAD: 1, PROCESS: 2, GROUP: 4 } as const;

export function openPidFile(p: Process, target: Process, flags: number): number {
  return install(p, new PidFile(target, flags & O.NONBLOCK), O.CLOEXEC);
}

function open(p: Process, a: SyscallArgs): number {
  const [pid, flags] = [a.int(0), a.uint(1)];
  // O_EXCL asks for a thread: the main one stands for its process.
  if ((flags & ~(O.NONBLOCK | O.EXCL)) !== 0 || pid <= 0) return -E.INVAL;
  const target = findProcess(p.world, pid);
  if (target !== undefined) return openPidFile(p, target, flags);
  return p.world.tasks.some((task) => task.tid === pid) ? -E.INVAL : -E.SRCH;
}

function signalInfo(p: Process, signal: number, infoAt: number, toItself: boolean): SigInfo | number {
  if (infoAt === 0) return senderInfo(signal, SI.USER, p.pid, p.credentials.user.real);
  const bytes = p.space.read(infoAt, SIGINFO_SIZE);
  const info = queuedInfo(signal, bytes);
  if (new DataView(bytes.buffer).getInt32(0, true) !== signal) return -E.INVAL;
  return !toItself && (info.code >= 0 || info.code === SI.TKILL) ? -E.PERM : info;
}

function send(p: Process, a: SyscallArgs): number {
  const [fd, signal, infoAt, flags] = [a.int(0), a.int(1), a.addr(2), a.uint(3)];
  if (flags !== 0 && flags !== SCOPE.THREAD && flags !== SCOPE.PROCESS && flags !== SCOPE.GROUP) return -E.INVAL;
  const file = p.files.get(fd);
  if (!(file instanceof PidFile)) return -E.BADF;
  const target = file.process;
  const info = signalInfo(p, signal, infoAt, target === p);
  if (typeof info === 'number') return info;
  if (signal !== 0 && !isSignal(signal)) return -E.INVAL;
  if (file.isReaped) return -E.SRCH;
  if (flags !== SCOPE.GROUP) return sendSignal(p, target, info, flags === SCOPE.THREAD ? target.leader.signals : 'process');
  const results = groupMembers(p.world, target.credentials.processGroup).map((member) => sendSignal(p, member, info));
  return results.includes(0) ? 0 : (results[0] ?? -E.SRCH);
}

function getDescriptor(p: Process, a: SyscallArgs): number {
  const [fd, wanted, flags] = [a.int(0), a.int(1), a.uint(2)];
  if (flags !== 0) return -E.INVAL;
  const file = p.files.get(fd);
  if (!(file instanceof PidFile)) return -E.BADF;
  const target = file.process;
  if (target.exitStatus !== undefined) return -E.SRCH;
  const [mine, theirs] = [p.credentials, target.credentials];
  if (!mine.privileged && mine.user.effective !== theirs.user.real) return -E.PERM;
  const found = target.files.get(wanted);
  return found === undefined ? -E.BADF : install(p, found, O.CLOEXEC);
}

export const pidFileCalls: SyscallFamily = {
  pidfd_open: open,
  pidfd_send_signal: send,
  pidfd_getfd: getDescriptor,
};
