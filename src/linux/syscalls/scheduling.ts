/** How threads are to be scheduled: policies, priorities, processors; and giving way to others. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { groupMembers } from '../processes/groups.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import type { Task } from '../tasks/task.js';

const SCHED = { OTHER: 0, FIFO: 1, RR: 2, BATCH: 3, IDLE: 5, DEADLINE: 6 } as const;
const POLICIES: readonly number[] = [SCHED.OTHER, SCHED.FIFO, SCHED.RR, SCHED.BATCH, SCHED.IDLE];
const RESET_ON_FORK = 0x4000_0000;
const HIGHEST_PRIORITY = 99;
const [LEAST_NICE, MOST_NICE] = [-20, 19];
const PRIO = { PROCESS: 0, PGRP: 1, USER: 2 } as const;
/** struct sched_attr: its first version, and what we know of it. */
const [ATTR_SIZE, ATTR_KNOWN] = [48, 56];
const ATTR_FLAG_RESET = 1;
/** A turn of SCHED_RR, and of everybody else. */
const [RR_INTERVAL, FAIR_INTERVAL] = [100_000_000, 4_000_000];
/** All commands up to the one for restartable sequences, which we lack. */
const BARRIER_COMMANDS = 0x7f;
const BARRIER = { GLOBAL_EXPEDITED: 2, PRIVATE_EXPEDITED: 8, PRIVATE_SYNC_CORE: 32 } as const;

/** The thread that a call means; a number if there is none. */
function taskOf(p: Process, tid: number): Task | number {
  if (tid < 0) return -E.INVAL;
  if (tid === 0) return p.task;
  return p.world.tasks.find((task) => task.tid === tid) ?? -E.SRCH;
}

/** Other users' threads only by the privileged. */
function mayChange({ credentials }: Process, { process: { credentials: theirs } }: Task): boolean {
  const { effective } = credentials.user;
  return credentials.privileged || effective === theirs.user.real || effective === theirs.user.effective;
}

function isRealtime(policy: number): boolean {
  return policy === SCHED.FIFO || policy === SCHED.RR;
}

interface Wish {
  readonly policy: number;
  readonly priority: number;
  readonly resetOnFork: boolean;
  readonly nice?: number;
}

function setPolicy(p: Process, task: Task, { policy, priority, resetOnFork, nice }: Wish): number {
  if (!POLICIES.includes(policy)) return -E.INVAL;
  const fits = isRealtime(policy) ? priority >= 1 && priority <= HIGHEST_PRIORITY : priority === 0;
  if (!fits) return -E.INVAL;
  if (!mayChange(p, task)) return -E.PERM;
  if (isRealtime(policy) && !p.credentials.privileged) return -E.PERM;
  Object.assign(task.scheduling, { policy, priority, resetOnFork });
  if (nice !== undefined && policy !== SCHED.IDLE && !isRealtime(policy)) task.scheduling.nice = clampNice(nice);
  return 0;
}

function clampNice(nice: number): number {
  return Math.max(LEAST_NICE, Math.min(MOST_NICE, nice));
}

function priorityRange(policy: number, realtime: number): number {
  if (isRealtime(policy)) return realtime;
  return POLICIES.includes(policy) || policy === SCHED.DEADLINE ? 0 : -E.INVAL;
}

function processors(p: Process): number {
  return p.host.system.processors();
}

function getAffinity(p: Process, a: SyscallArgs): number {
  const size = Math.ceil(processors(p) / 64) * 8;
  if (a.uint(1) < size || a.uint(1) % 8 !== 0) return -E.INVAL;
  const task = taskOf(p, a.int(0));
  if (typeof task === 'number') return -E.SRCH;
  const mask = task.scheduling.affinity ?? (1n << BigInt(processors(p))) - 1n;
  for (let i = 0; i < size; i += 8) p.space.writeU64(a.addr(2) + i, BigInt.asUintN(64, mask >> BigInt(i * 8)));
  return size;
}

function setAffinity(p: Process, a: SyscallArgs): number {
  const bytes = p.space.read(a.addr(2), Math.min(a.uint(1), 1024));
  const task = taskOf(p, a.int(0));
  if (typeof task === 'number') return -E.SRCH;
  const wanted = bytes.reduceRight((mask, byte) => (mask << 8n) | BigInt(byte), 0n) & ((1n << BigInt(processors(p))) - 1n);
  if (!mayChange(p, task)) return -E.PERM;
  if (wanted === 0n) return -E.INVAL;
  task.scheduling.affinity = wanted;
  return 0;
}

/** The tasks that getpriority and setpriority mean; a number if it makes no sense or there are none. */
function tasksOf(p: Process, which: number, who: number): readonly Task[] | number {
  if (which < PRIO.PROCESS || which > PRIO.USER) return -E.INVAL;
  const { credentials, world } = p;
  const found =
    which === PRIO.PROCESS ? [who === 0 ? p.task : world.tasks.find((task) => task.tid === who)]
    : which === PRIO.PGRP ? groupMembers(world, who === 0 ? credentials.processGroup : who).flatMap(({ tasks }) => tasks)
    : world.tasks.filter(({ process }) => process.credentials.user.real === (who === 0 ? credentials.user.real : who));
  const tasks = found.filter((task) => task !== undefined);
  return tasks.length > 0 ? tasks : -E.SRCH;
}

/** Of no effect here, but whose it is to be has to be there. Numbers of `which` begin with 1. */
function ioPriority(p: Process, a: SyscallArgs): number {
  const tasks = tasksOf(p, a.int(0) - 1, a.int(1));
  return typeof tasks === 'number' ? tasks : 0;
}

function setPriority(p: Process, a: SyscallArgs): number {
  const tasks = tasksOf(p, a.int(0), a.int(1));
  if (typeof tasks === 'number') return tasks;
  if (tasks.some((task) => !mayChange(p, task))) return -E.PERM;
  const nice = clampNice(a.int(2));
  if (!p.credentials.privileged && tasks.some(({ scheduling }) => nice < scheduling.nice)) return -E.ACCES;
  for (const { scheduling } of tasks) scheduling.nice = nice;
  return 0;
}

function getAttributes(p: Process, a: SyscallArgs): number {
  const size = a.uint(2);
  if (a.addr(1) === 0 || a.int(0) < 0 || size < ATTR_SIZE || size > 4096 || a.uint(3) !== 0) return -E.INVAL;
  const task = taskOf(p, a.int(0));
  if (typeof task === 'number') return task;
  const { policy, priority, nice, resetOnFork } = task.scheduling;
  const bytes = new Uint8Array(Math.min(size, ATTR_KNOWN));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length, true);
  view.setUint32(4, policy, true);
  view.setUint32(8, resetOnFork ? ATTR_FLAG_RESET : 0, true);
  view.setInt32(16, isRealtime(policy) ? 0 : nice, true);
  view.setUint32(20, priority, true);
  p.space.write(a.addr(1), bytes);
  return 0;
}

function setAttributes(p: Process, a: SyscallArgs): number {
  if (a.addr(1) === 0 || a.int(0) < 0 || a.uint(2) !== 0) return -E.INVAL;
  const size = p.space.readU32(a.addr(1)) || ATTR_SIZE;
  if (size < ATTR_SIZE || size > 4096) return -E['2BIG'];
  const view = new DataView(p.space.read(a.addr(1), ATTR_SIZE).buffer);
  const task = taskOf(p, a.int(0));
  if (typeof task === 'number') return task;
  return setPolicy(p, task, {
    policy: view.getInt32(4, true), resetOnFork: (view.getUint32(8, true) & ATTR_FLAG_RESET) !== 0,
    nice: view.getInt32(16, true), priority: view.getUint32(20, true),
  });
}

/** Threads take turns, so their accesses are in order as it is; what is left is who may ask. */
function barrier(p: Process, a: SyscallArgs): number {
  const [command, flags] = [a.int(0), a.uint(1)];
  if (flags !== 0) return -E.INVAL;
  if (command === 0) return BARRIER_COMMANDS;
  if (command < 0 || (command & BARRIER_COMMANDS) !== command || (command & (command - 1)) !== 0) return -E.INVAL;
  const { machine } = p;
  if (command === BARRIER.PRIVATE_EXPEDITED || command === BARRIER.PRIVATE_SYNC_CORE) {
    return (machine.registeredBarriers & command) !== 0 ? 0 : -E.PERM;
  }
  // The registration for a command is the next one.
  machine.registeredBarriers |= command >> 1;
  return 0;
}

export const schedulingCalls: SyscallFamily = {
  sched_yield(p) {
    p.world.yield();
    return 0;
  },

  sched_getscheduler(p, a) {
    const task = taskOf(p, a.int(0));
    if (typeof task === 'number') return task;
    return (task.scheduling.policy | (task.scheduling.resetOnFork ? RESET_ON_FORK : 0)) >>> 0;
  },

  sched_setscheduler(p, a) {
    if (a.int(1) < 0 || a.addr(2) === 0) return -E.INVAL;
    const priority = p.space.readI32(a.addr(2));
    const task = taskOf(p, a.int(0));
    if (typeof task === 'number') return task;
    return setPolicy(p, task, { policy: a.int(1) & ~RESET_ON_FORK, priority, resetOnFork: (a.int(1) & RESET_ON_FORK) !== 0 });
  },

  sched_getparam(p, a) {
    if (a.addr(1) === 0) return -E.INVAL;
    const task = taskOf(p, a.int(0));
    if (typeof task === 'number') return task;
    p.space.writeU32(a.addr(1), task.scheduling.priority);
    return 0;
  },

  sched_setparam(p, a) {
    if (a.addr(1) === 0) return -E.INVAL;
    const priority = p.space.readI32(a.addr(1));
    const task = taskOf(p, a.int(0));
    return typeof task === 'number' ? task : setPolicy(p, task, { ...task.scheduling, nice: task.scheduling.nice, priority });
  },

  sched_get_priority_max: (_p, a) => priorityRange(a.int(0), HIGHEST_PRIORITY),
  sched_get_priority_min: (_p, a) => priorityRange(a.int(0), 1),

  sched_rr_get_interval(p, a) {
    const task = taskOf(p, a.int(0));
    if (typeof task === 'number') return task;
    const { policy } = task.scheduling;
    p.space.writeNum64(a.addr(1), 0);
    p.space.writeNum64(a.addr(1) + 8, policy === SCHED.FIFO ? 0 : policy === SCHED.RR ? RR_INTERVAL : FAIR_INTERVAL);
    return 0;
  },

  sched_getaffinity: getAffinity,
  sched_setaffinity: setAffinity,
  sched_getattr: getAttributes,
  sched_setattr: setAttributes,

  /** The kernel's form of a nice value: 20 - nice. */
  getpriority(p, a) {
    const tasks = tasksOf(p, a.int(0), a.int(1));
    return typeof tasks === 'number' ? tasks : 20 - Math.min(...tasks.map(({ scheduling }) => scheduling.nice));
  },

  setpriority: setPriority,
  ioprio_get: ioPriority,
  ioprio_set: ioPriority,

  getcpu(p, a) {
    for (const i of [0, 1]) if (a.addr(i) !== 0) p.space.writeU32(a.addr(i), 0);
    return 0;
  },

  membarrier: barrier,
};
