/**
 * Arithmetic on unpacked finite nonzero numbers (see formats.ts). Each function returns the exact
 * result, or one that rounds like it, as (sign, exponent, high, low); round.ts makes a number of a
 * format of it. high = 0 means that the result is zero.
 */
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lit, select, type Var } from './dsl.js';
import { TOP_BIT } from './formats.js';

const LOW32 = 0xffff_ffffn;
const RESULT = ['i32', 'i32', 'i64', 'i64'] as const;
const BINARY = { signA: 'i32', exponentA: 'i32', mantissaA: 'i64', signB: 'i32', exponentB: 'i32', mantissaB: 'i64' } as const;
/** Fractions that stand for "below one half" and "above one half" in the low word. */
const BELOW_HALF = 0x4000_0000_0000_0000n;
const ABOVE_HALF = 0xc000_0000_0000_0000n;

/** a * b as 128 bits: (high, low). */
const mulWide = helper('sf.mulWide', { a: 'i64', b: 'i64' }, ['i64', 'i64'], (f, { a, b }) => {
  const aLow = f.let_(a.and(LOW32));
  const aHigh = f.let_(a.shrU(32));
  const bLow = f.let_(b.and(LOW32));
  const bHigh = f.let_(b.shrU(32));
  const low = f.let_(aLow.mul(bLow));
  const cross = f.let_(aHigh.mul(bLow).add(low.shrU(32)));
  const middle = f.let_(aLow.mul(bHigh).add(cross.and(LOW32)));
  f.ret(aHigh.mul(bHigh).add(cross.shrU(32)).add(middle.shrU(32)), middle.shl(32).or(low.and(LOW32)));
});

/** Swaps the operands so that |A| >= |B|. */
function orderByMagnitude(f: Fn, a: readonly [Var, Var, Var], b: readonly [Var, Var, Var]): void {
  const [, exponentA, mantissaA] = a;
  const [, exponentB, mantissaB] = b;
  const smaller = exponentA.ltS(exponentB).or(exponentA.eq(exponentB).and(mantissaA.ltU(mantissaB)));
  f.if_(smaller, () => {
    for (let i = 0; i < 3; i++) {
      const x = a[i] as Var;
      const y = b[i] as Var;
      const t = f.let_(x);
      x.set(y);
      y.set(t);
    }
  });
}

/** mantissaB:0 moved right by `distance`, into high:low with a sticky last bit. */
function align(f: Fn, mantissaB: Var, distance: Var, high: Var, low: Var): void {
  f.if_(distance.eqz(), () => high.set(mantissaB), () => {
    const n = f.let_(distance.extU());
    f.if_(distance.ltS(64), () => {
      high.set(mantissaB.shrU(n));
      low.set(mantissaB.shl(lit('i64', 64).sub(n)));
    }, () => {
      f.if_(distance.geS(128), () => low.set(1), () => {
        const lost = select(n.eq(64), lit('i64', 0), mantissaB.shl(lit('i64', 128).sub(n)));
        low.set(mantissaB.shrU(n.sub(64)).or(lost.ne(0).extU()));
      });
    });
  });
}

/** Shifts high:low left until the top bit is set; zero stays zero. */
function normalise(f: Fn, exponent: Var, high: Var, low: Var): void {
  f.if_(high.eqz(), () => {
    high.set(low);
    low.set(0);
    exponent.set(exponent.sub(64));
  });
  const n = f.let_(high.clz());
  f.if_(high.ne(0).and(n.ne(0)), () => {
    high.set(high.shl(n).or(low.shrU(lit('i64', 64).sub(n))));
    low.set(low.shl(n));
    exponent.set(exponent.sub(n.wrap()));
  });
}

const add = helper('sf.add', BINARY, RESULT, (f, p) => {
  orderByMagnitude(f, [p.signA, p.exponentA, p.mantissaA], [p.signB, p.exponentB, p.mantissaB]);
  const exponent = p.exponentA;
  const high = f.local('i64');
  const low = f.local('i64');
  align(f, p.mantissaB, f.let_(exponent.sub(p.exponentB)), high, low);
  f.if_(p.signA.eq(p.signB), () => {
    high.set(high.add(p.mantissaA));
    f.if_(high.ltU(p.mantissaA), () => {
      low.set(high.shl(63).or(low.shrU(1)).or(low.and(1)));
      high.set(high.shrU(1).or(TOP_BIT));
      exponent.set(exponent.add(1));
    });
  }, () => {
    high.set(p.mantissaA.sub(high).sub(low.ne(0).extU()));
    low.set(low.neg());
    f.if_(high.geS(0), () => normalise(f, exponent, high, low));
  });
  f.ret(p.signA, exponent, high, low);
});

const mul = helper('sf.mul', BINARY, RESULT, (f, p) => {
  const high = f.local('i64');
  const low = f.local('i64');
  f.callInto([high, low], 'sf.mulWide', p.mantissaA, p.mantissaB);
  const exponent = f.let_(p.exponentA.add(p.exponentB).sub(16382));
  f.if_(high.geS(0), () => {
    high.set(high.shl(1).or(low.shrU(63)));
    low.set(low.shl(1));
    exponent.set(exponent.sub(1));
  });
  f.ret(p.signA.xor(p.signB), exponent, high, low);
});

/**
 * One 32-bit digit of a quotient: (remainder:next digit) / divisor, where the divisor's top bit is set and remainder <
 * divisor.
 */
function quotientDigit(f: Fn, remainder: Var, divisor: Var, divisorHigh: Expr, divisorLow: Expr, next: Expr): Var {
  const digit = f.let_(remainder.divU(divisorHigh));
  const rest = f.let_(remainder.sub(digit.mul(divisorHigh)));
  const tooBig = digit.gtU(LOW32).or(digit.mul(divisorLow).gtU(rest.shl(32).or(next)));
  // At most two corrections; once the rest exceeds 32 bits the estimate is right.
  f.while_(rest.leU(LOW32).and(tooBig), () => {
    digit.set(digit.sub(1));
    rest.set(rest.add(divisorHigh));
  });
  remainder.set(remainder.shl(32).or(next).sub(digit.mul(divisor)));
  return digit;
}

/** (high:low) / divisor, divisor's top bit set, high < divisor: (quotient, remainder). */
const divWide = helper('sf.divWide', { high: 'i64', low: 'i64', divisor: 'i64' }, ['i64', 'i64'], (f, { high, low, divisor }) => {
  const divisorHigh = f.let_(divisor.shrU(32));
  const divisorLow = f.let_(divisor.and(LOW32));
  const q1 = quotientDigit(f, high, divisor, divisorHigh, divisorLow, low.shrU(32));
  const q0 = quotientDigit(f, high, divisor, divisorHigh, divisorLow, low.and(LOW32));
  f.ret(q1.shl(32).or(q0), high);
});

const div = helper('sf.div', BINARY, RESULT, (f, p) => {
  const { mantissaA, mantissaB } = p;
  const exponent = f.let_(p.exponentA.sub(p.exponentB).add(16382));
  const low = f.local('i64');
  f.if_(mantissaA.geU(mantissaB), () => {
    low.set(mantissaA.shl(63));
    mantissaA.set(mantissaA.shrU(1));
    exponent.set(exponent.add(1));
  });
  const quotient = f.local('i64');
  const rest = f.local('i64');
  f.callInto([quotient, rest], 'sf.divWide', mantissaA, low, mantissaB);
  f.if_(rest.eqz(), () => low.set(0), () => {
    const other = f.let_(mantissaB.sub(rest));
    low.set(BELOW_HALF);
    f.if_(rest.eq(other), () => low.set(TOP_BIT));
    f.if_(rest.gtU(other), () => low.set(ABOVE_HALF));
  });
  f.ret(p.signA.xor(p.signB), exponent, quotient, low);
});

/** restHigh:restLow = high:low - root^2. */
function rootRest(f: Fn, root: Var, high: Expr, low: Expr, restHigh: Var, restLow: Var): void {
  const squareHigh = f.local('i64');
  const squareLow = f.local('i64');
  f.callInto([squareHigh, squareLow], 'sf.mulWide', root, root);
  restHigh.set(high.sub(squareHigh).sub(low.ltU(squareLow).extU()));
  restLow.set(low.sub(squareLow));
}

/**
 * Square root of a positive number. A double gives 52 bits, one step of Newton the rest, and the remainder what to
 * round.
 */
const sqrt = helper('sf.sqrt', { exponent: 'i32', mantissa: 'i64' }, RESULT, (f, { exponent, mantissa }) => {
  const high = f.let_(mantissa);
  const low = f.local('i64');
  // Even exponent (the bias is odd): the radicand is in [1, 2), else in [2, 4).
  f.if_(exponent.and(1), () => {
    low.set(mantissa.shl(63));
    high.set(mantissa.shrU(1));
  });
  const estimate = high.op1('f64.convert_i64_u', 'f64').op1('f64.sqrt', 'f64').mul(4294967296);
  const root = f.let_(estimate.op1('i64.trunc_sat_f64_u', 'i64'));
  const restHigh = f.local('i64');
  const restLow = f.local('i64');
  rootRest(f, root, high, low, restHigh, restLow);
  const rest = restHigh.op1('f64.convert_i64_s', 'f64').mul(2 ** 64).add(restLow.op1('f64.convert_i64_u', 'f64'));
  const step = rest.div(root.op1('f64.convert_i64_u', 'f64').mul(2)).op1('f64.floor', 'f64');
  root.set(root.add(step.op1('i64.trunc_sat_f64_s', 'i64')));
  rootRest(f, root, high, low, restHigh, restLow);
  f.while_(restHigh.ltS(0), () => {
    root.set(root.sub(1));
    rootRest(f, root, high, low, restHigh, restLow);
  });
  // Too small while rest > 2 * root.
  f.while_(restHigh.gtS(1).or(restHigh.eq(1).and(root.geS(0).or(restLow.gtU(root.shl(1))))).or(restHigh.eqz().and(root.geS(0)).and(restLow.gtU(root.shl(1)))), () => {
    root.set(root.add(1));
    rootRest(f, root, high, low, restHigh, restLow);
  });
  const above = restHigh.ne(0).or(restLow.gtU(root));
  const fraction = select(restHigh.or(restLow).eqz(), lit('i64', 0), select(above, lit('i64', ABOVE_HALF), BELOW_HALF));
  f.ret(lit('i32', 0), exponent.sub(16383).shrS(1).add(16383), root, fraction);
});

export const ARITH_HELPERS: readonly HelperDef[] = [mulWide, divWide, add, mul, div, sqrt];
