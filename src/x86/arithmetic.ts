/** Addition and subtraction: add sub adc sbb cmp inc dec neg. */
import { Mnemonic } from 'iced-x86';
import { COND } from '../ir/flags.js';
import type { Family, Lift, LiftFn } from './lift.js';

function add(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  const y = l.read(1, size);
  const result = l.arith('add', size, place.read(), y);
  place.write(result);
  l.setFlags('ADD', size, result, y);
}

function sub(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  const y = l.read(1, size);
  const x = place.read();
  place.write(l.arith('sub', size, x, y));
  l.setFlags('SUB', size, x, y);
}

function cmp(l: Lift): void {
  const size = l.size(0);
  const x = l.read(0);
  const y = l.read(1, size);
  l.setFlags('SUB', size, x, y);
}

function adc(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  const y = l.read(1, size);
  const x = place.read();
  const carry = l.b.condition(COND.B);
  const result = l.arith('add', size, l.arith('add', size, x, y), l.to(size, carry));
  place.write(result);
  l.setFlags('ADC', size, result, y, carry);
}

function sbb(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  const y = l.read(1, size);
  const x = place.read();
  const borrow = l.b.condition(COND.B);
  place.write(l.arith('sub', size, l.arith('sub', size, x, y), l.to(size, borrow)));
  l.setFlags('SBB', size, x, y, borrow);
}

/** inc and dec keep CF, so it is computed from whatever the flags were before (and dropped if no instruction asks). */
function step(op: 'add' | 'sub', kind: 'INC' | 'DEC'): LiftFn {
  return (l) => {
    const place = l.place(0);
    const { size } = place;
    const result = l.arith(op, size, place.read(), l.small(1, size));
    const carry = l.b.condition(COND.B);
    place.write(result);
    const wide = l.to64(result, size);
    l.setFlags(kind, size, wide, l.b.i64(0), carry);
  };
}

function neg(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  const y = place.read();
  const zero = l.small(0, size);
  place.write(l.arith('sub', size, zero, y));
  l.setFlags('SUB', size, zero, y);
}

export const ARITHMETIC: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Add, add],
  [Mnemonic.Sub, sub],
  [Mnemonic.Cmp, cmp],
  [Mnemonic.Adc, adc],
  [Mnemonic.Sbb, sbb],
  [Mnemonic.Inc, step('add', 'INC')],
  [Mnemonic.Dec, step('sub', 'DEC')],
  [Mnemonic.Neg, neg],
]);
