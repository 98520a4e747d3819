import { describe, expect, it } from 'vitest';
import { afterEntry, prologueEnd } from './prologueEnd.js';
import type { ProgramView } from './programView.js';

const ENTRY = 0x1000n;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Code at the entry, and lines with their ranges; the function has 64 bytes. */
function program(code: readonly number[], lines: readonly Range[] = []): ProgramView {
  const bytes = Uint8Array.from([...code, ...new Uint8Array(64 - code.length)]);
  const file = { lineRangeAt: (address: number) => lines.find(({ start, end }) => address >= start && address < end) };
  const fake = {
    memory: (address: bigint, size: number) => bytes.slice(Number(address - ENTRY), Number(address - ENTRY) + size),
    moduleAt: () => ({ file, bias: 0n }),
    symbols: { at: () => ({ symbol: { address: ENTRY, size: 64 } }) },
  };
  return fake as unknown as ProgramView;
}

const [PUSH, MOVE, OTHER_MOVE, ENDBR] = [[0x55], [0x48, 0x89, 0xe5], [0x48, 0x8b, 0xec], [0xf3, 0x0f, 0x1e, 0xfa]] as const;

describe('the end of a prologue', () => {
  it.each([
    ['push, mov', [...PUSH, ...MOVE], 4n], ['push, the other mov', [...PUSH, ...OTHER_MOVE], 4n], ['endbr64, push, mov', [...ENDBR, ...PUSH, ...MOVE], 8n],
    ['endbr64 alone', [...ENDBR, 0x90], 0n], ['push alone', [...PUSH, 0x90], 0n], ['something else', [0x90], 0n],
  ])('by instructions: %s', (_what, code, skipped) => {
    expect(afterEntry(program(code), ENTRY) - ENTRY).toBe(skipped);
  });

  it('is the entry where there is no memory', () => {
    expect(afterEntry({ memory: () => undefined } as unknown as ProgramView, ENTRY)).toBe(ENTRY);
  });

  it('goes on to the end of the line that it is in the middle of, within the function', () => {
    const code = [...PUSH, ...MOVE];
    expect(prologueEnd(program(code, [{ start: 0x1000, end: 0x1010 }]), ENTRY)).toBe(0x1010n);
    expect(prologueEnd(program(code, [{ start: 0x1000, end: 0x1004 }, { start: 0x1004, end: 0x1010 }]), ENTRY)).toBe(0x1004n);
    expect(prologueEnd(program(code, [{ start: 0x1000, end: 0x1040 }]), ENTRY)).toBe(0x1004n);
    expect(prologueEnd(program(code), ENTRY)).toBe(0x1004n);
  });
});
