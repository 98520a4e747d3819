/**
 * An address space with the engine that runs code in it. Threads of a process (and the child of a vfork)
 * share one; its registers are those of one task at a time.
 */
import type { Slot } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import type { Instrumentation } from '../../machine/instrumentation.js';
import type { LinearMemory } from '../../machine/linearMemory.js';
import type { ShadowFollower } from '../../machine/shadow/shadowFollower.js';
import type { Stop } from '../../machine/stop.js';
import { SyscallArgs } from '../syscallArgs.js';
import type { Task } from './task.js';

export interface GuestEngine {
  /**
   * Runs until something needs us, or exactly that many instructions have retired; if it need not be exact, perhaps
   * some fewer.
   */
  run(maxInstructions: number, isExact?: boolean): Stop;
  readonly instructions: number;
  /** Makes `run` return soon with 'interrupted'. */
  requestStop(): void;
  /** What fork and execve need (machine/engine.ts); an engine that only watches another one lacks them. */
  fork?(linear: LinearMemory, cpu: Cpu, space: AddressSpace): GuestEngine;
  another?(linear: LinearMemory, cpu: Cpu, space: AddressSpace): GuestEngine;
  /** What an analysis wants of it. Forks and new programs inherit it. */
  readonly instrumentation?: Instrumentation;
  instrument?(value: Instrumentation): void;
  /** The next run begins at a hook that need not stop it. */
  passHook?(): void;
  /** Whose registers those of the CPU are. */
  runsFor?(owner: object): void;
  /** The shadow of registers and memory, if there is one. */
  readonly shadow?: ShadowFollower | undefined;
  retire?(): void;
  restart?(): void;
}

export class GuestMachine {
  readonly args: SyscallArgs;
  private readonly registers: Uint8Array;
  private owner: Task | undefined;
  /** Commands of membarrier that its programs have registered for. */
  registeredBarriers = 0;
  /** Processes that run in it: more than one between vfork and execve. */
  users = 1;

  constructor(
    readonly cpu: Cpu,
    readonly space: AddressSpace,
    /** Exchangeable: tests watch the real one through another. */
    public engine: GuestEngine,
  ) {
    this.args = new SyscallArgs(cpu);
    this.registers = cpu.bytes();
  }

  /** Whose registers these are. */
  get loaded(): Task | undefined {
    return this.owner;
  }

  /** The registers are those of `task` already: the loader has set them. */
  adopt(task: Task): void {
    this.owner = task;
  }

  /** Makes the registers those of `task`. */
  load(task: Task): void {
    if (this.owner === task) return;
    this.owner?.registers.set(this.registers);
    this.registers.set(task.registers);
    this.owner = task;
    this.engine.runsFor?.(task);
  }

  /** The registers belong to no task any more: their task has ended, or has gone elsewhere. */
  unload(task: Task): void {
    if (this.owner === task) this.owner = undefined;
  }

  /** A general register of a task that runs in this machine. */
  registerOf(task: Task, slot: Slot): number {
    if (this.owner === task) return this.cpu.num(slot);
    const view = new DataView(task.registers.buffer);
    return view.getUint32(slot.offset + 4, true) * 0x1_0000_0000 + view.getUint32(slot.offset, true);
  }

  /** A copy of the registers of the task that is loaded. */
  copyRegisters(): Uint8Array {
    return this.registers.slice();
  }
}
