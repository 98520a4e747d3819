/**
 * Packed multiplication, sums of differences, horizontal sums and packing: integer arithmetic for
 * which WebAssembly has no instruction of its own, or which combines neighbouring lanes.
 */
import { Mnemonic } from 'iced-x86';
import type { IrBuilder } from '../ir/builder.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn } from './lift.js';
import {
  type Binary, type Width, immediateByte, laneMask, packed, readRegister, shuffle, unary, vectorFamily, vectorSource, words,
  writeVector, zeroVector,
} from './sseIntOperands.js';

type Sign = 's' | 'u';

/** The upper words of eight 32-bit products. */
function multiplyHigh(sign: Sign): Binary {
  const upperWords = laneMask(2, [1, 3, 5, 7, 9, 11, 13, 15]);
  return (b, x, y) => {
    const low = b.op(`i32x4.extmul_low_i16x8_${sign}`, x, y);
    const high = b.op(`i32x4.extmul_high_i16x8_${sign}`, x, y);
    return shuffle(b, low, high, upperWords);
  };
}

/** 64-bit products of the even 32-bit lanes. */
function multiplyEven(sign: Sign): Binary {
  const even = laneMask(4, [0, 2, 0, 2]);
  return (b, x, y) => b.op(`i64x2.extmul_low_i32x4_${sign}`, shuffle(b, x, x, even), shuffle(b, y, y, even));
}

/** pmulhrsw: WebAssembly's instruction saturates the one product that overflows, x86 lets it wrap. */
const multiplyRounded: Binary = (b, x, y) => {
  const lowest = words(b, 0x8000);
  const overflow = b.op('v128.and', b.op('i16x8.eq', x, lowest), b.op('i16x8.eq', y, lowest));
  return b.op('v128.xor', b.op('i16x8.q15mulr_sat_s', x, y), overflow);
};

/** pmaddubsw: unsigned bytes of x times signed bytes of y, pairs added with saturation. */
const multiplyAddBytes: Binary = (b, x, y) => {
  const eight = b.i32(8);
  const even = b.op('i16x8.mul', b.op('v128.and', x, words(b, 0xff)), b.op('i16x8.shr_s', b.op('i16x8.shl', y, eight), eight));
  const odd = b.op('i16x8.mul', b.op('i16x8.shr_u', x, eight), b.op('i16x8.shr_s', y, eight));
  return b.op('i16x8.add_sat_s', even, odd);
};

/** psadbw: for each 8 bytes, the sum of absolute differences. */
const sumOfDifferences: Binary = (b, x, y) => {
  const difference = b.op('v128.or', b.op('i8x16.sub_sat_u', x, y), b.op('i8x16.sub_sat_u', y, x));
  const quads = b.op('i32x4.extadd_pairwise_i16x8_u', b.op('i16x8.extadd_pairwise_i8x16_u', difference));
  const sums = b.op('i64x2.add', quads, b.op('i64x2.shr_u', quads, b.i32(32)));
  return b.op('v128.and', sums, b.v128([255, 255, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0]));
};

/** mpsadbw: four bytes of y against the eight windows of x that start where the immediate says. */
function slidingDifferences(l: Lift): void {
  const { b } = l;
  const y = vectorSource(l, 1);
  const x = readRegister(l, l.insn.register(0));
  const imm = immediateByte(l);
  const windows = imm & 4;
  const block = (imm & 3) * 4;
  let sum: Value | null = null;
  for (let k = 0; k < 4; k++) {
    const left = bytesAsWords(b, x, (i) => windows + i + k);
    const right = bytesAsWords(b, y, () => block + k);
    const difference = b.op('i16x8.abs', b.op('i16x8.sub', left, right));
    sum = sum === null ? difference : b.op('i16x8.add', sum, difference);
  }
  writeVector(l, 0, sum as Value);
}

/** Eight words, each a zero-extended byte of v. */
function bytesAsWords(b: IrBuilder, v: Value, byteOf: (word: number) => number): Value {
  const mask = Array.from({ length: 16 }, (_, i) => (i & 1 ? 16 : byteOf(i >> 1)));
  return shuffle(b, v, zeroVector(b), mask);
}

/** phminposuw: the least word and its first position, found as the least of value * 65536 + position. */
function leastWord(b: IrBuilder, y: Value): Value {
  const keyed = (positions: readonly number[], lanes: readonly number[]): Value =>
    shuffle(b, y, b.v128(firstWords(positions)), laneMask(2, lanes));
  const low = keyed([0, 1, 2, 3], [8, 0, 9, 1, 10, 2, 11, 3]);
  const high = keyed([4, 5, 6, 7], [8, 4, 9, 5, 10, 6, 11, 7]);
  const four = b.op('i32x4.min_u', low, high);
  const two = b.op('i32x4.min_u', four, shuffle(b, four, four, laneMask(4, [2, 3, 0, 1])));
  const one = b.op('i32x4.min_u', two, shuffle(b, two, two, laneMask(4, [1, 0, 3, 2])));
  return shuffle(b, one, zeroVector(b), laneMask(2, [1, 0, 8, 8, 8, 8, 8, 8]));
}

/** The first words of a vector constant. */
function firstWords(values: readonly number[]): number[] {
  const bytes = values.flatMap((v) => [v & 0xff, v >> 8]);
  while (bytes.length < 16) bytes.push(0);
  return bytes;
}

/** phadd, phsub: neighbouring lanes combined, those of x below those of y. */
function horizontal(laneBytes: number, op: string): LiftFn {
  return packed((b, x, y, width) => {
    const pick = (odd: number): Value => shuffle(b, x, y, laneMask(laneBytes, alternate(laneBytes, width, odd)));
    return b.op(op, pick(0), pick(1));
  });
}

/** Every other lane of x, then of y. */
function alternate(laneBytes: number, width: Width, odd: number): number[] {
  const half = width / laneBytes / 2;
  return Array.from({ length: half * 2 }, (_, i) => (i < half ? 2 * i : 16 / laneBytes + 2 * (i - half)) + odd);
}

/** packss, packus: x's lanes narrowed with saturation, then y's. */
function pack(op: string): LiftFn {
  return packed((b, x, y, width) => {
    if (width === 16) return b.op(op, x, y);
    const both = shuffle(b, x, y, laneMask(8, [0, 2]));
    return b.op(op, both, both);
  });
}

/** pmovsx, pmovzx: the lowest lanes extended once or more. */
function extend(...ops: readonly string[]): LiftFn {
  return unary((b, y) => ops.reduce((value, op) => b.op(op, value), y));
}

const BW = 'i16x8.extend_low_i8x16_';
const WD = 'i32x4.extend_low_i16x8_';
const DQ = 'i64x2.extend_low_i32x4_';

export const SSE_INT_MULTIPLY: Family = vectorFamily([
  [Mnemonic.Pmulhw, packed(multiplyHigh('s'))],
  [Mnemonic.Pmulhuw, packed(multiplyHigh('u'))],
  [Mnemonic.Pmuldq, packed(multiplyEven('s'))],
  [Mnemonic.Pmuludq, packed(multiplyEven('u'))],
  [Mnemonic.Pmulhrsw, packed(multiplyRounded)],
  [Mnemonic.Pmaddubsw, packed(multiplyAddBytes)],
  [Mnemonic.Psadbw, packed(sumOfDifferences)],
  [Mnemonic.Mpsadbw, slidingDifferences],
  [Mnemonic.Phminposuw, unary(leastWord)],
  [Mnemonic.Phaddw, horizontal(2, 'i16x8.add')],
  [Mnemonic.Phaddd, horizontal(4, 'i32x4.add')],
  [Mnemonic.Phaddsw, horizontal(2, 'i16x8.add_sat_s')],
  [Mnemonic.Phsubw, horizontal(2, 'i16x8.sub')],
  [Mnemonic.Phsubd, horizontal(4, 'i32x4.sub')],
  [Mnemonic.Phsubsw, horizontal(2, 'i16x8.sub_sat_s')],
  [Mnemonic.Packsswb, pack('i8x16.narrow_i16x8_s')],
  [Mnemonic.Packuswb, pack('i8x16.narrow_i16x8_u')],
  [Mnemonic.Packssdw, pack('i16x8.narrow_i32x4_s')],
  [Mnemonic.Packusdw, pack('i16x8.narrow_i32x4_u')],
  [Mnemonic.Pmovsxbw, extend(BW + 's')],
  [Mnemonic.Pmovsxbd, extend(BW + 's', WD + 's')],
  [Mnemonic.Pmovsxbq, extend(BW + 's', WD + 's', DQ + 's')],
  [Mnemonic.Pmovsxwd, extend(WD + 's')],
  [Mnemonic.Pmovsxwq, extend(WD + 's', DQ + 's')],
  [Mnemonic.Pmovsxdq, extend(DQ + 's')],
  [Mnemonic.Pmovzxbw, extend(BW + 'u')],
  [Mnemonic.Pmovzxbd, extend(BW + 'u', WD + 'u')],
  [Mnemonic.Pmovzxbq, extend(BW + 'u', WD + 'u', DQ + 'u')],
  [Mnemonic.Pmovzxwd, extend(WD + 'u')],
  [Mnemonic.Pmovzxwq, extend(WD + 'u', DQ + 'u')],
  [Mnemonic.Pmovzxdq, extend(DQ + 'u')],
]);
