/**
 * Rotates: rol ror rcl rcr. They change only CF and OF, so the flags become CARRY: the new CF beside
 * the literal rest. The rest costs something only if an instruction asks for it.
 */
import { Mnemonic } from 'iced-x86';
import { FLAG } from '../layout/cpuState.js';
import { COND } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';
import { setFlagsUnlessZero, shiftCount } from './shifts.js';

/** Bit `n` of a value of a size, as an i32 0 or 1. */
function bitOf(l: Lift, value: Value, n: number, size: Size): Value {
  const { b } = l;
  const moved = l.arith('shr_u', size, value, l.small(n, size));
  return b.op('i32.and', size === 8 ? b.wrap(moved) : moved, b.i32(1));
}

function setRotateFlags(l: Lift, count: Value, carry: Value, overflow: Value): void {
  const { b } = l;
  const kept = b.op('i32.and', b.flags(), b.i32(FLAG.PF | FLAG.AF | FLAG.ZF | FLAG.SF));
  const rest = b.op('i32.or', kept, b.op('i32.shl', overflow, b.i32(11)));
  setFlagsUnlessZero(l, count, 'CARRY', 1, b.extend(carry), b.extend(rest), b.i64(0));
}

function rotate(left: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const place = l.place(0);
    const { size } = place;
    const top = size * 8 - 1;
    const count = shiftCount(l, 1, size);
    const x = place.read();
    const result = size >= 4 ? l.arith(left ? 'rotl' : 'rotr', size, x, l.to(size, count)) : rotateNarrow(l, left, size, x, count);
    place.write(result);
    const high = bitOf(l, result, top, size);
    const carry = left ? bitOf(l, result, 0, size) : high;
    const overflow = b.op('i32.xor', high, left ? carry : bitOf(l, result, top - 1, size));
    setRotateFlags(l, count, carry, overflow);
  };
}

function rotateNarrow(l: Lift, left: boolean, size: Size, x: Value, count: Value): Value {
  const { b } = l;
  const bits = size * 8;
  const by = b.op('i32.and', count, b.i32(bits - 1));
  const back = b.op('i32.sub', b.i32(bits), by);
  const one = b.op('i32.shl', x, left ? by : back);
  return l.cut(b.op('i32.or', one, b.op('i32.shr_u', x, left ? back : by)), size);
}

/** rcl and rcr rotate through CF: a word of one bit more than the operand. */
function rotateCarry(left: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const place = l.place(0);
    const { size } = place;
    const top = size * 8 - 1;
    const count = shiftCount(l, 1, size);
    const x = place.read();
    const carryIn = b.condition(COND.B);
    const through = size === 8 ? through64(l, left, x, count, carryIn) : throughNarrow(l, left, size, x, count, carryIn);
    const { result, carry } = through;
    place.write(result);
    const high = bitOf(l, result, top, size);
    const overflow = b.op('i32.xor', high, left ? carry : bitOf(l, result, top - 1, size));
    setRotateFlags(l, count, carry, overflow);
  };
}

interface Through {
  readonly result: Value;
  readonly carry: Value;
}

/** 9, 17 or 33 bits, in one i64. */
function throughNarrow(l: Lift, left: boolean, size: Size, x: Value, count: Value, carryIn: Value): Through {
  const { b } = l;
  const bits = size * 8;
  const by = b.extend(size === 4 ? count : b.op('i32.rem_u', count, b.i32(bits + 1)));
  const back = b.op('i64.sub', b.i64(bits + 1), by);
  const whole = b.op('i64.or', b.op('i64.shl', b.extend(carryIn), b.i64(bits)), b.extend(x));
  const rotated = b.op('i64.or', b.op('i64.shl', whole, left ? by : back), b.op('i64.shr_u', whole, left ? back : by));
  const carry = b.op('i32.and', b.wrap(b.op('i64.shr_u', rotated, b.i64(bits))), b.i32(1));
  return { result: l.cut(b.wrap(rotated), size), carry };
}

/** 65 bits: the shift by 65 - count is done in two steps, since it may be 64. */
function through64(l: Lift, left: boolean, x: Value, count: Value, carryIn: Value): Through {
  const { b } = l;
  const out = left ? 'i64.shl' : 'i64.shr_u';
  const back = left ? 'i64.shr_u' : 'i64.shl';
  const by = b.extend(count);
  const rest = b.op('i64.sub', b.i64(64), by);
  const carryAt = left ? b.op('i64.sub', by, b.i64(1)) : rest;
  const carried = b.op('i64.shl', b.extend(carryIn), carryAt);
  const wrapped = b.op(back, b.op(back, x, b.i64(1)), rest);
  const rotated = b.op('i64.or', b.op('i64.or', b.op(out, x, by), carried), wrapped);
  const lastOut = b.op('i64.shr_u', x, left ? rest : b.op('i64.sub', by, b.i64(1)));
  const carry = b.op('i32.and', b.wrap(lastOut), b.i32(1));
  return { result: b.op('i64.select', rotated, x, count), carry: b.op('i32.select', carry, carryIn, count) };
}

export const ROTATES: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Rol, rotate(true)],
  [Mnemonic.Ror, rotate(false)],
  [Mnemonic.Rcl, rotateCarry(true)],
  [Mnemonic.Rcr, rotateCarry(false)],
]);
