/** What the pure operations compute that are functions of generated code rather than instructions of WebAssembly. */
import type { Node } from '../ir.js';
import { OPS } from '../ops.js';
import { lanesOf } from './vectors.js';

/** Operands are unsigned, and so is the result; undefined if the operation has none for these operands. */
type PureHelper = (operands: readonly bigint[], node: Node) => bigint | undefined;

const signed = (value: bigint): bigint => BigInt.asIntN(64, value);
const unsigned = (value: bigint): bigint => BigInt.asUintN(64, value);

/** 128 by 64 bits: quotient and remainder, or undefined where the quotient does not fit. */
function divided(operands: readonly bigint[], isSigned: boolean): readonly [quotient: bigint, remainder: bigint] | undefined {
  const [high, low, divisor] = operands as [bigint, bigint, bigint];
  if (divisor === 0n) return undefined;
  const dividend = ((isSigned ? signed(high) : high) << 64n) | low;
  const by = isSigned ? signed(divisor) : divisor;
  const quotient = dividend / by;
  return quotient === (isSigned ? signed(quotient) : unsigned(quotient)) ? [quotient, dividend % by] : undefined;
}

const part = (index: 0 | 1, isSigned: boolean): PureHelper => (operands) => {
  const result = divided(operands, isSigned)?.[index];
  return result === undefined ? undefined : unsigned(result);
};
const overflows = (isSigned: boolean): PureHelper => (operands) => (divided(operands, isSigned) === undefined ? 1n : 0n);

/** The polynomial of CRC-32C, its bits reversed. */
const POLYNOMIAL = 0x82f63b78n;

/**
 * As generated code has it: bits of the operand above its bytes, which lifters leave 0, move down and take no other
 * part.
 */
function crc32c(crc: bigint, value: bigint, bytes: number): bigint {
  let word = value ^ crc;
  for (let bit = 0; bit < bytes * 8; bit++) word = (word & 1n) !== 0n ? (word >> 1n) ^ POLYNOMIAL : word >> 1n;
  return BigInt.asUintN(32, word);
}

const ANY_OF = 0;
const RANGES = 1;
const EACH_EQUAL = 2;
const SIGNED_ELEMENTS = 2;
const NEGATES = 0x10;
const NEGATES_VALID_ONLY = 0x30;

/** IntRes2 of the SSE4.2 string comparisons, as the manual has it, element by element (SDM volume 2, 4.1). */
function compareStrings(elementBits: number, operands: readonly bigint[], control: number): bigint {
  const elements = (vector: bigint): bigint[] =>
    lanesOf(vector, elementBits).map((element) => ((control & SIGNED_ELEMENTS) !== 0 ? BigInt.asIntN(elementBits, element) : element));
  const [x, y] = [elements(operands[0] as bigint), elements(operands[1] as bigint)];
  const [lengthX, lengthY] = [Number(operands[2]), Number(operands[3])];
  const all = x.map((_, i) => i);
  const isEqual = (i: number, j: number): boolean => i < lengthX && j < lengthY && x[i] === y[j];
  const isInRange = (i: number, j: number): boolean =>
    i + 1 < lengthX && j < lengthY && (y[j] as bigint) >= (x[i] as bigint) && (y[j] as bigint) <= (x[i + 1] as bigint);
  const matches = (j: number): boolean => {
    switch ((control >> 2) & 3) {
      case ANY_OF: return all.some((i) => isEqual(i, j));
      case RANGES: return all.some((i) => i % 2 === 0 && isInRange(i, j));
      case EACH_EQUAL: return isEqual(j, j) || (j >= lengthX && j >= lengthY);
      default: return all.every((i) => i + j >= x.length || i >= lengthX || isEqual(i, i + j));
    }
  };
  const isNegated = (j: number): boolean =>
    (control & NEGATES_VALID_ONLY) === NEGATES || ((control & NEGATES_VALID_ONLY) === NEGATES_VALID_ONLY && j < lengthY);
  return BigInt(all.reduce((bits, j) => bits | (matches(j) !== isNegated(j) ? 1 << j : 0), 0));
}

const BY_NAME: Readonly<Record<string, PureHelper>> = {
  'mul.hi_u': ([a, b]) => ((a as bigint) * (b as bigint)) >> 64n,
  'mul.hi_s': ([a, b]) => unsigned((signed(a as bigint) * signed(b as bigint)) >> 64n),
  'div.quot_u': part(0, false),
  'div.rem_u': part(1, false),
  'div.quot_s': part(0, true),
  'div.rem_s': part(1, true),
  'div.overflows_u': overflows(false),
  'div.overflows_s': overflows(true),
  crc32c: ([crc, value], { imm }) => crc32c(crc as bigint, value as bigint, imm),
  'pcmpstr.bytes': (operands, { imm }) => compareStrings(8, operands, imm),
  'pcmpstr.words': (operands, { imm }) => compareStrings(16, operands, imm),
};

/** By the operation's id. */
export const PURE_HELPERS: readonly (PureHelper | undefined)[] = OPS.map(({ name }) => BY_NAME[name]);
