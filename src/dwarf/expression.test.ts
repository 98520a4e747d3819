import { describe, expect, it } from 'vitest';
import { OP } from './dwarfConstants.js';
import { DwarfError } from './dwarfError.js';
import { evaluate, evaluateNumber } from './expression.js';
import type { ProgramState } from './location.js';
import { locationBytes } from './locationBytes.js';

const STATE: ProgramState = {
  bias: 0x10000n,
  register: (n) => (n < 17 ? BigInt(n) * 0x100n : n === 17 ? 0x4008_0000_0000_0000n : undefined),
  memory: (address, size) => (address < 0x10000n ? Uint8Array.from({ length: size }, (_, i) => Number(address & 0xffn) + i) : undefined),
  frameBase: () => 0x2000n,
  cfa: () => 0x3000n,
  tlsAddress: (offset) => 0x7000n + offset,
  entryValue: (expression) => (expression[0] === OP.REG0 + 5 ? 77n : undefined),
};

function run(...bytes: number[]): ReturnType<typeof evaluate> {
  return evaluate(Uint8Array.from(bytes), undefined, STATE);
}

/** What an expression leaves on the stack. */
function value(...bytes: number[]): bigint | undefined {
  const result = run(...bytes, OP.STACK_VALUE);
  return result.kind === 'value' ? BigInt.asIntN(64, result.value) : undefined;
}

describe('results', () => {
  it('are places', () => {
    expect(run(OP.FBREG, 0x70)).toEqual({ kind: 'memory', address: 0x1ff0n });
    expect(run(OP.CALL_FRAME_CFA, OP.PLUS_UCONST, 0x10)).toEqual({ kind: 'memory', address: 0x3010n });
    expect(run(OP.ADDR, 0x34, 0x12, 0, 0, 0, 0, 0, 0)).toEqual({ kind: 'memory', address: 0x11234n });
    expect(run(OP.BREG0 + 7, 8)).toEqual({ kind: 'memory', address: 0x708n });
    expect(run(OP.REG0 + 3)).toEqual({ kind: 'register', register: 3 });
    expect(run(OP.REGX, 17)).toEqual({ kind: 'register', register: 17 });
    expect(run(OP.CONST1U, 5, OP.FORM_TLS_ADDRESS)).toEqual({ kind: 'memory', address: 0x7005n });
  });

  it('are values', () => {
    expect(run(OP.LIT0 + 9, OP.STACK_VALUE)).toEqual({ kind: 'value', value: 9n, size: 8 });
    expect(run(OP.IMPLICIT_VALUE, 2, 1, 2)).toEqual({ kind: 'bytes', bytes: Uint8Array.of(1, 2) });
    expect(value(OP.ENTRY_VALUE, 1, OP.REG0 + 5)).toBe(77n);
    expect(run(OP.GNU_ENTRY_VALUE, 1, OP.REG0 + 4, OP.STACK_VALUE)).toMatchObject({ kind: 'optimisedOut', reason: 'value at entry is not known' });
    expect(run(OP.BREG0 + 30, 0)).toMatchObject({ kind: 'optimisedOut' });
    expect(run(OP.CONST4U, 0, 0, 2, 0, OP.DEREF)).toMatchObject({ kind: 'optimisedOut', reason: 'memory at 0x20000 cannot be read' });
  });

  it('are pieces, of which some may be missing', () => {
    const whole = run(OP.REG0 + 1, OP.PIECE, 2, OP.LIT0 + 5, OP.STACK_VALUE, OP.PIECE, 1, OP.CONST1U, 0x40, OP.PIECE, 1);
    expect(locationBytes(whole, 4, STATE)).toEqual({ kind: 'bytes', bytes: Uint8Array.of(0x00, 0x01, 5, 0x40) });
    const part = run(OP.REG0, OP.PIECE, 4, OP.PIECE, 4);
    expect(part).toMatchObject({ kind: 'pieces', pieces: [{ bits: 32 }, { location: { kind: 'optimisedOut' } }] });
    expect(locationBytes(part, 8, STATE).kind).toBe('optimisedOut');
    expect(locationBytes(part, 4, STATE).kind).toBe('bytes');
    const bits = run(OP.CONST1U, 0xf5, OP.STACK_VALUE, OP.BIT_PIECE, 3, 4, OP.CONST1U, 1, OP.STACK_VALUE, OP.BIT_PIECE, 5, 0);
    expect(locationBytes(bits, 1, STATE)).toEqual({ kind: 'bytes', bytes: Uint8Array.of(0b00001_111) });
  });
});

describe('operations', () => {
  const three = [OP.LIT0 + 10, OP.LIT0 + 3];
  const minus = [OP.CONST1S, 0xf6, OP.LIT0 + 3];
  it.each([
    ['plus', [...three, OP.PLUS], 13n], ['minus', [...three, OP.MINUS], 7n], ['mul', [...minus, OP.MUL], -30n], ['signed div', [...minus, OP.DIV], -3n],
    ['unsigned mod', [...minus, OP.MOD], 0n], ['and', [...three, OP.AND], 2n], ['or', [...three, OP.OR], 11n], ['xor', [...three, OP.XOR], 9n],
    ['shl', [...three, OP.SHL], 80n], ['shr', [OP.CONST1S, 0xff, OP.CONST1U, 60, OP.SHR], 15n], ['shra', [...minus, OP.SHRA], -2n],
    ['far shl', [OP.LIT0 + 1, OP.CONST1S, 0xff, OP.SHL], 0n], ['neg', [OP.LIT0 + 4, OP.NEG], -4n], ['not', [OP.LIT0, OP.NOT], -1n],
    ['abs', [OP.CONST1S, 0xf0, OP.ABS], 16n], ['signed lt', [...minus, OP.LT], 1n], ['ge', [...minus, OP.GE], 0n], ['eq', [OP.LIT0, OP.LIT0, OP.EQ], 1n],
    ['rot', [OP.LIT0 + 1, OP.LIT0 + 2, OP.LIT0 + 3, OP.ROT], 2n], ['swap', [...three, OP.SWAP], 10n], ['over', [...three, OP.OVER], 10n],
    ['pick', [...three, OP.PICK, 1], 10n], ['dup', [...three, OP.DUP, OP.PLUS], 6n], ['drop', [...three, OP.DROP], 10n],
    ['deref', [OP.CONST1U, 0x10, OP.DEREF], 0x1716151413121110n], ['deref_size', [OP.CONST1U, 0x10, OP.DEREF_SIZE, 2], 0x1110n],
    ['bra', [OP.LIT0 + 1, OP.BRA, 1, 0, OP.LIT0 + 9, OP.LIT0 + 8], 8n], ['skip', [OP.LIT0, OP.SKIP, 1, 0, OP.LIT0 + 9], 0n],
    ['wrap around', [OP.CONST8U, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, OP.LIT0 + 1, OP.PLUS], -(2n ** 63n)],
  ])('%s', (_, bytes, expected) => {
    expect(value(...bytes)).toBe(expected);
  });

  it('find numbers for frame rules', () => {
    expect(evaluateNumber(Uint8Array.of(OP.LIT0 + 8, OP.PLUS), undefined, STATE, [0x100n])).toBe(0x108n);
    expect(evaluateNumber(Uint8Array.of(OP.REG0 + 6), undefined, STATE)).toBe(0x600n);
  });
});

describe('nonsense', () => {
  it.each([
    ['nothing', []], ['an empty stack', [OP.PLUS]], ['division by zero', [OP.LIT0 + 1, OP.LIT0, OP.DIV]], ['an unknown operation', [0xff]],
    ['a loop', [OP.SKIP, 0xfd, 0xff]], ['a jump away', [OP.SKIP, 0x10, 0x10]], ['cut off', [OP.CONST4U, 1]], ['a type without unit', [OP.LIT0, OP.CONVERT, 5]],
    ['a stack without end', [OP.LIT0, OP.SKIP, 0xfc, 0xff]], ['a large value', [OP.LIT0, OP.DEREF_SIZE, 99]],
  ])('%s is an error', (_, bytes) => {
    expect(() => run(...bytes)).toThrow(DwarfError);
  });
});
