/**
 * What x87 operations do to cells: which physical registers they combine, and how far they move the stack. Where the
 * stack begins is given; what an instruction finds there before it (control, tags, exceptions) is no dependence.
 */
import type { Node } from '../ir.js';
import { STATUS_CELL } from './cells.js';
import { X87, X87_RUN } from '../x87Ops.js';
import { x87Effects } from '../meaning/x87Effects.js';
import type { SlotRange } from '../meaning/stateBytes.js';
import { FPU_REG, SCRATCH } from '../../layout/cpuState.js';
import { type Refs, union, unionOf } from './refs.js';

const REGISTERS = 8;
const REGISTER_BYTES = 16;
const VALUE_BYTES = 10;
/** Which of the words of the environment (x87.envWord) has C0 to C3. Of the others none is a dependence. */
const STATUS_WORD = 1;
const FIRST = FPU_REG[0]?.offset ?? 0;

/** Cells as they are at this point of the instruction. */
export interface CellMap {
  get(cell: number): Refs;
  set(cell: number, refs: Refs): void;
}

/** Sets C0 to C3 for the program to look at. */
const COMPARES = /^(compare|comi)/;
const COMPARING_RUNS = new Set(['ftst', 'fxam', 'fprem', 'fprem1']);
const STACK_BY_RUN: Readonly<Record<string, number>> = {
  fld1: -1, fldl2t: -1, fldl2e: -1, fldpi: -1, fldlg2: -1, fldln2: -1, fldz: -1, fptan: -1, fxtract: -1, fsincos: -1,
  fyl2x: 1, fyl2xp1: 1, fpatan: 1, fdecstp: -1, fincstp: 1,
};

/**
 * The operation `x87.` + name with the stack beginning at `known`; undefined: somewhere. Returns what its result, if it
 * has one, depends on.
 */
export function x87Cells(name: string, node: Node, operands: Refs, known: number | undefined, cells: CellMap): Refs {
  const top = known ?? 0;
  if (name === 'setRegister' && known === undefined) {
    for (const { offset } of FPU_REG) for (let k = 0; k < VALUE_BYTES; k++) cells.set(offset + k, unionOf([cells.get(offset + k), cells.get(STATUS_CELL), operands]));
    return [];
  }
  if (name === 'cmov') {
    const [first, other] = [register(top, 0), register(top, node.imm & 7)];
    for (let k = 0; k < VALUE_BYTES; k++) cells.set(first + k, unionOf([cells.get(first + k), cells.get(other + k), operands]));
    return [];
  }
  if (name === 'register') {
    moveRegisters(node.imm, top, cells);
    return [];
  }
  const { reads, writes } = x87Effects(name, node, top);
  const read = unionOf(reads.filter(isRegisterOrScratch).map((range) => readRange(range, cells)));
  const all = union(read, operands);
  const run = name === 'run' ? X87_RUN[node.imm] : undefined;
  for (const range of writes.filter(isRegisterOrScratch)) for (let i = 0; i < range.bytes; i++) cells.set(range.offset + i, all);
  if (COMPARES.test(name) || (run !== undefined && COMPARING_RUNS.has(run))) cells.set(STATUS_CELL, all);
  if (name === 'setEnv') cells.set(STATUS_CELL, operands);
  return name === 'envWord' ? (node.imm === STATUS_WORD ? cells.get(STATUS_CELL) : []) : all;
}

/** By how much TOP changes; undefined if that is not known. `absolute`: it is that then. */
export function x87Movement(name: string, { imm }: Node): { readonly by: number } | { readonly absolute: number } | undefined {
  switch (name) {
    case 'loadF32': case 'loadF64': case 'loadF80': case 'loadInt': case 'loadBcd': return { by: -1 };
    case 'arith': case 'compare': case 'compareF32': case 'compareF64': case 'compareInt': case 'comi': return { by: imm >> X87.POP_SHIFT };
    case 'commit': return { by: imm };
    case 'register': return { by: REGISTER_MOVES.get(imm & ~7) ?? 0 };
    case 'run': {
      const run = X87_RUN[imm] as string;
      return run === 'fninit' ? { absolute: 0 } : { by: STACK_BY_RUN[run] ?? 0 };
    }
    case 'setEnv': return undefined;
    default: return { by: 0 };
  }
}

const REGISTER_MOVES: ReadonlyMap<number, number> = new Map([[X87.FLD, -1], [X87.FSTP, 1], [X87.FFREEP, 1]]);

function isRegisterOrScratch({ offset }: SlotRange): boolean {
  return (offset >= FIRST && offset < FIRST + REGISTERS * REGISTER_BYTES) || (offset >= SCRATCH.offset && offset < SCRATCH.offset + 16);
}

function readRange({ offset, bytes }: SlotRange, cells: CellMap): Refs {
  return unionOf(Array.from({ length: bytes }, (_, i) => cells.get(offset + i)));
}

/** Where st(i) is. */
function register(top: number, i: number): number {
  return FIRST + ((top + i + REGISTERS) % REGISTERS) * REGISTER_BYTES;
}

function moveRegisters(imm: number, top: number, cells: CellMap): void {
  const i = imm & 7;
  const value = (at: number): Refs[] => Array.from({ length: VALUE_BYTES }, (_, k) => cells.get(at + k));
  const put = (at: number, refs: readonly Refs[]): void => refs.forEach((one, k) => cells.set(at + k, one));
  const [first, other] = [register(top, 0), register(top, i)];
  switch (imm & ~7) {
    case X87.FLD: return put(register(top, -1), value(other));
    case X87.FXCH: {
      const [x, y] = [value(first), value(other)];
      put(first, y);
      return put(other, x);
    }
    case X87.FST: case X87.FSTP: return put(other, value(first));
    default:
  }
}
