/**
 * Builds what the rules for flags say (machine/shadow/rules/flagShadows.ts is the reference) where the kind of the lazy
 * flags is known while the block is built. Elsewhere there is no rule: who meets flags with shadow there leaves.
 */
import { FLAG } from '../../layout/cpuState.js';
import { CC, ccOperands, COND } from '../flags.js';
import { NONE, type Value } from '../ir.js';
import type { ShadowMath } from './shadowMath.js';

/** The kind, and x, y and z as they are built, each with its shadow. */
export interface KnownFlags {
  readonly op: number;
  readonly values: readonly [Value, Value, Value];
  readonly shadow: readonly [Value, Value, Value];
}

/** Flags that conditions look at. */
const LOOKED_AT = [FLAG.OF, FLAG.CF, FLAG.ZF, FLAG.CF | FLAG.ZF, FLAG.SF, FLAG.PF, FLAG.SF | FLAG.OF, FLAG.SF | FLAG.OF | FLAG.ZF] as const;
const SINGLE: readonly (readonly [code: number, flag: number])[] = [[COND.O, FLAG.OF], [COND.B, FLAG.CF], [COND.E, FLAG.ZF], [COND.S, FLAG.SF], [COND.P, FLAG.PF]];

/** 1 if a condition, in the encoding of Jcc, has shadow; NONE if it cannot. */
export function conditionShadow(math: ShadowMath, code: number, flags: KnownFlags): Value {
  if (flags.shadow.every((shadow) => shadow === NONE)) return NONE;
  return new FlagShadow(math, flags).of(code >> 1);
}

/** The flags that have shadow; the adjust flag counts as one of them whenever there is one. */
export function flagsShadow(math: ShadowMath, flags: KnownFlags): Value {
  if (flags.shadow.every((shadow) => shadow === NONE)) return NONE;
  const { b } = math;
  let found: Value = NONE;
  for (const [code, flag] of SINGLE) {
    const isSome = conditionShadow(math, code, flags);
    if (isSome !== NONE) found = math.or('i32', found, b.op('i32.mul', isSome, b.i32(flag)));
  }
  return found === NONE ? NONE : math.or('i32', found, b.op('i32.mul', math.isSome('i32', found), b.i32(FLAG.AF)));
}

/** Whether x, y or z has a meaning for a kind. */
export function isUsed(op: number, operand: number): boolean {
  return operand < ccOperands(op);
}

class FlagShadow {
  private readonly kind: number;
  private readonly mask: bigint;
  private readonly sign: bigint;
  /** Of x and y as far as the operand size goes. */
  private readonly p: Value;
  private readonly q: Value;
  private readonly x: Value;
  private readonly y: Value;
  private readonly z: Value;

  constructor(
    private readonly math: ShadowMath,
    private readonly flags: KnownFlags,
  ) {
    const { op, shadow: [p, q, z], values: [x, y] } = flags;
    const width = 8 << (op & 3);
    this.kind = op >> 2;
    this.mask = (1n << BigInt(width)) - 1n;
    this.sign = 1n << BigInt(width - 1);
    [this.p, this.q, this.z] = [this.cut(p), this.cut(q), z];
    [this.x, this.y] = [this.cut(x), this.cut(y)];
  }

  of(pair: number): Value {
    const { kind, math, flags: { shadow: [p, q], values: [x] } } = this;
    if (kind === CC.FLAGS) return this.literal(LOOKED_AT[pair] as number, p, x);
    if (kind === CC.CARRY) return this.literal(LOOKED_AT[pair] as number, math.or('i64', this.within(p, 1n), this.within(q, ~1n)), NONE);
    if (kind === CC.SUB) return this.difference(pair);
    if (kind === CC.LOGIC) return this.result(pair);
    return this.other(pair);
  }

  private other(pair: number): Value {
    const { kind, p, sign, math, flags: { shadow: [, q] } } = this;
    const any = (): Value => math.isSome('i64', math.or('i64', math.or('i64', p, this.q), this.z));
    if (pair === COND.E >> 1) return kind === CC.SBB ? any() : this.isZero();
    if (pair === COND.S >> 1 && kind !== CC.SBB) return this.some(p, sign);
    if (pair === COND.P >> 1 && kind !== CC.SBB) return this.some(p, 0xffn);
    if ((kind === CC.INC || kind === CC.DEC) && pair === COND.B >> 1) return math.isSome('i64', this.z);
    if (kind === CC.MUL && pair <= COND.B >> 1) return math.isSome('i64', q);
    return any();
  }

  /** Of flags as they are. CF or ZF: one that is set decides. */
  private literal(mask: number, bits: Value, value: Value): Value {
    const { math } = this;
    const isSome = this.some(bits, BigInt(mask));
    if (isSome === NONE || value === NONE || mask !== (FLAG.CF | FLAG.ZF)) return isSome;
    const decided = math.op('i64', 'eqz', this.within(math.least('i64', value, bits), BigInt(mask)));
    return math.op('i32', 'and', isSome, decided);
  }

  private difference(pair: number): Value {
    const { math, p, q, x, y, mask, sign } = this;
    const either = math.or('i64', p, q);
    if (either === NONE) return NONE;
    const turned = (value: Value): Value => math.op('i64', 'xor', value, math.b.i64(sign));
    const smeared = (): Value => this.within(math.leftOf('i64', either), mask);
    switch (pair) {
      case COND.E >> 1: return math.equality('i64', x, p, y, q);
      case COND.B >> 1: return math.order('i64', 'lt_u', x, p, y, q);
      case COND.BE >> 1: return math.order('i64', 'le_u', x, p, y, q);
      case COND.L >> 1: return math.order('i64', 'lt_u', turned(x), p, turned(y), q);
      case COND.LE >> 1: return math.order('i64', 'le_u', turned(x), p, turned(y), q);
      case COND.S >> 1: return this.some(smeared(), sign);
      case COND.P >> 1: return this.some(smeared(), 0xffn);
      default: return math.isSome('i64', either);
    }
  }

  /** CF and OF are 0. */
  private result(pair: number): Value {
    const { math, p, x, sign } = this;
    switch (pair) {
      case COND.O >> 1:
      case COND.B >> 1: return NONE;
      case COND.E >> 1:
      case COND.BE >> 1: return this.isZero();
      case COND.P >> 1: return this.some(p, 0xffn);
      case COND.LE >> 1: {
        const isZero = this.isZero();
        if (isZero === NONE) return NONE;
        const isPositive = math.op('i64', 'eqz', this.within(x, sign));
        return math.or('i32', this.some(p, sign), math.op('i32', 'and', isZero, isPositive));
      }
      default: return this.some(p, sign);
    }
  }

  private isZero(): Value {
    return this.math.equality('i64', this.x, this.p, this.math.zero('i64'), NONE);
  }

  private some(bits: Value, mask: bigint): Value {
    return this.math.isSome('i64', this.within(bits, mask));
  }

  private cut(value: Value): Value {
    return this.within(value, this.mask);
  }

  private within(value: Value, mask: bigint): Value {
    return value === NONE ? NONE : this.math.op('i64', 'and', value, this.math.b.i64(mask));
  }
}
