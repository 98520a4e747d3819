/** kill and its kin. Signals to other processes go to the host: they are real processes there. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { SI, SIGINFO_SIZE, queuedInfo, senderInfo, type SigInfo } from './siginfo.js';
import { FIRST_REALTIME, isSignal } from './signalNumbers.js';
import type { ThreadSignals } from './threadSignals.js';

const INT_MIN = -0x8000_0000;

/** Signal 0 sends nothing and only checks. */
function sendToSelf(p: Process, info: SigInfo, to: 'process' | ThreadSignals): number {
  if (info.signal === 0) return 0;
  if (!isSignal(info.signal)) return -E.INVAL;
  if (p.signals.send(info, to)) return 0;
  // Only queueing can fail: a standard signal, or kill, at least becomes pending.
  return info.signal >= FIRST_REALTIME && info.code !== SI.USER ? -E.AGAIN : 0;
}

function kill(p: Process, args: SyscallArgs): number {
  const pid = args.int(0);
  const signal = args.int(1);
  const info = senderInfo(signal, SI.USER, p.pid, p.credentials.user.real);
  if (pid === p.pid) return sendToSelf(p, info, 'process');
  if (pid === INT_MIN) return -E.SRCH;
  // Everybody except us and init. There is nobody else in the guest's world, and the host's is not ours to end.
  if (pid === -1) return -E.SRCH;
  if (pid === 0 || pid === -p.credentials.processGroup) return sendToSelf(p, info, 'process');
  return isSignal(signal) || signal === 0 ? p.host.signals.send(pid, signal) : -E.INVAL;
}

function sendToThread(p: Process, tid: number, info: SigInfo): number {
  const task = p.tasks.find((one) => one.tid === tid);
  return task === undefined ? -E.SRCH : sendToSelf(p, info, task.signals);
}

function tkill(p: Process, args: SyscallArgs): number {
  const tid = args.int(0);
  if (tid <= 0) return -E.INVAL;
  return sendToThread(p, tid, senderInfo(args.int(1), SI.TKILL, p.pid, p.credentials.user.real));
}

function tgkill(p: Process, args: SyscallArgs): number {
  const [tgid, tid] = [args.int(0), args.int(1)];
  if (tgid <= 0 || tid <= 0) return -E.INVAL;
  if (tgid !== p.pid) return -E.SRCH;
  return sendToThread(p, tid, senderInfo(args.int(2), SI.TKILL, p.pid, p.credentials.user.real));
}

function readInfo(p: Process, signal: number, address: number): SigInfo {
  return queuedInfo(signal, p.space.read(address, SIGINFO_SIZE));
}

function queueInfo(p: Process, args: SyscallArgs): number {
  const info = readInfo(p, args.int(1), args.addr(2));
  if (args.int(0) === p.pid) return sendToSelf(p, info, 'process');
  return info.code >= 0 || info.code === SI.TKILL ? -E.PERM : -E.SRCH;
}

function queueInfoToThread(p: Process, args: SyscallArgs): number {
  const info = readInfo(p, args.int(2), args.addr(3));
  const [tgid, tid] = [args.int(0), args.int(1)];
  if (tgid <= 0 || tid <= 0) return -E.INVAL;
  if (tid !== p.tid && (info.code >= 0 || info.code === SI.TKILL)) return -E.PERM;
  return tgid === p.pid ? sendToThread(p, tid, info) : -E.SRCH;
}

export const sendingCalls: SyscallFamily = { kill, tkill, tgkill, rt_sigqueueinfo: queueInfo, rt_tgsigqueueinfo: queueInfoToThread };
