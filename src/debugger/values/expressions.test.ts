import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpressionError } from './expressionError.js';
import { Expressions } from './expressions.js';
import { FakeSurroundings } from './testing/fakeSurroundings.js';

function shown(expression: string): string {
  const expressions = new Expressions(new FakeSurroundings());
  return expressions.text(expressions.evaluate(expression));
}

/** What gcc computes for the expression, and the size of its type; gdb agrees with all of it. */
const INTEGERS: readonly (readonly [expression: string, value: string, size: number])[] = [
  ['7 / 2', '3', 4], ['-7 / 2', '-3', 4], ['-7 % 3', '-1', 4], ['7 % -3', '1', 4], ['-5 / -2', '2', 4],
  ['1 << 10', '1024', 4], ['-1 >> 1', '-1', 4], ['~0u >> 4', '268435455', 4],
  ['(short) 40000', '-25536', 2], ['(unsigned short) -1', '65535', 2], ['(short) -32768 - 1', '-32769', 4],
  ['(int) 3.99', '3', 4], ['(int) -3.99', '-3', 4], ['(long) 1e10', '10000000000', 8], ['(int) 1e9f', '1000000000', 4],
  ['5u - 6', '4294967295', 4], ['-1 < 0u', '0', 4], ['-1 < 0', '1', 4], ["'a' + 1", '98', 4], ['07 + 0x1f + 0b11', '41', 4],
  ['2147483647u + 1', '2147483648', 4], ['4294967295u * 2', '4294967294', 4], ['4294967295l * 2', '8589934590', 8],
  ['1 ? 2 : 3', '2', 4], ['!5 + !0', '1', 4], ['3 & 5 | 8 ^ 2', '11', 4], ['(1, 2)', '2', 4], ['6 - 2 - 1', '3', 4],
  ['2 * 3 % 4', '2', 4], ['1 + 2 << 3', '24', 4], ['10 > 9 == 1', '1', 4], ['0 || 2 && 0', '0', 4],
  ['(char) 65 + (char) 65', '130', 4], ['(unsigned) -1 / 2', '2147483647', 4], ['(long) (int) 0xffffffff', '-1', 8],
  ['0xffffffff', '4294967295', 4], ['0x7fffffff + 0ul', '2147483647', 8], ['18446744073709551615u', '18446744073709551615', 8],
  ['-2147483648l', '-2147483648', 8], ['(unsigned char) -1 << 1', '510', 4], ['(unsigned long) -1 % 10', '5', 8],
  ['7.0 / 2 == 3.5', '1', 4], ['(float) 0.1 == 0.1', '0', 4], ['1.0f / 3 == 1.0 / 3', '0', 4],
];
const FLOATS: readonly (readonly [expression: string, value: string, size: number])[] = [
  ['7.0 / 2', '3.5', 8], ['1.0f / 3', '0.333333343', 4], ['1.0 / 3', '0.33333333333333331', 8], ['0.1 + 0.2', '0.30000000000000004', 8],
  ['(float) 0.1', '0.100000001', 4], ['1e300 * 1e10', 'inf', 8], ['-1.5e-7', '-1.4999999999999999e-07', 8], ['3 / 2 + 0.5', '1.5', 8],
  ['(float) 16777217', '16777216', 4], ['1.5f * 3', '4.5', 4], ['1.0L / 3', '0.333333333333333333342', 16], ['2.5e10', '25000000000', 8],
  ['100000.0 * 100000', '10000000000', 8], ['123456789.0f', '123456792', 4],
];

describe('expressions of constants', () => {
  it.each([...INTEGERS, ...FLOATS])('%s is %s, as gcc has it', (expression, value, size) => {
    expect(shown(expression)).toBe(value);
    expect(shown(`(int) sizeof(${expression})`)).toBe(String(size));
  });

  it.each([['1 +', 'A syntax error in expression, near `\'.'], ['1 / 0', 'Division by zero'], ['nothing', 'No symbol table is loaded.  Use the "file" command.'], ['(1', 'A syntax error in expression, near `\'.']])('%s is refused', (expression, message) => {
    expect(() => shown(expression)).toThrow(new ExpressionError(message));
  });
});

describe('arithmetic of integers', () => {
  const long = fc.bigInt({ min: -(1n << 63n) + 1n, max: (1n << 63n) - 1n });
  const literal = (value: bigint): string => (value < 0n ? `(-${-value}l)` : `${value}l`);

  it.each([
    ['+', (a: bigint, b: bigint) => a + b], ['-', (a: bigint, b: bigint) => a - b], ['*', (a: bigint, b: bigint) => a * b],
    ['&', (a: bigint, b: bigint) => a & b], ['|', (a: bigint, b: bigint) => a | b], ['^', (a: bigint, b: bigint) => a ^ b],
    ['/', (a: bigint, b: bigint) => (b === 0n ? undefined : a / b)], ['%', (a: bigint, b: bigint) => (b === 0n ? undefined : a % b)],
  ] as const)('of long wraps around at 64 bits: %s', (operator, compute) => {
    fc.assert(fc.property(long, long, (a, b) => {
      const expected = compute(a, b);
      if (expected !== undefined) expect(shown(`${literal(a)} ${operator} ${literal(b)}`)).toBe(String(BigInt.asIntN(64, expected)));
    }));
  });

  it.each([['short', 16], ['int', 32], ['long', 64]] as const)('is cut by casts to %s', (type, bits) => {
    fc.assert(fc.property(long, (a) => {
      expect(shown(`(${type}) ${literal(a)}`)).toBe(String(BigInt.asIntN(bits, a)));
      expect(shown(`(unsigned ${type}) ${literal(a)}`)).toBe(String(BigInt.asUintN(bits, a)));
    }));
  });

  it('compares as numbers', () => {
    fc.assert(fc.property(long, long, (a, b) => {
      expect(shown(`${literal(a)} < ${literal(b)}`)).toBe(a < b ? '1' : '0');
      expect(shown(`${literal(a)} == ${literal(b)}`)).toBe(a === b ? '1' : '0');
    }));
  });
});

describe('values in memory', () => {
  it('are read and written through pointers', () => {
    const around = new FakeSurroundings().put(0x1000n, [0x2a, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    const expressions = new Expressions(around);
    const text = (expression: string): string => expressions.text(expressions.evaluate(expression));
    expect([text('*(int *) 0x1000'), text('((int *) 0x1000)[1]'), text('*(unsigned *) 0x1004'), text('*(long *) 0x1000')]).toEqual(['42', '-1', '4294967295', '-4294967254']);
    expect(text('*(int *) 0x1004 = 7')).toBe('7');
    expect(around.memory(0x1004n, 4)).toEqual(Uint8Array.of(7, 0, 0, 0));
    expect(() => text('*(int *) 0x2000')).toThrow('Cannot access memory at address 0x2000');
  });

  it('are registers after a dollar', () => {
    const around = new FakeSurroundings();
    around.registers.set('rax', 0xffff_ffff_ffff_fffen);
    const expressions = new Expressions(around);
    expect(expressions.text(expressions.evaluate('$rax + $eax'))).toBe('-4');
  });
});
