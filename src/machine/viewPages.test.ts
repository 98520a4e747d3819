import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ViewPages } from './viewPages.js';
import type { View } from './views.js';

it('does what a map does', () => {
  const page = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }).map((n) => n * 0x8_0000 + 0x1_0000_0000), fc.integer({ min: 0, max: 2 ** 35 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(page, fc.boolean(), fc.nat(1000)), { maxLength: 600 }), (steps) => {
      const model = new Map<number, View>();
      const pages = new ViewPages();
      for (const [key, isAdded, size] of steps) {
        const view = { begin: key * 4096 + 16, size, real: key + 5 };
        if (isAdded) {
          expect(pages.add(key, view)).toBe(!model.has(key));
          if (!model.has(key)) model.set(key, view);
        } else {
          model.delete(key);
          pages.delete(key);
        }
      }
      for (const [key] of steps) {
        const view = model.get(key);
        expect(pages.get(key)).toEqual(view);
        expect([pages.has(key), pages.beginOn(key), pages.endOn(key)]).toEqual([view !== undefined, view?.begin ?? -1, view === undefined ? -1 : view.begin + view.size]);
      }
      expect(new Map(pages.entries())).toEqual(model);
    }),
    { numRuns: 200 },
  );
});
