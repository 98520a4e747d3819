import { describe, expect, it } from 'vitest';
import { isAfterCall } from './callSites.js';

const BASE = 0x40_1000;

function endsWithCall(bytes: readonly number[]): boolean {
  const code = Uint8Array.from(bytes);
  return isAfterCall((address, length) => (address < BASE ? new Uint8Array() : code.slice(address - BASE, address - BASE + length)), BASE + code.length);
}

describe('places that calls return to', () => {
  it.each([
    ['call rel32', [0x90, 0xe8, 1, 2, 3, 4]],
    ['call rax', [0xff, 0xd0]],
    ['call r11', [0x41, 0xff, 0xd3]],
    ['call [rip+8]', [0x90, 0xff, 0x15, 8, 0, 0, 0]],
    ['call [rax+8*rcx+0x12345678]', [0x90, 0xff, 0x94, 0xc8, 0x78, 0x56, 0x34, 0x12]],
    ['notrack call rax', [0x3e, 0xff, 0xd0]],
    ['call fs:[16]', [0x64, 0xff, 0x14, 0x25, 0x10, 0, 0, 0]],
  ])('%s comes before', (_, bytes) => expect(endsWithCall(bytes)).toBe(true));

  it.each([
    ['jmp rel32', [0x90, 0xe9, 1, 2, 3, 4]],
    ['jmp rax', [0xff, 0xe0]],
    ['push rax', [0x50]],
    ['half a call', [0xe8, 1, 2, 3]],
    ['nothing', []],
    ['something after the call', [0xe8, 1, 2, 3, 4, 0x90]],
  ])('%s does not', (_, bytes) => expect(endsWithCall(bytes)).toBe(false));
});
