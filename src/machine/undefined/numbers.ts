/** What integer operations of the IR, and the bitwise ones of vectors, come to. */
type Operation = (a: bigint, b: bigint, bits: number) => bigint;

const signed = (value: bigint, bits: number): bigint => BigInt.asIntN(bits, value);
const truth = (holds: boolean): bigint => (holds ? 1n : 0n);
const rotated = (a: bigint, left: bigint, bits: number): bigint => (a << left) | (a >> (BigInt(bits) - left));
const count = (b: bigint, bits: number): bigint => b % BigInt(bits);

const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b,
  and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b, andnot: (a, b) => a & ~b, not: (a) => ~a,
  shl: (a, b, bits) => a << count(b, bits),
  shr_u: (a, b, bits) => a >> count(b, bits),
  shr_s: (a, b, bits) => signed(a, bits) >> count(b, bits),
  rotl: (a, b, bits) => rotated(a, count(b, bits), bits),
  rotr: (a, b, bits) => rotated(a, count(BigInt(bits) - count(b, bits), bits), bits),
  eqz: (a) => truth(a === 0n), eq: (a, b) => truth(a === b), ne: (a, b) => truth(a !== b),
  lt_u: (a, b) => truth(a < b), gt_u: (a, b) => truth(a > b), le_u: (a, b) => truth(a <= b), ge_u: (a, b) => truth(a >= b),
  lt_s: (a, b, bits) => truth(signed(a, bits) < signed(b, bits)), gt_s: (a, b, bits) => truth(signed(a, bits) > signed(b, bits)),
  le_s: (a, b, bits) => truth(signed(a, bits) <= signed(b, bits)), ge_s: (a, b, bits) => truth(signed(a, bits) >= signed(b, bits)),
  extend8_s: (a) => signed(a, 8), extend16_s: (a) => signed(a, 16), extend32_s: (a) => signed(a, 32),
  extend_i32_u: (a) => a, extend_i32_s: (a) => signed(a, 32), wrap_i64: (a) => a,
};
const COMPARISON = /^(eqz|eq|ne|[lg][te]_[us])$/;
const WIDTHS: Readonly<Record<string, number>> = { i32: 32, i64: 64, v128: 128 };

/** Undefined for operations that are not in the list. */
export function scalarNumber(name: string, a: bigint, b: bigint): bigint | undefined {
  const [type = '', operation = ''] = name.split('.');
  const width = WIDTHS[type];
  const does = OPERATIONS[operation];
  if (width === undefined || does === undefined) return undefined;
  const operandWidth = operation.startsWith('extend_i32') ? 32 : width;
  const value = does(BigInt.asUintN(operation === 'wrap_i64' ? 64 : operandWidth, a), BigInt.asUintN(operandWidth, b), width);
  return COMPARISON.test(operation) ? value : BigInt.asUintN(width, value);
}
