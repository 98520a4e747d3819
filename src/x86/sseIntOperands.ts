/**
 * Vector operands, the one place that knows the two widths they come in: 16 bytes (XMM) and 8
 * bytes (MMX). An MMX operand is widened to a v128 with zeros above, so one lifting function serves
 * both; only those that move data across lanes need to look at the width.
 *
 * It is also the one place that knows about alignment: a 16-byte memory operand of a legacy SSE
 * instruction raises #GP when misaligned, except in the few that say otherwise.
 */
import { type Mnemonic, Register } from 'iced-x86';
import { unreachable } from '../base/assert.js';
import type { IrBuilder } from '../ir/builder.js';
import type { Value } from '../ir/ir.js';
import type { Insn } from './insn.js';
import type { Address, Family, Lift, LiftFn } from './lift.js';
import { isMmx, isXmm, xmmSlot } from './registers.js';

/** Bytes of a vector register. */
export type Width = 8 | 16;

/** A value computed from two vectors. */
export type Binary = (b: IrBuilder, x: Value, y: Value, width: Width) => Value;

const GENERAL_PROTECTION = 13;
const ZEROS = new Uint8Array(16);

export function zeroVector(b: IrBuilder): Value {
  return b.v128(ZEROS);
}

/** 0..7 for mm0..mm7. */
export function mmxNumber(register: Register): number {
  return register - Register.MM0;
}

/** The width of register operand i. */
export function widthOf(l: Lift, i: number): Width {
  return isMmx(l.insn.register(i)) ? 8 : 16;
}

/** An i64 in the low half, zeros above. */
export function fromLow64(b: IrBuilder, value: Value): Value {
  return b.op('i64x2.replace_lane.0', zeroVector(b), value);
}

/** An i32 in the lowest lane, zeros above. */
export function fromLow32(b: IrBuilder, value: Value): Value {
  return b.op('i32x4.replace_lane.0', zeroVector(b), value);
}

export function readRegister(l: Lift, register: Register): Value {
  const { b } = l;
  if (isXmm(register)) return b.get(xmmSlot(register));
  if (isMmx(register)) return fromLow64(b, b.opImm('mmx.get', mmxNumber(register)));
  return unreachable('not a vector register');
}

/** Writes a vector register; of an MMX one, the low half of the value. */
export function writeVector(l: Lift, i: number, value: Value): void {
  const { b } = l;
  const register = l.insn.register(i);
  if (isMmx(register)) b.opImm('mmx.set', mmxNumber(register), b.op('i64x2.extract_lane.0', value));
  else b.set(xmmSlot(register), value);
}

/**
 * Reading an MMX register changes x87 state, so when one is stored, the store must be known to
 * succeed before the register is read. Operand i is the register.
 */
export function probeBeforeMmx(l: Lift, i: number, address: Address, bytes: number): void {
  if (isMmx(l.insn.register(i))) l.b.opImm('probeWrite', bytes, l.sum(address));
}

/** Raises #GP unless the address is a multiple of 16. */
export function checkAligned(l: Lift, address: Address): void {
  const { b } = l;
  const low = b.op('i32.add', b.op('i32.wrap_i64', address.base), b.i32(address.disp));
  const misaligned = b.op('i32.and', low, b.i32(15));
  if (b.asI32(misaligned) !== 0) b.opImm('trapIf', GENERAL_PROTECTION, misaligned);
}

/**
 * Operand i: a vector register, or memory of the size the instruction says, zero-extended; 16 bytes must be aligned.
 */
export function vectorSource(l: Lift, i: number): Value {
  if (l.insn.isRegister(i)) return readRegister(l, l.insn.register(i));
  const address = l.address();
  if (l.memoryBytes() === 16) checkAligned(l, address);
  return loadVector(l, address);
}

/** Operand i, aligned or not. */
export function unalignedSource(l: Lift, i: number): Value {
  if (l.insn.isRegister(i)) return readRegister(l, l.insn.register(i));
  return loadVector(l, l.address());
}

function loadVector(l: Lift, address: Address): Value {
  const { b } = l;
  const bytes = l.memoryBytes();
  switch (bytes) {
    case 16:
      return l.load(16, address);
    case 8:
      return fromLow64(b, l.load(8, address));
    case 4:
    case 2:
      return fromLow32(b, l.load(bytes, address));
    default:
      return unreachable(`vector operand of ${bytes} bytes`);
  }
}

/** `x = f(x, y)`: the shape of nearly all packed instructions. */
export function packed(f: Binary): LiftFn {
  return (l) => {
    const y = vectorSource(l, 1);
    const x = readRegister(l, l.insn.register(0));
    writeVector(l, 0, f(l.b, x, y, widthOf(l, 0)));
  };
}

/** `x = f(y)`. */
export function unary(f: (b: IrBuilder, y: Value, width: Width) => Value): LiftFn {
  return (l) => {
    const y = vectorSource(l, 1);
    writeVector(l, 0, f(l.b, y, widthOf(l, 0)));
  };
}

/**
 * A family whose instructions may have MMX operands: those first deliver a pending x87 exception,
 * before they touch memory.
 */
export function vectorFamily(rows: Iterable<readonly [Mnemonic, LiftFn]>): Family {
  return new Map([...rows].map(([mnemonic, lift]): [Mnemonic, LiftFn] => [mnemonic, (l) => {
    if (hasMmxOperand(l.insn)) l.b.op('x87.check');
    lift(l);
  }]));
}

function hasMmxOperand(insn: Insn): boolean {
  return isMmx(insn.register(0)) || (insn.opCount > 1 && isMmx(insn.register(1)));
}

/** The unsigned immediate byte, which is always the last operand. */
export function immediateByte(l: Lift): number {
  return l.insn.immediate32(l.insn.opCount - 1) & 0xff;
}

/** A byte shuffle of x:y by a constant mask. */
export function shuffle(b: IrBuilder, x: Value, y: Value, mask: ArrayLike<number>): Value {
  return b.op('v128.shuffle', x, y, b.v128(mask));
}

/** A mask for `shuffle` from a lane number (counted through x:y) for each result lane. */
export function laneMask(laneBytes: number, lanes: readonly number[]): number[] {
  const mask = lanes.flatMap((lane) => Array.from({ length: laneBytes }, (_, k) => lane * laneBytes + k));
  while (mask.length < 16) mask.push(0);
  return mask;
}

/** A vector constant: the same 16-bit word in all lanes. */
export function words(b: IrBuilder, word: number): Value {
  return b.v128(Array.from({ length: 16 }, (_, i) => (i & 1 ? (word >> 8) & 0xff : word & 0xff)));
}

/** Writes an i32 to a 32- or 64-bit general register. */
export function writeGeneral(l: Lift, i: number, value: Value): void {
  const info = l.gpr(l.insn.register(i));
  l.writeGpr(info, info.bytes === 8 ? l.b.op('i64.extend_i32_u', value) : value);
}
