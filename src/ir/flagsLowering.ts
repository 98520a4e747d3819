/**
 * Flags in plain operations, where the kind of the lazy flags is known while the block is built:
 * `cmp a, b; jl` becomes one comparison of a and b. Where it is not known the operations cc.cond and
 * cc.flags stay, and a helper looks at the kind when they run (jit/helpers/flags.ts). flags.ts
 * defines what the kinds mean; all three agree.
 */
import type { IrBuilder } from './builder.js';
import { CC, COND } from './flags.js';
import { NONE, type Value } from './ir.js';
import { OPS_32, OPS_64, type WidthOp } from './widths.js';

/** A condition code as an i32 0 or 1, or NONE if the kind is not a constant. */
export function lowerCondition(b: IrBuilder, code: number, kind: Value, x: Value, y: Value, z: Value): Value {
  const op = b.asI32(kind);
  if (op === null) return NONE;
  switch (op >> 2) {
    case CC.SUB:
      if (SUB_COMPARE[code] !== null) return compareDirectly(b, SUB_COMPARE[code] as WidthOp, code, op & 3, x, y);
      break;
    case CC.LOGIC:
      if (LOGIC_COMPARE[code] !== null) return compareDirectly(b, LOGIC_COMPARE[code] as WidthOp, code, op & 3, x, b.i64(0));
      break;
    case CC.FLAGS:
      return literalCondition(b, code, b.wrap(x));
    case CC.CARRY:
      return carryCondition(b, code, x, y);
    default:
      break;
  }
  return new LazyFlags(b, op, x, y, z).condition(code);
}

/** The arithmetic EFLAGS bits as an i32, or NONE. */
export function lowerFlags(b: IrBuilder, kind: Value, x: Value, y: Value, z: Value): Value {
  const op = b.asI32(kind);
  if (op === null) return NONE;
  if (op >> 2 === CC.FLAGS) return b.op('i32.and', b.wrap(x), b.i32(0x8d5));
  if (op >> 2 === CC.CARRY) return carryFlags(b, x, y);
  return new LazyFlags(b, op, x, y, z).all();
}

function carryFlags(b: IrBuilder, x: Value, y: Value): Value {
  return b.op('i32.or', b.wrap(x), b.op('i32.and', b.wrap(y), b.i32(0x8d4)));
}

function carryCondition(b: IrBuilder, code: number, x: Value, y: Value): Value {
  const carry = b.wrap(x);
  if (code === COND.B) return carry;
  if (code === COND.AE) return b.op('i32.eqz', carry);
  if (code === COND.BE || code === COND.A) return literalCondition(b, code, carryFlags(b, x, y));
  return literalCondition(b, code, b.wrap(y));
}

/** EFLAGS bit masks of the conditions that test one or two bits for "any set". */
const LITERAL_MASKS = [0x800, 0x1, 0x40, 0x41, 0x80, 0x4] as const;

function literalCondition(b: IrBuilder, code: number, flags: Value): Value {
  const mask = LITERAL_MASKS[code >> 1];
  if (mask !== undefined) {
    const hit = b.op('i32.and', flags, b.i32(mask));
    return (code & 1) === 1 ? b.op('i32.eqz', hit) : b.op('i32.ne', hit, b.i32(0));
  }
  // SF at bit 7 against OF moved there from bit 11; LE and G ask for ZF at bit 6 as well.
  const differ = b.op('i32.and', b.op('i32.xor', flags, b.op('i32.shr_u', flags, b.i32(4))), b.i32(0x80));
  const hit = code < COND.LE ? differ : b.op('i32.or', differ, b.op('i32.and', flags, b.i32(0x40)));
  return (code & 1) === 1 ? b.op('i32.eqz', hit) : b.op('i32.ne', hit, b.i32(0));
}

/** Comparison of the operands of SUB per condition code; signed ones need signed operands. */
const SUB_COMPARE: readonly (WidthOp | null)[] = [
  null, null, 'lt_u', 'ge_u', 'eq', 'ne', 'le_u', 'gt_u', null, null, null, null, 'lt_s', 'ge_s', 'le_s', 'gt_s',
];
/** Comparison of the result of LOGIC with 0. */
const LOGIC_COMPARE: readonly (WidthOp | null)[] = [
  null, null, null, null, 'eq', 'ne', 'eq', 'ne', 'lt_s', 'ge_s', null, null, 'lt_s', 'ge_s', 'le_s', 'gt_s',
];

/** One comparison of two operands of 1 << log bytes; codes from L on, and S, compare signed numbers. */
function compareDirectly(b: IrBuilder, compare: WidthOp, code: number, log: number, x: Value, y: Value): Value {
  if (log === 3) return b.op(OPS_64[compare], x, y);
  const p = b.wrap(x);
  const q = b.wrap(y);
  if (log === 2 || code < COND.S) return b.op(OPS_32[compare], p, q);
  const extend = log === 0 ? 'i32.extend8_s' : 'i32.extend16_s';
  return b.op(OPS_32[compare], b.op(extend, p), b.op(extend, q));
}

class LazyFlags {
  private readonly kind: number;
  private readonly bits: number;
  private readonly wide: boolean;
  private readonly x: Value;
  private readonly y: Value;

  constructor(
    private readonly b: IrBuilder,
    op: number,
    x64: Value,
    private readonly y64: Value,
    private readonly z64: Value,
  ) {
    this.kind = op >> 2;
    this.bits = 8 << (op & 3);
    this.wide = this.bits === 64;
    this.x = this.wide ? x64 : b.wrap(x64);
    this.y = this.wide ? y64 : b.wrap(y64);
  }

  condition(code: number): Value {
    const positive = this.positive(code >> 1);
    return (code & 1) === 1 ? this.b.op('i32.eqz', positive) : positive;
  }

  all(): Value {
    const b = this.b;
    const or = (flags: Value, bit: Value, at: number): Value => b.op('i32.or', flags, b.op('i32.shl', bit, b.i32(at)));
    let flags = or(this.carry(), this.parity(), 2);
    flags = or(flags, this.adjust(), 4);
    flags = or(flags, this.zero(), 6);
    flags = or(flags, this.sign(this.result()), 7);
    return or(flags, this.overflow(), 11);
  }

  private positive(pair: number): Value {
    const b = this.b;
    switch (pair) {
      case COND.O >> 1: return this.overflow();
      case COND.B >> 1: return this.carry();
      case COND.E >> 1: return this.zero();
      case COND.BE >> 1: return b.op('i32.or', this.carry(), this.zero());
      case COND.S >> 1: return this.sign(this.result());
      case COND.P >> 1: return this.parity();
      case COND.L >> 1: return this.less();
      default: return b.op('i32.or', this.zero(), this.less());
    }
  }

  private carry(): Value {
    const { b, kind } = this;
    switch (kind) {
      case CC.ADD:
      case CC.SUB:
        return this.op('lt_u', this.x, this.y);
      case CC.ADC:
      case CC.SBB:
        return b.op('i32.select', this.op('le_u', this.x, this.y), this.op('lt_u', this.x, this.y), b.wrap(this.z64));
      case CC.INC:
      case CC.DEC:
        return b.wrap(this.z64);
      case CC.SHL:
        return this.lowBit(this.lastOutLeft());
      case CC.SHR:
      case CC.SAR:
        return this.lowBit(b.op(kind === CC.SHR ? 'i64.shr_u' : 'i64.shr_s', this.y64, b.op('i64.sub', this.z64, b.i64(1))));
      case CC.MUL:
        return b.op('i64.ne', this.y64, b.i64(0));
      default:
        return b.i32(0);
    }
  }

  /** Bit `bits - count` of the operand in bit 0; narrow operands have room above in the i64. */
  private lastOutLeft(): Value {
    const b = this.b;
    if (this.wide) return b.op('i64.shr_u', this.y64, b.op('i64.sub', b.i64(64), this.z64));
    return b.op('i64.shr_u', b.op('i64.shl', this.y64, this.z64), b.i64(this.bits));
  }

  private zero(): Value {
    if (this.kind === CC.SUB) return this.op('eq', this.x, this.y);
    return this.wide ? this.b.op('i64.eqz', this.result()) : this.b.op('i32.eqz', this.result());
  }

  private parity(): Value {
    const b = this.b;
    const low = b.op('i32.and', this.low(this.result()), b.i32(0xff));
    return b.op('i32.eqz', b.op('i32.and', b.op('i32.popcnt', low), b.i32(1)));
  }

  private overflow(): Value {
    const word = this.overflowWord();
    return word !== NONE ? this.sign(word) : this.overflowBit();
  }

  /** SF != OF. */
  private less(): Value {
    const word = this.overflowWord();
    if (word !== NONE) return this.sign(this.op('xor', this.result(), word));
    return this.b.op('i32.xor', this.sign(this.result()), this.overflowBit());
  }

  /** A value whose sign bit is OF, for the kinds where that is natural. */
  private overflowWord(): Value {
    const { x, y, kind } = this;
    switch (kind) {
      case CC.ADD:
      case CC.ADC:
        return this.op('and', this.op('xor', this.first(), x), this.op('xor', y, x));
      case CC.SUB:
      case CC.SBB:
        return this.op('and', this.op('xor', x, y), this.op('xor', x, this.result()));
      case CC.SHR:
        return this.op('xor', x, y);
      default:
        return NONE;
    }
  }

  private overflowBit(): Value {
    const { b } = this;
    const half = 1n << BigInt(this.bits - 1);
    switch (this.kind) {
      case CC.INC:
        return this.op('eq', this.x, this.constant(half));
      case CC.DEC:
        return this.op('eq', this.x, this.constant(half - 1n));
      case CC.SHL:
        return b.op('i32.xor', this.sign(this.x), this.carry());
      case CC.MUL:
        return this.carry();
      default:
        return b.i32(0);
    }
  }

  private adjust(): Value {
    const { b, x, y } = this;
    switch (this.kind) {
      case CC.ADD:
      case CC.ADC:
        return this.bitFour(this.op('xor', this.op('xor', this.first(), y), x));
      case CC.SUB:
      case CC.SBB:
        return this.bitFour(this.op('xor', this.op('xor', x, y), this.result()));
      case CC.INC:
        return b.op('i32.eqz', b.op('i32.and', this.low(x), b.i32(15)));
      case CC.DEC:
        return b.op('i32.eq', b.op('i32.and', this.low(x), b.i32(15)), b.i32(15));
      default:
        return b.i32(0);
    }
  }

  private result(): Value {
    if (this.kind === CC.SUB) return this.cut(this.op('sub', this.x, this.y));
    if (this.kind === CC.SBB) return this.cut(this.op('sub', this.op('sub', this.x, this.y), this.z()));
    return this.x;
  }

  /** The first operand of ADD and ADC; junk above the operand size. */
  private first(): Value {
    const difference = this.op('sub', this.x, this.y);
    return this.kind === CC.ADC ? this.op('sub', difference, this.z()) : difference;
  }

  private z(): Value {
    return this.wide ? this.z64 : this.b.wrap(this.z64);
  }

  private op(name: WidthOp, x: Value, y: Value): Value {
    return this.b.op(this.wide ? OPS_64[name] : OPS_32[name], x, y);
  }

  private small(value: number): Value {
    return this.wide ? this.b.i64(value) : this.b.i32(value);
  }

  private constant(value: bigint): Value {
    return this.wide ? this.b.i64(value) : this.b.i32(Number(value));
  }

  private cut(value: Value): Value {
    return this.bits >= 32 ? value : this.b.op('i32.and', value, this.b.i32(this.bits === 8 ? 0xff : 0xffff));
  }

  /** The sign bit of a value of our size, which may have junk above it. */
  private sign(value: Value): Value {
    const b = this.b;
    if (this.bits >= 32) return this.op('lt_s', value, this.small(0));
    return b.op('i32.and', b.op('i32.shr_u', value, b.i32(this.bits - 1)), b.i32(1));
  }

  private low(value: Value): Value {
    return this.wide ? this.b.wrap(value) : value;
  }

  private lowBit(value64: Value): Value {
    return this.b.op('i32.and', this.b.wrap(value64), this.b.i32(1));
  }

  private bitFour(value: Value): Value {
    const b = this.b;
    return b.op('i32.and', b.op('i32.shr_u', this.low(value), b.i32(4)), b.i32(1));
  }
}
