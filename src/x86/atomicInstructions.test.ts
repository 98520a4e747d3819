import { expect, it } from 'vitest';
import { atomicAt, atomicsIn } from './atomicInstructions.js';

const REGISTERS: Readonly<Record<string, bigint>> = { rax: 0x11_2233_4455n, rdx: 0x7788n, rbx: 0x1000n, rcx: 4n, fs_base: 0x7000_0000n };
const read = (name: string): bigint => REGISTERS[name] ?? 0n;

it.each([
  ['lock inc dword [rbx]', [0xf0, 0xff, 0x03], 0x1000n, 4, undefined],
  ['lock add qword [rbx+rcx*8-8], 1', [0xf0, 0x48, 0x83, 0x44, 0xcb, 0xf8, 0x01], 0x1018n, 8, undefined],
  ['xchg [rip+0x10], al', [0x86, 0x05, 0x10, 0, 0, 0], 0x400016n, 1, undefined],
  ['xchg eax, [rbx]', [0x87, 0x03], 0x1000n, 4, undefined],
  ['lock cmpxchg [rbx], cx', [0x66, 0xf0, 0x0f, 0xb1, 0x0b], 0x1000n, 2, 0x4455n],
  ['lock cmpxchg fs:[8], ecx', [0x64, 0xf0, 0x0f, 0xb1, 0x0c, 0x25, 8, 0, 0, 0], 0x7000_0008n, 4, 0x2233_4455n],
  ['lock cmpxchg8b [rbx]', [0xf0, 0x0f, 0xc7, 0x0b], 0x1000n, 8, 0x7788_2233_4455n],
  ['lock cmpxchg16b [rbx]', [0xf0, 0x48, 0x0f, 0xc7, 0x0b], 0x1000n, 16, (0x7788n << 64n) | 0x11_2233_4455n],
] as const)('%s', (_text, code, place, bytes, expected) => {
  const found = atomicAt(Uint8Array.from(code), 0x400000);
  expect([found?.place(read), found?.bytes, found?.expected?.(read)]).toEqual([place, bytes, expected]);
});

it('others are not: an exchange of registers, an addition without the prefix', () => {
  expect(atomicsIn(Uint8Array.of(0x87, 0xc8, 0x01, 0x03, 0x90, 0xf0, 0xff, 0x03), 0x1000).map(({ address }) => address)).toEqual([0x1005]);
  expect(atomicAt(Uint8Array.of(0x90, 0xf0, 0xff, 0x03), 0x1000)).toBeUndefined();
});
