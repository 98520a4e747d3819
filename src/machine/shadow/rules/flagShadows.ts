/** What of the lazy flags (ir/flags.ts) is undefined, given what is undefined of the operands that they come from. */
import { CC, COND } from '../../../ir/flags.js';
import { FLAG } from '../../../layout/cpuState.js';
import { isEqualityUndefined, isOrderUndefined, leftOf, ones, type ShadowRule, truth } from './shadowRule.js';

/** x, y and z of the flags, each with what is undefined of it. */
interface FlagOperands {
  readonly op: number;
  readonly values: readonly [bigint | undefined, bigint | undefined, bigint | undefined];
  readonly bits: readonly [bigint, bigint, bigint];
}

/** Flags that conditions look at; those of which one suffices are in a list of their own. */
const LOOKED_AT = [FLAG.OF, FLAG.CF, FLAG.ZF, FLAG.CF | FLAG.ZF, FLAG.SF, FLAG.PF, FLAG.SF | FLAG.OF, FLAG.SF | FLAG.OF | FLAG.ZF] as const;

/** Whether a condition, in the encoding of Jcc, is undefined. */
function isConditionUndefined(code: number, flags: FlagOperands): boolean {
  const { op, bits: [xBits, yBits, zBits], values: [x, y] } = flags;
  const pair = code >> 1;
  const kind = op >> 2;
  const literal = kind === CC.FLAGS ? xBits : kind === CC.CARRY ? (xBits & 1n) | (yBits & ~1n) : undefined;
  if (literal !== undefined) return isLiteralUndefined(LOOKED_AT[pair] as number, literal, kind === CC.FLAGS ? x : undefined);
  const width = 8 << (op & 3);
  const mask = ones(width);
  const sign = 1n << BigInt(width - 1);
  const cut = (value: bigint | undefined): bigint | undefined => (value === undefined ? undefined : value & mask);
  const [p, q] = [xBits & mask, yBits & mask];
  const [a, b] = [cut(x), cut(y)];
  if (kind === CC.SUB) return isDifferenceUndefined(pair, { a, b, p, q, mask, sign });
  const isZeroUndefined = isEqualityUndefined(a, p, 0n, 0n);
  if (kind === CC.LOGIC) return isResultUndefined(pair, p, a, sign, isZeroUndefined);
  if (pair === COND.E >> 1) return kind === CC.SBB ? (p | q | zBits) !== 0n : isZeroUndefined;
  if (pair === COND.S >> 1 && kind !== CC.SBB) return (p & sign) !== 0n;
  if (pair === COND.P >> 1 && kind !== CC.SBB) return (p & 0xffn) !== 0n;
  if ((kind === CC.INC || kind === CC.DEC) && pair === COND.B >> 1) return zBits !== 0n;
  if (kind === CC.MUL && pair <= COND.B >> 1) return yBits !== 0n;
  return (p | q | zBits) !== 0n;
}

function isLiteralUndefined(mask: number, bits: bigint, value: bigint | undefined): boolean {
  const undefinedBits = BigInt(mask) & bits;
  if (undefinedBits === 0n) return false;
  // CF or ZF: one that is set decides.
  return !(mask === (FLAG.CF | FLAG.ZF) && value !== undefined && (value & BigInt(mask) & ~bits) !== 0n);
}

interface Difference {
  readonly a: bigint | undefined;
  readonly b: bigint | undefined;
  readonly p: bigint;
  readonly q: bigint;
  readonly mask: bigint;
  readonly sign: bigint;
}

function isDifferenceUndefined(pair: number, { a, b, p, q, mask, sign }: Difference): boolean {
  if ((p | q) === 0n) return false;
  const turned = (value: bigint | undefined): bigint | undefined => (value === undefined ? undefined : value ^ sign);
  switch (pair) {
    case COND.E >> 1: return isEqualityUndefined(a, p, b, q);
    case COND.B >> 1: return isOrderUndefined((x, y) => x < y, a, p, b, q);
    case COND.BE >> 1: return isOrderUndefined((x, y) => x <= y, a, p, b, q);
    case COND.L >> 1: return isOrderUndefined((x, y) => x < y, turned(a), p, turned(b), q);
    case COND.LE >> 1: return isOrderUndefined((x, y) => x <= y, turned(a), p, turned(b), q);
    case COND.S >> 1: return (leftOf(p | q, mask) & sign) !== 0n;
    case COND.P >> 1: return (leftOf(p | q, mask) & 0xffn) !== 0n;
    default: return true;
  }
}

/** CF and OF are 0. */
function isResultUndefined(pair: number, p: bigint, a: bigint | undefined, sign: bigint, isZeroUndefined: boolean): boolean {
  switch (pair) {
    case COND.O >> 1:
    case COND.B >> 1: return false;
    case COND.E >> 1:
    case COND.BE >> 1: return isZeroUndefined;
    case COND.P >> 1: return (p & 0xffn) !== 0n;
    case COND.LE >> 1: return (p & sign) !== 0n || (isZeroUndefined && !(a !== undefined && (a & sign) !== 0n));
    default: return (p & sign) !== 0n;
  }
}

const SINGLE: readonly (readonly [code: number, flag: number])[] = [[COND.O, FLAG.OF], [COND.B, FLAG.CF], [COND.E, FLAG.ZF], [COND.S, FLAG.SF], [COND.P, FLAG.PF]];

function operands(...[o, { a, b, c, d }]: Parameters<ShadowRule>): FlagOperands | undefined {
  const op = o.value(a);
  return op === undefined ? undefined : { op: Number(op), values: [o.value(b), o.value(c), o.value(d)], bits: [o.bits(b), o.bits(c), o.bits(d)] };
}

export const FLAG_RULES: Readonly<Record<string, ShadowRule>> = {
  'cc.cond': (o, node) => {
    const flags = operands(o, node);
    return truth(flags !== undefined && isConditionUndefined(node.imm, flags));
  },
  'cc.flags': (o, node) => {
    const flags = operands(o, node);
    if (flags === undefined) return 0n;
    const found = SINGLE.filter(([code]) => isConditionUndefined(code, flags)).reduce((sum, [, flag]) => sum | flag, 0);
    return BigInt(found === 0 ? 0 : found | FLAG.AF);
  },
};
