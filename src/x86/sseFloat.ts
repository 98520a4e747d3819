/**
 * SSE floating-point arithmetic: the four basic operations, min, max, square root, comparison,
 * rounding, horizontal and dot-product forms, approximations. The operations themselves are those of
 * ir/sseOps.ts; here is only what goes in and where it ends up.
 */
import { Mnemonic } from 'iced-x86';
import type { IrBuilder } from '../ir/builder.js';
import { ccOp } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn } from './lift.js';
import { immediateByte, laneMask, packed, readRegister, shuffle, vectorSource, writeVector, zeroVector } from './sseIntOperands.js';

/** x = op(x, y): scalar operations keep the upper lanes of x themselves. */
function binary(name: string): LiftFn {
  return packed((b, x, y) => b.op(name, x, y));
}

/** As binary, with an immediate. */
function withImmediate(name: string, mask: number): LiftFn {
  return (l) => {
    const y = vectorSource(l, 1);
    const x = readRegister(l, l.insn.register(0));
    writeVector(l, 0, l.b.opImm(name, immediateByte(l) & mask, x, y));
  };
}

/** comiss and family: OF, SF and AF become 0. */
function compareFlags(name: string): LiftFn {
  return (l) => {
    const { b } = l;
    const y = vectorSource(l, 1);
    const flags = b.op(name, readRegister(l, l.insn.register(0)), y);
    b.setFlags(b.i32(ccOp('FLAGS', 8)), b.op('i64.extend_i32_u', flags));
  };
}

/** haddps and family: pairs of neighbouring lanes of x, then of y. */
function horizontal(name: string, even: number[], odd: number[]): LiftFn {
  return packed((b, x, y) => b.op(name, shuffle(b, x, y, even), shuffle(b, x, y, odd)));
}

const EVEN_SINGLES = laneMask(4, [0, 2, 4, 6]);
const ODD_SINGLES = laneMask(4, [1, 3, 5, 7]);
const EVEN_DOUBLES = laneMask(8, [0, 2]);
const ODD_DOUBLES = laneMask(8, [1, 3]);

/** A mask of all ones in the lanes whose bit is set. */
function lanesMask(b: IrBuilder, laneBytes: number, bits: number): Value {
  return b.v128(Array.from({ length: 16 }, (_, i) => ((bits >> Math.floor(i / laneBytes)) & 1 ? 0xff : 0)));
}

/**
 * dpps, dppd: products of the chosen lanes (the others count as 0), summed pairwise, into the chosen
 * lanes of the result. 0 * 0 + 0 raises nothing, so lanes not chosen may take part as zeros.
 */
function dotProduct(laneBytes: 4 | 8, form: 'ps' | 'pd'): LiftFn {
  const lanes = 16 / laneBytes;
  return (l) => {
    const { b } = l;
    const y = vectorSource(l, 1);
    const x = readRegister(l, l.insn.register(0));
    const immediate = immediateByte(l);
    const chosen = lanesMask(b, laneBytes, (immediate >> 4) & ((1 << lanes) - 1));
    const products = b.op(`sse.mul_${form}`, b.op('v128.and', x, chosen), b.op('v128.and', y, chosen));
    const sum = laneBytes === 4 ? sumSingles(b, products) : sumDoubles(b, products);
    writeVector(l, 0, b.op('v128.and', sum, lanesMask(b, laneBytes, immediate & ((1 << lanes) - 1))));
  };
}

/** (0 + 1) + (2 + 3) in all lanes. Every sum is done by the pair in two lanes at once, which raises the same flags. */
function sumSingles(b: IrBuilder, v: Value): Value {
  const pairs = b.op('sse.add_ps', shuffle(b, v, v, laneMask(4, [0, 0, 2, 2])), shuffle(b, v, v, laneMask(4, [1, 1, 3, 3])));
  return b.op('sse.add_ps', shuffle(b, pairs, pairs, laneMask(4, [0, 0, 0, 0])), shuffle(b, pairs, pairs, laneMask(4, [2, 2, 2, 2])));
}

function sumDoubles(b: IrBuilder, v: Value): Value {
  return b.op('sse.add_pd', shuffle(b, v, v, laneMask(8, [0, 0])), shuffle(b, v, v, laneMask(8, [1, 1])));
}

const LOW_OF_SECOND = laneMask(4, [4, 1, 2, 3]);

/** rcpps, rsqrtps; the scalar forms take the low lane only. */
function approximation(name: string, scalar: boolean): LiftFn {
  return (l: Lift) => {
    const { b } = l;
    const y = vectorSource(l, 1);
    if (!scalar) return writeVector(l, 0, b.op(name, y));
    const low = b.op('i32x4.replace_lane.0', zeroVector(b), b.op('i32x4.extract_lane.0', y));
    writeVector(l, 0, shuffle(b, readRegister(l, l.insn.register(0)), b.op(name, low), LOW_OF_SECOND));
  };
}

const PREDICATE = 7;
const ROUNDING = 15;

export const SSE_FLOAT: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Addss, binary('sse.add_ss')],
  [Mnemonic.Addsd, binary('sse.add_sd')],
  [Mnemonic.Addps, binary('sse.add_ps')],
  [Mnemonic.Addpd, binary('sse.add_pd')],
  [Mnemonic.Subss, binary('sse.sub_ss')],
  [Mnemonic.Subsd, binary('sse.sub_sd')],
  [Mnemonic.Subps, binary('sse.sub_ps')],
  [Mnemonic.Subpd, binary('sse.sub_pd')],
  [Mnemonic.Mulss, binary('sse.mul_ss')],
  [Mnemonic.Mulsd, binary('sse.mul_sd')],
  [Mnemonic.Mulps, binary('sse.mul_ps')],
  [Mnemonic.Mulpd, binary('sse.mul_pd')],
  [Mnemonic.Divss, binary('sse.div_ss')],
  [Mnemonic.Divsd, binary('sse.div_sd')],
  [Mnemonic.Divps, binary('sse.div_ps')],
  [Mnemonic.Divpd, binary('sse.div_pd')],
  [Mnemonic.Minss, binary('sse.min_ss')],
  [Mnemonic.Minsd, binary('sse.min_sd')],
  [Mnemonic.Minps, binary('sse.min_ps')],
  [Mnemonic.Minpd, binary('sse.min_pd')],
  [Mnemonic.Maxss, binary('sse.max_ss')],
  [Mnemonic.Maxsd, binary('sse.max_sd')],
  [Mnemonic.Maxps, binary('sse.max_ps')],
  [Mnemonic.Maxpd, binary('sse.max_pd')],
  [Mnemonic.Sqrtss, binary('sse.sqrt_ss')],
  [Mnemonic.Sqrtsd, binary('sse.sqrt_sd')],
  [Mnemonic.Sqrtps, binary('sse.sqrt_ps')],
  [Mnemonic.Sqrtpd, binary('sse.sqrt_pd')],
  [Mnemonic.Addsubps, binary('sse.addsub_ps')],
  [Mnemonic.Addsubpd, binary('sse.addsub_pd')],
  [Mnemonic.Haddps, horizontal('sse.add_ps', EVEN_SINGLES, ODD_SINGLES)],
  [Mnemonic.Haddpd, horizontal('sse.add_pd', EVEN_DOUBLES, ODD_DOUBLES)],
  [Mnemonic.Hsubps, horizontal('sse.sub_ps', EVEN_SINGLES, ODD_SINGLES)],
  [Mnemonic.Hsubpd, horizontal('sse.sub_pd', EVEN_DOUBLES, ODD_DOUBLES)],
  [Mnemonic.Dpps, dotProduct(4, 'ps')],
  [Mnemonic.Dppd, dotProduct(8, 'pd')],
  [Mnemonic.Cmpss, withImmediate('sse.cmp_ss', PREDICATE)],
  [Mnemonic.Cmpsd, withImmediate('sse.cmp_sd', PREDICATE)],
  [Mnemonic.Cmpps, withImmediate('sse.cmp_ps', PREDICATE)],
  [Mnemonic.Cmppd, withImmediate('sse.cmp_pd', PREDICATE)],
  [Mnemonic.Roundss, withImmediate('sse.round_ss', ROUNDING)],
  [Mnemonic.Roundsd, withImmediate('sse.round_sd', ROUNDING)],
  [Mnemonic.Roundps, withImmediate('sse.round_ps', ROUNDING)],
  [Mnemonic.Roundpd, withImmediate('sse.round_pd', ROUNDING)],
  [Mnemonic.Comiss, compareFlags('sse.comi_ss')],
  [Mnemonic.Comisd, compareFlags('sse.comi_sd')],
  [Mnemonic.Ucomiss, compareFlags('sse.ucomi_ss')],
  [Mnemonic.Ucomisd, compareFlags('sse.ucomi_sd')],
  [Mnemonic.Rcpps, approximation('sse.rcp_ps', false)],
  [Mnemonic.Rcpss, approximation('sse.rcp_ps', true)],
  [Mnemonic.Rsqrtps, approximation('sse.rsqrt_ps', false)],
  [Mnemonic.Rsqrtss, approximation('sse.rsqrt_ps', true)],
]);
