import fc from 'fast-check';
import { expect, it } from 'vitest';
import { perfectHash } from './perfectHash.js';

it('tells all addresses apart', () => {
  const address = fc.integer({ min: 0, max: 0xffff }).map((n) => 0x7fff_f7e0_0000 + n);
  fc.assert(fc.property(fc.uniqueArray(address, { maxLength: 128 }), (addresses) => {
    const { factor, bits, places } = perfectHash(addresses);
    expect(places.length).toBe(2 ** bits);
    addresses.forEach((at, i) => expect(places[Math.imul(at % 0x1_0000_0000, factor) >>> (32 - bits)]).toBe(i));
    expect(places.filter((place) => place >= 0).length).toBe(addresses.length);
  }));
});
