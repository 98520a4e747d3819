import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildHelpers } from '../softfloat/helperTesting.js';
import { INTEGER_HELPERS } from './integer.js';

const { call } = buildHelpers(INTEGER_HELPERS);
const run = (name: string, ...args: (bigint | number)[]): bigint => BigInt(call[name]!(...args) as bigint | number);
const signed = (v: bigint): bigint => BigInt.asIntN(64, v);
const unsigned = (v: bigint): bigint => BigInt.asUintN(64, v);

const EDGES = [0n, 1n, 2n, 3n, 0xffffffffn, 0x100000000n, 0x7fffffffffffffffn, 0x8000000000000000n, 0xffffffff00000000n, 0xfffffffffffffffen, 0xffffffffffffffffn];
const word = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.bigInt({ min: 0n, max: 0xffffn }));

describe('integer helpers', () => {
  it('multiply to 128 bits', () => {
    fc.assert(fc.property(word, word, (a, b) => {
      expect(unsigned(run('mul.hi_u', signed(a), signed(b)))).toBe((a * b) >> 64n);
      expect(run('mul.hi_s', signed(a), signed(b))).toBe((signed(a) * signed(b)) >> 64n);
    }), { numRuns: 2000 });
  });

  it('divide 128 by 64 bits, unsigned', () => {
    fc.assert(fc.property(word, word, word, (high, low, divisor) => {
      const args = [signed(high), signed(low), signed(divisor)];
      const overflows = divisor === 0n || high >= divisor;
      expect(run('div.overflows_u', ...args)).toBe(overflows ? 1n : 0n);
      if (overflows) return;
      const dividend = (high << 64n) | low;
      expect(unsigned(run('div.quot_u', ...args))).toBe(dividend / divisor);
      expect(unsigned(run('div.rem_u', ...args))).toBe(dividend % divisor);
    }), { numRuns: 5000 });
  });

  it('divide 128 by 64 bits, signed', () => {
    // Small high halves, so that many quotients fit.
    const high128 = fc.oneof(word, fc.constantFrom(0n, 1n, -1n, -2n, 5n), fc.bigInt({ min: -1n << 40n, max: 1n << 40n }));
    fc.assert(fc.property(high128, word, word, (high, low, divisor) => {
      const args = [signed(high), signed(low), signed(divisor)];
      const dividend = (signed(high) << 64n) | low;
      const quotient = signed(divisor) === 0n ? 1n << 64n : dividend / signed(divisor);
      const overflows = quotient !== signed(quotient);
      expect(run('div.overflows_s', ...args)).toBe(overflows ? 1n : 0n);
      if (overflows) return;
      expect(run('div.quot_s', ...args)).toBe(quotient);
      expect(run('div.rem_s', ...args)).toBe(dividend % signed(divisor));
    }), { numRuns: 5000 });
  });

  it('computes CRC-32C', () => {
    // The check value of the algorithm: "123456789" gives e3069283.
    let crc = 0xffffffffn;
    for (const c of '12345678') crc = unsigned(run('crc32c', Number(crc & 0xffffffffn) | 0, BigInt(c.charCodeAt(0)), 1)) & 0xffffffffn;
    const whole = run('crc32c', -1, 0x3837363534333231n, 8) & 0xffffffffn;
    expect(whole).toBe(crc);
    expect((run('crc32c', Number(whole) | 0, 0x39n, 1) ^ 0xffffffffn) & 0xffffffffn).toBe(0xe3069283n);
  });
});
