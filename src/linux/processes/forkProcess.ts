/**
 * fork, vfork and clone for a process of its own: it has a copy of everything, or shares the memory
 * (CLONE_VM), in which case it soon runs another program (posix_spawn) and its parent waits until then.
 */
import { E } from '../../base/errno.js';
import { FS_BASE, RAX, RSP, type Slot } from '../../layout/cpuState.js';
import { BadAddress } from '../../machine/addressSpace.js';
import { forkMachine, type Machine } from '../../machine/machinePool.js';
import { RLIMIT } from '../limits.js';
import { Process } from '../process.js';
import { processClock } from '../signals/processClock.js';
import { SignalState } from '../signals/signalState.js';
import type { SyscallResult } from '../syscall.js';
import { CLONE, type CloneRequest } from '../tasks/cloneRequest.js';
import { GuestMachine } from '../tasks/machine.js';
import { waitUntil } from '../waiting.js';
import { openPidFile } from './pidFileCalls.js';
import { continueProcess, stopProcess } from './stopping.js';

/** Makes a process; the result is for its maker. */
export function forkProcess(p: Process, request: CloneRequest): SyscallResult {
  const has = (flag: number): boolean => (request.flags & flag) !== 0;
  if (isOverLimit(p)) return -E.AGAIN;
  const registers = childRegisters(p, request);
  const machine = has(CLONE.VM) ? shareMachine(p) : copyMachine(p, registers);
  if (machine === undefined) return -E.NOMEM;
  const child = makeChild(p, request, machine, registers);
  p.actFor(p.task);
  inheritSignals(p, child, request);
  setTids(p, child, request);
  if (has(CLONE.PIDFD)) storeTid(p, request.pidFd, openPidFile(p, child, 0));
  child.family.parent?.family.children.push(child);
  p.world.add(child);
  p.world.interceptor?.forked(p, child);
  if (!has(CLONE.VFORK)) return child.pid;
  child.family.holdsParent = true;
  return waitUntil(p, () => (child.family.holdsParent ? -E.AGAIN : child.pid), {
    interruptible: false, describe: () => `process ${child.pid}, which uses its memory`,
  });
}

export function machineOf({ cpu, space }: GuestMachine): Machine {
  return { cpu, space, linear: space.linear };
}

function isOverLimit(p: Process): boolean {
  return !p.credentials.privileged && p.world.tasks.length >= p.limits.soft(RLIMIT.NPROC);
}

/** As its maker's, but for what clone says: it returns 0, perhaps on another stack. */
function childRegisters(p: Process, { flags, stack, tls }: CloneRequest): Uint8Array {
  const registers = p.machine.copyRegisters();
  const view = new DataView(registers.buffer);
  const set = (slot: Slot, value: bigint): void => view.setBigUint64(slot.offset, value, true);
  set(RAX, 0n);
  if (stack !== 0) set(RSP, BigInt(stack));
  if ((flags & CLONE.SETTLS) !== 0) set(FS_BASE, tls);
  return registers;
}

function shareMachine(p: Process): GuestMachine {
  p.machine.users++;
  return p.machine;
}

function copyMachine(p: Process, registers: Uint8Array): GuestMachine | undefined {
  const { engine } = p.machine;
  if (engine.fork === undefined) return undefined;
  // What is shared between the two must be where the child finds it.
  p.memory.sharedFiles.flushAll();
  const copy = p.world.machines.take();
  if (copy === undefined) return undefined;
  const forked = forkMachine(machineOf(p.machine), { fork: engine.fork.bind(engine) }, copy);
  copy.cpu.bytes().set(registers);
  return new GuestMachine(copy.cpu, copy.space, forked);
}

function makeChild(p: Process, request: CloneRequest, machine: GuestMachine, registers: Uint8Array): Process {
  const has = (flag: number): boolean => (request.flags & flag) !== 0;
  const sharesMemory = machine === p.machine;
  const { exe, argv, environment, auxv, places, verbose, world } = p;
  const pid = world.takeTid();
  const child: Process = new Process({
    world, machine, verbose, exe, argv, environment, auxv, places,
    memory: sharesMemory ? p.memory : p.memory.fork(machine.space, {
      dataLimit: () => child.limits.soft(RLIMIT.DATA), spaceLimit: () => child.limits.soft(RLIMIT.AS),
    }),
    signals: new SignalState(machine.cpu, machine.space, processClock(() => child), {
      sender: { pid, uid: p.credentials.user.real }, onStop: (signal) => stopProcess(child, signal),
      onContinue: (signal) => continueProcess(child, signal),
      onDelivered: (info, handled) => world.witness?.signalDelivered(child, info, handled),
      outlives: (signal) => world.guard?.outlives(signal) === true,
    }),
    origin: {
      maker: p, pid,
      parent: has(CLONE.PARENT) ? p.family.parent : p,
      sharesFiles: has(CLONE.FILES),
      ...(sharesMemory ? { registers } : {}),
    },
  });
  child.family.exitSignal = has(CLONE.PARENT) ? p.family.exitSignal : request.exitSignal;
  return child;
}

function inheritSignals(p: Process, child: Process, { flags, clearHandlers }: CloneRequest): void {
  const { actions } = child.signals.process;
  actions.copyFrom(p.signals.process.actions);
  if (clearHandlers) actions.resetForExec();
  child.task.signals.blocked = p.task.signals.blocked;
  // Two threads in one memory must not have the same stack for their handlers.
  const sharesStack = (flags & CLONE.VM) === 0 || (flags & CLONE.VFORK) !== 0;
  if (sharesStack) child.task.signals.altStack.current = p.task.signals.altStack.current;
}

function setTids(p: Process, child: Process, { flags, parentTid, childTid }: CloneRequest): void {
  if ((flags & CLONE.PARENT_SETTID) !== 0) storeTid(p, parentTid, child.pid);
  if ((flags & CLONE.CHILD_SETTID) !== 0) storeTid(child, childTid, child.pid);
  if ((flags & CLONE.CHILD_CLEARTID) !== 0) child.task.clearChildTid = childTid;
}

/** A bad address is the program's loss. */
export function storeTid(p: Process, address: number, tid: number): void {
  try {
    p.space.writeU32(address, tid);
  } catch (error) {
    if (!(error instanceof BadAddress)) throw error;
  }
}
