import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PageMap } from './pageMap.js';

it('does what a map does', () => {
  const page = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }).map((n) => n * 0x8_0000 + 0x1_0000_0000), fc.integer({ min: 0, max: 2 ** 35 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(page, fc.boolean()), { maxLength: 400 }), (steps) => {
      const model = new Map<number, object>();
      const map = new PageMap<object>();
      for (const [key, isAdded] of steps) {
        const item = {};
        if (isAdded) {
          model.set(key, item);
          map.set(key, item);
        } else {
          model.delete(key);
          map.delete(key);
        }
        expect(map.size).toBe(model.size);
      }
      for (const [key] of steps) expect(map.get(key)).toBe(model.get(key));
      expect(new Map(map.entries())).toEqual(model);
    }),
    { numRuns: 300 },
  );
});
