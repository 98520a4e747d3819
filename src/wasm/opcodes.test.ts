/** Every opcode: validated by V8 with the operand types its name implies, and printed with its own name. */
import { describe, expect, test } from 'vitest';
import type { Code, ValType } from './code.js';
import { ModuleBuilder } from './module.js';
import { LANE_OPS, MEMORY_LANE_OPS, MEMORY_OPS, opcodeNumber, opcodePrefix, WASM_OPS, type WasmOp } from './opcodes.js';
import { printFunction } from './text.js';

/** Operand and result types of an instruction, derived from its name. */
interface Signature {
  readonly params: ValType[];
  readonly results: ValType[];
}

const SPECIAL: Partial<Record<WasmOp, [ValType[], ValType[]]>> = {
  unreachable: [[], []], nop: [[], []], return: [[], []], drop: [['i32'], []], select: [['i64', 'i64', 'i32'], ['i64']],
  'memory.size': [[], ['i32']], 'memory.grow': [['i32'], ['i32']],
  'memory.copy': [['i32', 'i32', 'i32'], []], 'memory.fill': [['i32', 'i32', 'i32'], []],
  'v128.bitselect': [['v128', 'v128', 'v128'], ['v128']],
};

const LANE_TYPES: Record<string, ValType> = { i8x16: 'i32', i16x8: 'i32', i32x4: 'i32', i64x2: 'i64', f32x4: 'f32', f64x2: 'f64' };

const CONVERSION = /^(?:wrap|trunc|trunc_sat|extend|convert|demote|promote|reinterpret)_(i32|i64|f32|f64)/;
const COMPARISON = /^(?:eq|ne|lt|gt|le|ge)(?:_[su])?$/;
const UNARY = /^(?:clz|ctz|popcnt|abs|neg|ceil|floor|trunc|nearest|sqrt|not|extend8_s|extend16_s|extend32_s)$/;
const VECTOR_CONVERSION = /^(?:extadd|extend|convert|demote|promote|trunc_sat)_/;

function signatureOf(name: WasmOp): Signature {
  const special = SPECIAL[name];
  if (special !== undefined) return { params: special[0], results: special[1] };
  const [prefix, operation] = name.split('.') as [string, string];
  const lane = LANE_TYPES[prefix];
  const [params, results] = lane === undefined && prefix !== 'v128'
    ? scalar(prefix as ValType, operation)
    : vector(lane ?? 'v128', operation);
  return { params, results };
}

function memory(type: ValType, operation: string): [ValType[], ValType[]] | undefined {
  const lane = operation.endsWith('_lane');
  if (operation.startsWith('load')) return [lane ? ['i32', type] : ['i32'], [type]];
  if (operation.startsWith('store')) return [['i32', type], []];
  return undefined;
}

function scalar(type: ValType, operation: string): [ValType[], ValType[]] {
  const from = CONVERSION.exec(operation)?.[1] as ValType | undefined;
  if (operation === 'const') return [[], [type]];
  if (from !== undefined) return [[from], [type]];
  if (COMPARISON.test(operation)) return [[type, type], ['i32']];
  if (operation === 'eqz') return [[type], ['i32']];
  if (UNARY.test(operation)) return [[type], [type]];
  return memory(type, operation) ?? [[type, type], [type]];
}

function vector(lane: ValType, operation: string): [ValType[], ValType[]] {
  const v: ValType = 'v128';
  if (operation === 'const') return [[], [v]];
  if (operation === 'splat') return [[lane], [v]];
  if (operation.startsWith('extract_lane')) return [[v], [lane]];
  if (operation === 'replace_lane') return [[v, lane], [v]];
  if (['any_true', 'all_true', 'bitmask'].includes(operation)) return [[v], ['i32']];
  if (/^sh[lr]/.test(operation)) return [[v, 'i32'], [v]];
  if (operation !== 'shuffle' && (UNARY.test(operation) || VECTOR_CONVERSION.test(operation))) return [[v], [v]];
  return memory(v, operation) ?? [[v, v], [v]];
}

const NAMES = Object.keys(WASM_OPS) as WasmOp[];

function emit(code: Code, name: WasmOp): void {
  if (name === 'i32.const') code.i32(1);
  else if (name === 'i64.const') code.i64(1n);
  else if (name === 'f32.const') code.f32(1);
  else if (name === 'f64.const') code.f64(1);
  else if (name === 'v128.const') code.v128(new Uint8Array(16));
  else if (name === 'i8x16.shuffle') code.shuffle(new Uint8Array(16));
  else if (name === 'memory.copy') code.memoryCopy();
  else if (name === 'memory.fill') code.memoryFill();
  else if (name === 'memory.size') code.memorySize();
  else if (name === 'memory.grow') code.memoryGrow();
  else if (name in LANE_OPS) code.lane(name, 1);
  else if (name in MEMORY_OPS) code.mem(name, 0x1234);
  else if (name in MEMORY_LANE_OPS) code.memLane(name, 0x1234, 1);
  else code.op(name);
}

function moduleWith(name: WasmOp): { bytes: Uint8Array<ArrayBuffer>; index: number } {
  const { params, results } = signatureOf(name);
  const m = new ModuleBuilder();
  m.importMemory('env', 'memory', 1, 65536);
  const code = m.func('f', params, results);
  params.forEach((_: ValType, i: number) => code.get(i));
  emit(code, name);
  return { bytes: m.build(), index: code.index };
}

test('there are as many as the specification has', () => {
  const count = (prefix: number) => NAMES.filter((name) => opcodePrefix(WASM_OPS[name]) === prefix).length;
  expect(count(0xfd)).toBe(236);
  expect(count(0xfc)).toBe(10);
  // 0x41-0xc4 (constants, numeric), 0x28-0x40 (memory), drop, select, unreachable, nop, return.
  expect(count(0)).toBe(0xc4 - 0x41 + 1 + (0x40 - 0x28 + 1) + 5);
  expect(new Set(NAMES.map((name) => WASM_OPS[name])).size).toBe(NAMES.length);
});

test('an encoded opcode comes apart', () => {
  expect([opcodePrefix(0x6a), opcodeNumber(0x6a)]).toEqual([0, 0x6a]);
  expect([opcodePrefix(WASM_OPS['f64x2.add']), opcodeNumber(WASM_OPS['f64x2.add'])]).toEqual([0xfd, 0xf0]);
});

describe('each instruction is valid and prints its name', () => {
  test.each(NAMES)('%s', (name) => {
    const { bytes, index } = moduleWith(name);
    expect(WebAssembly.validate(bytes)).toBe(true);
    const lines = printFunction(bytes, index).split('\n').map((line) => line.trim().split(' ')[0]);
    const { params } = signatureOf(name);
    expect(lines.slice(1)).toEqual([...params.map(() => 'local.get'), name, ')', '']);
  });
});
