/**
 * What counts as defined is the same, whatever undefined bits are; and of sums and products not much more counts as
 * undefined than is.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Value } from '../../../ir/ir.js';
import { scalarRules } from './scalarShadows.js';
import type { ShadowRule } from './shadowRule.js';

const MASK = 0xffff_ffffn;
const RULES = scalarRules('i32');
const OPERATIONS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  mul: (a, b) => a * b, add: (a, b) => a + b, sub: (a, b) => a - b, and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
};
const NODE = { a: 0 as Value, b: 1 as Value } as Node;

function undefinedBits(name: string, values: readonly [bigint, bigint], bits: readonly [bigint, bigint]): bigint {
  return (RULES[`i32.${name}`] as ShadowRule)({ bits: (v) => bits[v] as bigint, value: (v) => values[v] }, NODE);
}

/** Few bits set, and many: either is usual. */
const word = fc.oneof(fc.bigInt(0n, MASK), fc.bigInt(0n, 255n), fc.nat(31).map((bit) => 1n << BigInt(bit)), fc.constant(0n));

describe('integers', () => {
  it.each(Object.keys(OPERATIONS))('%s', (name) => {
    const compute = OPERATIONS[name] as (a: bigint, b: bigint) => bigint;
    fc.assert(fc.property(word, word, word, word, word, word, (a, b, p, q, noiseA, noiseB) => {
      const bits = undefinedBits(name, [a, b], [p, q]);
      const differs = (compute(a, b) ^ compute(a ^ (noiseA & p), b ^ (noiseB & q))) & MASK;
      expect(differs & ~bits).toBe(0n);
    }), { numRuns: 2000 });
  });

  it('what is multiplied by zero is zero, and by a power of two moves', () => {
    expect(undefinedBits('mul', [0n, 77n], [0n, MASK])).toBe(0n);
    expect(undefinedBits('mul', [77n, 0n], [0xffn, 0n])).toBe(0n);
    expect(undefinedBits('mul', [16n, 0n], [0n, MASK])).toBe(MASK & ~15n);
    expect(undefinedBits('mul', [1n, 0n], [0n, 1n])).toBe(MASK);
  });
});
