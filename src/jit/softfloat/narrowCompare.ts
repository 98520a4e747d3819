/**
 * Comparison of singles and doubles, exactly: order, min, max. Bit patterns in.
 *
 *   sse.order32, sse.order64(a, b, signalling, mxcsr) -> (order, flags)
 *       order: ORDER below; `signalling` = 1 raises IE for quiet NaNs too
 *   sse.softMin32 ... sse.softMax64(a, b, mxcsr) -> (bits, flags)
 */
import type { HelperDef } from '../emit.js';
import { helper, lit, select } from './dsl.js';
import { IE } from './formats.js';
import { applyDaz, denormalFlag, isNan, isSignalling, magnitude, type Narrow, NARROWS } from './narrowFormat.js';

const ORDER = { equal: 0, less: 1, greater: 2, unordered: 3 } as const;

function order(n: Narrow): HelperDef {
  return helper(`sse.order${n.suffix}`, { a: 'i64', b: 'i64', signalling: 'i32', mxcsr: 'i32' }, ['i32', 'i32'], (f, p) => {
    const { a, b } = p;
    f.if_(isNan(n, a).or(isNan(n, b)), () => {
      const invalid = p.signalling.or(isSignalling(n, a)).or(isSignalling(n, b));
      f.ret(lit('i32', ORDER.unordered), select(invalid, lit('i32', IE), 0));
    });
    applyDaz(f, n, p.mxcsr, a, b);
    const flags = denormalFlag(f, n, a, b);
    f.if_(a.eq(b).or(magnitude(n, a.or(b)).eqz()), () => f.ret(lit('i32', ORDER.equal), flags));
    const negativeA = f.let_(a.and(n.sign).ne(0));
    const negativeB = b.and(n.sign).ne(0);
    // Different signs: the negative one is less. Both negative: the larger pattern is less.
    const less = select(negativeA.ne(negativeB), negativeA, a.ltU(b).xor(negativeA));
    f.ret(select(less, lit('i32', ORDER.less), ORDER.greater), flags);
  });
}

/** The second operand wins whenever the first is not strictly better: NaNs, equal zeros. */
function better(name: string, n: Narrow, wanted: number): HelperDef {
  return helper(`${name}${n.suffix}`, { a: 'i64', b: 'i64', mxcsr: 'i32' }, ['i64', 'i32'], (f, { a, b, mxcsr }) => {
    const result = f.local('i32');
    const flags = f.local('i32');
    f.callInto([result, flags], `sse.order${n.suffix}`, a, b, lit('i32', 1), mxcsr);
    applyDaz(f, n, mxcsr, a, b);
    f.ret(select(result.eq(wanted), a, b), flags);
  });
}

export const NARROW_COMPARE_HELPERS: readonly HelperDef[] = NARROWS.flatMap((n) => [
  order(n), better('sse.softMin', n, ORDER.less), better('sse.softMax', n, ORDER.greater),
]);
