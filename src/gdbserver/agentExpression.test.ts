import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentMachine, evaluateAgent } from './agentExpression.js';
import { bytesOfHex } from './hex.js';

const MACHINE: AgentMachine = {
  register: (number) => (number < 20 ? BigInt(number) * 0x1000n : undefined),
  read: (address, length) => (address < 0x10000n ? Uint8Array.from({ length }, (_, i) => Number(address & 0xffn) + i) : null),
};

function evaluate(hex: string): bigint | undefined {
  return evaluateAgent(bytesOfHex(hex) as Uint8Array, MACHINE);
}

describe('agent expressions', () => {
  it.each([
    ['2202 2203 02 27', 5n], ['2202 2203 03 27', (1n << 64n) - 1n], ['2207 2202 05 27', 3n], ['24ffffffff 1620 2202 05 27', 0n],
    ['22ff 1608 27', (1n << 64n) - 1n], ['24ffffff80 2a08 27', 0x80n], ['260002 27', 0x2000n], ['260002 17 27', 0n],
    ['2201 2202 2b 03 27', 1n], ['2201 2202 2203 33 27', 2n], ['2201 2202 3201 27', 1n], ['2205 28 04 27', 25n],
    ['2201 200006 27 2209 27', 9n], ['22ff 1608 2201 14 27', 1n], ['22ff 1608 2201 15 27', 0n], ['2200 0e 27', 1n],
  ])('%s', (code, expected) => {
    expect(evaluate(code.replaceAll(' ', ''))).toBe(expected);
  });

  it.each(['27', '02', '22', '2200220005', '26ffff27', '25ffffffffffffffff1727', '210000', '28', 'ff', ''])('%s cannot be computed', (code) => {
    expect(evaluate(code)).toBeUndefined();
  });

  it('end, whatever the code', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (code) => void evaluateAgent(code, MACHINE)));
  });
});
