/**
 * Memories for address spaces. A WebAssembly memory of 4 GiB takes milliseconds to make, and the
 * garbage collector does not give its address space back at once, so those of processes that have ended
 * serve again. Nothing is wiped: pages that were written are known (machine/pages.ts) and zeroed when
 * they are touched next; only CPU state and tables are made as new.
 */
import { TEMPS_OFFSET } from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import { AddressSpace } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { LinearMemory } from './linearMemory.js';

/** An address space and the CPU state that comes with it. */
export interface Machine {
  readonly linear: LinearMemory;
  readonly space: AddressSpace;
  readonly cpu: Cpu;
}

/** As much of an engine as is needed here. */
interface Retirable {
  retire?(): void;
}
interface Forkable<E> {
  fork(linear: LinearMemory, cpu: Cpu, space: AddressSpace): E;
}

const MOST_KEPT = 16;
/** Memories that hold more than this are left to the garbage collector. */
const MOST_BYTES_KEPT = 512 * 1024 * 1024;

export function newMachine(): Machine {
  const linear = new LinearMemory();
  return { linear, space: new AddressSpace(linear), cpu: new Cpu(linear) };
}

function tryNewMachine(): Machine | undefined {
  try {
    return newMachine();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export class MachinePool {
  private readonly free: Machine[] = [];

  /** `onNew`: told of every address space that is made here. */
  constructor(private readonly onNew: (space: AddressSpace) => void = () => {}) {}

  /** One with nothing in it; undefined if the host has no address space left for another. */
  take(): Machine | undefined {
    const known = this.free.pop();
    if (known !== undefined) return known;
    const machine = tryNewMachine();
    if (machine !== undefined) this.onNew(machine.space);
    return machine;
  }

  /** All that wait to be used again; it has none of them any more. */
  drain(): Machine[] {
    return this.free.splice(0);
  }

  /** One that is empty already. */
  add(machine: Machine): void {
    if (this.free.length < MOST_KEPT && machine.space.touchedBytes <= MOST_BYTES_KEPT) this.free.push(machine);
  }

  /** The process that had it has ended, or runs another program elsewhere. `machine` is no more used. */
  give(machine: Machine, engine: Retirable): void {
    engine.retire?.();
    wipe(machine);
    this.add(machine);
  }
}

/** Makes the machine empty in place: another program is about to be loaded. Its engine must have been retired. */
export function wipe({ linear, space }: Machine): void {
  space.clear();
  linear.u8.fill(0, STATE_BASE, STATE_BASE + TEMPS_OFFSET);
}

/** A copy of `parent` in `child`, which is empty; returns an engine for it. */
export function forkMachine<E>(parent: Machine, engine: Forkable<E>, child: Machine): E {
  child.space.copyFrom(parent.space);
  child.cpu.bytes().set(parent.cpu.bytes());
  return engine.fork(child.linear, child.cpu, child.space);
}
