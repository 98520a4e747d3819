import { Decoder, DecoderOptions, Instruction, OpKind } from 'iced-x86';
import { expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { icedMemory, Insn } from './insn.js';

const CASES = 4000;

/** Bytes that are often instructions: random, with prefixes in front now and then. */
function randomBytes(state: { seed: number }): Uint8Array {
  const next = (): number => (state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0) >>> 16;
  const bytes = Uint8Array.from({ length: 15 }, () => next() & 0xff);
  const prefixes = [0x48, 0x66, 0x67, 0x64, 0x65, 0xf3, 0xf2, 0x0f, 0x4c];
  if (next() % 2 === 0) bytes[0] = prefixes[next() % prefixes.length]!;
  if (next() % 3 === 0) bytes[1] = 0x0f;
  return bytes;
}

it('reads what the official properties say', () => {
  const state = { seed: 7 };
  const raw = new Instruction();
  const insn = new Insn(raw);
  let valid = 0;
  for (let i = 0; i < CASES; i++) {
    const bytes = randomBytes(state);
    const decoder = new Decoder(64, bytes, DecoderOptions.None);
    decoder.ip = 0x555555554000n;
    decoder.decodeOut(raw);
    decoder.free();
    expect(insn.refresh(guestAddr(0x555555554000))).toBe(!raw.isInvalid);
    if (raw.isInvalid) continue;
    valid++;
    const operands = Array.from({ length: Math.min(raw.opCount, 4) }, (_, n) => n);
    expect({
      code: insn.code, mnemonic: insn.mnemonic, length: insn.length, count: insn.opCount,
      kinds: operands.map((n) => insn.kind(n)), segment: insn.segmentPrefix, rep: insn.hasRep, repne: insn.hasRepne,
      registers: operands.filter((n) => insn.isRegister(n)).map((n) => insn.register(n)),
      immediates: operands.filter((n) => insn.isImmediate(n)).map((n) => BigInt.asUintN(64, BigInt(insn.immediate(n)))),
    }, bytes.join(' ')).toEqual({
      code: raw.code, mnemonic: raw.mnemonic, length: raw.length, count: raw.opCount,
      kinds: operands.map((n) => raw.opKind(n)), segment: raw.segmentPrefix, rep: raw.hasRepPrefix, repne: raw.hasRepnePrefix,
      registers: operands.filter((n) => raw.opKind(n) === OpKind.Register).map((n) => raw.opRegister(n)),
      immediates: operands.filter((n) => insn.isImmediate(n)).map((n) => raw.immediate(n)),
    });
    if (operands.some((n) => insn.isMemory(n))) {
      expect([insn.memoryBase, insn.memoryIndex, 1 << insn.scaleShift, BigInt.asUintN(64, BigInt(insn.displacement))])
        .toEqual([raw.memoryBase, raw.memoryIndex, raw.memoryIndexScale, raw.memoryDisplacementU64]);
    }
    if (operands.length > 0 && raw.opKind(0) === OpKind.NearBranch64) expect(BigInt(insn.branchTarget)).toBe(BigInt.asIntN(64, raw.nearBranch64));
  }
  expect(valid).toBeGreaterThan(CASES / 3);
});

it('goes on reading when the memory of iced has grown in the middle of an instruction', () => {
  const raw = new Instruction();
  const insn = new Insn(raw);
  // fadd dword ptr [rdx]
  const decoder = new Decoder(64, Uint8Array.of(0xd8, 0x02), DecoderOptions.None);
  decoder.decodeOut(raw);
  decoder.free();
  expect(insn.refresh(guestAddr(0x1000))).toBe(true);
  icedMemory().grow(1);
  expect(insn.isMemory(0)).toBe(true);
});
