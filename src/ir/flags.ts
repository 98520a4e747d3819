/**
 * Lazy flags. An instruction that sets flags says with `cc.set kind, x, y, z` how they came about;
 * no flag is computed until an instruction asks. Kinds with an operand size are kind * 4 + log2(bytes).
 * x, y, z are i64; operands narrower than 64 bits are zero-extended.
 *
 *   FLAGS  x = the arithmetic EFLAGS bits, literally
 *   CARRY  x = CF (0 or 1), y = the other arithmetic EFLAGS bits, literally
 *   ADD    x = result, y = second operand                  (add, xadd)
 *   SUB    x = first operand, y = second operand           (sub, cmp, neg as 0 - y, cmpxchg, scas, cmps)
 *   LOGIC  x = result                                      (and, or, xor, test): CF, OF, AF are 0
 *   INC    x = result, z = the old CF (0 or 1)
 *   DEC    x = result, z = the old CF
 *   ADC    x = result, y = second operand, z = carry in
 *   SBB    x = first operand, y = second operand, z = borrow in
 *   SHL    x = result, y = operand, z = count (1 .. bits)
 *   SHR    x = result, y = operand, z = count              (shr, shrd); shld is SHL
 *   SAR    x = result, y = operand (sign-extended), z = count
 *   MUL    x = low result, y = nonzero if the product did not fit: CF = OF = (y != 0)
 */
import { FLAG } from '../layout/cpuState.js';

export const CC = {
  FLAGS: 0, CARRY: 1, ADD: 2, SUB: 3, LOGIC: 4, INC: 5, DEC: 6, ADC: 7, SBB: 8, SHL: 9, SHR: 10, SAR: 11, MUL: 12,
} as const;
export type CcKind = keyof typeof CC;

/** Number of values that ccOp can have. */
export const CC_COUNT = 13 * 4;

const LOG2 = [0, 0, 1, 0, 2, 0, 0, 0, 3];

/** The number that ccOp holds for a kind and an operand size in bytes. */
export function ccOp(kind: CcKind, bytes: number): number {
  const n = CC[kind];
  return n * 4 + (n <= CC.CARRY ? 0 : (LOG2[bytes] as number));
}

/** How many of ccOp, ccX, ccY, ccZ have a meaning: the others may hold anything. */
export function ccOperands(op: number): number {
  switch (op >> 2) {
    case CC.FLAGS:
    case CC.LOGIC:
      return 2;
    case CC.CARRY:
    case CC.ADD:
    case CC.SUB:
    case CC.MUL:
      return 3;
    default:
      return 4;
  }
}

/** Condition codes in the encoding of Jcc, SETcc and CMOVcc. */
export const COND = { O: 0, NO: 1, B: 2, AE: 3, E: 4, NE: 5, BE: 6, A: 7, S: 8, NS: 9, P: 10, NP: 11, L: 12, GE: 13, LE: 14, G: 15 } as const;

/** Whether a condition code holds, given the arithmetic EFLAGS bits. */
export function conditionHolds(code: number, flags: number): boolean {
  const plain = plainConditionHolds(code >> 1, flags);
  return (code & 1) === 0 ? plain : !plain;
}

/** Of a pair of condition codes that say the opposite of each other: the even one. */
function plainConditionHolds(pair: number, flags: number): boolean {
  const isLess = ((flags & FLAG.SF) !== 0) !== ((flags & FLAG.OF) !== 0);
  switch (pair << 1) {
    case COND.O: return (flags & FLAG.OF) !== 0;
    case COND.B: return (flags & FLAG.CF) !== 0;
    case COND.E: return (flags & FLAG.ZF) !== 0;
    case COND.BE: return (flags & (FLAG.CF | FLAG.ZF)) !== 0;
    case COND.S: return (flags & FLAG.SF) !== 0;
    case COND.P: return (flags & FLAG.PF) !== 0;
    case COND.L: return isLess;
    default: return isLess || (flags & FLAG.ZF) !== 0;
  }
}

/** The arithmetic EFLAGS bits of a stopped CPU. */
export function flagsFromState(op: number, x: bigint, y: bigint, z: bigint): number {
  if (op === CC.FLAGS * 4) return Number(x & 0x8d5n);
  if (op === CC.CARRY * 4) return Number(x & 1n) | Number(y & 0x8d4n);
  const bits = 8 << (op & 3);
  return computeFlags(op >> 2, bits, BigInt.asUintN(bits, x), BigInt.asUintN(bits, y), z, y);
}

function computeFlags(kind: number, bits: number, x: bigint, y: bigint, z: bigint, wideY: bigint): number {
  const wrap = (v: bigint): bigint => BigInt.asUintN(bits, v);
  const top = (v: bigint): boolean => ((v >> BigInt(bits - 1)) & 1n) === 1n;
  const result = kind === CC.SUB ? wrap(x - y) : kind === CC.SBB ? wrap(x - y - z) : x;
  const flags = (carry: boolean, overflow: boolean, adjust: boolean): number =>
    (carry ? FLAG.CF : 0) | (overflow ? FLAG.OF : 0) | (adjust ? FLAG.AF : 0) |
    (result === 0n ? FLAG.ZF : 0) | (top(result) ? FLAG.SF : 0) | (evenParity(Number(result & 0xffn)) ? FLAG.PF : 0);
  switch (kind) {
    case CC.ADD:
    case CC.ADC: {
      const a = wrap(x - y - (kind === CC.ADC ? z : 0n));
      const carry = kind === CC.ADC && z !== 0n ? x <= y : x < y;
      return flags(carry, top((a ^ x) & (y ^ x)), ((a ^ y ^ x) & 16n) !== 0n);
    }
    case CC.SUB:
      return flags(x < y, top((x ^ y) & (x ^ result)), ((x ^ y ^ result) & 16n) !== 0n);
    case CC.SBB:
      return flags(z !== 0n ? x <= y : x < y, top((x ^ y) & (x ^ result)), ((x ^ y ^ result) & 16n) !== 0n);
    case CC.LOGIC:
      return flags(false, false, false);
    case CC.INC:
      return flags(z !== 0n, x === 1n << BigInt(bits - 1), (x & 15n) === 0n);
    case CC.DEC:
      return flags(z !== 0n, x === (1n << BigInt(bits - 1)) - 1n, (x & 15n) === 15n);
    case CC.SHL: {
      const carry = z <= BigInt(bits) && ((y >> (BigInt(bits) - z)) & 1n) === 1n;
      return flags(carry, top(result) !== carry, false);
    }
    case CC.SHR:
      return flags(((y >> (z - 1n)) & 1n) === 1n, top(x ^ y), false);
    case CC.SAR:
      return flags(((BigInt.asIntN(64, wideY) >> (z - 1n)) & 1n) === 1n, false, false);
    default:
      return flags(wideY !== 0n, wideY !== 0n, false);
  }
}

function evenParity(byte: number): boolean {
  let v = byte ^ (byte >> 4);
  v ^= v >> 2;
  v ^= v >> 1;
  return (v & 1) === 0;
}
