/** Rules for integers. */
import type { Node } from '../../../ir/ir.js';
import { isEqualityUndefined, isOrderUndefined, leftOf, ones, type Operands, type ShadowRule, truth } from './shadowRule.js';

/**
 * What is undefined of x + y: bits that differ between the smallest and the largest sum, or whose operands are
 * undefined themselves.
 */
function summed(x: bigint | undefined, p: bigint, y: bigint | undefined, q: bigint, mask: bigint, carry = 0n): bigint {
  if ((p | q) === 0n) return 0n;
  if (x === undefined || y === undefined) return leftOf(p | q, mask);
  return (p | q | ((((x & ~p) + (y & ~q) + carry) ^ ((x | p) + (y | q) + carry)))) & mask;
}

/**
 * Of x * y: from the lowest bit on that an undefined one of either and one of the other, if it may be set, come to.
 * What is multiplied by 0 is 0.
 */
function multiplied(x: bigint | undefined, p: bigint, y: bigint | undefined, q: bigint, mask: bigint): bigint {
  const lowest = (bits: bigint): bigint => bits & -bits;
  const met = lowest(p) * lowest((y ?? mask) | q) | lowest(q) * lowest((x ?? mask) | p);
  return leftOf(met & mask, mask);
}

type Scalar = 'i32' | 'i64';

export function scalarRules(type: Scalar): Record<string, ShadowRule> {
  const width = type === 'i32' ? 32 : 64;
  const mask = ones(width);
  const sign = 1n << BigInt(width - 1);
  const either = (o: Operands, { a, b }: Node): bigint => o.bits(a) | o.bits(b);
  const all: ShadowRule = (o, n) => (either(o, n) === 0n ? 0n : mask);
  const equality: ShadowRule = (o, { a, b }) => truth(isEqualityUndefined(o.value(a), o.bits(a), o.value(b), o.bits(b)));
  const order = (holds: (a: bigint, b: bigint) => boolean, isSigned: boolean): ShadowRule => (o, { a, b }) => {
    const turned = (value: bigint | undefined): bigint | undefined => (value === undefined || !isSigned ? value : value ^ sign);
    return truth(isOrderUndefined(holds, turned(o.value(a)), o.bits(a), turned(o.value(b)), o.bits(b)));
  };
  const shift = (move: (bits: bigint, count: bigint) => bigint): ShadowRule => (o, { a, b }) => {
    const count = o.value(b);
    if (o.bits(b) !== 0n || count === undefined) return all(o, { a, b } as Node);
    return move(o.bits(a), count % BigInt(width)) & mask;
  };
  const extended = (from: number): ShadowRule => (o, { a }) => BigInt.asUintN(width, BigInt.asIntN(from, o.bits(a)));
  const counted = (isFromLeft: boolean): ShadowRule => (o, { a }) => {
    const [value, bits] = [o.value(a), o.bits(a)];
    if (bits === 0n) return 0n;
    const set = value === undefined ? 0n : value & ~bits & mask;
    // The first one that is defined comes before all that is not.
    const isKnown = set !== 0n && (isFromLeft ? set > bits : (set & -set) < (bits & -bits));
    return isKnown ? 0n : mask;
  };
  const rules: Record<string, ShadowRule> = {
    mul: (o, { a, b }) => multiplied(o.value(a), o.bits(a), o.value(b), o.bits(b), mask),
    add: (o, { a, b }) => (a === b ? (o.bits(a) << 1n) & mask : summed(o.value(a), o.bits(a), o.value(b), o.bits(b), mask)),
    // x - y is x + ~y + 1.
    sub: (o, { a, b }) => {
      const y = o.value(b);
      return a === b ? 0n : summed(o.value(a), o.bits(a), y === undefined ? undefined : ~y & mask, o.bits(b), mask, 1n);
    },
    div_s: all, div_u: all, rem_s: all, rem_u: all,
    and: (o, { a, b }) => {
      const [p, q, x, y] = [o.bits(a), o.bits(b), o.value(a) ?? mask, o.value(b) ?? mask];
      return (p & q) | (p & y) | (q & x);
    },
    or: (o, { a, b }) => {
      const [p, q, x, y] = [o.bits(a), o.bits(b), o.value(a) ?? 0n, o.value(b) ?? 0n];
      return (p & q) | (p & ~y & mask) | (q & ~x & mask);
    },
    xor: (o, n) => (n.a === n.b ? 0n : either(o, n)),
    shl: shift((bits, count) => bits << count),
    shr_u: shift((bits, count) => bits >> count),
    shr_s: shift((bits, count) => BigInt.asIntN(width, bits) >> count),
    rotl: shift((bits, count) => (bits << count) | (bits >> (BigInt(width) - count))),
    rotr: shift((bits, count) => (bits >> count) | (bits << (BigInt(width) - count))),
    eq: equality, ne: equality,
    eqz: (o, { a }) => truth(isEqualityUndefined(o.value(a), o.bits(a), 0n, 0n)),
    lt_u: order((a, b) => a < b, false), gt_u: order((a, b) => a > b, false), le_u: order((a, b) => a <= b, false), ge_u: order((a, b) => a >= b, false),
    lt_s: order((a, b) => a < b, true), gt_s: order((a, b) => a > b, true), le_s: order((a, b) => a <= b, true), ge_s: order((a, b) => a >= b, true),
    clz: counted(true), ctz: counted(false),
    extend8_s: extended(8), extend16_s: extended(16), extend32_s: extended(32),
    extend_i32_u: (o, { a }) => o.bits(a), extend_i32_s: extended(32),
    wrap_i64: (o, { a }) => o.bits(a) & ones(32),
  };
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${type}.${name}`, rule]));
}

/** Of any type. */
export const SELECT: ShadowRule = (o, { a, b, c }) => {
  const [condition, x, y] = [o.value(c), o.value(a), o.value(b)];
  if (o.bits(c) !== 0n || condition === undefined) return o.bits(a) | o.bits(b) | (x === undefined || y === undefined ? ones(128) : x ^ y);
  return o.bits(condition === 0n ? b : a);
};
