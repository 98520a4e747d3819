/**
 * The common case of x87 arithmetic, in as few steps as possible: two normal numbers, full
 * precision, rounding to nearest, a normal result. Whatever is different goes the long way, which
 * gives the same results.
 */
import type { HelperDef } from '../emit.js';
import { X87 } from '../../ir/x87Ops.js';
import { type Fn, defineHelper, type Expr, i32, i64, select, switch_, type Var } from './x87Fn.js';
import { C1, control, INTEGER_BIT, PE, setRegister, setStatus, setTags } from './x87Stack.js';

const BIAS = 16383;
/** Precision and rounding control, and their value for 64 bits to nearest. */
const MODE = 0xf00;
const NEAREST = 0x300;
const NOT_HANDLED = -1;

const isNormal = (mant: Expr, se: Expr): Expr => se.add(1).and(0x7fff).gtU(1).and(mant.shrU(63).wrap());

interface Result {
  readonly sign: Expr;
  /** Biased. */
  readonly exponent: Var;
  readonly high: Var;
  readonly low: Var;
}

/** Rounds to nearest and returns (mantissa, sign and exponent, flags). */
function roundNearest(f: Fn, r: Result): void {
  const { high, low, exponent } = r;
  const up = f.let_(low.gtU(INTEGER_BIT).or(low.eq(INTEGER_BIT).and(high.wrap().and(1))));
  high.set(high.add(up.extU()));
  f.if_(high.eqz(), () => {
    high.set(INTEGER_BIT);
    exponent.set(exponent.add(1));
  });
  f.if_(exponent.sub(1).geU(0x7ffe), () => f.ret(high, exponent, i32(NOT_HANDLED)));
  f.ret(high, exponent.or(r.sign.shl(15)), select(low.eqz(), i32(0), up.mul(C1).or(PE)));
}

function shiftLeftOne(r: Result): void {
  r.high.set(r.high.shl(1).or(r.low.shrU(63)));
  r.low.set(r.low.shl(1));
  r.exponent.set(r.exponent.sub(1));
}

const PARAMS = ['i64', 'i32', 'i64', 'i32'] as const;
const RESULTS = ['i64', 'i32', 'i32'] as const;

const fastMul = defineHelper('x87.fastMul', PARAMS, RESULTS, (f, aMant, aSe, bMant, bSe) => {
  const r = {
    sign: aSe.xor(bSe).shrU(15), exponent: f.let_(aSe.and(0x7fff).add(bSe.and(0x7fff)).sub(BIAS - 1)), high: f.local('i64'), low: f.local('i64'),
  };
  f.callInto([r.high, r.low], 'sf.mulWide', aMant, bMant);
  f.if_(r.high.geS(0), () => shiftLeftOne(r));
  roundNearest(f, r);
});

const fastDiv = defineHelper('x87.fastDiv', PARAMS, RESULTS, (f, aMant, aSe, bMant, bSe) => {
  const r = { sign: f.local('i32'), exponent: f.local('i32'), high: f.local('i64'), low: f.local('i64') };
  f.callInto([r.sign, r.exponent, r.high, r.low], 'sf.div', aSe.shrU(15), aSe.and(0x7fff), aMant, bSe.shrU(15), bSe.and(0x7fff), bMant);
  roundNearest(f, r);
});

const fastAdd = defineHelper('x87.fastAdd', PARAMS, RESULTS, (f, aMant, aSe, bMant, bSe) => {
  const distance = f.let_(aSe.and(0x7fff).sub(bSe.and(0x7fff)));
  f.if_(distance.ltS(0).or(distance.eqz().and(aMant.ltU(bMant))), () => {
    const mant = f.let_(aMant);
    const se = f.let_(aSe);
    aMant.set(bMant);
    aSe.set(bSe);
    bMant.set(mant);
    bSe.set(se);
    distance.set(i32(0).sub(distance));
  });
  f.if_(distance.geU(64), () => f.ret(aMant, aSe, i32(NOT_HANDLED)));
  const n = f.let_(distance.extU());
  const r = {
    sign: aSe.shrU(15), exponent: f.let_(aSe.and(0x7fff)), high: f.let_(bMant.shrU(n)),
    low: f.let_(select(distance, bMant.shl(i64(64n).sub(n)), i64(0n))),
  };
  f.if_(aSe.xor(bSe).and(0x8000), () => subtract(f, aMant, r), () => add(f, aMant, r));
  roundNearest(f, r);
});

/** r = a + r. */
function add(f: Fn, aMant: Var, r: Result): void {
  const { high, low, exponent } = r;
  high.set(aMant.add(high));
  f.if_(high.ltU(aMant), () => {
    low.set(high.shl(63).or(low.shrU(1)).or(low.and(1)));
    high.set(high.shrU(1).or(INTEGER_BIT));
    exponent.set(exponent.add(1));
  });
}

/** r = a - r, of which a is the larger. */
function subtract(f: Fn, aMant: Var, r: Result): void {
  const { high, low, exponent } = r;
  high.set(aMant.sub(high).sub(low.ne(0).extU()));
  low.set(low.neg());
  f.if_(high.geS(0), () => {
    // Nothing left in the upper half: equal numbers, or nearly.
    f.if_(high.eqz(), () => f.ret(aMant, exponent, i32(NOT_HANDLED)));
    const n = f.let_(high.clz());
    high.set(high.shl(n).or(low.shrU(i64(64n).sub(n))));
    low.set(low.shl(n));
    exponent.set(exponent.sub(n.wrap()));
  });
}

/** (operation, destination, source) -> (mantissa, sign and exponent, flags or -1). */
const fast = defineHelper('x87.fast', ['i32', ...PARAMS], RESULTS, (f, op, aMant, aSe, bMant, bSe) => {
  const out = [f.local('i64'), f.local('i32'), f.local('i32')] as const;
  const call = (name: string, ...args: Expr[]) => (): void => {
    f.callInto(out, `x87.${name}`, ...args);
    f.ret(...out);
  };
  const minus = (se: Expr): Expr => se.xor(0x8000);
  const cases: (() => void)[] = [];
  cases[X87.ADD] = call('fastAdd', aMant, aSe, bMant, bSe);
  cases[X87.MUL] = call('fastMul', aMant, aSe, bMant, bSe);
  cases[2] = cases[3] = () => f.ret(aMant, aSe, i32(NOT_HANDLED));
  cases[X87.SUB] = call('fastAdd', aMant, aSe, bMant, minus(bSe));
  cases[X87.SUBR] = call('fastAdd', bMant, bSe, aMant, minus(aSe));
  cases[X87.DIV] = call('fastDiv', aMant, aSe, bMant, bSe);
  cases[X87.DIVR] = call('fastDiv', bMant, bSe, aMant, aSe);
  switch_(f, op, cases);
});

interface FastOperands {
  readonly op: Expr;
  /** Status word and tags as they are. */
  readonly status: Var;
  readonly tags: Var;
  /** Number of the physical register that is operand a and takes the result. */
  readonly destination: Var;
  readonly a: readonly [Var, Var];
  readonly b: readonly [Var, Var];
  readonly pops: Expr;
}

/** Does the whole instruction and returns, if this is the common case. */
export function tryFast(f: Fn, o: FastOperands): void {
  const [aMant, aSe] = o.a;
  const [bMant, bSe] = o.b;
  f.if_(control().and(MODE).eq(NEAREST).and(isNormal(aMant, aSe)).and(isNormal(bMant, bSe)), () => {
    const mant = f.local('i64');
    const se = f.local('i32');
    const flags = f.local('i32');
    f.callInto([mant, se, flags], 'x87.fast', o.op, aMant, aSe, bMant, bSe);
    // -1 fails this too: it has bits that no mask has.
    f.if_(flags.and(control().not()).and(~C1).eqz(), () => {
      setRegister(f, o.destination, mant, se);
      const word = f.let_(o.status.and(~C1).or(flags));
      f.if_(o.pops, () => {
        setTags(f, o.tags.and(i32(1).shl(word.shrU(11).and(7)).not()));
        word.set(word.and(~0x3800).or(word.add(0x800).and(0x3800)));
      });
      setStatus(f, word);
      f.ret();
    });
  });
}

export const FAST_HELPERS: readonly HelperDef[] = [fastMul, fastDiv, fastAdd, fast];
