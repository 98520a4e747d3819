/**
 * What an expression needs of the program around it. Code that has a stopped program (a recording at some time, a
 * branch) hands one in; nothing here is kept by values longer than until the program moves on. Questions are answered
 * at once: what takes time (changing to a branch, calling a function) is collected here and done afterwards by who has
 * evaluated.
 *
 * What cannot be known is undefined. What cannot be done (writing to a recording) throws a UserError that says why.
 */
import type { Module, StackFrame } from '../../dwarf/stackFrame.js';

export interface Surroundings {
  /** The selected frame; undefined if there is none (no thread): globals, types and constants are still there. */
  readonly frame: SelectedFrame | undefined;
  /** The program first, then libraries in the order in which they were loaded. */
  readonly modules: readonly Module[];
  /** Undefined if a byte of it is not there. */
  memory(address: bigint, size: number): Uint8Array | undefined;
  /**
   * A register of the selected thread where it runs (not of a caller: those are found through the frame), by gdb's
   * name, all its bits: general ones, rip, eflags, cs ss ds es fs gs, fs_base, gs_base, xmm0..15 (128), ymm0..15 (256),
   * st0..7 (80), fctrl fstat ftag fiseg fioff foseg fooff fop, mxcsr. Undefined if it is not known.
   */
  register(name: string): bigint | undefined;
  /** The symbol that an address lies in (`<main+4>`), name demangled as gdb shows it. */
  symbolAt(address: bigint): NearSymbol | undefined;
  /** A symbol of any module, the program's before others; by its plain name. */
  symbolNamed(name: string): ProgramSymbol | undefined;
  tlsAddress(module: Module, offset: bigint): bigint | undefined;
  /** Where a library's variable really is, if the program has a copy of it. */
  copyOf?(name: string): bigint | undefined;
  /**
   * Throws a UserError if memory cannot be written. Later reads have to show it; the branch may be made after the
   * evaluation.
   */
  writeMemory(address: bigint, bytes: Uint8Array): void;
  /** As `register`: of the selected thread where it runs. Throws a UserError if that cannot be. */
  writeRegister(name: string, value: bigint): void;
  /**
   * The result of a call of the program's function, in a branch. Absent where there is none: then calls are refused.
   * Undefined: not known yet; then the evaluation ends with a `CallNeeded`: make the call, and evaluate again with its
   * result in here.
   */
  call?(request: ArrangedCall): CallResult | undefined;
  /** Variables that the debugger keeps: `_exitcode`, `_thread`, `_gthread`, `_inferior`, `bpnum`. */
  debuggerVariable(name: string): bigint | undefined;
  /** `siginfo_t` of the signal that the thread stopped for. */
  signalInfo(): Uint8Array | undefined;
}

export interface SelectedFrame {
  readonly stack: StackFrame;
  /** Which of `stack.calls`: 0 is the innermost inlined call, the last one the function itself. */
  readonly call: number;
}

export interface ProgramSymbol {
  readonly name: string;
  /** As it stands beside code and memory: the linker's name, not demangled. */
  readonly linkageName: string;
  /** Where it is loaded; of thread-local ones the offset in their module's storage. */
  readonly address: bigint;
  readonly size: number;
  readonly kind: 'code' | 'data' | 'threadLocal' | 'indirectFunction';
  readonly module: Module;
}

export interface NearSymbol {
  readonly symbol: ProgramSymbol;
  readonly offset: bigint;
}

/** Arguments by the System V convention, already put where they go. */
export interface ArrangedCall {
  readonly address: bigint;
  /** rdi, rsi, rdx, rcx, r8, r9. */
  readonly integers: readonly bigint[];
  /** xmm0 to xmm7, 128 bits each. */
  readonly vectors: readonly bigint[];
  /** What lies on the stack above the return address. */
  readonly stack: Uint8Array;
  /** Bytes of stack to be set apart for a result in memory; its address goes to rdi before the others. */
  readonly resultInMemory: number;
}

export interface CallResult {
  readonly rax: bigint;
  readonly rdx: bigint;
  readonly xmm0: bigint;
  readonly xmm1: bigint;
  /** 80 bits. */
  readonly st0: bigint;
  readonly st1: bigint;
}
