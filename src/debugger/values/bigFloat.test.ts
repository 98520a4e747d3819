import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as big from './bigFloat.js';
import { shownFloat, unsignedFloatText } from './floatText.js';

const FORMATS = { half: big.HALF, bfloat: big.BFLOAT, single: big.SINGLE, double: big.DOUBLE, extended: big.EXTENDED, quadruple: big.QUADRUPLE };
const number = fc.double({ noNaN: true });

describe('floating point numbers', () => {
  it.each(Object.entries(FORMATS))('of format %s have the bits that they were read from', (_name, format) => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: (1n << BigInt(8 * format.size)) - 1n }), (bits) => {
      const isInvalid = format.hasIntegerBit && ((bits >> 63n) & 1n) === 0n && ((bits >> 64n) & 0x7fffn) !== 0n;
      const isPseudoDenormal = format.hasIntegerBit && ((bits >> 63n) & 1n) === 1n && ((bits >> 64n) & 0x7fffn) === 0n;
      if (!isInvalid && !isPseudoDenormal) expect(big.toBits(format, big.fromBits(format, bits))).toBe(bits);
    }));
  });

  it.each([
    ['add', big.add, (a: number, b: number) => a + b], ['multiply', big.multiply, (a: number, b: number) => a * b], ['divide', big.divide, (a: number, b: number) => a / b],
  ] as const)('%s as the processor does', (_name, operation, compute) => {
    fc.assert(fc.property(number, number, (a, b) => {
      const result = big.toNumber(operation(big.fromNumber(a), big.fromNumber(b)));
      const expected = compute(a, b);
      // The sign of a zero that comes of two others is the rounding's affair.
      if (expected === 0) expect(Math.abs(result)).toBe(0);
      else expect(result).toBe(expected);
    }));
  });

  it('are rounded to float as the processor does', () => {
    fc.assert(fc.property(number, (a) => {
      expect(big.toNumber(big.round(big.SINGLE, big.fromNumber(a)))).toBe(Math.fround(a));
    }));
  });

  it('stay no numbers in a format that their payload does not fit into', () => {
    const nan = big.fromBits(big.EXTENDED, (0x7fffn << 64n) | (3n << 62n));
    expect(nan.kind).toBe('nan');
    expect(big.fromBits(big.DOUBLE, big.toBits(big.DOUBLE, nan)).kind).toBe('nan');
    expect(big.toNumber(nan)).toBeNaN();
  });
});

describe('floating point numbers as text', () => {
  it('with 17 digits are told from all others', () => {
    fc.assert(fc.property(number, (a) => {
      expect(Number(shownFloat(big.fromNumber(a), 17).replace('inf', 'Infinity'))).toBe(a);
    }));
  });

  it('have no more digits than asked for', () => {
    fc.assert(fc.property(number, fc.integer({ min: 1, max: 20 }), (a, digits) => {
      const mantissa = shownFloat(big.fromNumber(a), digits).replace(/e.*|[^\d]/g, '').replace(/^0+/, '');
      expect(mantissa.length).toBeLessThanOrEqual(digits);
    }));
  });

  // What glibc's printf writes.
  it.each([
    [0.5, 'f', 0, '0'], [1.5, 'f', 0, '2'], [2.5, 'f', 0, '2'], [1e15, 'g', 6, '1e+15'], [100000, 'g', 6, '100000'], [1e6, 'g', 6, '1e+06'],
    [0.0001, 'g', 6, '0.0001'], [0.00001, 'g', 6, '1e-05'], [1.25, 'e', 1, '1.2e+00'], [9.995, 'f', 2, '9.99'], [255, 'a', undefined, '0x1.fep+7'], [1 / 3, 'A', 3, '0X1.555P-2'],
  ] as const)('%d with %%%s and precision %s', (value, letter, precision, text) => {
    expect(unsignedFloatText(big.fromNumber(value), big.DOUBLE, { letter, precision, isAlternate: false })).toBe(text);
  });
});
