import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showInstruction } from './attSyntax.js';
import { instructionStarts } from './instructionStarts.js';

/** By the slow way: each instruction shown, the next one behind it. */
function shownStarts(code: Uint8Array): { offset: number; isValid: boolean }[] {
  const starts = [];
  for (let offset = 0; offset < code.length; ) {
    const { text, length } = showInstruction(code.subarray(offset), BigInt(offset));
    starts.push({ offset, isValid: text !== '(bad)' });
    offset += length;
  }
  return starts;
}

describe('starts of instructions', () => {
  it('are where each one ends', () => {
    // push %rbp; mov %rsp,%rbp; mov $1,%eax; pop %rbp; ret
    expect(instructionStarts(Uint8Array.of(0x55, 0x48, 0x89, 0xe5, 0xb8, 1, 0, 0, 0, 0x5d, 0xc3))?.map(({ offset }) => offset)).toEqual([0, 1, 4, 9, 10]);
  });

  it('are unknown where the last instruction is cut off', () => {
    expect(instructionStarts(Uint8Array.of(0x55, 0xb8, 1, 0))).toBeUndefined();
  });

  it('go on after a byte that begins no instruction', () => {
    expect(instructionStarts(Uint8Array.of(0x06, 0x55))).toEqual([{ offset: 0, isValid: false }, { offset: 1, isValid: true }]);
  });

  it('are those of the instructions that are shown, of any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
      const starts = instructionStarts(bytes);
      if (starts !== undefined) expect(starts).toEqual(shownStarts(bytes));
    }));
  });
});
