/** Rules for vectors and SSE floats: lane by lane. */
import type { OpDef } from '../../../ir/opDef.js';
import { isEqualityUndefined, ones, type Operands, type ShadowRule, truth } from './shadowRule.js';

const WHOLE = ones(128);
const SHAPES: Readonly<Record<string, number>> = { i8x16: 8, i16x8: 16, i32x4: 32, i64x2: 64 };

/** A lane with an undefined bit is undefined. */
function spread(bits: bigint, lane: number): bigint {
  if (bits === 0n) return 0n;
  const full = ones(lane);
  let result = 0n;
  for (let at = 0n; at < 128n; at += BigInt(lane)) if (((bits >> at) & full) !== 0n) result |= full << at;
  return result;
}

function lanesOf(bits: bigint, lane: number): bigint[] {
  return Array.from({ length: 128 / lane }, (_, i) => (bits >> BigInt(i * lane)) & ones(lane));
}

function joined(lanes: readonly bigint[], lane: number): bigint {
  return lanes.reduceRight((sum, bits) => (sum << BigInt(lane)) | bits, 0n);
}

const either = (o: Operands, { a, b }: { a: Parameters<Operands['bits']>[0]; b: Parameters<Operands['bits']>[0] }): bigint => o.bits(a) | o.bits(b);

const BITWISE: Readonly<Record<string, ShadowRule>> = {
  'v128.not': (o, { a }) => o.bits(a),
  'v128.and': (o, { a, b }) => {
    const [p, q, x, y] = [o.bits(a), o.bits(b), o.value(a) ?? WHOLE, o.value(b) ?? WHOLE];
    return (p & q) | (p & y) | (q & x);
  },
  // a and not b
  'v128.andnot': (o, { a, b }) => {
    const [p, q, x, y] = [o.bits(a), o.bits(b), o.value(a) ?? WHOLE, o.value(b) ?? 0n];
    return (p & q) | (p & ~y & WHOLE) | (q & x);
  },
  'v128.or': (o, { a, b }) => {
    const [p, q, x, y] = [o.bits(a), o.bits(b), o.value(a) ?? 0n, o.value(b) ?? 0n];
    return (p & q) | (p & ~y & WHOLE) | (q & ~x & WHOLE);
  },
  'v128.xor': (o, n) => (n.a === n.b ? 0n : either(o, n)),
  'v128.bitselect': (o, { a, b, c }) => {
    const mask = o.value(c);
    if (mask === undefined || o.bits(c) !== 0n) return o.bits(a) | o.bits(b) | o.bits(c);
    return (o.bits(a) & mask) | (o.bits(b) & ~mask & WHOLE);
  },
  'v128.any_true': (o, { a }) => truth(isEqualityUndefined(o.value(a), o.bits(a), 0n, 0n)),
  'v128.shuffle': (o, { a, b, c }) => {
    const mask = o.value(c);
    const both = o.bits(a) | (o.bits(b) << 128n);
    if (both === 0n && o.bits(c) === 0n) return 0n;
    if (mask === undefined || o.bits(c) !== 0n) return WHOLE;
    return joined(lanesOf(mask, 8).map((from) => (both >> ((from & 31n) * 8n)) & 0xffn), 8);
  },
  'i8x16.swizzle': (o, { a, b }) => {
    const [bits, mask] = [o.bits(a), o.value(b)];
    if (bits === 0n && o.bits(b) === 0n) return 0n;
    if (mask === undefined || o.bits(b) !== 0n) return WHOLE;
    return joined(lanesOf(mask, 8).map((from) => (from > 15n ? 0n : (bits >> (from * 8n)) & 0xffn)), 8);
  },
};

function shifted(lane: number, move: (bits: bigint, count: bigint) => bigint): ShadowRule {
  return (o, { a, b }) => {
    const count = o.value(b);
    if (o.bits(b) !== 0n || count === undefined) return WHOLE;
    return joined(lanesOf(o.bits(a), lane).map((bits) => move(bits, count % BigInt(lane)) & ones(lane)), lane);
  };
}

/** Of operations whose names begin with a shape. */
function laneRule(def: OpDef): ShadowRule | undefined {
  const [shape = '', operation = ''] = def.name.split('.');
  const lane = SHAPES[shape];
  if (lane === undefined) return undefined;
  if (operation.startsWith('extract_lane')) return (o, { a }) => (o.bits(a) >> BigInt(def.lane * lane)) & ones(lane);
  if (operation === 'replace_lane') return (o, { a, b }) => (o.bits(a) & ~(ones(lane) << BigInt(def.lane * lane))) | ((o.bits(b) & ones(lane)) << BigInt(def.lane * lane));
  if (operation.startsWith('narrow')) {
    return (o, { a, b }) => joined([...lanesOf(o.bits(a), lane * 2), ...lanesOf(o.bits(b), lane * 2)].map((bits) => (bits === 0n ? 0n : ones(lane))), lane);
  }
  if (operation.startsWith('extend_')) {
    return (o, { a }) => {
      const from = lanesOf(o.bits(a), lane / 2);
      const half = operation.startsWith('extend_low') ? from.slice(0, from.length / 2) : from.slice(from.length / 2);
      return joined(half.map((bits) => (operation.endsWith('_s') ? BigInt.asUintN(lane, BigInt.asIntN(lane / 2, bits)) : bits)), lane);
    };
  }
  switch (operation) {
    case 'splat': return (o, { a }) => joined(Array<bigint>(128 / lane).fill(o.bits(a) & ones(lane)), lane);
    case 'bitmask': return (o, { a }) => lanesOf(o.bits(a), lane).reduceRight((sum, bits) => (sum << 1n) | (bits >> BigInt(lane - 1)), 0n);
    case 'all_true': return (o, { a }) => truth(o.bits(a) !== 0n);
    case 'shl': return shifted(lane, (bits, count) => bits << count);
    case 'shr_u': return shifted(lane, (bits, count) => bits >> count);
    case 'shr_s': return shifted(lane, (bits, count) => BigInt.asIntN(lane, bits) >> count);
    case 'eq': case 'ne': return equal(lane);
    case 'abs': case 'neg': case 'popcnt': return (o, { a }) => spread(o.bits(a), lane);
    case 'add': case 'sub': case 'mul': case 'lt_s': case 'gt_s': case 'le_s': case 'ge_s': case 'lt_u': case 'gt_u': case 'min_s': case 'min_u': case 'max_s': case 'max_u':
    case 'avgr_u': case 'add_sat_s': case 'add_sat_u': case 'sub_sat_s': case 'sub_sat_u': case 'q15mulr_sat_s':
      return (o, n) => spread(either(o, n), lane);
    default: return undefined;
  }
}

function equal(lane: number): ShadowRule {
  return (o, { a, b }) => {
    if (a === b) return 0n;
    const [p, q, x, y] = [o.bits(a), o.bits(b), o.value(a), o.value(b)];
    if ((p | q) === 0n) return 0n;
    if (x === undefined || y === undefined) return spread(p | q, lane);
    const [ps, qs, xs, ys] = [p, q, x, y].map((v) => lanesOf(v, lane)) as [bigint[], bigint[], bigint[], bigint[]];
    return joined(ps.map((own, i) => (isEqualityUndefined(xs[i], own, ys[i], qs[i] as bigint) ? ones(lane) : 0n)), lane);
  };
}

/** Forms of sse.*: which bits of the operands an operation looks at. */
const FORM: Readonly<Record<string, number>> = { ss: 32, sd: 64, ps: 32, pd: 64 };

function sseRule({ name }: OpDef): ShadowRule | undefined {
  const operation = /^sse\.(\w+?)_(ss|sd|ps|pd)$/.exec(name);
  if (operation !== null) {
    const [, kind = '', form = ''] = operation;
    const lane = FORM[form] as number;
    const low = ones(lane);
    if (kind.endsWith('comi')) return (o, { a, b }) => ((o.bits(a) | o.bits(b)) & low ? 0x45n : 0n);
    const isUnary = kind === 'sqrt' || kind === 'round';
    if (form.startsWith('p')) return (o, { a, b }) => spread(isUnary ? o.bits(b) : o.bits(a) | o.bits(b), lane);
    return (o, { a, b }) => (o.bits(a) & ~low) | (((isUnary ? 0n : o.bits(a)) | o.bits(b)) & low ? low : 0n);
  }
  const fromInteger = /^sse\.cvtsi2(ss|sd)/.exec(name);
  if (fromInteger !== null) {
    const low = ones(FORM[fromInteger[1] as string] as number);
    return (o, { a, b }) => (o.bits(a) & ~low) | (o.bits(b) === 0n ? 0n : low);
  }
  const toInteger = /^sse\.cvtt?(ss|sd)2si_(32|64)$/.exec(name);
  if (toInteger !== null) {
    const [low, result] = [ones(FORM[toInteger[1] as string] as number), ones(Number(toInteger[2]))];
    return (o, { a }) => (o.bits(a) & low ? result : 0n);
  }
  const between = /^sse\.cvts[sd]2s([sd])$/.exec(name);
  if (between !== null) {
    const to = ones(between[1] === 'd' ? 64 : 32);
    const from = ones(between[1] === 'd' ? 32 : 64);
    return (o, { a, b }) => (o.bits(a) & ~to) | (o.bits(b) & from ? to : 0n);
  }
  return undefined;
}

export function vectorRule(def: OpDef): ShadowRule | undefined {
  return BITWISE[def.name] ?? laneRule(def) ?? sseRule(def);
}
