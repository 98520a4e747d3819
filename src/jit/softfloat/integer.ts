/** Rounding of unpacked numbers to integers. */
import type { HelperDef } from '../emit.js';
import { helper, lit } from './dsl.js';
import { PE, ROUNDED_UP } from './formats.js';
import { roundsUp } from './round.js';

/**
 * sf.toInteger(sign, exponent, mantissa, rounding mode) -> (magnitude, flags): an unpacked number
 * below 2^64 as an integer.
 */
const toInteger = helper('sf.toInteger', { sign: 'i32', exponent: 'i32', mantissa: 'i64', mode: 'i32' }, ['i64', 'i32'], (f, p) => {
  const { mantissa } = p;
  const n = f.let_(lit('i32', 16383 + 63).sub(p.exponent));
  f.if_(n.eqz(), () => f.ret(mantissa, lit('i32', 0)));
  const integer = f.local('i64');
  const fraction = f.let_(mantissa);
  f.if_(n.ltS(64), () => {
    integer.set(mantissa.shrU(n.extU()));
    fraction.set(mantissa.shl(lit('i32', 64).sub(n).extU()));
  }, () => {
    f.if_(n.gtS(64), () => fraction.set(1));
  });
  f.if_(fraction.eqz(), () => f.ret(integer, lit('i32', 0)));
  const up = roundsUp(f, p.mode, p.sign, fraction, integer.wrap().and(1));
  f.if_(up, () => f.ret(integer.add(1), lit('i32', PE | ROUNDED_UP)));
  f.ret(integer, lit('i32', PE));
});

export const INTEGER_HELPERS: readonly HelperDef[] = [toInteger];
