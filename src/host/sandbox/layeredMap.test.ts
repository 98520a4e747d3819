import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LayeredMap } from './layeredMap.js';

type Step = { readonly which: number; readonly key: number; readonly value: number | 'delete' | 'fork' };

const step: fc.Arbitrary<Step> = fc.record({
  which: fc.nat(20),
  key: fc.nat(6),
  value: fc.oneof({ weight: 4, arbitrary: fc.nat(9) }, { weight: 2, arbitrary: fc.constant('delete' as const) }, { weight: 2, arbitrary: fc.constant('fork' as const) }),
});

it('behaves as plain copies would', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const maps = [new LayeredMap<number, number>()];
      const models = [new Map<number, number>()];
      for (const { which, key, value } of steps) {
        const i = which % maps.length;
        const [map, model] = [maps[i], models[i]];
        if (map === undefined || model === undefined) throw new RangeError('no such map');
        if (value === 'fork') {
          maps.push(map.fork());
          models.push(new Map(model));
        } else if (value === 'delete') {
          map.delete(key);
          model.delete(key);
        } else {
          map.set(key, value);
          model.set(key, value);
        }
      }
      maps.forEach((map, i) => {
        expect(new Map(map.entries())).toEqual(models[i]);
        for (let key = 0; key <= 6; key++) expect(map.get(key)).toBe(models[i]?.get(key));
      });
    }),
  );
});

it('owns only what was set since the last fork', () => {
  const map = new LayeredMap<string, number>();
  map.set('a', 1);
  expect(map.owns('a')).toBe(true);
  const other = map.fork();
  expect(map.owns('a') || other.owns('a')).toBe(false);
});
