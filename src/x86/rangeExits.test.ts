import { describe, expect, it } from 'vitest';
import { rangeExits } from './rangeExits.js';

describe('exits of a range of code', () => {
  const START = 0x1000;
  //                    jne +6 (0x1008)  call 0x2007        jmp -9 (0x1000)
  const LOOP = [0x75, 0x06, 0xe8, 0x00, 0x10, 0x00, 0x00, 0xeb, 0xf7];

  it('are where direct jumps and calls lead, and its end', () => {
    const exits = rangeExits(Uint8Array.from(LOOP), START, START + 2);
    expect(exits).toEqual({ targets: [0x2007, 0x1009], unclear: [] });
  });

  it('are unclear at returns, indirect jumps and system calls', () => {
    //                                             ret   jmp rax     syscall     nop
    expect(rangeExits(Uint8Array.from([0xc3, 0xff, 0xe0, 0x0f, 0x05, 0x90]), START, START)?.unclear).toEqual([0x1000, 0x1001, 0x1003]);
  });

  it('are not known if instructions do not begin or end where they should', () => {
    expect(rangeExits(Uint8Array.from(LOOP), START, START + 1)).toBeUndefined();
    expect(rangeExits(Uint8Array.from([0x90, 0xe8, 0x00]), START, START)).toBeUndefined();
    expect(rangeExits(Uint8Array.from([0x90, 0x06, 0x90]), START, START)).toBeUndefined();
  });
});
