/** EFLAGS as a whole, and the instructions that change single flags: lahf sahf clc stc cmc cld std. */
import { Mnemonic } from 'iced-x86';
import { ARITHMETIC_FLAGS, DF, FLAG, OTHER_FLAGS, RAX } from '../layout/cpuState.js';
import { ccOp, COND } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import { setCarry } from './bits.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';

/** Bit 1 of EFLAGS reads as 1. */
const ALWAYS_SET = 2;
/** What a user program may change with popf, beside the arithmetic flags and DF. */
const USER_CHANGEABLE = FLAG.TF | FLAG.NT | FLAG.AC | FLAG.ID;
const AH = { slot: RAX, bytes: 1, high: true } as const;
const LAHF_FLAGS = FLAG.SF | FLAG.ZF | FLAG.AF | FLAG.PF | FLAG.CF;

/** The whole register, as an i32. */
export function readEflags(l: Lift): Value {
  const { b } = l;
  const direction = b.op('i32.shl', b.get(DF), b.i32(10));
  const rest = b.op('i32.or', b.get(OTHER_FLAGS), b.i32(ALWAYS_SET));
  return b.op('i32.or', b.op('i32.or', b.flags(), direction), rest);
}

/** popf with user rights; `size` 2 leaves the upper bits alone. */
export function writeEflags(l: Lift, value: Value, size: Size): void {
  const { b } = l;
  const changeable = size === 2 ? USER_CHANGEABLE & 0xffff : USER_CHANGEABLE;
  const kept = b.op('i32.and', b.get(OTHER_FLAGS), b.i32(~changeable));
  b.set(OTHER_FLAGS, b.op('i32.or', kept, b.op('i32.and', value, b.i32(changeable))));
  b.set(DF, b.op('i32.and', b.op('i32.shr_u', value, b.i32(10)), b.i32(1)));
  setLiteral(l, b.op('i32.and', value, b.i32(ARITHMETIC_FLAGS)));
}

function setLiteral(l: Lift, flags: Value): void {
  l.b.setFlags(l.b.i32(ccOp('FLAGS', 1)), l.b.extend(flags));
}

function lahf(l: Lift): void {
  const { b } = l;
  l.writeGpr(AH, b.op('i32.or', b.op('i32.and', b.flags(), b.i32(LAHF_FLAGS)), b.i32(ALWAYS_SET)));
}

function sahf(l: Lift): void {
  const { b } = l;
  const overflow = b.op('i32.and', b.flags(), b.i32(FLAG.OF));
  setLiteral(l, b.op('i32.or', overflow, b.op('i32.and', l.readGpr(AH), b.i32(LAHF_FLAGS))));
}

function cmc(l: Lift): void {
  setCarry(l, l.b.op('i32.eqz', l.b.condition(COND.B)));
}

export const EFLAGS: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Lahf, lahf],
  [Mnemonic.Sahf, sahf],
  [Mnemonic.Clc, (l) => setCarry(l, l.b.i32(0))],
  [Mnemonic.Stc, (l) => setCarry(l, l.b.i32(1))],
  [Mnemonic.Cmc, cmc],
  [Mnemonic.Cld, (l) => l.b.set(DF, l.b.i32(0))],
  [Mnemonic.Std, (l) => l.b.set(DF, l.b.i32(1))],
]);
