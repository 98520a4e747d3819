import { describe, expect, it } from 'vitest';
import { RangeExits } from './leaveRange.js';

const START = 0x1000n;
//                    jne +5 (0x1007)  call 0x2007        jmp -9 (0x1000)
const LOOP = [0x75, 0x05, 0xe8, 0x00, 0x10, 0x00, 0x00, 0xeb, 0xf7];

function exitsOf(code: readonly number[], callsReturn = false, size = code.length): RangeExits | undefined {
  const memory = (address: bigint, length: number): Uint8Array => Uint8Array.from(code).subarray(Number(address - START), Number(address - START) + length);
  return RangeExits.of({ memory }, { start: START, end: START + BigInt(size) }, callsReturn);
}

describe('exits of a range of code', () => {
  it('are where direct jumps lead, its end, and calls that are gone into', () => {
    expect(exitsOf(LOOP)?.addresses).toEqual([0x1009n, 0x1002n]);
    expect(exitsOf(LOOP, true)?.addresses).toEqual([0x1009n]);
    //               jmp +0x10 (0x1012)
    expect(exitsOf([0xeb, 0x10])?.addresses).toEqual([0x1002n, 0x1012n]);
  });

  it('a thread runs from where instructions begin, unless they may lead anywhere', () => {
    const exits = exitsOf(LOOP);
    expect([0x1000n, 0x1001n, 0x1002n, 0x1007n, 0x1009n].map((pc) => exits?.isRunnable(pc))).toEqual([true, false, false, true, false]);
    //                            ret   jmp rax     syscall     nop
    const others = exitsOf([0xc3, 0xff, 0xe0, 0x0f, 0x05, 0x90]);
    expect([0x1000n, 0x1001n, 0x1003n, 0x1005n].map((pc) => others?.isRunnable(pc))).toEqual([false, false, true, true]);
  });

  it('are not known if instructions do not end where the range does', () => {
    expect(exitsOf(LOOP, false, 5)).toBeUndefined();
    expect(exitsOf([])).toBeUndefined();
  });
});
