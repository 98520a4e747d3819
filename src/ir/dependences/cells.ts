/**
 * The cells of a thread: what an instruction's outputs and inputs are named by when we ask what depends on what. A cell
 * is a byte of a register, or a flag. Cells of registers have the numbers of their bytes in the CPU state
 * (layout/cpuState.ts); the lazy flags, which are no bytes, have numbers of their own in place of ccOp to ccZ.
 *
 * What the processor keeps for itself is no cell: the base of thread-local storage, which of the x87 registers are
 * empty, sticky exception bits. An addition of floats would otherwise depend on every one before it.
 */
import {
  CC_OP, CC_Z, DF, FPU_CONTROL, FPU_REG, FPU_STATUS, GPR, MXCSR, OTHER_FLAGS, RSP, SCRATCH, type Slot, XMM,
} from '../../layout/cpuState.js';
import { COND } from '../flags.js';

/** A number below `CELLS`. */
export type Cell = number;

/** Flags, in this order, from FLAG_CELL on. */
export const FLAG_NAMES = ['cf', 'pf', 'af', 'zf', 'sf', 'of'] as const;

const [CF, PF, ZF, SF, OF] = [0, 1, 3, 4, 5];
/** The first cell after the general registers. */
export const FLAG_CELL = 128;
const DIRECTION_CELL = 134;
const OTHER_FLAGS_CELL = 135;
/** C0 to C3, which comparisons of the x87 set. */
export const STATUS_CELL = 136;
const CONTROL_CELL = 137;
const MXCSR_CELL = 138;
const XMM_CELL = XMM[0]?.offset ?? 0;
const FPU_CELL = FPU_REG[0]?.offset ?? 0;
/** Cells that other instructions can see are below. */
export const CELLS = FPU_CELL + FPU_REG.length * 16;
/** Behind them: what the operations of one instruction hand to each other. */
export const SCRATCH_CELL = SCRATCH.offset;

export const ALL_FLAGS: readonly Cell[] = FLAG_NAMES.map((_, i) => FLAG_CELL + i);
export const STACK_POINTER: readonly Cell[] = Array.from({ length: 8 }, (_, i) => RSP.offset + i);

/** Flags that a condition code looks at: in the encoding of Jcc, by pairs of opposites. */
const CONDITION_FLAGS: readonly (readonly number[])[] = [[OF], [CF], [ZF], [CF, ZF], [SF], [PF], [SF, OF], [SF, OF, ZF]] as number[][];

export function flagsOfCondition(code: number): readonly Cell[] {
  return (CONDITION_FLAGS[(code & COND.G) >> 1] as readonly number[]).map((flag) => FLAG_CELL + flag);
}

/** Which operands of cc.set a flag is computed from: x, y and z are 1, 2 and 4. */
const RESULT = 1;
const [X, Y, Z] = [1, 2, 4];
const byFlag = (carry: number, adjust: number, overflow: number, result = RESULT): readonly number[] =>
  [carry, result, adjust, result, result, overflow];

/** By kind (flags.ts), then by flag. */
const FLAG_OPERANDS: readonly (readonly number[])[] = [
  byFlag(X, X, X), // FLAGS
  byFlag(X, Y, Y, Y), // CARRY
  byFlag(X | Y, X | Y, X | Y), // ADD
  byFlag(X | Y, X | Y, X | Y, X | Y), // SUB
  byFlag(0, 0, 0), // LOGIC
  byFlag(Z, X, X), // INC
  byFlag(Z, X, X), // DEC
  byFlag(X | Y | Z, X | Y | Z, X | Y | Z), // ADC
  byFlag(X | Y | Z, X | Y | Z, X | Y | Z, X | Y | Z), // SBB
  byFlag(Y | Z, 0, X | Y | Z), // SHL
  byFlag(Y | Z, 0, X | Y), // SHR
  byFlag(Y | Z, 0, 0), // SAR
  byFlag(Y, 0, Y), // MUL
] as number[][];

/** `kind`: ccOp; undefined if it is not known. */
export function flagOperands(kind: number | undefined, flag: number): number {
  return kind === undefined ? X | Y | Z : (FLAG_OPERANDS[kind >> 2]?.[flag] ?? X | Y | Z);
}

/** The cells of a byte of the CPU state. Empty: it is none. */
export function cellsOfByte(offset: number): readonly Cell[] {
  if (offset < GPR.length * 8 || (offset >= XMM_CELL && offset < CELLS)) return [offset];
  if (offset >= SCRATCH.offset && offset < SCRATCH.offset + 16) return [offset];
  if (offset >= CC_OP.offset && offset < CC_Z.offset + 8) return ALL_FLAGS;
  const own = SINGLE.find(([slot]) => offset >= slot.offset && offset < slot.offset + 4);
  return own === undefined ? [] : [own[1]];
}

const SINGLE: readonly (readonly [Slot, Cell])[] = [
  [DF, DIRECTION_CELL], [OTHER_FLAGS, OTHER_FLAGS_CELL], [FPU_STATUS, STATUS_CELL], [FPU_CONTROL, CONTROL_CELL], [MXCSR, MXCSR_CELL],
];

/** As people call the register or flag. */
export function cellName(cell: Cell): string {
  if (cell < FLAG_CELL) return GPR[cell >> 3]?.name ?? '?';
  if (cell >= FPU_CELL) return `fpr${(cell - FPU_CELL) >> 4}`;
  if (cell >= XMM_CELL) return XMM[(cell - XMM_CELL) >> 4]?.name ?? '?';
  return FLAG_NAMES[cell - FLAG_CELL] ?? SINGLE.find(([, own]) => own === cell)?.[0].name ?? '?';
}
