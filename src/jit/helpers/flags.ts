/**
 * Flags whose kind is only known when the code runs: cc.flags(kind, x, y, z) computes all of them,
 * cc.cond(kind, x, y, z, code) one condition. ir/flags.ts defines the kinds.
 *
 * Operands are moved up to the top of 64 bits first, so that carry, zero, sign and overflow are
 * the same for all sizes; only parity and the adjust flag look at the low bits.
 */
import { CC, COND } from '../../ir/flags.js';
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';

const [KIND, X, Y, Z, CODE] = [0, 1, 2, 3, 4];

/** Kinds in the order of their numbers; each gets one case. */
const KINDS = Object.values(CC);

class FlagsBuilder {
  private readonly bits: number;
  private readonly up: number;
  private readonly result: number;
  private readonly first: number;
  private readonly carry: number;
  private readonly overflow: number;
  private readonly adjust: number;

  constructor(private readonly code: Code) {
    this.bits = code.local('i64', 'bits');
    this.up = code.local('i64', 'up');
    this.result = code.local('i64', 'result');
    this.first = code.local('i64', 'first');
    this.carry = code.local('i32', 'carry');
    this.overflow = code.local('i32', 'overflow');
    this.adjust = code.local('i32', 'adjust');
  }

  build(): void {
    const { code } = this;
    code.i64num(8).get(KIND).i32(3).op('i32.and').op('i64.extend_i32_u').op('i64.shl').tee(this.bits);
    code.set(this.up).i64num(64).get(this.up).op('i64.sub').set(this.up);
    code.get(X).set(this.result);
    const done = code.block();
    const labels: number[] = [];
    for (let i = 0; i < KINDS.length; i++) labels[KINDS.length - 1 - i] = code.block();
    code.get(KIND).i32(2).op('i32.shr_u').brTable(labels, done);
    for (const kind of KINDS) {
      code.end();
      this.kind(kind, done);
    }
    code.end();
    this.assemble();
  }

  private kind(kind: number, done: number): void {
    const { code } = this;
    switch (kind) {
      case CC.FLAGS:
        code.get(X).op('i32.wrap_i64').i32(0x8d5).op('i32.and').ret();
        return;
      case CC.CARRY:
        code.get(X).op('i32.wrap_i64').i32(1).op('i32.and');
        code.get(Y).op('i32.wrap_i64').i32(0x8d4).op('i32.and').op('i32.or').ret();
        return;
      case CC.ADD:
      case CC.ADC:
        this.addition(kind === CC.ADC);
        break;
      case CC.SUB:
      case CC.SBB:
        this.subtraction(kind === CC.SBB);
        break;
      case CC.INC:
      case CC.DEC:
        this.step(kind === CC.INC);
        break;
      case CC.SHL:
        this.shiftLeft();
        break;
      case CC.SHR:
      case CC.SAR:
        code.get(Y).get(Z).i64num(1).op('i64.sub').op(kind === CC.SHR ? 'i64.shr_u' : 'i64.shr_s').op('i32.wrap_i64').i32(1).op('i32.and').set(this.carry);
        if (kind === CC.SHR) this.overflowOf(() => code.get(X).get(Y).op('i64.xor'));
        break;
      case CC.MUL:
        code.get(Y).i64num(0).op('i64.ne').tee(this.carry).set(this.overflow);
        break;
      default:
        break;
    }
    code.br(done);
  }

  private addition(withCarry: boolean): void {
    const { code } = this;
    code.get(X).get(Y).op('i64.sub');
    if (withCarry) code.get(Z).op('i64.sub');
    code.set(this.first);
    this.carryOf(withCarry);
    this.overflowOf(() => code.get(this.first).get(X).op('i64.xor').get(Y).get(X).op('i64.xor').op('i64.and'));
    this.adjustOf(this.first);
  }

  private subtraction(withBorrow: boolean): void {
    const { code } = this;
    code.get(X).get(Y).op('i64.sub');
    if (withBorrow) code.get(Z).op('i64.sub');
    code.set(this.result);
    this.carryOf(withBorrow);
    this.overflowOf(() => code.get(X).get(Y).op('i64.xor').get(X).get(this.result).op('i64.xor').op('i64.and'));
    this.adjustOf(this.result);
  }

  /** x < y, or x <= y with a carry in. */
  private carryOf(withCarry: boolean): void {
    const { code } = this;
    if (withCarry) this.shifted(X, Y).op('i64.le_u');
    this.shifted(X, Y).op('i64.lt_u');
    if (withCarry) code.get(Z).op('i32.wrap_i64').select();
    code.set(this.carry);
  }

  private step(up: boolean): void {
    const { code } = this;
    code.get(Z).op('i32.wrap_i64').set(this.carry);
    code.get(X).get(this.up).op('i64.shl');
    // The smallest number after inc; the largest, moved up (its low bits are 0), after dec.
    code.i64(up ? -1n << 63n : (1n << 63n) - 1n);
    if (!up) code.get(this.up).op('i64.shr_u').get(this.up).op('i64.shl');
    code.op('i64.eq').set(this.overflow);
    code.get(X).op('i32.wrap_i64').i32(15).op('i32.and').i32(up ? 0 : 15).op('i32.eq').set(this.adjust);
  }

  private shiftLeft(): void {
    const { code } = this;
    code.get(this.bits).get(Z).op('i64.sub').set(this.first);
    code.get(Y).get(this.first).op('i64.shr_u').op('i32.wrap_i64').i32(1).op('i32.and');
    code.get(this.first).i64num(0).op('i64.ge_s').op('i32.and').tee(this.carry);
    code.get(X).get(this.up).op('i64.shl').i64num(0).op('i64.lt_s').op('i32.xor').set(this.overflow);
  }

  private overflowOf(word: () => void): void {
    word();
    this.code.get(this.up).op('i64.shl').i64num(0).op('i64.lt_s').set(this.overflow);
  }

  private adjustOf(third: number): void {
    this.code.get(X).get(Y).op('i64.xor').get(third).op('i64.xor').i64num(4).op('i64.shr_u').op('i32.wrap_i64').i32(1).op('i32.and').set(this.adjust);
  }

  private shifted(a: number, b: number): Code {
    return this.code.get(a).get(this.up).op('i64.shl').get(b).get(this.up).op('i64.shl');
  }

  private assemble(): void {
    const { code } = this;
    code.get(this.carry);
    code.get(this.adjust).i32(4).op('i32.shl').op('i32.or');
    code.get(this.overflow).i32(11).op('i32.shl').op('i32.or');
    code.get(this.result).op('i32.wrap_i64').i32(0xff).op('i32.and').op('i32.popcnt').i32(1).op('i32.and').op('i32.eqz').i32(2).op('i32.shl').op('i32.or');
    code.get(this.result).get(this.up).op('i64.shl').tee(this.result).op('i64.eqz').i32(6).op('i32.shl').op('i32.or');
    code.get(this.result).i64num(0).op('i64.lt_s').i32(7).op('i32.shl').op('i32.or');
  }
}

/** Bit 0 of the result is the even condition code of a pair; `flags` is a local. */
const PAIRS: readonly ((code: Code, flags: number) => void)[] = [
  (code, flags) => code.get(flags).i32(11).op('i32.shr_u'),
  (code, flags) => code.get(flags),
  (code, flags) => code.get(flags).i32(6).op('i32.shr_u'),
  (code, flags) => code.get(flags).get(flags).i32(6).op('i32.shr_u').op('i32.or'),
  (code, flags) => code.get(flags).i32(7).op('i32.shr_u'),
  (code, flags) => code.get(flags).i32(2).op('i32.shr_u'),
  less,
  (code, flags) => {
    less(code, flags);
    code.get(flags).i32(6).op('i32.shr_u').op('i32.or');
  },
];

function less(code: Code, flags: number): void {
  code.get(flags).i32(7).op('i32.shr_u').get(flags).i32(11).op('i32.shr_u').op('i32.xor');
}

function buildCondition(code: Code, helper: (name: string) => number): void {
  const flags = code.local('i32', 'flags');
  const bit = code.local('i32', 'bit');
  code.get(KIND).get(X).get(Y).get(Z).call(helper('cc.flags')).set(flags);
  const done = code.block();
  const labels: number[] = [];
  for (let i = 0; i < PAIRS.length; i++) labels[PAIRS.length - 1 - i] = code.block();
  code.get(CODE).i32(1).op('i32.shr_u').brTable(labels, labels[COND.G >> 1] as number);
  for (const pair of PAIRS) {
    code.end();
    pair(code, flags);
    code.set(bit).br(done);
  }
  code.end();
  code.get(bit).get(CODE).op('i32.xor').i32(1).op('i32.and');
}

export const FLAGS_HELPERS: readonly HelperDef[] = [
  {
    name: 'cc.flags',
    params: ['i32', 'i64', 'i64', 'i64'],
    results: ['i32'],
    build: (code) => new FlagsBuilder(code).build(),
  },
  { name: 'cc.cond', params: ['i32', 'i64', 'i64', 'i64', 'i32'], results: ['i32'], build: buildCondition },
];
