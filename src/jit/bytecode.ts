/**
 * Bytecode: a block of IR laid out for the interpreter. An instruction is
 *
 *   u16 operation, u16 destination, u16 operand..., padded to 4 bytes, then the immediate (4, 8 or 16 bytes)
 *
 * Destinations and operands are slot numbers: (bytes from STATE_BASE) / 4. Registers are slots,
 * temporaries are slots, and constants are interned in slots, so the interpreter has one way to
 * fetch an operand. A block starts with ENTER and ends with one of the END operations.
 */
import type { OpDef } from '../ir/opDef.js';
import { OPS } from '../ir/ops.js';

/** Operations of the interpreter that are no IR operations; numbered after them. */
export const CONTROL = {
  /** i32 instructions, u64 start address, i32 executions left until it counts as hot. Falls through into the block. */
  ENTER: OPS.length,
  /** The same layout; the block has been compiled: leave, unless the interpreter is told to stay. */
  ENTER_COMPILED: OPS.length + 1,
  /** The same layout; the code has changed: always leave. */
  ENTER_STALE: OPS.length + 2,
  /** u64 target, i32 link. */
  JUMP: OPS.length + 3,
  /** operand: condition; u64 taken, i32 link, pad, u64 fall-through, i32 link. */
  BRANCH: OPS.length + 4,
  /** operand: target. */
  INDIRECT: OPS.length + 5,
  /** u64 next. */
  SYSCALL: OPS.length + 6,
  /** u64 resume address, i32 vector. */
  TRAP: OPS.length + 7,
  /** u64 address. */
  UNKNOWN: OPS.length + 8,
  /** Copies a slot of a type. */
  MOVE_I32: OPS.length + 9,
  MOVE_I64: OPS.length + 10,
  MOVE_V128: OPS.length + 11,
  /** operand: target. An INDIRECT that should lead to where a call comes from. */
  RETURN: OPS.length + 12,
} as const;
export const OPERATION_COUNT = OPS.length + 13;

/** Offsets within ENTER; `afterCall`: an i32 that is not 0 if it is known that a call comes right before the block. */
export const ENTER_LAYOUT = { instructions: 4, start: 8, counter: 16, afterCall: 20, size: 24 } as const;
export const JUMP_LAYOUT = { target: 8, link: 16, size: 24 } as const;
export const BRANCH_LAYOUT = { condition: 4, taken: 8, takenLink: 16, fall: 24, fallLink: 32, size: 40 } as const;
export const INDIRECT_LAYOUT = { target: 4, size: 8 } as const;
export const SYSCALL_LAYOUT = { next: 8, size: 16 } as const;
export const TRAP_LAYOUT = { resume: 8, vector: 16, size: 24 } as const;
export const UNKNOWN_LAYOUT = { at: 8, size: 16 } as const;
export const MOVE_SIZE = 8;

/** Where operand i of an operation lies. */
export function operandOffset(i: number): number {
  return 4 + i * 2;
}

/** Where the immediate lies. */
export function immOffset(def: OpDef): number {
  return (operandOffset(def.params.length) + 3) & ~3;
}

/** Bytes of the whole instruction: a multiple of 4. */
export function instructionSize(def: OpDef): number {
  const imm = def.imm === 'none' ? 0 : def.imm === 'i64' ? 8 : def.imm === 'v128' ? 16 : 4;
  return immOffset(def) + imm;
}
