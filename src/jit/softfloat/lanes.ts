/**
 * One lane of SSE arithmetic: sse.lane_add64(x, y, mxcsr) -> (result, flags), and so on. With the
 * usual MXCSR and ordinary numbers the host's own operation is right; then only the inexact flag
 * needs thought, and often not even that: it may be set already, or the operation may be provably
 * exact (programs that compute with integers in doubles never set it). All else goes to the
 * functions of narrowArith.ts.
 */
import { MXCSR_RESET } from '../../layout/cpuState.js';
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lit, select, type Var } from './dsl.js';
import { PE } from './formats.js';
import { ARITH_CODE } from './narrowArith.js';
import { DOUBLE, isDenormal, MXCSR_CONTROL, type Narrow, NARROWS } from './narrowFormat.js';

export type ArithName = keyof typeof ARITH_CODE;
const ARITH_NAMES: readonly ArithName[] = ['add', 'sub', 'mul', 'div'];

/** The pattern of a float, as an i64. */
export function patternOf(n: Narrow, value: Expr): Expr {
  return n === DOUBLE ? value.bits() : value.bits().extU();
}

export function floatOf(n: Narrow, pattern: Expr): Expr {
  return n === DOUBLE ? pattern.bits() : pattern.wrap().bits();
}

function absolute(n: Narrow, value: Expr): Expr {
  return value.op1(`${n.float}.abs`, n.float);
}

const MIN_NORMAL = { f32: 2 ** -126, f64: 2 ** -1022 } as const;
/** Half of the range: beyond it, intermediate results of the exactness test might overflow. */
const LARGE = { f32: 2 ** 127, f64: 2 ** 1023 } as const;

/** Bits of an odd significand of 53 bits. */
function significand(value: Expr): Expr {
  return value.bits().and((1n << 52n) - 1n).or(1n << 52n);
}

function exponentField(value: Expr): Expr {
  return value.bits().shrU(52).and(0x7ff);
}

/**
 * sse.exactMul(x, y, r): whether r = x * y without rounding, for normal doubles. Without their
 * trailing zeros the factors are odd, so the product has exactly as many bits as they have
 * together, or one less; at the border the exponent tells which.
 */
const exactMul = helper('sse.exactMul', { x: 'f64', y: 'f64', r: 'f64' }, ['i32'], (f, { x, y, r }) => {
  const width = f.let_(lit('i64', 106).sub(significand(x).ctz()).sub(significand(y).ctz()));
  f.if_(width.leS(53), () => f.ret(lit('i32', 1)));
  f.if_(width.gtS(54), () => f.ret(lit('i32', 0)));
  f.ret(exponentField(r).eq(exponentField(x).add(exponentField(y)).sub(1023)));
});

function promote(value: Expr): Expr {
  return value.op1('f64.promote_f32', 'f64');
}

/** Whether r = x op y without rounding, for ordinary numbers. */
function isExact(f: Fn, n: Narrow, op: ArithName, x: Expr, y: Expr, r: Expr): Expr {
  if (op === 'add' || op === 'sub') {
    // Knuth's TwoSum: the rounding error of a sum is itself a number and can be computed.
    const other = f.let_(op === 'add' ? y : y.op1(`${n.float}.neg`, n.float));
    const part = f.let_(r.sub(x));
    return x.sub(r.sub(part)).add(other.sub(part)).eq(0);
  }
  const [p, q, product] = op === 'mul' ? [x, y, r] : [r, y, x];
  if (n !== DOUBLE) return promote(p).mul(promote(q)).eq(promote(product));
  return p.mul(q).eq(product).and(f.call('i32', 'sse.exactMul', p, q, product));
}

/** Whether the host's result is right and at most PE has to be raised. Zeros are fine if they come from zeros. */
function isOrdinary(n: Narrow, op: ArithName, x: Expr, y: Expr, r: Expr): Expr {
  const normalOperands = isDenormal(n, patternOf(n, x)).or(isDenormal(n, patternOf(n, y))).eqz();
  const size = absolute(n, r);
  // A finite result means that sums and products have finite operands.
  const base = normalOperands.and(size.lt(LARGE[n.float]));
  if (op === 'add' || op === 'sub') return base;
  const large = lit(n.float, MIN_NORMAL[n.float]).lt(size);
  const zero = op === 'mul' ? x.eq(0).or(y.eq(0)) : x.eq(0);
  return base.and(large.or(zero));
}

function laneArith(n: Narrow, op: ArithName): HelperDef {
  return helper(`sse.lane_${op}${n.suffix}`, { x: n.float, y: n.float, mxcsr: 'i32' }, [n.float, 'i32'], (f, { x, y, mxcsr }) => {
    f.if_(mxcsr.and(MXCSR_CONTROL).eq(MXCSR_RESET), () => {
      const r = f.let_(x.op2(op, y));
      f.if_(isOrdinary(n, op, x, y, r), () => {
        f.if_(mxcsr.and(PE).or(r.eq(0)), () => f.ret(r, lit('i32', 0)));
        f.ret(r, select(isExact(f, n, op, x, y, r), lit('i32', 0), PE));
      });
    });
    returnSoft(f, n, `sse.soft${n.suffix}`, lit('i32', ARITH_CODE[op]), patternOf(n, x), patternOf(n, y), mxcsr);
  });
}

/** Returns what a soft function returns, as a float. */
function returnSoft(f: Fn, n: Narrow, name: string, ...args: Expr[]): void {
  const pattern = f.local('i64');
  const flags = f.local('i32');
  f.callInto([pattern, flags], name, ...args);
  f.ret(floatOf(n, pattern), flags);
}

function laneSqrt(n: Narrow): HelperDef {
  return helper(`sse.lane_sqrt${n.suffix}`, { x: n.float, mxcsr: 'i32' }, [n.float, 'i32'], (f, { x, mxcsr }) => {
    const normal = lit(n.float, MIN_NORMAL[n.float]).op2('le', x, 'i32').and(x.lt(LARGE[n.float]));
    f.if_(mxcsr.and(MXCSR_CONTROL).eq(MXCSR_RESET).and(normal), () => {
      const r: Var = f.let_(x.op1(`${n.float}.sqrt`, n.float));
      f.if_(mxcsr.and(PE), () => f.ret(r, lit('i32', 0)));
      f.ret(r, select(isExact(f, n, 'mul', r, r, x), lit('i32', 0), PE));
    });
    returnSoft(f, n, `sse.softSqrt${n.suffix}`, patternOf(n, x), mxcsr);
  });
}

function laneBetter(n: Narrow, op: 'min' | 'max'): HelperDef {
  return helper(`sse.lane_${op}${n.suffix}`, { x: n.float, y: n.float, mxcsr: 'i32' }, [n.float, 'i32'], (f, { x, y, mxcsr }) => {
    returnSoft(f, n, `sse.soft${op === 'min' ? 'Min' : 'Max'}${n.suffix}`, patternOf(n, x), patternOf(n, y), mxcsr);
  });
}

export const LANE_HELPERS: readonly HelperDef[] = [
  exactMul,
  ...NARROWS.flatMap((n) => [...ARITH_NAMES.map((op) => laneArith(n, op)), laneSqrt(n), laneBetter(n, 'min'), laneBetter(n, 'max')]),
];
