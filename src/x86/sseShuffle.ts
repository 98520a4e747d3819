/**
 * Instructions that move lanes about: unpack, shuffle, align, blend, insert, extract. With a
 * constant control they are byte shuffles of x:y, whose mask is computed here; how fast they are is
 * the code generator's business.
 */
import { Mnemonic } from 'iced-x86';
import type { IrBuilder } from '../ir/builder.js';
import type { Value } from '../ir/ir.js';
import { XMM, type Slot } from '../layout/cpuState.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';
import {
  type Binary, type Width, fromLow32, immediateByte, laneMask, packed, readRegister, shuffle, vectorFamily, vectorSource,
  widthOf, writeGeneral, writeVector, zeroVector,
} from './sseIntOperands.js';

const XMM0 = XMM[0] as Slot;
const BYTES = Array.from({ length: 16 }, (_, i) => i);

/** Alternates lanes of the low or high half of x with those of y. */
function unpack(laneBytes: number, high: boolean): LiftFn {
  return packed((b, x, y, width) => {
    const half = width / laneBytes / 2;
    const first = high ? half : 0;
    const lanes = Array.from({ length: half * 2 }, (_, i) => first + (i >> 1) + (i & 1) * (16 / laneBytes));
    return shuffle(b, x, y, laneMask(laneBytes, lanes));
  });
}

/** A shuffle whose lanes come from the immediate: lanesFor(imm) numbers them through x:y. */
function shuffleBy(laneBytes: number, lanesFor: (imm: number) => number[]): LiftFn {
  return (l) => {
    const y = vectorSource(l, 1);
    const x = readRegister(l, l.insn.register(0));
    writeVector(l, 0, shuffle(l.b, x, y, laneMask(laneBytes, lanesFor(immediateByte(l)))));
  };
}

/** The same with lanes of the source alone. */
function shuffleSource(laneBytes: number, lanesFor: (imm: number) => number[]): LiftFn {
  return (l) => {
    const y = vectorSource(l, 1);
    writeVector(l, 0, shuffle(l.b, y, y, laneMask(laneBytes, lanesFor(immediateByte(l)))));
  };
}

/** The four 2-bit fields of an immediate. */
function fields(imm: number): [number, number, number, number] {
  return [imm & 3, (imm >> 2) & 3, (imm >> 4) & 3, (imm >> 6) & 3];
}

function shufps(imm: number): number[] {
  const [a, b, c, d] = fields(imm);
  return [a, b, c + 4, d + 4];
}

function shufpd(imm: number): number[] {
  return [imm & 1, 2 + ((imm >> 1) & 1)];
}

const pshuflw = (imm: number): number[] => [...fields(imm), 4, 5, 6, 7];
const pshufhw = (imm: number): number[] => [0, 1, 2, 3, ...fields(imm).map((f) => f + 4)];

/** The index's high bit gives 0; WebAssembly's swizzle does so for every index of 16 and more. */
const pshufb: Binary = (b, x, y, width) => {
  const index = b.op('v128.and', y, b.v128(new Uint8Array(16).fill(width === 16 ? 0x8f : 0x87)));
  return b.op('i8x16.swizzle', x, index);
};

/** Bytes imm.. of x:y with y the low part; beyond both, zeros. */
function palignr(l: Lift): void {
  const { b } = l;
  const y = vectorSource(l, 1);
  const x = readRegister(l, l.insn.register(0));
  const width = widthOf(l, 0);
  const shift = immediateByte(l);
  writeVector(l, 0, align(b, x, y, width, shift));
}

function align(b: IrBuilder, x: Value, y: Value, width: Width, shift: number): Value {
  if (shift >= 2 * width) return zeroVector(b);
  // The window [shift, shift + width) over y, x, zeros: it never touches both y and the zeros.
  const [low, high, from] = shift < width ? [y, x, shift] : [x, zeroVector(b), shift - width];
  return shuffle(b, low, high, BYTES.map((i) => (from + i < width ? from + i : 16 + ((from + i - width) & 15))));
}

/** pslldq and psrldq shift the whole register by bytes. */
function shiftBytes(left: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const x = readRegister(l, l.insn.register(0));
    const count = Math.min(immediateByte(l), 16);
    writeVector(l, 0, left ? align(b, x, zeroVector(b), 16, 16 - count) : align(b, zeroVector(b), x, 16, count));
  };
}

/** Lanes of y where the immediate has a 1, of x elsewhere. */
function blend(laneBytes: number): LiftFn {
  const lanes = 16 / laneBytes;
  return shuffleBy(laneBytes, (imm) => Array.from({ length: lanes }, (_, i) => ((imm >> i) & 1 ? lanes + i : i)));
}

/** Lanes of y where xmm0's lane is negative, of x elsewhere. */
function blendVariable(shape: string): LiftFn {
  return packed((b, x, y) => b.op('v128.bitselect', y, x, b.op(`${shape}.lt_s`, b.get(XMM0), zeroVector(b))));
}

/** insertps: one lane of the source into one lane, then lanes cleared by the low four bits. */
function insertps(l: Lift): void {
  const { b } = l;
  const imm = immediateByte(l);
  const to = (imm >> 4) & 3;
  const from = l.insn.isMemory(1) ? 0 : imm >> 6;
  const y = l.insn.isMemory(1) ? fromLow32(b, l.load(4, l.address())) : vectorSource(l, 1);
  const inserted = shuffle(b, readRegister(l, l.insn.register(0)), y, laneMask(4, [0, 1, 2, 3].map((i) => (i === to ? 4 + from : i))));
  const kept = BYTES.map((i) => ((imm >> (i >> 2)) & 1 ? 0 : 0xff));
  writeVector(l, 0, imm & 15 ? b.op('v128.and', inserted, b.v128(kept)) : inserted);
}

const SHAPE = { 1: 'i8x16', 2: 'i16x8', 4: 'i32x4', 8: 'i64x2' } as const;

/** pinsrb and family: the low part of a general register, or memory, into one lane. */
function insert(bytes: Size): LiftFn {
  return (l) => {
    const { b, insn } = l;
    const lane = immediateByte(l) & (widthOf(l, 0) / bytes - 1);
    const value = insn.isMemory(1) ? l.load(bytes, l.address()) : generalSource(l, bytes);
    writeVector(l, 0, b.op(`${SHAPE[bytes]}.replace_lane.${lane}`, readRegister(l, insn.register(0)), value));
  };
}

function generalSource(l: Lift, bytes: Size): Value {
  const full = l.b.get(l.gpr(l.insn.register(1)).slot);
  return bytes === 8 ? full : l.b.op('i32.wrap_i64', full);
}

/** pextrb and family: one lane into a general register (zero-extended) or memory. */
function extract(bytes: Size): LiftFn {
  const suffix = bytes < 4 ? '_u' : '';
  return (l) => {
    const { b, insn } = l;
    const lane = immediateByte(l) & (widthOf(l, 1) / bytes - 1);
    const value = b.op(`${SHAPE[bytes]}.extract_lane${suffix}.${lane}`, readRegister(l, insn.register(1)));
    if (insn.isMemory(0)) l.store(bytes, l.address(), value);
    else if (bytes === 8) l.writeGpr(l.gpr(insn.register(0)), value);
    else writeGeneral(l, 0, value);
  };
}

export const SSE_SHUFFLE: Family = vectorFamily([
  [Mnemonic.Punpcklbw, unpack(1, false)],
  [Mnemonic.Punpcklwd, unpack(2, false)],
  [Mnemonic.Punpckldq, unpack(4, false)],
  [Mnemonic.Punpcklqdq, unpack(8, false)],
  [Mnemonic.Punpckhbw, unpack(1, true)],
  [Mnemonic.Punpckhwd, unpack(2, true)],
  [Mnemonic.Punpckhdq, unpack(4, true)],
  [Mnemonic.Punpckhqdq, unpack(8, true)],
  [Mnemonic.Unpcklps, unpack(4, false)],
  [Mnemonic.Unpcklpd, unpack(8, false)],
  [Mnemonic.Unpckhps, unpack(4, true)],
  [Mnemonic.Unpckhpd, unpack(8, true)],
  [Mnemonic.Shufps, shuffleBy(4, shufps)],
  [Mnemonic.Shufpd, shuffleBy(8, shufpd)],
  [Mnemonic.Pshufd, shuffleSource(4, fields)],
  [Mnemonic.Pshuflw, shuffleSource(2, pshuflw)],
  [Mnemonic.Pshufhw, shuffleSource(2, pshufhw)],
  [Mnemonic.Pshufw, shuffleSource(2, fields)],
  [Mnemonic.Pshufb, packed(pshufb)],
  [Mnemonic.Palignr, palignr],
  [Mnemonic.Pslldq, shiftBytes(true)],
  [Mnemonic.Psrldq, shiftBytes(false)],
  [Mnemonic.Blendps, blend(4)],
  [Mnemonic.Blendpd, blend(8)],
  [Mnemonic.Pblendw, blend(2)],
  [Mnemonic.Blendvps, blendVariable('i32x4')],
  [Mnemonic.Blendvpd, blendVariable('i64x2')],
  [Mnemonic.Pblendvb, blendVariable('i8x16')],
  [Mnemonic.Insertps, insertps],
  [Mnemonic.Pinsrb, insert(1)],
  [Mnemonic.Pinsrw, insert(2)],
  [Mnemonic.Pinsrd, insert(4)],
  [Mnemonic.Pinsrq, insert(8)],
  [Mnemonic.Pextrb, extract(1)],
  [Mnemonic.Pextrw, extract(2)],
  [Mnemonic.Pextrd, extract(4)],
  [Mnemonic.Pextrq, extract(8)],
  [Mnemonic.Extractps, extract(4)],
]);
