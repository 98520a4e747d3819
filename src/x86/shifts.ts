/**
 * Shifts: shl shr sar shld shrd. The count is masked to 5 bits (6 for 64-bit operands); a count of 0
 * leaves the flags alone, which for a variable count means choosing between old and new flags.
 */
import { Mnemonic } from 'iced-x86';
import { CC_OP, CC_X, CC_Y, CC_Z } from '../layout/cpuState.js';
import { type CcKind, ccOp } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';

/** The masked count as an i32: a constant where the instruction has one. */
export function shiftCount(l: Lift, operand: number, size: Size): Value {
  const mask = size === 8 ? 63 : 31;
  const { b, insn } = l;
  if (insn.isImmediate(operand)) return b.i32(insn.immediate32(operand) & mask);
  return b.op('i32.and', l.read(operand), b.i32(mask));
}

/** Sets flags unless the count is 0; x, y, z are i64. */
export function setFlagsUnlessZero(l: Lift, count: Value, kind: CcKind, size: Size, x: Value, y: Value, z: Value): void {
  const { b } = l;
  const known = b.asI32(count);
  if (known === 0) return;
  const op = b.i32(ccOp(kind, size));
  if (known !== null) {
    b.setFlags(op, x, y, z);
    return;
  }
  const choose = (fresh: Value, old: Value): Value => b.op('i64.select', fresh, old, count);
  b.setFlags(b.op('i32.select', op, b.get(CC_OP), count), choose(x, b.get(CC_X)), choose(y, b.get(CC_Y)), choose(z, b.get(CC_Z)));
}

function shift(op: 'shl' | 'shr_u' | 'shr_s', kind: CcKind): LiftFn {
  return (l) => {
    const { b } = l;
    const place = l.place(0);
    const { size } = place;
    const count = shiftCount(l, 1, size);
    const operand = place.read();
    const x = kind === 'SAR' && size < 8 ? l.signed32(operand, size) : operand;
    const result = l.arith(op, size, x, l.to(size, count));
    place.write(result);
    const y = kind === 'SAR' ? l.signed64(operand, size) : l.to64(operand, size);
    setFlagsUnlessZero(l, count, kind, size, l.to64(result, size), y, b.extend(count));
  };
}

/** shld and shrd: bits of operand 1 are shifted into operand 0. */
function doubleShift(left: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const place = l.place(0);
    const { size } = place;
    const count = shiftCount(l, 2, size);
    const x = place.read();
    const fill = l.read(1);
    const result = size === 8 ? doubleShift64(l, left, x, fill, count) : doubleShiftNarrow(l, left, size, x, fill, count);
    place.write(result);
    const kind = left ? 'SHL' : 'SHR';
    setFlagsUnlessZero(l, count, kind, size, l.to64(result, size), l.to64(x, size), b.extend(count));
  };
}

function doubleShift64(l: Lift, left: boolean, x: Value, fill: Value, count: Value): Value {
  const { b } = l;
  const wide = b.extend(count);
  const rest = b.op('i64.sub', b.i64(64), wide);
  const shifted = b.op(left ? 'i64.shl' : 'i64.shr_u', x, wide);
  const result = b.op('i64.or', shifted, b.op(left ? 'i64.shr_u' : 'i64.shl', fill, rest));
  // WebAssembly takes the 64 of a zero count as 0.
  return b.op('i64.select', result, x, count);
}

/** In one i64: x:fill for 32 bits, x:fill:fill for 16 bits (counts over 16 are undefined; AMD's CPUs do this). */
function doubleShiftNarrow(l: Lift, left: boolean, size: Size, x: Value, fill: Value, count: Value): Value {
  const { b } = l;
  const at = (v: Value, shift: number): Value => b.op('i64.shl', b.extend(v), b.i64(shift));
  const bits = size * 8;
  const wide = b.extend(count);
  let both = left ? b.op('i64.or', at(x, 32), at(fill, 32 - bits)) : b.op('i64.or', at(fill, bits), at(x, 0));
  if (size === 2) both = b.op('i64.or', both, at(fill, left ? 0 : 32));
  const shifted = b.op(left ? 'i64.shl' : 'i64.shr_u', both, wide);
  const result = left ? b.op('i64.shr_u', shifted, b.i64(32)) : shifted;
  return l.cut(b.wrap(result), size);
}

export const SHIFTS: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Shl, shift('shl', 'SHL')],
  [Mnemonic.Sal, shift('shl', 'SHL')],
  [Mnemonic.Shr, shift('shr_u', 'SHR')],
  [Mnemonic.Sar, shift('shr_s', 'SAR')],
  [Mnemonic.Shld, doubleShift(true)],
  [Mnemonic.Shrd, doubleShift(false)],
]);
