/**
 * Packed integer arithmetic, logic and comparison, of SSE and MMX alike. Where WebAssembly has the
 * instruction, it is a row of the first table; the others are spelled out as functions of two
 * vectors. Everything here works within lanes, so it need not know the register's width.
 */
import { Mnemonic } from 'iced-x86';
import type { IrBuilder } from '../ir/builder.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn } from './lift.js';
import { type Binary, packed, unary, vectorFamily, vectorSource, zeroVector } from './sseIntOperands.js';

/** Mnemonic -> the WebAssembly instruction that does it. */
const PLAIN: readonly (readonly [Mnemonic, string])[] = [
  [Mnemonic.Pand, 'v128.and'], [Mnemonic.Andps, 'v128.and'], [Mnemonic.Andpd, 'v128.and'],
  [Mnemonic.Por, 'v128.or'], [Mnemonic.Orps, 'v128.or'], [Mnemonic.Orpd, 'v128.or'],
  [Mnemonic.Paddb, 'i8x16.add'], [Mnemonic.Paddw, 'i16x8.add'], [Mnemonic.Paddd, 'i32x4.add'], [Mnemonic.Paddq, 'i64x2.add'],
  [Mnemonic.Psubb, 'i8x16.sub'], [Mnemonic.Psubw, 'i16x8.sub'], [Mnemonic.Psubd, 'i32x4.sub'], [Mnemonic.Psubq, 'i64x2.sub'],
  [Mnemonic.Paddsb, 'i8x16.add_sat_s'], [Mnemonic.Paddsw, 'i16x8.add_sat_s'],
  [Mnemonic.Paddusb, 'i8x16.add_sat_u'], [Mnemonic.Paddusw, 'i16x8.add_sat_u'],
  [Mnemonic.Psubsb, 'i8x16.sub_sat_s'], [Mnemonic.Psubsw, 'i16x8.sub_sat_s'],
  [Mnemonic.Psubusb, 'i8x16.sub_sat_u'], [Mnemonic.Psubusw, 'i16x8.sub_sat_u'],
  [Mnemonic.Pcmpgtb, 'i8x16.gt_s'], [Mnemonic.Pcmpgtw, 'i16x8.gt_s'],
  [Mnemonic.Pcmpgtd, 'i32x4.gt_s'], [Mnemonic.Pcmpgtq, 'i64x2.gt_s'],
  [Mnemonic.Pminsb, 'i8x16.min_s'], [Mnemonic.Pminsw, 'i16x8.min_s'], [Mnemonic.Pminsd, 'i32x4.min_s'],
  [Mnemonic.Pminub, 'i8x16.min_u'], [Mnemonic.Pminuw, 'i16x8.min_u'], [Mnemonic.Pminud, 'i32x4.min_u'],
  [Mnemonic.Pmaxsb, 'i8x16.max_s'], [Mnemonic.Pmaxsw, 'i16x8.max_s'], [Mnemonic.Pmaxsd, 'i32x4.max_s'],
  [Mnemonic.Pmaxub, 'i8x16.max_u'], [Mnemonic.Pmaxuw, 'i16x8.max_u'], [Mnemonic.Pmaxud, 'i32x4.max_u'],
  [Mnemonic.Pavgb, 'i8x16.avgr_u'], [Mnemonic.Pavgw, 'i16x8.avgr_u'],
  [Mnemonic.Pmullw, 'i16x8.mul'], [Mnemonic.Pmulld, 'i32x4.mul'], [Mnemonic.Pmaddwd, 'i32x4.dot_i16x8_s'],
];

function plain(op: string): Binary {
  return (b, x, y) => b.op(op, x, y);
}

/** pxor x, x is how compilers write zero: make it a constant. */
const xor: Binary = (b, x, y) => (x === y ? zeroVector(b) : b.op('v128.xor', x, y));

/** x86's and-not complements its first operand, WebAssembly's the second. */
const andNot: Binary = (b, x, y) => b.op('v128.andnot', y, x);

/** pcmpeq x, x is how compilers write all ones. */
function equal(shape: string): Binary {
  const op = `${shape}.eq`;
  return (b, x, y) => (x === y ? b.v128(new Uint8Array(16).fill(0xff)) : b.op(op, x, y));
}

function absolute(shape: string): LiftFn {
  return unary((b, y) => b.op(`${shape}.abs`, y));
}

/** psign: x negated where y is negative, 0 where y is 0. */
function sign(shape: string): Binary {
  return (b, x, y) => {
    const zero = zeroVector(b);
    const negative = b.op(`${shape}.lt_s`, y, zero);
    const negated = b.op(`${shape}.sub`, b.op('v128.xor', x, negative), negative);
    return b.op('v128.andnot', negated, b.op(`${shape}.eq`, y, zero));
  };
}

function isZero(b: IrBuilder, v: Value): Value {
  return b.op('i32.eqz', b.op('v128.any_true', v));
}

/** ptest: ZF says that x & y is 0, CF that y has no bit that x lacks; the other flags are cleared. */
function ptest(l: Lift): void {
  const { b } = l;
  const y = vectorSource(l, 1);
  const x = vectorSource(l, 0);
  const zf = b.op('i32.shl', isZero(b, b.op('v128.and', x, y)), b.i32(6));
  const cf = isZero(b, b.op('v128.andnot', y, x));
  l.setFlags('FLAGS', 8, b.op('i32.or', zf, cf));
}

export const SSE_INT: Family = vectorFamily([
  ...PLAIN.map(([mnemonic, op]): [Mnemonic, LiftFn] => [mnemonic, packed(plain(op))]),
  [Mnemonic.Pxor, packed(xor)],
  [Mnemonic.Xorps, packed(xor)],
  [Mnemonic.Xorpd, packed(xor)],
  [Mnemonic.Pandn, packed(andNot)],
  [Mnemonic.Andnps, packed(andNot)],
  [Mnemonic.Andnpd, packed(andNot)],
  [Mnemonic.Pcmpeqb, packed(equal('i8x16'))],
  [Mnemonic.Pcmpeqw, packed(equal('i16x8'))],
  [Mnemonic.Pcmpeqd, packed(equal('i32x4'))],
  [Mnemonic.Pcmpeqq, packed(equal('i64x2'))],
  [Mnemonic.Pabsb, absolute('i8x16')],
  [Mnemonic.Pabsw, absolute('i16x8')],
  [Mnemonic.Pabsd, absolute('i32x4')],
  [Mnemonic.Psignb, packed(sign('i8x16'))],
  [Mnemonic.Psignw, packed(sign('i16x8'))],
  [Mnemonic.Psignd, packed(sign('i32x4'))],
  [Mnemonic.Ptest, ptest],
]);
