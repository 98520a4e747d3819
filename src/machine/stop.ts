/**
 * Why generated code came back to us. A closed set: everything the guest can do wrong is a value
 * here, never an exception. In all of them the registers, flags and rip are exact. `rip` is the
 * faulting instruction for faults and traps of fault type, the next one for `syscall` and `int3`.
 */
import type { GuestAddr } from '../base/types.js';

export type Access = 'read' | 'write' | 'execute';

/** x86 exception vectors that guest code can raise. */
export const VECTOR = { DE: 0, DB: 1, BP: 3, OF: 4, BR: 5, UD: 6, GP: 13, MF: 16, AC: 17, XM: 19 } as const;
export type Vector = (typeof VECTOR)[keyof typeof VECTOR];

/** An access as the instruction made it; what lies side by side is one. */
export interface WatchedAccess {
  readonly address: GuestAddr;
  readonly bytes: number;
  readonly write: boolean;
}

/** Where an undefined value was, when an instruction took it from there. */
export interface UndefinedSource {
  /** Bytes of the CPU state, or of memory. */
  readonly place:
    | { readonly kind: 'register'; readonly offset: number; readonly size: number }
    | { readonly kind: 'memory'; readonly address: GuestAddr; readonly size: number };
  /** The instruction, and how many the engine had retired before it. */
  readonly rip: number;
  readonly instructions: number;
}

export type Stop =
  /** The instruction budget is used up. */
  | { readonly kind: 'budget' }
  /** A `syscall` instruction retired; rcx and r11 are already set as the hardware sets them. */
  | { readonly kind: 'syscall' }
  /** An access to memory that is not mapped or does not permit it. `address` is the first byte that failed. */
  | { readonly kind: 'pageFault'; readonly address: bigint; readonly access: Access; readonly mapped: boolean }
  /** A processor exception other than a page fault. */
  | { readonly kind: 'trap'; readonly vector: Vector }
  /** An instruction the lifter does not know: #UD for the guest, with a note for the user. */
  | { readonly kind: 'unknownInstruction'; readonly at: GuestAddr; readonly bytes: Uint8Array; readonly text: string }
  /** The instruction at this address is next, and it is a breakpoint (Instrumentation). */
  | { readonly kind: 'breakpoint'; readonly at: GuestAddr }
  /**
   * The instruction at this address has accessed watched memory (Engine.setWatched), and has retired. Only a repeated
   * string instruction on its way to a fault (`partial`) has not: it stands where it has got to, and the next run shows
   * the fault.
   */
  | { readonly kind: 'watched'; readonly at: GuestAddr; readonly accesses: readonly WatchedAccess[]; readonly partial?: true }
  /**
   * The `ret` at `from` has retired; it leads to where no call comes from (Engine.checkReturns), and nothing has been
   * executed there yet.
   */
  | { readonly kind: 'astray'; readonly from: GuestAddr }
  /**
   * The instruction at this address is next, and what it decides depends on a value that no instruction has defined
   * (Engine.trackUnwritten). `bits`: ones for what is undefined; `origin`: the address of the byte it comes from;
   * `from`: where it was when it was last taken from somewhere; `read`: of memory that has not been written, if all
   * reads of it are wanted. `arguments`: of a system call, the numbers of those that are undefined. The next run
   * executes it.
   */
  | { readonly kind: 'undefined'; readonly at: GuestAddr; readonly use: 'branch' | 'address' | 'syscall' | 'read'; readonly value: bigint; readonly bits: bigint; readonly origin: number; readonly from: UndefinedSource | undefined; readonly arguments?: readonly number[] }
  /** Asked from outside by `requestStop` (signal arrived, timer). */
  | { readonly kind: 'interrupted' };
