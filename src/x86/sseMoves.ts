/**
 * SSE and MMX data movement: whole registers, single lanes, halves. None of it computes. Aligned
 * and unaligned forms differ in one check; the non-temporal ones are ordinary stores to us.
 */
import { Mnemonic } from 'iced-x86';
import type { Value } from '../ir/ir.js';
import type { Address, Family, Lift, LiftFn } from './lift.js';
import { isMmx, isXmm } from './registers.js';
import {
  checkAligned, fromLow32, fromLow64, laneMask, mmxNumber, probeBeforeMmx, readRegister, shuffle, unalignedSource, unary,
  vectorFamily, vectorSource, writeGeneral, writeVector,
} from './sseIntOperands.js';

/** movaps and its likes: 16 bytes between registers and aligned memory. */
function moveAligned(l: Lift): void {
  if (!l.insn.isMemory(0)) return writeVector(l, 0, vectorSource(l, 1));
  const address = l.address();
  checkAligned(l, address);
  l.store(16, address, readRegister(l, l.insn.register(1)));
}

/** movups and its likes. */
function moveUnaligned(l: Lift): void {
  if (!l.insn.isMemory(0)) return writeVector(l, 0, unalignedSource(l, 1));
  l.store(16, l.address(), readRegister(l, l.insn.register(1)));
}

/** movss, movsd: a register source replaces the low lane only, a memory source clears the rest. */
function moveScalar(bytes: 4 | 8): LiftFn {
  const keepUpper = laneMask(4, bytes === 4 ? [4, 1, 2, 3] : [4, 5, 2, 3]);
  return (l) => {
    const { b, insn } = l;
    if (insn.isMemory(0)) return storeLow(l, bytes, l.address(), readRegister(l, insn.register(1)));
    const y = vectorSource(l, 1);
    writeVector(l, 0, insn.isMemory(1) ? y : shuffle(b, readRegister(l, insn.register(0)), y, keepUpper));
  };
}

function storeLow(l: Lift, bytes: 4 | 8, address: Address, vector: Value): void {
  l.store(bytes, address, l.b.op(bytes === 4 ? 'i32x4.extract_lane.0' : 'i64x2.extract_lane.0', vector));
}

/** movlps, movhps, movlpd, movhpd: one half of a register, to or from memory. */
function moveHalf(half: 0 | 1): LiftFn {
  const extract = `i64x2.extract_lane.${half}`;
  const replace = `i64x2.replace_lane.${half}`;
  return (l) => {
    const { b, insn } = l;
    if (insn.isMemory(0)) return l.store(8, l.address(), b.op(extract, readRegister(l, insn.register(1))));
    const value = l.load(8, l.address());
    writeVector(l, 0, b.op(replace, readRegister(l, insn.register(0)), value));
  };
}

/** Register to register by a constant mask over x:y, in 8-byte lanes. */
function combineHalves(lanes: readonly [number, number]): LiftFn {
  const mask = laneMask(8, lanes);
  return (l) => {
    const { b, insn } = l;
    writeVector(l, 0, shuffle(b, readRegister(l, insn.register(0)), readRegister(l, insn.register(1)), mask));
  };
}

/** Operand i of movd (4 bytes) or movq (8) as an integer, whatever kind it is. */
function readInteger(l: Lift, i: number, bytes: 4 | 8): Value {
  const { b, insn } = l;
  if (insn.isMemory(i)) return l.load(bytes, l.address());
  const register = insn.register(i);
  if (isXmm(register)) return b.op(bytes === 4 ? 'i32x4.extract_lane.0' : 'i64x2.extract_lane.0', readRegister(l, register));
  if (!isMmx(register)) return l.readGpr(l.gpr(register));
  const value = b.opImm('mmx.get', mmxNumber(register));
  return bytes === 4 ? b.op('i32.wrap_i64', value) : value;
}

/** movd, movq: between any two of general register, memory, MMX and XMM; the rest of a vector register becomes 0. */
function moveInteger(bytes: 4 | 8): LiftFn {
  return (l) => {
    const { b, insn } = l;
    if (insn.isMemory(0)) {
      const address = l.address();
      probeBeforeMmx(l, 1, address, bytes);
      return l.store(bytes, address, readInteger(l, 1, bytes));
    }
    const value = readInteger(l, 1, bytes);
    if (isXmm(insn.register(0)) || isMmx(insn.register(0))) writeVector(l, 0, bytes === 4 ? fromLow32(b, value) : fromLow64(b, value));
    else l.writeGpr(l.gpr(insn.register(0)), value);
  };
}

/** movnti: a plain store. */
function moveNonTemporalInteger(l: Lift): void {
  l.write(0, l.read(1));
}

/** The sign bits of all lanes, as an integer. */
function signMask(op: string): LiftFn {
  return (l) => {
    const { b } = l;
    const bits = b.op(op, vectorSource(l, 1));
    const narrow = isMmx(l.insn.register(1)) ? b.op('i32.and', bits, b.i32(0xff)) : bits;
    writeGeneral(l, 0, narrow);
  };
}

function duplicate(laneBytes: number, lanes: readonly number[]): LiftFn {
  const mask = laneMask(laneBytes, lanes);
  return unary((b, y) => shuffle(b, y, y, mask));
}

export const SSE_MOVES: Family = vectorFamily([
  [Mnemonic.Movaps, moveAligned],
  [Mnemonic.Movapd, moveAligned],
  [Mnemonic.Movdqa, moveAligned],
  [Mnemonic.Movntdq, moveAligned],
  [Mnemonic.Movntps, moveAligned],
  [Mnemonic.Movntpd, moveAligned],
  [Mnemonic.Movntdqa, moveAligned],
  [Mnemonic.Movups, moveUnaligned],
  [Mnemonic.Movupd, moveUnaligned],
  [Mnemonic.Movdqu, moveUnaligned],
  [Mnemonic.Lddqu, moveUnaligned],
  [Mnemonic.Movss, moveScalar(4)],
  // The string instruction of this name is told apart in families.ts.
  [Mnemonic.Movsd, moveScalar(8)],
  [Mnemonic.Movlps, moveHalf(0)],
  [Mnemonic.Movlpd, moveHalf(0)],
  [Mnemonic.Movhps, moveHalf(1)],
  [Mnemonic.Movhpd, moveHalf(1)],
  [Mnemonic.Movlhps, combineHalves([0, 2])],
  [Mnemonic.Movhlps, combineHalves([3, 1])],
  [Mnemonic.Movd, moveInteger(4)],
  [Mnemonic.Movq, moveInteger(8)],
  [Mnemonic.Movnti, moveNonTemporalInteger],
  [Mnemonic.Movmskps, signMask('i32x4.bitmask')],
  [Mnemonic.Movmskpd, signMask('i64x2.bitmask')],
  [Mnemonic.Pmovmskb, signMask('i8x16.bitmask')],
  [Mnemonic.Movshdup, duplicate(4, [1, 1, 3, 3])],
  [Mnemonic.Movsldup, duplicate(4, [0, 0, 2, 2])],
  [Mnemonic.Movddup, duplicate(8, [0, 0])],
]);
