/**
 * How an operation becomes WebAssembly, once for both tiers. The interpreter's handler and the
 * compiler's inline code come from the same emitter: operands are on the wasm stack in order (the
 * last on top), and the emitter leaves the result there. What differs between the tiers (where an
 * immediate comes from, how one leaves in the middle of an instruction) hides behind `Emit`.
 *
 * Emitters must not leave anything in locals across operations, and must not change CPU state
 * before the last point where they may trap.
 */
import type { Code, ValType } from '../wasm/code.js';

export interface Emit {
  readonly code: Code;
  /** A scratch local, free for use until this operation is finished. Contents undefined at first. */
  temp(type: ValType): number;
  /** The index, in the module being built, of a helper function (jit/helpers/). */
  helper(name: string): number;
  /** Pushes the operation's immediate as an i32. */
  imm(): void;
  /** The immediate where it is known while emitting (compiler), else null (interpreter). */
  readonly knownImm: number | null;
  /**
   * Leaves the current instruction with processor exception `vector`: the registers are those
   * before the instruction. Code after it is unreachable up to the next `end`; use inside an if_.
   */
  trap(vector: number): void;
  /**
   * Leaves the current instruction with whatever a helper has put into FAULT_ADDRESS / FAULT_INFO
   * (a page fault found by a helper). Use inside an if_, as trap.
   */
  fault(): void;
  /**
   * Pushes the lower half of the current instruction's address where that is known while emitting (compiler), else 0
   * (interpreter).
   */
  pushInstruction(): void;
  /** Brings TICKS up to date in linear memory: without the instructions of the block that the operation is in. */
  showTicks(): void;
}

export type Emitter = (e: Emit) => void;

/** A table of emitters by operation name. */
export type Emitters = Readonly<Record<string, Emitter>>;

/**
 * A function in WebAssembly that emitters call. All helpers live in the engine's core module
 * beside the interpreter; compiled regions import those they use.
 */
export interface HelperDef {
  readonly name: string;
  readonly params: readonly ValType[];
  readonly results: readonly ValType[];
  /** Writes the body. `helper(name)` gives the index of another helper to call. */
  build(code: Code, helper: (name: string) => number): void;
}
