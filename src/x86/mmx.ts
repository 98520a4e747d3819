/** What only MMX has: leaving its state, traffic with XMM registers; and the masked stores of both. */
import { Mnemonic, OpKind, Register } from 'iced-x86';
import { FS_BASE, GS_BASE, RDI } from '../layout/cpuState.js';
import type { Address, Family, Lift } from './lift.js';
import {
  fromLow64, mmxNumber, probeBeforeMmx, readRegister, vectorFamily, widthOf, writeVector, zeroVector,
} from './sseIntOperands.js';

/** movq2dq, movdq2q: the low 64 bits; what is above them in an XMM register becomes 0. */
function moveAcross(l: Lift): void {
  const { b, insn } = l;
  const y = readRegister(l, insn.register(1));
  const low = b.op('i64x2.extract_lane.0', y);
  writeVector(l, 0, fromLow64(b, low));
}

/** movntq: a plain store. */
function storeMmx(l: Lift): void {
  const { b, insn } = l;
  const address = l.address();
  probeBeforeMmx(l, 1, address, 8);
  l.store(8, address, b.opImm('mmx.get', mmxNumber(insn.register(1))));
}

/**
 * maskmovdqu, maskmovq: the bytes whose mask byte is negative, to [rdi]. Guest threads take turns,
 * so reading the bytes and writing all of them back is the same to everyone.
 */
function storeMasked(l: Lift): void {
  const { b, insn } = l;
  const width = widthOf(l, 1);
  const address = destination(l);
  probeBeforeMmx(l, 1, address, width);
  const old = width === 16 ? l.load(16, address) : fromLow64(b, l.load(8, address));
  const chosen = b.op('i8x16.lt_s', readRegister(l, insn.register(2)), zeroVector(b));
  const merged = b.op('v128.bitselect', readRegister(l, insn.register(1)), old, chosen);
  l.store(width, address, width === 16 ? merged : b.op('i64x2.extract_lane.0', merged));
}

/** [rdi], or [edi] with an address-size prefix, in whatever segment. */
function destination(l: Lift): Address {
  const { b, insn } = l;
  const rdi = b.get(RDI);
  const narrow = insn.kind(0) === OpKind.MemorySegEDI;
  const offset = narrow ? b.op('i64.extend_i32_u', b.op('i32.wrap_i64', rdi)) : rdi;
  const segment = insn.raw.segmentPrefix;
  if (segment !== Register.FS && segment !== Register.GS) return { base: offset, disp: 0 };
  return { base: b.op('i64.add', b.get(segment === Register.FS ? FS_BASE : GS_BASE), offset), disp: 0 };
}

function emms(l: Lift): void {
  l.b.op('x87.check');
  l.b.op('mmx.leave');
}

export const MMX: Family = vectorFamily([
  [Mnemonic.Movq2dq, moveAcross],
  [Mnemonic.Movdq2q, moveAcross],
  [Mnemonic.Movntq, storeMmx],
  [Mnemonic.Maskmovq, storeMasked],
  [Mnemonic.Maskmovdqu, storeMasked],
  [Mnemonic.Emms, emms],
]);
