/**
 * The SSE4.2 string instructions: pcmpistri, pcmpistrm, pcmpestri, pcmpestrm, and crc32. The
 * comparison proper is one operation (a helper); lengths, result and flags are spelled out here.
 * x is the first operand, y the second, as in the manual.
 */
import { Mnemonic } from 'iced-x86';
import type { IrBuilder } from '../ir/builder.js';
import type { Value } from '../ir/ir.js';
import { RAX, RCX, RDX, type Slot, XMM } from '../layout/cpuState.js';
import type { Family, Lift, LiftFn } from './lift.js';
import { fromLow32, immediateByte, laneMask, readRegister, shuffle, unalignedSource, zeroVector } from './sseIntOperands.js';

/** Where the lengths come from: the first zero element, or rax and rdx in 32 or 64 bits. */
type Lengths = 'implicit' | 'explicit32' | 'explicit64';

const XMM0 = XMM[0] as Slot;
const MOST_SIGNIFICANT = 0x40;

/** A comparison as the control byte describes it. */
interface Comparison {
  readonly control: number;
  /** Elements are words, not bytes. */
  readonly wide: boolean;
  /** Elements in a vector. */
  readonly count: number;
}

function comparisonOf(l: Lift): Comparison {
  const control = immediateByte(l);
  const wide = (control & 1) !== 0;
  return { control, wide, count: wide ? 8 : 16 };
}

/** Elements before the first zero. */
function implicitLength(b: IrBuilder, v: Value, { wide, count }: Comparison): Value {
  const shape = wide ? 'i16x8' : 'i8x16';
  const zeros = b.op(`${shape}.bitmask`, b.op(`${shape}.eq`, v, zeroVector(b)));
  return b.op('i32.ctz', b.op('i32.or', zeros, b.i32(1 << count)));
}

/** The absolute value of a register, at most the number of elements. */
function explicitLength(b: IrBuilder, slot: Slot, full: boolean, { count }: Comparison): Value {
  const value = full ? b.get(slot) : b.op('i64.extend32_s', b.get(slot));
  const negative = b.op('i64.lt_s', value, b.i64(0));
  const size = b.op('i64.select', b.op('i64.sub', b.i64(0), value), value, negative);
  const limit = b.i64(count);
  return b.op('i32.wrap_i64', b.op('i64.select', limit, size, b.op('i64.gt_u', size, limit)));
}

/** Compares, sets the flags, and hands the result bits (IntRes2) on. */
function compareStrings(l: Lift, lengths: Lengths, how: Comparison, finish: (bits: Value) => void): void {
  const { b } = l;
  const y = unalignedSource(l, 1);
  const x = readRegister(l, l.insn.register(0));
  const length = (v: Value, slot: Slot): Value =>
    lengths === 'implicit' ? implicitLength(b, v, how) : explicitLength(b, slot, lengths === 'explicit64', how);
  const lengthX = length(x, RAX);
  const lengthY = length(y, RDX);
  const bits = b.op(how.wide ? 'pcmpstr.words' : 'pcmpstr.bytes', x, y, lengthX, lengthY, how.control);
  finish(bits);
  setFlags(l, bits, lengthX, lengthY, how.count);
}

/** CF: any bit; ZF, SF: y, x end inside the vector; OF: bit 0. */
function setFlags(l: Lift, bits: Value, lengthX: Value, lengthY: Value, count: number): void {
  const { b } = l;
  const at = (condition: Value, position: number): Value => b.op('i32.shl', condition, b.i32(position));
  const ends = (length: Value): Value => b.op('i32.lt_u', length, b.i32(count));
  const cf = b.op('i32.ne', bits, b.i32(0));
  const zf = at(ends(lengthY), 6);
  const sf = at(ends(lengthX), 7);
  const of = at(b.op('i32.and', bits, b.i32(1)), 11);
  l.setFlags('FLAGS', 8, b.op('i32.or', b.op('i32.or', cf, zf), b.op('i32.or', sf, of)));
}

/** pcmpistri, pcmpestri: ecx = position of the first or last bit, or the number of elements if there is none. */
function indexOf(lengths: Lengths): LiftFn {
  return (l) => {
    const { b } = l;
    const how = comparisonOf(l);
    compareStrings(l, lengths, how, (bits) => {
      const none = b.i32(how.count);
      const index = how.control & MOST_SIGNIFICANT
        ? b.op('i32.select', b.op('i32.sub', b.i32(31), b.op('i32.clz', bits)), none, bits)
        : b.op('i32.ctz', b.op('i32.or', bits, b.i32(1 << how.count)));
      b.set(RCX, b.op('i64.extend_i32_u', index));
    });
  };
}

/** pcmpistrm, pcmpestrm: xmm0 = the bits, or each of them spread over its element. */
function maskOf(lengths: Lengths): LiftFn {
  return (l) => {
    const { b } = l;
    const how = comparisonOf(l);
    compareStrings(l, lengths, how, (bits) => {
      b.set(XMM0, how.control & MOST_SIGNIFICANT ? spread(b, bits, how.wide) : fromLow32(b, bits));
    });
  };
}

/** Element i all ones where bit i is set. */
function spread(b: IrBuilder, bits: Value, wide: boolean): Value {
  const everywhere = b.op('i16x8.splat', bits);
  if (wide) {
    const one = b.v128(Array.from({ length: 16 }, (_, i) => (i & 1 ? 0 : 1 << (i >> 1))));
    return b.op('i16x8.eq', b.op('v128.and', everywhere, one), one);
  }
  const own = shuffle(b, everywhere, everywhere, laneMask(1, Array.from({ length: 16 }, (_, i) => i >> 3)));
  const one = b.v128(Array.from({ length: 16 }, (_, i) => 1 << (i & 7)));
  return b.op('i8x16.eq', b.op('v128.and', own, one), one);
}

function crc32(l: Lift): void {
  const { b, insn } = l;
  const size = l.size(1);
  const source = l.to64(l.read(1), size);
  const destination = l.gpr(insn.register(0));
  const crc = b.op('i32.wrap_i64', b.get(destination.slot));
  b.set(destination.slot, b.op('i64.extend_i32_u', b.opImm('crc32c', size, crc, source)));
}

export const SSE_STRING: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Pcmpistri, indexOf('implicit')],
  [Mnemonic.Pcmpistrm, maskOf('implicit')],
  [Mnemonic.Pcmpestri, indexOf('explicit32')],
  [Mnemonic.Pcmpestrm, maskOf('explicit32')],
  [Mnemonic.Pcmpestri64, indexOf('explicit64')],
  [Mnemonic.Pcmpestrm64, maskOf('explicit64')],
  [Mnemonic.Crc32, crc32],
]);
