import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { Translator } from '../x86/translate.js';
import type { OpDef } from './opDef.js';
import { OPS } from './ops.js';
import { verifyBlock } from './verify.js';
import { initPass } from './weaveInit.js';

const START = guestAddr(0x400000);

function woven(code: readonly number[], isLoose: (address: number) => boolean = () => false) {
  const bytes = Uint8Array.from(code);
  const block = new Translator((address, length) => bytes.subarray(address - START, address - START + length)).translate(START, code.length);
  if (block === null) throw new TypeError('nothing to translate');
  const result = initPass(isLoose).rewrite(block, { isAlone: false, apart: () => block });
  expect(verifyBlock(result)).toEqual([]);
  return result.nodes.filter(({ op }) => (OPS[op] as OpDef).name.startsWith('init.')).map(({ op, imm }) => `${(OPS[op] as OpDef).name} ${imm}`);
}

describe('initPass', () => {
  it('looks before loads, and marks what is stored', () => {
    // mov eax, [rdi+8]; mov [rsi], ax; ret
    expect(woven([0x8b, 0x47, 0x08, 0x66, 0x89, 0x06, 0xc3])).toEqual(['init.check4 8', 'init.mark2 0']);
  });

  it('does not look at vectors in loose code', () => {
    // mov eax, [rdi]; movups xmm0, [rdi+16]; ret
    const code = [0x8b, 0x07, 0x0f, 0x10, 0x47, 0x10, 0xc3];
    expect(woven(code, (at) => at === START)).toEqual(['init.check4 0']);
    expect(woven(code)).toEqual(['init.check4 0', 'init.check16 16']);
    expect(initPass((at) => at === START).variantAt?.(START)).not.toBe(initPass((at) => at === START).variantAt?.(START + 1));
  });

  it('looks once at what is not changed in between', () => {
    // mov eax, [rdi+8]; mov ecx, [rdi+8]; mov cl, [rdi+11]; mov rdx, [rdi+8]; mov [rdi+10], cx; add rdi, 8; mov ax,
    // [rdi+2]; mov rdi, rsi; mov eax, [rdi+8]; ret
    expect(woven([0x8b, 0x47, 0x08, 0x8b, 0x4f, 0x08, 0x8a, 0x4f, 0x0b, 0x48, 0x8b, 0x57, 0x08, 0x66, 0x89, 0x4f, 0x0a, 0x48, 0x83, 0xc7, 0x08, 0x66, 0x8b, 0x47, 0x02, 0x48, 0x89, 0xf7, 0x8b, 0x47, 0x08, 0xc3]))
      .toEqual(['init.check4 8', 'init.check8 8', 'init.mark2 10', 'init.check4 8']);
    // mov [rsp-8], rax; sub rsp, 0x100; mov rax, [rsp+0xf8]; mov rax, [rsp+0xf8]; ret
    expect(woven([0x48, 0x89, 0x44, 0x24, 0xf8, 0x48, 0x81, 0xec, 0, 1, 0, 0, 0x48, 0x8b, 0x84, 0x24, 0xf8, 0, 0, 0, 0x48, 0x8b, 0x84, 0x24, 0xf8, 0, 0, 0, 0xc3]))
      .toEqual(['init.mark8 -8', 'init.frame 256', 'init.check8 -8']);
    // or byte [rdx], 1; mov al, [rdx]; mov [rdx], cl; ret: what was looked at need not have been written
    expect(woven([0x80, 0x0a, 0x01, 0x8a, 0x02, 0x88, 0x0a, 0xc3])).toEqual(['init.check1 0', 'init.mark1 0']);
    // mov eax, [rdx]; rep movsb; mov eax, [rdx]; mov eax, [rdx]; ret
    expect(woven([0x8b, 0x02, 0xf3, 0xa4, 0x8b, 0x02, 0x8b, 0x02, 0xc3])).toEqual(['init.check4 0', 'init.movs 1', 'init.check4 0']);
  });

  it('makes frames unwritten, and the red zone of what is called', () => {
    // push rbp; push rbx; sub rsp, 0x28; call
    expect(woven([0x55, 0x53, 0x48, 0x83, 0xec, 0x28, 0xe8, 0, 0, 0, 0])).toEqual(['init.mark8 -8', 'init.mark8 -16', 'init.frame 56', 'init.mark8 -64', 'init.call 0']);
  });

  it('knows frames whose size is not known, and those that end', () => {
    // sub rsp, rax; add rsp, 0x28; ret
    expect(woven([0x48, 0x29, 0xc4, 0x48, 0x83, 0xc4, 0x28, 0xc3])).toEqual(['init.alloca 0']);
  });

  it('follows repeated moves', () => {
    // rep movsb; rep stosd
    expect(woven([0xf3, 0xa4, 0xf3, 0xab, 0xc3])).toEqual(['init.movs 1', 'init.stos 4']);
  });
});
