/** kill and its kin. Processes that are not the guest's own are real ones of the host. */
import { E } from '../../base/errno.js';
import { maySignal } from '../credentials.js';
import type { Process } from '../process.js';
import { sendOutside } from '../processes/outsiders.js';
import { allProcesses, findProcess, groupMembers } from '../processes/groups.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { SI, SIGINFO_SIZE, queuedInfo, senderInfo, type SigInfo } from './siginfo.js';
import { FIRST_REALTIME, SIG, isSignal } from '../../base/signalNumbers.js';
import type { ThreadSignals } from './threadSignals.js';

const INT_MIN = -0x8000_0000;

/** Signal 0 sends nothing and only checks. */
export function sendSignal(from: Process, to: Process, info: SigInfo, thread: 'process' | ThreadSignals = 'process'): number {
  const { signal, code } = info;
  if (signal !== 0 && !isSignal(signal)) return -E.INVAL;
  if (!maySend(from, to, signal)) return -E.PERM;
  // Who has ended but was not waited for is there, and hears nothing.
  if (signal === 0 || to.exitStatus !== undefined || to.signals.send(info, thread)) return 0;
  // Only queueing can fail: a standard signal, or kill, at least becomes pending.
  return signal >= FIRST_REALTIME && code !== SI.USER ? -E.AGAIN : 0;
}

function maySend(from: Process, to: Process, signal: number): boolean {
  if (from === to || from.credentials.privileged) return true;
  if (maySignal(from.credentials.user, to.credentials.user)) return true;
  return signal === SIG.CONT && from.credentials.session === to.credentials.session;
}

/** To several: it is enough if one may be reached. */
function sendToAll(from: Process, targets: readonly Process[], info: SigInfo): number {
  if (targets.length === 0) return -E.SRCH;
  const results = targets.map((to) => sendSignal(from, to, info));
  return results.includes(0) ? 0 : (results[0] as number);
}

function kill(p: Process, args: SyscallArgs): number {
  const [pid, signal] = [args.int(0), args.int(1)];
  const info = senderInfo(signal, SI.USER, p.pid, p.credentials.user.real);
  if (pid === INT_MIN) return -E.SRCH;
  if (pid === -1 && signal !== 0 && !isSignal(signal)) return -E.INVAL;
  if (pid === p.pid) return sendSignal(p, p, info);
  // Everybody in the guest's world except the sender: the host's is not ours to end.
  if (pid === -1) return sendToAll(p, [...allProcesses(p.world)].filter((to) => to !== p), info);
  if (pid <= 0) return sendToAll(p, groupMembers(p.world, pid === 0 ? p.credentials.processGroup : -pid), info);
  const target = findProcess(p.world, pid) ?? ownerOfThread(p, pid);
  if (target !== undefined) return sendSignal(p, target, info);
  return isSignal(signal) || signal === 0 ? sendOutside(p, pid, signal) : -E.INVAL;
}

/** kill takes the number of any thread for its process. */
function ownerOfThread(p: Process, tid: number): Process | undefined {
  return p.world.tasks.find((task) => task.tid === tid)?.process;
}

function sendToThread(p: Process, tgid: number | undefined, tid: number, info: SigInfo): number {
  const owner = [...allProcesses(p.world)].find((one) => one.tasks.some((task) => task.tid === tid));
  const task = owner?.tasks.find((one) => one.tid === tid);
  if (owner === undefined || task === undefined || (tgid !== undefined && tgid !== owner.pid)) return -E.SRCH;
  return sendSignal(p, owner, info, task.signals);
}

function tkill(p: Process, args: SyscallArgs): number {
  const tid = args.int(0);
  if (tid <= 0) return -E.INVAL;
  return sendToThread(p, undefined, tid, senderInfo(args.int(1), SI.TKILL, p.pid, p.credentials.user.real));
}

function tgkill(p: Process, args: SyscallArgs): number {
  const [tgid, tid] = [args.int(0), args.int(1)];
  if (tgid <= 0 || tid <= 0) return -E.INVAL;
  return sendToThread(p, tgid, tid, senderInfo(args.int(2), SI.TKILL, p.pid, p.credentials.user.real));
}

function readInfo(p: Process, signal: number, address: number): SigInfo {
  return queuedInfo(signal, p.space.read(address, SIGINFO_SIZE));
}

/** No process may pretend to be the kernel, or kill. */
function isForged(info: SigInfo): boolean {
  return info.code >= 0 || info.code === SI.TKILL;
}

function queueInfo(p: Process, args: SyscallArgs): number {
  const info = readInfo(p, args.int(1), args.addr(2));
  const pid = args.int(0);
  if (pid !== p.pid && isForged(info)) return -E.PERM;
  const target = pid === p.pid ? p : findProcess(p.world, pid);
  return target === undefined ? -E.SRCH : sendSignal(p, target, info);
}

function queueInfoToThread(p: Process, args: SyscallArgs): number {
  const info = readInfo(p, args.int(2), args.addr(3));
  const [tgid, tid] = [args.int(0), args.int(1)];
  if (tgid <= 0 || tid <= 0) return -E.INVAL;
  if (tid !== p.tid && isForged(info)) return -E.PERM;
  return sendToThread(p, tgid, tid, info);
}

export const sendingCalls: SyscallFamily = { kill, tkill, tgkill, rt_sigqueueinfo: queueInfo, rt_tgsigqueueinfo: queueInfoToThread };
