/**
 * Units: what walks look at in place of single cells. Most instructions define and use whole halves of registers, so
 * that the four cells of a half are one unit, of which there is one entry as long as its bytes are wanted by the same.
 * So are four bytes of a vector register; a flag is a unit by itself.
 */
import { CELLS, FLAG_CELL } from '../../ir/dependences/cells.js';
import { FPU_REG, XMM } from '../../layout/cpuState.js';

export const UNIT_BYTES = 4;
const XMM_CELL = XMM[0]?.offset ?? 0;
const FPU_CELL = FPU_REG[0]?.offset ?? 0;
/** In words of 32 units: general registers; flags; vectors in two; the x87. */
const FLAG_UNIT = 32;
const XMM_UNIT = 64;
export const FPU_UNIT = 128;
export const UNITS = 160;
export const UNIT_WORDS = UNITS / 32;

/** Of each cell: its unit. */
export const UNIT_OF: Int32Array = Int32Array.from({ length: CELLS }, (_, cell) => unitOf(cell));
/** Of each unit: its first cell, and how many it has. */
export const FIRST_CELL: Int32Array = Int32Array.from({ length: UNITS }, (_, unit) => firstCell(unit));
export const CELLS_OF: Int32Array = Int32Array.from({ length: UNITS }, (_, unit) => (isFlag(unit) ? 1 : UNIT_BYTES));

function unitOf(cell: number): number {
  if (cell < FLAG_CELL) return cell >> 2;
  if (cell >= FPU_CELL) return FPU_UNIT + ((cell - FPU_CELL) >> 2);
  if (cell >= XMM_CELL) return XMM_UNIT + ((cell - XMM_CELL) >> 2);
  return Math.min(FLAG_UNIT + cell - FLAG_CELL, XMM_UNIT - 1);
}

function firstCell(unit: number): number {
  if (unit < FLAG_UNIT) return unit * UNIT_BYTES;
  if (unit < XMM_UNIT) return FLAG_CELL + unit - FLAG_UNIT;
  return unit < FPU_UNIT ? XMM_CELL + (unit - XMM_UNIT) * UNIT_BYTES : FPU_CELL + (unit - FPU_UNIT) * UNIT_BYTES;
}

function isFlag(unit: number): boolean {
  return unit >= FLAG_UNIT && unit < XMM_UNIT;
}

/** The units that some cells belong to, a bit for each. */
export function unitBits(cells: Iterable<number>): Int32Array {
  const bits = new Int32Array(UNIT_WORDS);
  for (const cell of cells) {
    const unit = UNIT_OF[cell] as number;
    bits[unit >> 5] = (bits[unit >> 5] as number) | (1 << (unit & 31));
  }
  return bits;
}
