import { expect, test } from 'vitest';
import { ModuleBuilder } from './module.js';

test('a loop that adds up', async () => {
  const m = new ModuleBuilder();
  const f = m.func('sum', ['i32'], ['i32']);
  const acc = f.local('i32');
  const done = f.block();
  const loop = f.loop();
  f.get(0).op('i32.eqz').hint(false).brIf(done);
  f.get(acc).get(0).op('i32.add').set(acc).get(0).i32(-1).op('i32.add').set(0).br(loop).end().end();
  f.get(acc);
  m.exportFunc('sum', f.index);
  const bytes = m.build({ names: true, hints: true });
  expect(WebAssembly.validate(bytes)).toBe(true);
  const { instance } = await WebAssembly.instantiate(bytes);
  expect((instance.exports.sum as (n: number) => number)(100)).toBe(5050);
});
