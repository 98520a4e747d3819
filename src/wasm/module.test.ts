import { describe, expect, test } from 'vitest';
import { Code, type ValType } from './code.js';
import { ModuleBuilder, type BuildOptions } from './module.js';

type Value = number | bigint;
type Exports = Record<string, (...args: Value[]) => Value>;

function instantiate(m: ModuleBuilder, imports: WebAssembly.Imports = {}, options: BuildOptions = { names: true, hints: true }): Exports {
  const bytes = m.build(options);
  expect(WebAssembly.validate(bytes)).toBe(true);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports as unknown as Exports;
}

/** Runs one exported function made by `emit`. */
function run(params: ValType[], result: ValType, args: Value[], emit: (code: Code) => void): Value {
  const m = new ModuleBuilder();
  const code = m.func('f', params, [result]);
  emit(code);
  m.exportFunc('f', code.index);
  return instantiate(m)['f']!(...args);
}

describe('constants', () => {
  const i32s = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 0x7fffffff, -0x80000000, 0x80000000, 0xffffffff, 2 ** 40 + 7, 0xdeadbeef];
  test.each(i32s)('i32 %d', (n) => {
    expect(run([], 'i32', [], (c) => c.i32(n))).toBe(n | 0);
  });

  const i64s = [
    0n, 1n, -1n, 63n, 64n, -64n, -65n, 0x7fffffffn, 0x80000000n, 0xffffffffn, -0x80000000n, -0x80000001n, 1n << 34n, 1n << 35n,
    2n ** 53n - 1n, -(2n ** 53n) + 1n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 64n + 5n,
    0x7fff_ffff_f000n, 0xdead_beef_0123_4567n,
  ];
  test.each(i64s)('i64 %d', (n) => {
    expect(run([], 'i64', [], (c) => c.i64(n))).toBe(BigInt.asIntN(64, n));
    if (Number.isSafeInteger(Number(n))) expect(run([], 'i64', [], (c) => c.i64num(Number(n)))).toBe(n);
  });

  test.each([0, -0, 1.5, Infinity, -Infinity, NaN, 5e-324, 1e300])('f64 %d', (n) => {
    expect(run([], 'f64', [], (c) => c.f64(n))).toBe(n);
    expect(run([], 'f32', [], (c) => c.f32(n))).toBe(Math.fround(n));
  });

  test('v128, lanes and shuffle', () => {
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i * 3);
    const reversed = Array.from({ length: 16 }, (_, i) => 15 - i);
    const result = run([], 'i32', [], (c) => {
      const v = c.local('v128');
      c.v128(bytes).tee(v).get(v).shuffle(reversed).i32(7).lane('i8x16.replace_lane', 3).lane('i32x4.extract_lane', 0);
    });
    expect(result).toBe((7 << 24) | (39 << 16) | (42 << 8) | 45);
  });

  test('i64num refuses what is no safe integer', () => {
    const code = new Code(0, [], []);
    expect(() => code.i64num(2 ** 53)).toThrow('safe integer');
    expect(() => code.i64num(1.5)).toThrow('safe integer');
  });
});

describe('control flow', () => {
  test('a loop that adds up', () => {
    const sum = run(['i32'], 'i32', [100], (c) => {
      const acc = c.local('i32');
      const done = c.block();
      const loop = c.loop();
      c.get(0).op('i32.eqz').hint(false).brIf(done);
      c.get(acc).get(0).op('i32.add').set(acc).get(0).i32(-1).op('i32.add').set(0).br(loop).end().end();
      c.get(acc);
    });
    expect(sum).toBe(5050);
  });

  test('labels are absolute depths', () => {
    const code = new Code(0, [], []);
    expect([code.block(), code.loop(), code.block()]).toEqual([1, 2, 3]);
    code.end();
    code.i32(1);
    expect(code.if_()).toBe(3);
  });

  test.each([[0, 10], [1, 20], [2, 30], [77, 30]])('br_table %d', (selector, expected) => {
    const result = run(['i32'], 'i32', [selector], (c) => {
      const outer = c.block();
      const middle = c.block();
      const inner = c.block();
      c.get(0).brTable([inner, middle], outer).end();
      c.i32(10).ret().end();
      c.i32(20).ret().end();
      c.i32(30);
    });
    expect(result).toBe(expected);
  });

  test.each([[5, 1], [0, 2]])('if %d with a result', (condition, expected) => {
    const result = run(['i32'], 'i64', [condition], (c) => {
      c.get(0).hint(true).if_('i64');
      c.i64num(1).else_().i64num(2).end();
    });
    expect(result).toBe(BigInt(expected));
  });

  test('label 0 is the function', () => {
    const result = run(['i32'], 'i32', [3], (c) => {
      c.block('i32');
      c.get(0).br(0).end().i32(100).op('i32.add');
    });
    expect(result).toBe(3);
  });

  test('select, drop, tee, unreachable', () => {
    const emit = (c: Code) => {
      const t = c.local('i32');
      c.i32(8).tee(t).drop();
      c.get(t).i32(9).get(0).select();
      c.get(0).i32(2).op('i32.eq').if_();
      c.unreachable().end();
    };
    expect(run(['i32'], 'i32', [1], emit)).toBe(8);
    expect(run(['i32'], 'i32', [0], emit)).toBe(9);
    expect(() => run(['i32'], 'i32', [2], emit)).toThrow(WebAssembly.RuntimeError);
  });

  test('nesting mistakes are caught', () => {
    const code = new Code(0, [], []);
    expect(() => code.end()).toThrow('end without a block');
    expect(() => code.else_()).toThrow('else outside');
    expect(() => code.br(1)).toThrow('label 1 is not open');
    const m = new ModuleBuilder();
    m.func('open', [], []).block();
    expect(() => m.build()).toThrow('unfinished');
  });
});

describe('calls', () => {
  test('imports, mutual recursion filled in any order, tail calls', () => {
    const m = new ModuleBuilder();
    const twice = m.importFunc('env', 'twice', ['i32'], ['i32']);
    const even = m.func('even', ['i32'], ['i32']);
    const odd = m.func('odd', ['i32'], ['i32']);
    odd.get(0).op('i32.eqz').if_();
    odd.i32(0).ret().end();
    odd.get(0).i32(1).op('i32.sub').returnCall(even.index);
    even.get(0).op('i32.eqz').if_();
    even.i32(1).call(twice).ret().end();
    even.get(0).i32(1).op('i32.sub').returnCall(odd.index);
    m.exportFunc('even', even.index);
    const exports = instantiate(m, { env: { twice: (n: number) => 2 * n } });
    expect(exports['even']!(1_000_000)).toBe(2);
    expect(exports['even']!(1_000_001)).toBe(0);
  });

  test('call_indirect through own and imported tables, elements in each', () => {
    const shared = new WebAssembly.Table({ element: 'anyfunc', initial: 4 });
    const m = new ModuleBuilder();
    const imported = m.importTable('env', 'table', 4);
    const own = m.table(2, 2);
    expect([imported, own]).toEqual([0, 1]);
    const type = m.type(['i32'], ['i32']);
    expect(m.type(['i32'], ['i32'])).toBe(type);
    const inc = m.func('inc', ['i32'], ['i32']);
    inc.get(0).i32(1).op('i32.add');
    const dec = m.func('dec', ['i32'], ['i32']);
    dec.get(0).i32(1).op('i32.sub');
    const main = m.func('main', ['i32'], ['i32']);
    main.get(0).i32(3).callIndirect(type).i32(0).callIndirect(type, own).i32(1).returnCallIndirect(type, own);
    m.elem(imported, 3, [inc.index]);
    m.elem(own, 0, [inc.index, dec.index]);
    m.exportFunc('main', main.index);
    m.exportTable('own', own);
    const exports = instantiate(m, { env: { table: shared } });
    expect(exports['main']!(10)).toBe(11);
    expect(shared.get(3)(41)).toBe(42);
    expect((exports['own'] as unknown as WebAssembly.Table).length).toBe(2);
  });

  test('imports come first', () => {
    const m = new ModuleBuilder();
    m.func('f', [], []);
    expect(() => m.importFunc('a', 'b', [], [])).toThrow('after the first function');
    m.table(1);
    expect(() => m.importTable('a', 'b', 1)).toThrow('after the first table');
  });
});

describe('memory and globals', () => {
  test('loads, stores, far offsets, copy and fill', () => {
    const memory = new WebAssembly.Memory({ initial: 2, maximum: 65536 });
    const m = new ModuleBuilder();
    m.importMemory('env', 'memory', 1, 65536);
    const f = m.func('f', ['i32'], ['i64']);
    f.get(0).i64(0x1122334455667788n).mem('i64.store', 8, 3);
    f.i32(100).i32(8).i32(4).memoryCopy();
    f.i32(104).i32(0xab).i32(4).memoryFill();
    f.i32(100).mem('i64.load', 0);
    const v = f.local('v128');
    f.i32(0).i32(0).op('i8x16.splat').memLane('v128.load8_lane', 8, 2).set(v);
    f.i32(200).get(v).mem('v128.store', 0x7f);
    const far = m.func('far', [], ['i32']);
    far.i32(0).mem('i32.load', 0xfffffffc);
    m.exportFunc('f', f.index);
    m.exportFunc('far', far.index);
    const exports = instantiate(m, { env: { memory } });
    expect(exports['f']!(0)).toBe(BigInt.asIntN(64, 0xabababab55667788n));
    expect(new Uint8Array(memory.buffer)[200 + 0x7f + 2]).toBe(0x88);
    expect(() => exports['far']!()).toThrow(WebAssembly.RuntimeError);
  });

  test('globals of every type', () => {
    const m = new ModuleBuilder();
    const int = m.global('i32', true, 0xfffffff0);
    const long = m.global('i64', false, -5n);
    const float = m.global('f32', false, 0.5);
    const double = m.global('f64', false, 0.25);
    const vector = m.global('v128', false, 0x0fn << 120n);
    const f = m.func('f', [], ['f64']);
    f.globalGet(int).i32(1).op('i32.add').globalSet(int);
    f.globalGet(int).op('f64.convert_i32_s').globalGet(long).op('f64.convert_i64_s').op('f64.add');
    f.globalGet(float).op('f64.promote_f32').op('f64.add').globalGet(double).op('f64.add');
    f.globalGet(vector).lane('i8x16.extract_lane_u', 15).op('f64.convert_i32_s').op('f64.add');
    m.exportFunc('f', f.index);
    const exports = instantiate(m);
    expect([exports['f']!(), exports['f']!()]).toEqual([-15 - 5 + 0.75 + 15, -14 - 5 + 0.75 + 15]);
  });
});

test('locals of mixed types and a body that grows past its buffer', () => {
  const types: ValType[] = ['i32', 'i64', 'i64', 'f64', 'v128', 'i32'];
  const result = run(['i64'], 'i64', [1n], (c) => {
    const locals = types.map((type) => c.local(type));
    expect(locals).toEqual([1, 2, 3, 4, 5, 6]);
    c.i64num(1).set(2).i64num(2).set(3);
    c.get(0);
    for (let i = 0; i < 5000; i++) c.get(i % 2 === 0 ? 2 : 3).op('i64.add');
    expect(c.size).toBeGreaterThan(15_000);
  });
  expect(result).toBe(7501n);
});

test('the same calls give the same bytes, and options only add custom sections', () => {
  const make = () => {
    const m = new ModuleBuilder();
    const f = m.func('f', ['i32'], []);
    f.get(0).hint(true).if_();
    f.end();
    return m;
  };
  const plain = make().build();
  expect(make().build()).toEqual(plain);
  const module = new WebAssembly.Module(make().build({ names: true, hints: true }));
  expect(WebAssembly.Module.customSections(module, 'name')).toHaveLength(1);
  const hints = WebAssembly.Module.customSections(module, 'metadata.code.branch_hint');
  // One function: index 0, one hint, at offset 3 (after no locals and local.get 0), size 1, likely.
  expect(hints.map((h) => [...new Uint8Array(h)])).toEqual([[1, 0, 1, 3, 1, 1]]);
  expect(WebAssembly.Module.customSections(new WebAssembly.Module(plain), 'name')).toHaveLength(0);
});
