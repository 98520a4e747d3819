/**
 * Packed shifts by an immediate or by the low 64 bits of a vector. Counts of the lane's width and
 * more shift everything out, where WebAssembly would take them modulo the width.
 */
import { Mnemonic } from 'iced-x86';
import type { IrBuilder } from '../ir/builder.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn } from './lift.js';
import { immediateByte, readRegister, vectorFamily, vectorSource, writeVector, zeroVector } from './sseIntOperands.js';

interface Shift {
  /** The WebAssembly instruction. */
  readonly op: string;
  readonly bits: number;
  /** Right shifts that copy the sign go on doing so; the others leave zeros. */
  readonly signed: boolean;
}

function shift(op: string, bits: number): LiftFn {
  const kind: Shift = { op, bits, signed: op.endsWith('shr_s') };
  return (l) => {
    const value = l.insn.isImmediate(1) ? byConstant(l, kind) : byVector(l, kind);
    writeVector(l, 0, value);
  };
}

function byConstant(l: Lift, { op, bits, signed }: Shift): Value {
  const { b } = l;
  const x = readRegister(l, l.insn.register(0));
  const count = immediateByte(l);
  if (count < bits) return b.op(op, x, b.i32(count));
  return signed ? b.op(op, x, b.i32(bits - 1)) : zeroVector(b);
}

function byVector(l: Lift, { op, bits, signed }: Shift): Value {
  const { b } = l;
  const count = b.op('i64x2.extract_lane.0', vectorSource(l, 1));
  const x = readRegister(l, l.insn.register(0));
  const tooFar = b.op('i64.gt_u', count, b.i64(bits - 1));
  if (!signed) return b.op('v128.select', zeroVector(b), shiftBy(b, op, x, count), tooFar);
  return shiftBy(b, op, x, b.op('i64.select', b.i64(bits - 1), count, tooFar));
}

function shiftBy(b: IrBuilder, op: string, x: Value, count: Value): Value {
  return b.op(op, x, b.op('i32.wrap_i64', count));
}

export const SSE_INT_SHIFTS: Family = vectorFamily([
  [Mnemonic.Psllw, shift('i16x8.shl', 16)],
  [Mnemonic.Pslld, shift('i32x4.shl', 32)],
  [Mnemonic.Psllq, shift('i64x2.shl', 64)],
  [Mnemonic.Psrlw, shift('i16x8.shr_u', 16)],
  [Mnemonic.Psrld, shift('i32x4.shr_u', 32)],
  [Mnemonic.Psrlq, shift('i64x2.shr_u', 64)],
  [Mnemonic.Psraw, shift('i16x8.shr_s', 16)],
  [Mnemonic.Psrad, shift('i32x4.shr_s', 32)],
]);
