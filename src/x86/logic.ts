/** Bitwise logic: and or xor not test. */
import { Mnemonic } from 'iced-x86';
import type { Family, Lift, LiftFn } from './lift.js';

function logic(op: 'and' | 'or' | 'xor'): LiftFn {
  return (l) => {
    const place = l.place(0);
    const { size } = place;
    const y = l.read(1, size);
    const result = l.arith(op, size, place.read(), y);
    place.write(result);
    l.setFlags('LOGIC', size, result);
  };
}

function test(l: Lift): void {
  const size = l.size(0);
  const x = l.read(0);
  l.setFlags('LOGIC', size, l.arith('and', size, x, l.read(1, size)));
}

function not(l: Lift): void {
  const place = l.place(0);
  const { size } = place;
  place.write(l.arith('xor', size, place.read(), l.small(-1, size)));
}

export const LOGIC: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.And, logic('and')],
  [Mnemonic.Or, logic('or')],
  [Mnemonic.Xor, logic('xor')],
  [Mnemonic.Not, not],
  [Mnemonic.Test, test],
]);
