/**
 * A thread's view of the program where the execution stands: its process's modules and memory, its registers. Cheap to
 * make (modules are kept by `Modules`), and good until the execution moves on. It is what dwarf's StackFrame unwinds
 * and evaluates with.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Module, StoppedProgram } from '../../dwarf/stackFrame.js';
import { StackFrame } from '../../dwarf/stackFrame.js';
import { type MemoryRange, memoryRange } from '../../replay/timeline/conditions.js';
import type { State, Thread } from '../../replay/timeline/state.js';
import { Linkage } from './linkage.js';
import type { LoadedModule, ModuleList, Modules } from './modules.js';
import { Symbols } from './symbols.js';
import { threadLocalAddress } from './threadLocal.js';

/** Names of registers by DWARF number. */
export const DWARF_REGISTERS: readonly string[] = [
  'rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'rip',
  ...Array.from({ length: 16 }, (_, i) => `xmm${i}`),
];
const HIGHEST_ADDRESS = 1n << 47n;

/** Who knows what was in memory that is no more (debugger/control/goneBlocks.ts). */
export interface GoneMemory {
  /** Undefined if it is not known, now; the question is noted. */
  read(state: State, thread: number, address: GuestAddr, size: number): Uint8Array | undefined;
  /**
   * The same of a local variable, whose memory is there after its function has returned, but is not the variable any
   * more.
   */
  readVariable(state: State, thread: number, address: GuestAddr, size: number): Uint8Array | undefined;
}

export class ProgramView implements StoppedProgram {
  readonly modules: ModuleList;
  readonly symbols: Symbols;
  readonly linkage = new Linkage(this);
  /** Told of all memory that is read through this view: watchpoints want to know what a value depends on. */
  onRead: ((range: MemoryRange) => void) | undefined;

  constructor(
    readonly state: State,
    readonly thread: Thread,
    private readonly known: Modules,
    private readonly gone?: GoneMemory,
  ) {
    this.modules = known.of(state, thread.id);
    this.symbols = new Symbols(this.modules);
  }

  /** The program as a thread sees it in another state; undefined if it is not there. */
  inState(state: State, id: number): ProgramView | undefined {
    const thread = state.threads.find((one) => one.id === id);
    return thread === undefined ? undefined : new ProgramView(state, thread, this.known);
  }

  moduleAt(address: bigint): LoadedModule | undefined {
    return this.modules.at(address);
  }

  /** Undefined if a byte is not there. */
  memory(address: bigint, size: number): Uint8Array | undefined {
    if (address < 0n || address + BigInt(size) > HIGHEST_ADDRESS) return undefined;
    const start = guestAddr(Number(address));
    this.onRead?.(memoryRange(start, size));
    const { state, thread: { id }, gone } = this;
    return gone?.readVariable(state, id, start, size) ?? state.read(id, start, size) ?? gone?.read(state, id, start, size);
  }

  pointer(address: bigint): bigint | undefined {
    const bytes = this.memory(address, 8);
    return bytes === undefined ? undefined : new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  }

  /** By name as `State.register` has them. */
  register(name: string): bigint | undefined {
    return this.state.register(this.thread.id, name);
  }

  get pc(): bigint {
    return this.register('rip') ?? 0n;
  }

  tlsAddress(module: Module, offset: bigint): bigint | undefined {
    return threadLocalAddress(this, module, offset);
  }

  innermost(): StackFrame {
    return StackFrame.innermost(this, (number) => {
      const name = DWARF_REGISTERS[number];
      return name === undefined ? undefined : this.register(name);
    });
  }
}
