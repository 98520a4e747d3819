/** Shape of the IR of vector instructions; what they compute is compared with the real CPU in tests/cpu. */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import type { Block } from '../ir/ir.js';
import { OPS } from '../ir/ops.js';
import { verifyBlock } from '../ir/verify.js';
import { Translator } from './translate.js';

const START = guestAddr(0x400000);

function lift(hex: string): Block {
  const bytes = Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  const block = new Translator((at, length) => bytes.subarray(at - START, at - START + length)).translate(START);
  expect(block).not.toBeNull();
  return block!;
}

function operations(hex: string): string[] {
  return lift(hex).nodes.map((node) => OPS[node.op]!.name);
}

describe('alignment', () => {
  it.each([
    ['movaps xmm1, [rdi]', '0f 28 0f'],
    ['movaps [rdi], xmm1', '0f 29 0f'],
    ['movntdq [rdi], xmm1', '66 0f e7 0f'],
    ['paddb xmm1, [rdi + 8]', '66 0f fc 4f 08'],
    ['pshufd xmm1, [rdi], 0', '66 0f 70 0f 00'],
    ['psllw xmm1, [rdi]', '66 0f f1 0f'],
    ['ptest xmm1, [rdi]', '66 0f 38 17 0f'],
  ])('%s wants 16 bytes aligned', (_text, hex) => {
    const ops = operations(hex);
    expect(ops.filter((op) => op === 'trapIf')).toHaveLength(1);
    expect(ops.indexOf('trapIf')).toBeLessThan(ops.findIndex((op) => op === 'load128' || op === 'store128'));
  });

  it.each([
    ['movups xmm1, [rdi]', '0f 10 0f'],
    ['movdqu [rdi], xmm1', 'f3 0f 7f 0f'],
    ['lddqu xmm1, [rdi]', 'f2 0f f0 0f'],
    ['pcmpistri xmm1, [rdi], 0', '66 0f 3a 63 0f 00'],
    ['movss xmm1, [rdi]', 'f3 0f 10 0f'],
    ['pmovsxbw xmm1, [rdi]', '66 0f 38 20 0f'],
    ['movddup xmm1, [rdi]', 'f2 0f 12 0f'],
    ['paddb mm1, [rdi]', '0f fc 0f'],
  ])('%s takes any address', (_text, hex) => {
    expect(operations(hex)).not.toContain('trapIf');
  });

  it('is not checked at run time where the address is known', () => {
    expect(operations('0f 28 0d 09 00 00 00')).not.toContain('trapIf'); // movaps xmm1, [rip + 9]: 0x400010
    expect(operations('0f 28 0d 08 00 00 00')).toContain('trapIf');
  });
});

describe('idioms', () => {
  it('pxor of a register with itself is a constant', () => {
    expect(operations('66 0f ef c9')).not.toContain('v128.xor');
    expect(operations('66 0f ef ca')).toContain('v128.xor');
  });

  it('pcmpeqd of a register with itself is a constant', () => {
    expect(operations('66 0f 76 c9')).not.toContain('i32x4.eq');
    expect(operations('66 0f 76 ca')).toContain('i32x4.eq');
  });

  it('a shuffle of the source alone does not read the destination', () => {
    expect(operations('66 0f 70 ca 1b').filter((op) => op === 'get.v128')).toHaveLength(1);
  });
});

describe('movsd', () => {
  it('is told from the string instruction', () => {
    expect(operations('f2 0f 10 ca')).toContain('v128.shuffle');
    expect(operations('a5')).toContain('load32');
  });
});

describe('precise faults', () => {
  it.each([
    ['movq [rdi], mm1', '0f 7f 0f'],
    ['movd [rdi], mm1', '0f 7e 0f'],
    ['movntq [rdi], mm1', '0f e7 0f'],
    ['maskmovq mm1, mm2', '0f f7 ca'],
    ['maskmovdqu xmm1, xmm2', '66 0f f7 ca'],
    ['paddw mm1, [rdi]', '0f fd 0f'],
    ['pinsrw mm1, [rdi], 1', '0f c4 0f 01'],
    ['movdqa [rdi], xmm1', '66 0f 7f 0f'],
    ['movhps [rdi], xmm1', '0f 17 0f'],
    ['pextrb [rdi], xmm1, 3', '66 0f 3a 14 0f 03'],
    ['extractps [rdi], xmm1, 3', '66 0f 3a 17 0f 03'],
    ['pcmpestrm xmm1, [rdi], 8', '66 0f 3a 60 0f 08'],
    ['crc32 eax, byte [rdi]', 'f2 0f 38 f0 07'],
    ['pmovmskb eax, mm1', '0f d7 c1'],
    ['movdq2q mm1, xmm2', 'f2 0f d6 ca'],
    ['emms', '0f 77'],
  ])('%s keeps the rule', (_text, hex) => {
    expect(verifyBlock(lift(hex))).toEqual([]);
  });
});
