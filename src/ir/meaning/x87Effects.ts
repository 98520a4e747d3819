/**
 * Which parts of the x87 state its operations read and may change. Where the stack begins (TOP) is known only of a
 * stopped machine; without it any register may be meant.
 */
import { FPU_CONTROL, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS, SCRATCH, type Slot } from '../../layout/cpuState.js';
import type { Node } from '../ir.js';
import { X87, X87_RUN, type X87Run } from '../x87Ops.js';
import { type SlotRange, wholeSlot } from './stateBytes.js';

export interface SlotEffects {
  readonly reads: readonly SlotRange[];
  /** What it may change: it may also leave it as it is. */
  readonly writes: readonly SlotRange[];
}

const REGISTERS = 8;
const MANTISSA_BYTES = 8;
const VALUE_BYTES = 10;
/** Where the register that a push fills is, seen from st(0). */
const PUSHED = -1;

const CONTROL = wholeSlot(FPU_CONTROL);
const STATUS = wholeSlot(FPU_STATUS);
const TAGS = wholeSlot(FPU_TAGS);
const [OPCODE, IP, DP] = [wholeSlot(FPU_OPCODE), wholeSlot(FPU_IP), wholeSlot(FPU_DP)];
const RESULT = wholeSlot(SCRATCH);
/** What every instruction looks at that may raise an exception or find a register empty. */
const HOUSEKEEPING = [CONTROL, STATUS, TAGS];
const BOOKS = [STATUS, TAGS];
const NOTHING: SlotEffects = { reads: [], writes: [] };

/** Of which words of the environment is made: by the immediate of x87.envWord. */
const ENVIRONMENT: readonly (readonly SlotRange[])[] =
  [[CONTROL], [STATUS], [TAGS, ...FPU_REG.map((slot) => valueIn(slot))], [IP], [OPCODE, IP], [DP], []];

type RunEffects = (top: number | undefined) => SlotEffects;

/** By the registers that they read and write, from st(0) on. */
const on = (reads: readonly number[], writes: readonly number[]): RunEffects => (top) => computing(reads, writes, top);
const [onFirst, onPair, intoTwo, pushing] = [on([0], [0]), on([0, 1], [0]), on([0], [0, PUSHED]), on([], [PUSHED])];
const comparing = on([0], []);
const intoSecond = on([0, 1], [1]);
const turning: RunEffects = () => only([STATUS], [STATUS]);

/** Instructions without operands. */
const RUN: Readonly<Record<X87Run, RunEffects>> = {
  fchs: onFirst, fabs: onFirst, f2xm1: onFirst, fsqrt: onFirst, frndint: onFirst, fsin: onFirst, fcos: onFirst,
  ftst: comparing, fxam: comparing,
  fld1: pushing, fldl2t: pushing, fldl2e: pushing, fldpi: pushing, fldlg2: pushing, fldln2: pushing, fldz: pushing,
  fyl2x: intoSecond, fyl2xp1: intoSecond, fpatan: intoSecond,
  fprem: onPair, fprem1: onPair, fscale: onPair,
  fptan: intoTwo, fxtract: intoTwo, fsincos: intoTwo,
  fdecstp: turning, fincstp: turning, fnclex: turning,
  fninit: () => only([], [CONTROL, STATUS, TAGS, OPCODE, IP, DP]),
  maskAll: () => only([CONTROL, STATUS], [CONTROL, STATUS]),
};

function only(reads: readonly SlotRange[], writes: readonly SlotRange[]): SlotEffects {
  return { reads, writes };
}

function valueIn({ offset }: Slot): SlotRange {
  return { offset, bytes: VALUE_BYTES };
}

/** The physical registers that st(i) may be. */
function registers(i: number, top: number | undefined): readonly Slot[] {
  return top === undefined ? FPU_REG : [FPU_REG[(top + i + REGISTERS) % REGISTERS] as Slot];
}

/** An instruction that computes: exceptions, empty and full registers, results by way of the scratch area. */
function computing(reads: readonly number[], writes: readonly number[], top: number | undefined): SlotEffects {
  return {
    reads: [...HOUSEKEEPING, ...reads.flatMap((i) => registers(i, top).map(valueIn))],
    writes: [...BOOKS, RESULT, ...writes.flatMap((i) => registers(i, top).map(wholeSlot))],
  };
}

/** Moves between registers: the immediate of x87.register. */
function moving(imm: number, top: number | undefined): SlotEffects {
  const i = imm & 7;
  switch (imm & ~7) {
    case X87.FLD: return computing([i], [PUSHED], top);
    case X87.FXCH: return computing([0, i], [0, i], top);
    case X87.FST:
    case X87.FSTP: return computing([0], [i], top);
    default: return only(BOOKS, BOOKS);
  }
}

/** Of the operation `x87.` + name; its operands are not counted. `top` is TOP right before it, if that is known. */
export function x87Effects(name: string, { imm }: Node, top: number | undefined): SlotEffects {
  const source = (imm >> X87.SRC_SHIFT) & 7;
  const target = (imm >> X87.DST_SHIFT) & 7;
  switch (name) {
    case 'check': return only([STATUS], []);
    case 'last': return only([], [IP, OPCODE]);
    case 'lastMemory': return only([], [IP, DP, OPCODE]);
    case 'loadF32': case 'loadF64': case 'loadF80': case 'loadInt': case 'loadBcd': return computing([], [PUSHED], top);
    case 'arith': return computing([target, source], [target], top);
    case 'arithF32': case 'arithF64': case 'arithInt': return computing([0], [0], top);
    case 'compare': case 'comi': return computing([0, source], [], top);
    case 'compareF32': case 'compareF64': case 'compareInt': return computing([0], [], top);
    case 'convert': return only([...HOUSEKEEPING, ...registers(0, top).map(valueIn)], [RESULT]);
    case 'scratch': return only([{ offset: SCRATCH.offset, bytes: 8 }], []);
    case 'scratchHigh': return only([{ offset: SCRATCH.offset + 8, bytes: 4 }], []);
    case 'commit': return only(HOUSEKEEPING, BOOKS);
    case 'register': return moving(imm, top);
    case 'cmov': return computing([imm & 7], [0], top);
    case 'run': return RUN[X87_RUN[imm] as X87Run](top);
    case 'setControl': return only([STATUS], [CONTROL, STATUS]);
    case 'envWord': return only(ENVIRONMENT[imm] ?? [], []);
    case 'setEnv': return only([], [CONTROL, STATUS, TAGS]);
    case 'setPointers': return only([], [IP, DP, OPCODE]);
    case 'mantissa': return only([STATUS, ...registers(imm, top).map(({ offset }) => ({ offset, bytes: MANTISSA_BYTES }))], []);
    case 'signExponent':
      return only([STATUS, ...registers(imm, top).map(({ offset }) => ({ offset: offset + MANTISSA_BYTES, bytes: VALUE_BYTES - MANTISSA_BYTES }))], []);
    case 'setRegister': return only([STATUS], registers(imm, top).map(wholeSlot));
    default: return NOTHING;
  }
}

/** Bytes that x87.convert makes for memory, by its format. */
export function convertedBytes(imm: number): number {
  switch (imm & ~X87.TRUNCATE) {
    case X87.TO_I16: return 2;
    case X87.TO_F32:
    case X87.TO_I32: return 4;
    case X87.TO_F64:
    case X87.TO_I64: return 8;
    default: return VALUE_BYTES;
  }
}
