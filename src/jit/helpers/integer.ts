/** 64 × 64 → 128-bit multiplication, 128 / 64-bit division, CRC-32C. */
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';

const LOW_HALF = 0xffff_ffff;
/** The polynomial of CRC-32C, bits reversed. */
const CRC_POLYNOMIAL = 0x82f63b78;

function buildMulHighUnsigned(code: Code): void {
  const [a, b] = [0, 1];
  const t = code.local('i64', 't');
  const low = (local: number): Code => code.get(local).i64num(LOW_HALF).op('i64.and');
  const high = (local: number): Code => code.get(local).i64num(32).op('i64.shr_u');
  // t = high(a) * low(b) + carry out of low(a) * low(b)
  high(a);
  low(b).op('i64.mul');
  low(a);
  low(b).op('i64.mul').i64num(32).op('i64.shr_u').op('i64.add').set(t);
  high(a);
  high(b).op('i64.mul');
  high(t).op('i64.add');
  // + carry out of low(a) * high(b) + low(t)
  low(a);
  high(b).op('i64.mul');
  low(t).op('i64.add').i64num(32).op('i64.shr_u').op('i64.add');
}

/** Signed from unsigned: each negative operand has counted as 2^64 too much. */
function buildMulHighSigned(code: Code, helper: (name: string) => number): void {
  const [a, b] = [0, 1];
  code.get(a).get(b).call(helper('mul.hi_u'));
  code.get(a).i64num(63).op('i64.shr_s').get(b).op('i64.and').op('i64.sub');
  code.get(b).i64num(63).op('i64.shr_s').get(a).op('i64.and').op('i64.sub');
}

/** Knuth's algorithm D with two 32-bit digits; high < divisor. */
function buildQuotientUnsigned(code: Code): void {
  const [high, low, divisor] = [0, 1, 2];
  const shift = code.local('i64', 'shift');
  const [d1, d0] = [code.local('i64', 'd1'), code.local('i64', 'd0')];
  const [digit, rest, first] = [code.local('i64', 'digit'), code.local('i64', 'rest'), code.local('i64', 'first')];
  code.get(high).op('i64.eqz').if_();
  code.get(low).get(divisor).op('i64.div_u').ret();
  code.end();
  // Normalise: the divisor's top bit becomes 1.
  code.get(divisor).op('i64.clz').set(shift);
  code.get(divisor).get(shift).op('i64.shl').tee(divisor).i64num(32).op('i64.shr_u').set(d1);
  code.get(divisor).i64num(LOW_HALF).op('i64.and').set(d0);
  code.get(high).get(shift).op('i64.shl');
  code.get(low).i64num(1).op('i64.shr_u').i64num(63).get(shift).op('i64.sub').op('i64.shr_u').op('i64.or').set(high);
  code.get(low).get(shift).op('i64.shl').set(low);

  /** One digit of the quotient from `high` and the next 32 bits of `low`; `high` becomes the remainder. */
  const oneDigit = (nextBits: () => void): void => {
    code.get(high).get(d1).op('i64.div_u').tee(digit).get(d1).op('i64.mul').set(rest);
    code.get(high).get(rest).op('i64.sub').set(rest);
    const done = code.block();
    const again = code.loop();
    code.get(digit).i64num(LOW_HALF).op('i64.gt_u');
    code.get(digit).get(d0).op('i64.mul').get(rest).i64num(32).op('i64.shl');
    nextBits();
    code.op('i64.or').op('i64.gt_u').op('i32.or').op('i32.eqz').brIf(done);
    code.get(digit).i64num(1).op('i64.sub').set(digit);
    code.get(rest).get(d1).op('i64.add').tee(rest).i64num(LOW_HALF).op('i64.le_u').brIf(again);
    code.end();
    code.end();
    code.get(high).i64num(32).op('i64.shl');
    nextBits();
    code.op('i64.or').get(digit).get(divisor).op('i64.mul').op('i64.sub').set(high);
  };
  oneDigit(() => code.get(low).i64num(32).op('i64.shr_u'));
  code.get(digit).set(first);
  oneDigit(() => code.get(low).i64num(LOW_HALF).op('i64.and'));
  code.get(first).i64num(32).op('i64.shl').get(digit).op('i64.add');
}

/** Pushes the absolute value of a local. */
function magnitude(code: Code, local: number, sign: number): Code {
  return code.get(local).get(sign).op('i64.xor').get(sign).op('i64.sub');
}

/** Makes high:low its absolute value if `sign` is -1. */
function negatePair(code: Code, high: number, low: number, sign: number): void {
  code.get(sign).op('i64.eqz').op('i32.eqz').if_();
  code.get(high).i64num(-1).op('i64.xor').get(low).op('i64.eqz').op('i64.extend_i32_u').op('i64.add').set(high);
  code.i64num(0).get(low).op('i64.sub').set(low);
  code.end();
}

/**
 * Calls `then` with locals: sign of the dividend and of the quotient (0 or -1); the parameters become absolute values.
 */
function absoluteOperands(code: Code): { dividendSign: number; quotientSign: number } {
  const [high, low, divisor] = [0, 1, 2];
  const dividendSign = code.local('i64', 'dividendSign');
  const divisorSign = code.local('i64', 'divisorSign');
  code.get(high).i64num(63).op('i64.shr_s').set(dividendSign);
  code.get(divisor).i64num(63).op('i64.shr_s').set(divisorSign);
  negatePair(code, high, low, dividendSign);
  magnitude(code, divisor, divisorSign).set(divisor);
  code.get(dividendSign).get(divisorSign).op('i64.xor').set(divisorSign);
  return { dividendSign, quotientSign: divisorSign };
}

/** The dividend is just a sign-extended 64-bit number. */
function isExtended(code: Code): Code {
  return code.get(1).i64num(63).op('i64.shr_s').get(0).op('i64.eq');
}

function buildQuotientSigned(code: Code, helper: (name: string) => number): void {
  isExtended(code).if_();
  code.get(1).get(2).op('i64.div_s').ret();
  code.end();
  const { quotientSign } = absoluteOperands(code);
  code.get(0).get(1).get(2).call(helper('div.quot_u'));
  code.get(quotientSign).op('i64.xor').get(quotientSign).op('i64.sub');
}

function buildOverflowsSigned(code: Code, helper: (name: string) => number): void {
  isExtended(code).if_();
  code.get(2).op('i64.eqz');
  code.get(2).i64num(-1).op('i64.eq').get(1).i64(-1n << 63n).op('i64.eq').op('i32.and').op('i32.or').ret();
  code.end();
  const { quotientSign } = absoluteOperands(code);
  code.get(0).get(2).op('i64.ge_u').if_();
  code.i32(1).ret();
  code.end();
  // |quotient| may be 2^63 if the quotient is negative, else one less.
  code.get(0).get(1).get(2).call(helper('div.quot_u'));
  code.i64((1n << 63n) - 1n).get(quotientSign).op('i64.sub').op('i64.gt_u');
}

function buildRemainder(sign: 'u' | 's') {
  return (code: Code, helper: (name: string) => number): void => {
    code.get(1).get(0).get(1).get(2).call(helper(`div.quot_${sign}`)).get(2).op('i64.mul').op('i64.sub');
  };
}

/** crc32c(crc, data, bytes): bit by bit. */
function buildCrc(code: Code): void {
  const [crc, data, bytes] = [0, 1, 2];
  const word = code.local('i64', 'word');
  const left = code.local('i32', 'left');
  code.get(data).get(crc).op('i64.extend_i32_u').op('i64.xor').set(word);
  code.get(bytes).i32(3).op('i32.shl').set(left);
  // Narrow operands: bits above them take part only through the crc.
  const loop = code.loop();
  code.get(word).i64num(1).op('i64.shr_u');
  code.i64num(0).get(word).i64num(1).op('i64.and').op('i64.sub').i64num(CRC_POLYNOMIAL).op('i64.and').op('i64.xor').set(word);
  code.get(left).i32(1).op('i32.sub').tee(left).brIf(loop);
  code.end();
  code.get(word).op('i32.wrap_i64');
}

const PAIR = ['i64', 'i64'] as const;
const TRIPLE = ['i64', 'i64', 'i64'] as const;

export const INTEGER_HELPERS: readonly HelperDef[] = [
  { name: 'mul.hi_u', params: PAIR, results: ['i64'], build: buildMulHighUnsigned },
  { name: 'mul.hi_s', params: PAIR, results: ['i64'], build: buildMulHighSigned },
  { name: 'div.quot_u', params: TRIPLE, results: ['i64'], build: buildQuotientUnsigned },
  { name: 'div.quot_s', params: TRIPLE, results: ['i64'], build: buildQuotientSigned },
  { name: 'div.rem_u', params: TRIPLE, results: ['i64'], build: buildRemainder('u') },
  { name: 'div.rem_s', params: TRIPLE, results: ['i64'], build: buildRemainder('s') },
  { name: 'div.overflows_u', params: TRIPLE, results: ['i32'], build: (code) => void code.get(0).get(2).op('i64.ge_u') },
  { name: 'div.overflows_s', params: TRIPLE, results: ['i32'], build: buildOverflowsSigned },
  { name: 'crc32c', params: ['i32', 'i64', 'i32'], results: ['i32'], build: buildCrc },
];
