/**
 * The life of threads and processes: starting threads, ending, and what thread libraries ask for at
 * start. (Futexes are in futex.ts.)
 */
import { E } from '../../base/errno.js';
import { FS_BASE, RAX, RSP, type Slot } from '../../layout/cpuState.js';
import type { Process } from '../process.js';
import { forkProcess, storeTid } from '../processes/forkProcess.js';
import { SIG } from '../../base/signalNumbers.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { CLONE, checkCloneFlags, type CloneRequest, requestOfClone, requestOfClone3 } from '../tasks/cloneRequest.js';
import { endTask } from '../tasks/endTask.js';
import { Task } from '../tasks/task.js';

const ROBUST_LIST_HEAD_SIZE = 24;
/** As many as Linux has by default on a machine of a few gigabytes (threads-max). */
const MOST_TASKS = 30_000;

function clone(p: Process, request: CloneRequest): SyscallResult {
  const problem = checkCloneFlags(request);
  if (problem !== 0) return problem;
  return (request.flags & CLONE.THREAD) !== 0 ? startThread(p, request) : forkProcess(p, request);
}

const FORK: CloneRequest = {
  flags: 0, exitSignal: SIG.CHLD, clearHandlers: false, stack: 0, parentTid: 0, childTid: 0, pidFd: 0, tls: 0n,
};

/** A thread that goes on where its maker is, with another stack. */
function startThread(p: Process, request: CloneRequest): number {
  const { flags } = request;
  if (p.world.tasks.length >= MOST_TASKS) return -E.AGAIN;
  const task = new Task(p.world.takeTid(), p, p.task.name);
  task.registers.set(p.machine.copyRegisters());
  const view = new DataView(task.registers.buffer);
  const set = (slot: Slot, value: bigint): void => view.setBigUint64(slot.offset, value, true);
  set(RAX, 0n);
  if (request.stack !== 0) set(RSP, BigInt(request.stack));
  if ((flags & CLONE.SETTLS) !== 0) set(FS_BASE, request.tls);
  task.scheduling = p.task.scheduling.copy();
  task.signals.blocked = p.signals.thread.blocked;
  if ((flags & CLONE.PARENT_SETTID) !== 0) storeTid(p, request.parentTid, task.tid);
  if ((flags & CLONE.CHILD_SETTID) !== 0) storeTid(p, request.childTid, task.tid);
  if ((flags & CLONE.CHILD_CLEARTID) !== 0) task.clearChildTid = request.childTid;
  p.addTask(task);
  p.world.addTask(task);
  return task.tid;
}

export const processLifeCalls: SyscallFamily = {
  fork: (p) => forkProcess(p, FORK),
  vfork: (p) => forkProcess(p, { ...FORK, flags: CLONE.VM | CLONE.VFORK }),
  clone: (p, a) => clone(p, requestOfClone(a)),

  clone3(p, a) {
    const request = requestOfClone3(p, a);
    return typeof request === 'number' ? request : clone(p, request);
  },

  /** Ends one thread; the last one ends the process. */
  exit(p, a) {
    p.task.exitCode = a.int(0);
    endTask(p.task, p.tasks.length > 1 || p.machine.users > 1);
    return 'noreturn';
  },

  exit_group(p, a) {
    p.exit(a.int(0));
    return 'noreturn';
  },

  set_tid_address(p, a) {
    p.task.clearChildTid = a.addr(0);
    return p.tid;
  },

  set_robust_list(p, a) {
    if (a.addr(1) !== ROBUST_LIST_HEAD_SIZE) return -E.INVAL;
    p.task.robustList = { head: a.addr(0), length: ROBUST_LIST_HEAD_SIZE };
    return 0;
  },

  get_robust_list(p, a) {
    const task = a.int(0) === 0 ? p.task : p.tasks.find(({ tid }) => tid === a.int(0));
    if (task === undefined) return -E.SRCH;
    p.space.writeNum64(a.addr(1), task.robustList.head);
    p.space.writeNum64(a.addr(2), ROBUST_LIST_HEAD_SIZE);
    return 0;
  },

  /** Restartable sequences need a kernel that interrupts threads; libraries do without. */
  rseq: () => -E.NOSYS,
};
