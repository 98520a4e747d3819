import { describe, expect, test } from 'vitest';
import { ModuleBuilder } from './module.js';
import { printFunction, printModule, WasmFormatError } from './text.js';

function sample(): ModuleBuilder {
  const m = new ModuleBuilder();
  m.importMemory('env', 'memory', 1, 65536);
  const log = m.importFunc('env', 'log', ['i64'], []);
  m.importTable('env', 'table', 16);
  m.table(1, 2);
  const counter = m.global('i32', true, 5);
  m.global('i64', false, -1n);
  m.global('f64', false, 0.5);
  const type = m.type(['i32'], ['i32']);
  const f = m.func('block 0x401000', ['i32'], ['i32']);
  f.nameLocal(0, 'n');
  const acc = f.local('i64', 'acc');
  f.local('v128');
  const done = f.block();
  const loop = f.loop();
  f.get(0).op('i32.eqz').hint(false).brIf(done);
  f.get(acc).call(log).globalGet(counter).globalSet(counter);
  f.get(0).mem('i64.load', 0x1f0, 3).set(acc);
  f.get(0).brTable([loop, done], 0).end().end();
  f.get(0).hint(true).if_('i32');
  f.i32(0xdeadbeef).else_().i32(12).i32(3).callIndirect(type, 1).end();
  f.f64(-0).f32(1.5).drop().drop();
  f.v128(Uint8Array.from({ length: 16 }, (_, i) => i)).drop();
  f.get(0).returnCallIndirect(type);
  m.elem(0, 3, [f.index, f.index]);
  m.exportFunc('main "x"\n', f.index);
  m.exportTable('own', 1);
  return m;
}

test('a module with names and hints', () => {
  expect(printModule(sample().build({ names: true, hints: true }))).toBe(`\
(module
  (type $t0 (func (param i64)))
  (type $t1 (func (param i32) (result i32)))
  (import "env" "memory" (memory $memory0 1 65536))
  (import "env" "log" (func $env.log (type $t0) (param i64)))
  (import "env" "table" (table $table0 16 funcref))
  (table $table1 1 2 funcref)
  (global $g0 (mut i32) (i32.const 5))
  (global $g1 i64 (i64.const -1))
  (global $g2 f64 (f64.const 0.5))
  (export "main \\"x\\"\\u{a}" (func $block_0x401000))
  (export "own" (table $table1))
  (elem (table $table0) (i32.const 3) func $block_0x401000 $block_0x401000)
  (func $block_0x401000 (type $t1) (param $n i32) (result i32)
    (local $acc i64)
    (local $l2 v128)
    block $L1
      loop $L2
        local.get $n
        i32.eqz
        br_if $L1 ;; unlikely
        local.get $acc
        call $env.log
        global.get $g0
        global.set $g0
        local.get $n
        i64.load offset=0x1f0 align=8
        local.set $acc
        local.get $n
        br_table $L2 $L1 2
      end
    end
    local.get $n
    if $L1 (result i32) ;; likely
      i32.const -559038737 (;0xdeadbeef;)
    else
      i32.const 12
      i32.const 3
      call_indirect $table1 (type $t1) (param i32) (result i32)
    end
    f64.const -0
    f32.const 1.5
    drop
    drop
    v128.const i32x4 0x3020100 0x7060504 0xb0a0908 0xf0e0d0c
    drop
    local.get $n
    return_call_indirect (type $t1) (param i32) (result i32)
  )
)
`);
});

describe('one function', () => {
  const m = new ModuleBuilder();
  m.importFunc('env', 'imported', [], []);
  m.func('same', [], []);
  m.func('same', [], []).call(1);
  const last = m.func('last', ['i32', 'i64'], []);
  last.call(2);
  m.exportFunc('exported', last.index);
  const bytes = m.build({ names: true });

  test('by index, equal names told apart', () => {
    expect(printFunction(bytes, 2)).toBe('(func $same_2 (type $t0)\n  call $same\n)\n');
  });

  test('by name or by the name of its export', () => {
    const text = '(func $last (type $t1) (param $l0 i32) (param $l1 i64)\n  call $same_2\n)\n';
    expect(printFunction(bytes, 'last')).toBe(text);
    expect(printFunction(bytes, 'exported')).toBe(text);
  });

  test('without names', () => {
    expect(printFunction(m.build(), 2)).toBe('(func $f2 (type $t0)\n  call $f1\n)\n');
    expect(printFunction(m.build(), 'f2')).toContain('$f2');
  });

  test('that does not exist', () => {
    expect(() => printFunction(bytes, 'nobody')).toThrow('no function nobody');
    expect(() => printFunction(bytes, 0)).toThrow('no function 0');
    expect(() => printFunction(bytes, 9)).toThrow('no function 9');
  });
});

test.each([
  [(1n << 63n) | 0x7ff8000000000000n, '-nan'], [0x7ff8000000000000n, 'nan'], [0x7ff0000000000001n, 'nan:0x1'],
  [0x7ff0000000000000n, 'inf'], [0xfff0000000000000n, '-inf'], [1n, '5e-324'],
])('f64 with bits %d', (bits, text) => {
  const m = new ModuleBuilder();
  m.func('f', [], ['f64']).f64(0);
  const bytes = m.build();
  new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(bytes.length - 9, bits, true);
  expect(printFunction(bytes, 0)).toContain(`f64.const ${text}\n`);
});

test('64-bit constants', () => {
  const m = new ModuleBuilder();
  m.func('f', [], []).i64num(-4096).i64(2n ** 63n).i64num(4095);
  expect(printFunction(m.build(), 0)).toContain(
    '  i64.const -4096 (;0xfffffffffffff000;)\n  i64.const -9223372036854775808 (;0x8000000000000000;)\n  i64.const 4095\n');
});

describe('malformed bytes', () => {
  const good = sample().build({ names: true, hints: true });

  function failure(bytes: Uint8Array): unknown {
    try {
      printModule(bytes);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  test('the error says what and where', () => {
    expect(failure(new Uint8Array(4))).toMatchObject({ name: 'WasmFormatError', offset: 1 });
    const m = new ModuleBuilder();
    m.func('f', [], []).opcode(0x06);
    const error = failure(m.build());
    expect(error).toBeInstanceOf(WasmFormatError);
    expect(String(error)).toContain('unknown instruction 0x6 at offset 0x17');
  });

  test('cut short anywhere', () => {
    for (let length = 0; length < good.length; length++) {
      const error = failure(good.slice(0, length));
      if (error !== undefined) expect(error).toBeInstanceOf(WasmFormatError);
    }
    expect(failure(good.slice(0, good.length - 1))).toBeInstanceOf(WasmFormatError);
  });

  test('any one byte changed: printed or a WasmFormatError, nothing else', () => {
    for (let i = 0; i < good.length; i++) {
      for (const value of [0x00, 0x7f, 0x80, 0xff, good[i]! ^ 1]) {
        const bytes = good.slice();
        bytes[i] = value;
        const error = failure(bytes);
        if (error !== undefined) expect(error).toBeInstanceOf(WasmFormatError);
      }
    }
  });

  test('counts that cannot be', () => {
    const locals = new ModuleBuilder();
    locals.func('f', [], []);
    const bytes = [...locals.build()];
    // One run of 2^32-1 locals instead of none.
    bytes.splice(-5, 5, 10, 1, 8, 0x01, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b);
    expect(WebAssembly.validate(Uint8Array.from(bytes))).toBe(false);
    expect(String(failure(Uint8Array.from(bytes)))).toContain('too many locals');
  });
});
