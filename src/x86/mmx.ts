/** What only MMX has: leaving its state, traffic with XMM registers; and the masked stores of both. */
import { Mnemonic, OpKind, Register } from 'iced-x86';
import type { Value } from '../ir/ir.js';
import { FS_BASE, GS_BASE, RDI } from '../layout/cpuState.js';
import type { Address, Family, Lift, LiftFn } from './lift.js';
import { leaveX87, mmxNumber, readRegister, widthOf, writeVector, zeroVector } from './sseIntOperands.js';

/** movq2dq, movdq2q: the low 64 bits; what is above them in an XMM register becomes 0. */
function moveAcross(l: Lift): void {
  const { b, insn } = l;
  const y = readRegister(l, insn.register(1));
  const low = b.op('i64x2.extract_lane.0', y);
  writeVector(l, 0, b.op('i64x2.replace_lane.0', zeroVector(b), low));
  leaveX87(l, 1);
}

/** movntq: a plain store. */
function storeMmx(l: Lift): void {
  const { b, insn } = l;
  l.store(8, l.address(), b.opImm('mmx.get', mmxNumber(insn.register(1))));
  leaveX87(l, 1);
}

/**
 * maskmovdqu, maskmovq: the bytes whose mask byte is negative, to [rdi]. Guest threads take turns,
 * so reading the bytes and writing all of them back is the same to everyone.
 */
function storeMasked(l: Lift): void {
  const { b, insn } = l;
  const width = widthOf(l, 1);
  const address = destination(l);
  const value = readRegister(l, insn.register(1));
  const chosen = b.op('i8x16.lt_s', readRegister(l, insn.register(2)), zeroVector(b));
  if (width === 16) {
    l.store(16, address, b.op('v128.bitselect', value, l.load(16, address), chosen));
    return;
  }
  const old = b.op('i64x2.replace_lane.0', zeroVector(b), l.load(8, address));
  const merged: Value = b.op('v128.bitselect', value, old, chosen);
  l.store(8, address, b.op('i64x2.extract_lane.0', merged));
  leaveX87(l, 1);
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
  l.b.op('mmx.leave');
}

export const MMX: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Movq2dq, moveAcross],
  [Mnemonic.Movdq2q, moveAcross],
  [Mnemonic.Movntq, storeMmx],
  [Mnemonic.Maskmovq, storeMasked],
  [Mnemonic.Maskmovdqu, storeMasked],
  [Mnemonic.Emms, emms],
]);
