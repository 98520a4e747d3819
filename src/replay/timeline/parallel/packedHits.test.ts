import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guestAddr, time } from '../../../base/types.js';
import type { Hit } from '../conditions.js';
import { packHits, PackedHits } from './packedHits.js';

it('come back as they were', () => {
  const number = fc.maxSafeNat();
  const address = number.map(guestAddr);
  const by = fc.constantFrom('program' as const, 'kernel' as const);
  const access = fc.record({ address, bytes: number, write: fc.boolean(), by });
  const kind = fc.constantFrom<Hit['kind']>('address', 'memory', 'block', 'syscall', 'return', 'process', 'signal', 'switch', 'time');
  const position = fc.record({ time: number.map(time), done: fc.oneof(fc.nat(), fc.constant(Infinity)) });
  const common = { kind, position, conditions: fc.array(fc.nat(), { maxLength: 3 }), task: fc.nat(), rip: address };
  const view = fc.record({ begin: number, size: fc.nat(), real: number });
  const hit: fc.Arbitrary<Hit> = fc.oneof(
    fc.record(common), fc.record({ ...common, access }), fc.record({ ...common, access, alsoAccessed: fc.array(access, { minLength: 1, maxLength: 3 }) }),
    fc.record({ ...common, syscall: fc.nat() }), fc.record({ ...common, syscall: fc.nat(), result: fc.integer() }), fc.record({ ...common, signal: fc.nat(), isFault: fc.constant(true) }),
    fc.record({ ...common, process: fc.oneof(fc.record({ how: fc.constant('made' as const), pid: fc.nat() }), fc.constant({ how: 'executes' as const })) }),
    fc.record({ ...common, block: fc.record({ how: fc.constantFrom('made' as const, 'gone' as const), view }) }),
  );
  fc.assert(
    fc.property(fc.array(hit), (hits) => {
      const packed = new PackedHits(packHits(hits));
      expect(packed.length).toBe(hits.length);
      expect([...packed]).toEqual(hits);
    }),
  );
});
