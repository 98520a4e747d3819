import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Hit } from '../timeline/conditions.js';
import { packHits, PackedHits } from './packedHits.js';

it('come back as they were', () => {
  const number = fc.maxSafeNat();
  const access = fc.record({ address: number, bytes: number, write: fc.boolean(), by: fc.constantFrom('program' as const, 'kernel' as const) });
  const common = { position: fc.record({ time: number, done: fc.oneof(fc.nat(), fc.constant(Infinity)) }), condition: fc.nat(), task: fc.nat(), rip: number };
  const hit: fc.Arbitrary<Hit> = fc.oneof(fc.record(common), fc.record({ ...common, access }), fc.record({ ...common, syscall: fc.nat() }), fc.record({ ...common, signal: fc.nat() }));
  fc.assert(
    fc.property(fc.array(hit), (hits) => {
      const packed = new PackedHits(packHits(hits));
      expect(packed.length).toBe(hits.length);
      expect([...packed]).toEqual(hits);
    }),
  );
});
