/** What integer operations of the IR come to: those that addresses and conditions are made of. */
type Operation = (a: bigint, b: bigint, bits: number) => bigint;

const signed = (value: bigint, bits: number): bigint => BigInt.asIntN(bits, value);
const truth = (holds: boolean): bigint => (holds ? 1n : 0n);
/** Comparisons are of operands whose width the name says. */
const compared = (holds: (a: bigint, b: bigint) => boolean): Operation => (a, b) => truth(holds(a, b));
const comparedSigned = (holds: (a: bigint, b: bigint) => boolean): Operation => (a, b, bits) => truth(holds(signed(a, bits), signed(b, bits)));

const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, b, bits) => a << (b % BigInt(bits)),
  shr_u: (a, b, bits) => a >> (b % BigInt(bits)),
  shr_s: (a, b, bits) => signed(a, bits) >> (b % BigInt(bits)),
  eqz: compared((a) => a === 0n),
  eq: compared((a, b) => a === b),
  ne: compared((a, b) => a !== b),
  lt_u: compared((a, b) => a < b),
  gt_u: compared((a, b) => a > b),
  le_u: compared((a, b) => a <= b),
  ge_u: compared((a, b) => a >= b),
  lt_s: comparedSigned((a, b) => a < b),
  gt_s: comparedSigned((a, b) => a > b),
  le_s: comparedSigned((a, b) => a <= b),
  ge_s: comparedSigned((a, b) => a >= b),
  extend8_s: (a) => signed(a & 0xffn, 8),
  extend16_s: (a) => signed(a & 0xffffn, 16),
  extend32_s: (a) => signed(a & 0xffff_ffffn, 32),
  extend_i32_u: (a) => a & 0xffff_ffffn,
  extend_i32_s: (a) => signed(a & 0xffff_ffffn, 32),
  wrap_i64: (a) => a & 0xffff_ffffn,
};

/** Undefined for operations that are not in the list. `bits` is the width of the result. */
export function binaryNumber(name: string, [a = 0n, b = 0n]: readonly bigint[], bits: number): bigint | undefined {
  const [type = '', operation = ''] = name.split('.');
  if (type !== 'i32' && type !== 'i64') return undefined;
  const width = type === 'i32' ? 32 : 64;
  const value = OPERATIONS[operation]?.(BigInt.asUintN(64, a), BigInt.asUintN(64, b), width);
  return value === undefined ? undefined : BigInt.asUintN(bits, value);
}
