/** Floating point in `printf`, against C's: gdb of this machine may lack `%a` and `%F`. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import * as big from '../../src/debugger/values/bigFloat.js';
import { DOUBLE_TYPE, LONG_DOUBLE } from '../../src/debugger/values/madeTypes.js';
import { converted } from '../../src/debugger/values/printf/convert.js';
import { parseFormat } from '../../src/debugger/values/printf/format.js';
import { floatValue } from '../../src/debugger/values/scalars.js';
import type { Surroundings } from '../../src/debugger/values/surroundings.js';
import { compileProgram } from './gdbAnswers.js';

const FORMATS = [
  '%a', '%A', '%F', '%f', '%e', '%E', '%g', '%G', '%.0a', '%.1a', '%.5a', '%.20a', '%#.0a', '%30a|', '%-30a|', '%030a', '%+a', '%+F', '%#.0f', '%.0f', '%.1f', '%.25f', '%030.3f', '%#g', '%.0g',
  '%.17g', '%.40g', '%#.3g', '%.0e', '%#.0e', '%.20e', '%+.3e', '%-20.2e|', '%020.2E',
];

/** Zeros, ones, what lies between formats, halves of the last digit, the largest and smallest; then anything. */
function numbers(format: big.FloatFormat, randomOnes: number): bigint[] {
  const stored = BigInt(format.hasIntegerBit ? format.precision : format.precision - 1);
  const top = 1n << (stored + BigInt(format.exponentBits));
  const told = [0, 1, 1.5, 0.1, 0.5, 2.5, 3.1417, 1.9999999999, 123456789, 1e-5, 9.9995e-5, 99999.95, 1e15, 6.02e23, 1 / 3].map((one) => big.toBits(format, big.fromNumber(one)));
  const extreme = [1n, 3n, (1n << (stored - 1n)) - 1n, ...[big.fromNumber(Infinity), big.fromNumber(NaN)].map((one) => big.toBits(format, one))];
  const largest = (((1n << BigInt(format.exponentBits)) - 2n) << stored) | ((1n << stored) - 1n);
  let seed = 1n;
  const random = Array.from({ length: randomOnes }, () => {
    seed = BigInt.asUintN(128, seed * 0x2360ed051fc65da44385df649fccf645n + 0x5851f42d4c957f2d14057b7ef767814fn);
    const field = 1n + ((seed >> 64n) % ((1n << BigInt(format.exponentBits)) - 2n));
    return (field << stored) | BigInt.asUintN(Number(stored), seed >> 20n) | (format.hasIntegerBit ? 1n << (stored - 1n) : 0n);
  });
  return [...told, ...extreme, largest, ...random].flatMap((bits) => [bits, bits | top]);
}

describe.each([['double', big.DOUBLE, DOUBLE_TYPE], ['long double', big.EXTENDED, LONG_DOUBLE]] as const)('printf of %s', (name, format, type) => {
  it('writes what C writes', () => {
    const formats = FORMATS.map((one) => (name === 'double' ? one : one.replace(/(?=[a-zA-Z])/, 'L')));
    const cases = formats.flatMap((one) => numbers(format, 12).map((bits) => ({ format: one, bits })));
    const program = compileProgram('asInC.c', ['-O0']);
    const input = cases.map((one) => `${one.format} ${(one.bits >> 64n).toString(16)} ${BigInt.asUintN(64, one.bits).toString(16)}\n`).join('');
    const expected = execFileSync(program, { input, encoding: 'latin1', maxBuffer: 1 << 28 }).split('\n').slice(0, -1);
    const ours = cases.map((one) => {
      const value = floatValue({} as Surroundings, type, big.fromBits(format, one.bits));
      return parseFormat(`"${one.format}"`).pieces.map((piece) => (typeof piece === 'string' ? piece : converted(value, piece))).join('');
    });
    const label = (text: string | undefined, i: number): string => `${cases[i]?.format} of 0x${cases[i]?.bits.toString(16)}: ${text}`;
    const wrong = ours.flatMap((text, i) => (text === expected[i] ? [] : [`${label(text, i)}, not ${expected[i]}`]));
    expect(wrong).toEqual([]);
    expect(expected).toHaveLength(cases.length);
  });
});
