/**
 * Which parts of stacks hold nothing any more: what is below a thread's stack pointer, what threads had that have
 * ended, and, once a thread has called exit, what is below that call. Old pointers lie about there, and in registers
 * that calls do not preserve; a block that only they point to is lost.
 */
import { FS_BASE, GPR, RSP, type Slot } from '../../layout/cpuState.js';
import type { Process } from '../../linux/process.js';
import type { Task } from '../../linux/tasks/task.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Mapping } from '../../machine/mapping.js';

interface DeadPart {
  readonly start: number;
  readonly end: number;
}

/** A thread that has ended: how high its stack was then, and where its control block is. */
interface EndedThread {
  readonly stack: number;
  readonly pointer: number;
  /** Of one that was there to the end of its process. */
  readonly registers: Uint8Array | undefined;
}

const WORD = 8;
/** Leaf functions use that much below the stack pointer. */
const RED_ZONE = 128;
/** Where a control block of the C library has its own address. */
const SELF = [0, 16] as const;
const TWO_32 = 0x1_0000_0000;
/** A call preserves these; a function returns something in the others. */
const KEPT: readonly string[] = ['rbx', 'rbp', 'rsp', 'r12', 'r13', 'r14', 'r15'];
const RESULTS: readonly string[] = ['rax', 'rdx'];

export class StackEnds {
  /** Registers of threads that have called exit, when they did. */
  private readonly leaving = new Map<Task, Uint8Array>();
  private readonly ended: EndedThread[];

  constructor(origin?: StackEnds) {
    this.ended = origin?.ended.slice() ?? [];
  }

  /** The task is about to execute the first instruction of exit. */
  leaves(task: Task): void {
    if (!this.leaving.has(task)) this.leaving.set(task, only(KEPT, registersOf(task)));
  }

  threadEnded(task: Task, memoryLives: boolean): void {
    const registers = this.registers(task);
    this.ended.push({ stack: numberIn(registers, RSP), pointer: numberIn(registersOf(task), FS_BASE), registers: memoryLives ? undefined : registers });
  }

  /** What threads have in registers that they may still use, or might have used if their process had not ended. */
  allRegisters({ tasks }: Process): Uint8Array[] {
    return [...tasks.map((task) => this.registers(task)), ...this.ended.flatMap(({ registers }) => registers ?? [])];
  }

  private registers(task: Task): Uint8Array {
    const known = this.leaving.get(task);
    if (known !== undefined) return known;
    const registers = registersOf(task);
    return isActing(task) ? only([...KEPT, ...RESULTS], registers) : registers;
  }

  /**
   * Of threads that there are, and of those that have ended: the C library keeps their stacks for others. A stack may
   * be a variable.
   */
  controlBlocks({ space, tasks }: Process): Set<number> {
    const all = [...tasks.map((task) => numberIn(registersOf(task), FS_BASE)), ...this.ended.map(({ pointer }) => pointer)];
    return new Set(all.filter((address) => isControlBlock(space, address)).map((address) => space.plainAddress(address)));
  }

  deadParts(process: Process): DeadPart[] {
    const { space, tasks } = process;
    const stacks = tasks.map((task) => ({ task, top: numberIn(this.registers(task), RSP) - (isActing(task) || this.leaving.has(task) ? 0 : RED_ZONE) }));
    const living = stacks.flatMap(({ task, top }) => {
      const m = space.find(top);
      return m !== undefined && isStackOf(m, task, top) ? [{ start: m.start, end: top }] : [];
    });
    const gone = this.ended.flatMap(({ stack, pointer }) => {
      const m = space.find(stack);
      const isTheirs = m !== undefined && (m.growsDown || (m.file === undefined && pointer >= stack && pointer < m.end && isControlBlock(space, pointer)));
      return isTheirs && !stacks.some(({ top }) => top >= m.start && top < m.end) ? [{ start: m.start, end: stack }] : [];
    });
    // A thread that has its control block below has its stack in the same mapping.
    return [...living, ...gone].filter(({ start, end }) => !tasks.some(({ clearChildTid }) => clearChildTid >= start && clearChildTid < end));
  }
}

/** The main thread's stack grows; those of others have the control block, with their number, at their end. */
export function isStackOf({ growsDown, file, end }: Mapping, { clearChildTid }: Task, top: number): boolean {
  return growsDown || (file === undefined && clearChildTid > top && clearChildTid < end);
}

function isControlBlock(space: AddressSpace, address: number): boolean {
  return SELF.every((offset) => space.peek(address + offset, WORD) !== null && space.readNum64(address + offset) === address);
}

function isActing(task: Task): boolean {
  return task.process.machine.loaded === task;
}

function registersOf(task: Task): Uint8Array {
  return isActing(task) ? task.process.machine.copyRegisters() : task.registers.slice();
}

/** Zeros in place of others, which have what calls have left behind. */
function only(kept: readonly string[], registers: Uint8Array): Uint8Array {
  for (const { name, offset } of GPR) if (!kept.includes(name)) registers.fill(0, offset, offset + WORD);
  return registers;
}

function numberIn(registers: Uint8Array, { offset }: Slot): number {
  const view = new DataView(registers.buffer, registers.byteOffset);
  return view.getUint32(offset + 4, true) * TWO_32 + view.getUint32(offset, true);
}
