/**
 * SSE operations as the interpreter and the compiler do them, bit by bit and flag by flag, against the CPU we run on.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { FP_FAST, MXCSR } from '../../src/layout/cpuState.js';
import { STATE_BASE } from '../../src/layout/memoryMap.js';
import type { OpRow } from '../../src/ir/opDef.js';
import { SSE_OPS } from '../../src/ir/sseOps.js';
import type { ModuleBuilder } from '../../src/wasm/module.js';
import type { Emit, HelperDef } from '../../src/jit/emit.js';
import { SSE_FLOAT_EMITTERS } from '../../src/jit/emitters/sseFloat.js';
import { SSE_FLOAT_HELPERS } from '../../src/jit/helpers/sseFloat.js';
import { buildHelpers, type HelperModule, randomBits } from '../../src/jit/softfloat/helperTesting.js';
import { SOFTFLOAT_HELPERS } from '../../src/jit/softfloat/index.js';
import { SSE_ORACLE } from './sseOracle.js';
import { CASES, CpuOracle } from './cpuOracle.js';

type Vector = readonly [bigint, bigint];
interface Case {
  readonly mxcsr: number;
  readonly a: Vector;
  readonly b: Vector;
}

const A = 4096;
const R = A + 32;
const HELPERS: readonly HelperDef[] = [...SOFTFLOAT_HELPERS, ...SSE_FLOAT_HELPERS];
/** The immediates that get a compiled function of their own. */
const IMMEDIATES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/**
 * A function without operands (JavaScript cannot pass a v128) that does an operation on memory and returns whether it
 * trapped.
 */
function addOperation(m: ModuleBuilder, index: (name: string) => number, row: OpRow, knownImm: number | null): void {
  const code = m.func(`${row.name} ${knownImm}`, ['i32'], ['i32']);
  const emit: Emit = {
    code, knownImm, temp: (type) => code.local(type), helper: index,
    imm: () => void (knownImm === null ? code.get(0) : code.i32(knownImm)),
    trap: (vector) => void code.i32(vector === 19 ? 1 : 2).ret(),
    showTicks: () => undefined, pushInstruction: () => undefined,
    fault: () => void code.unreachable(),
  };
  row.params.forEach((type, i) => code.i32(0).mem(`${type}.load`, STATE_BASE + A + 16 * i));
  if (row.wasm !== undefined && row.wasm !== null) code.op(row.wasm);
  else SSE_FLOAT_EMITTERS[row.name]!(emit);
  const result = code.local(row.result!);
  code.set(result).i32(0).get(result).mem(`${row.result!}.store`, STATE_BASE + R).i32(0);
  m.exportFunc(`${row.name} ${knownImm}`, code.index);
}

function instantiate(): HelperModule {
  return buildHelpers(HELPERS, (m, index) => {
    for (const row of SSE_OPS) {
      addOperation(m, index, row, null);
      for (const imm of row.imm === 'i32' ? IMMEDIATES : [0]) addOperation(m, index, row, imm);
    }
  });
}

const wasm = instantiate();
const cpu = new CpuOracle(SSE_ORACLE);
afterAll(() => cpu[Symbol.dispose]());

const random = randomBits(0x243f6a8885a308d3n);
const pick = <T>(list: readonly T[]): T => list[Number(random() % BigInt(list.length))] as T;

const DOUBLES = [
  0n, 1n << 52n, (1n << 52n) - 1n, 1n, 0x3ffn << 52n, (0x3ffn << 52n) | 1n, 0x400n << 52n, 0x4008n << 48n, 0x7fefffffffffffffn, 0x7ffn << 52n, (0x7ffn << 52n) | 1n,
  (0x7ffn << 52n) | (1n << 51n) | 0x1234n, (0x7ffn << 52n) | 0x8_0000_abcdn, 0x41dfffffffc00000n, 0x41e0000000000000n, 0x43e0000000000000n, 0x3fe0000000000000n,
  0x3fdfffffffffffffn, 0x3ff8000000000000n, 0x4004000000000000n, 0x380fffffffffffffn, 0x3810000000000000n, 0x36a0000000000000n, 0x3690000000000001n, 0x47efffffe0000000n, 0x47effffff0000000n,
  0x4330000000000001n, 0x41cdcd6500000000n, 0x000fffffffffff00n, 0x0010000000000001n, 0x0020000000000000n,
];
const SINGLES = [
  0n, 0x800000n, 0x7fffffn, 1n, 0x3f800000n, 0x3f800001n, 0x40000000n, 0x40400000n, 0x7f7fffffn, 0x7f800000n, 0x7f800001n, 0x7fc01234n, 0x7f812345n, 0x4effffffn, 0x4f000000n, 0x5f000000n,
  0x3f000000n, 0x3effffffn, 0x3fc00000n, 0x40200000n, 0x4b000001n, 0x00800001n, 0x01000000n, 0x1f800000n, 0x20000000n, 0x5f7fffffn,
];

function double(): bigint {
  const style = Number(random() % 8n);
  const sign = (random() & 1n) << 63n;
  if (style < 3) return pick(DOUBLES) | sign;
  if (style === 3) return random();
  // Small integers: exact operations. Others near 1: rounding.
  const view = new DataView(new ArrayBuffer(8));
  if (style === 4) view.setFloat64(0, Number(random() % 2000n) - 1000);
  else if (style === 5) view.setFloat64(0, Number(random() % 200000n) / 64 - 1000);
  else return (random() & ((1n << 52n) - 1n)) | ((0x3ffn + (random() % 120n) - 60n) << 52n) | sign;
  return view.getBigUint64(0);
}

function single(): bigint {
  const style = Number(random() % 8n);
  const sign = (random() & 1n) << 31n;
  if (style < 3) return pick(SINGLES) | sign;
  if (style === 3) return random() & 0xffff_ffffn;
  const view = new DataView(new ArrayBuffer(4));
  if (style === 4) view.setFloat32(0, Number(random() % 2000n) - 1000);
  else if (style === 5) view.setFloat32(0, Number(random() % 200000n) / 64 - 1000);
  else return (random() & 0x7fffffn) | ((0x7fn + (random() % 60n) - 30n) << 23n) | sign;
  return BigInt(view.getUint32(0));
}

const singles = (): Vector => [single() | (single() << 32n), single() | (single() << 32n)];
const doubles = (): Vector => [double(), double()];
const integers = (): Vector => {
  const one = (): bigint => pick([random(), random() & 0xffffffn, BigInt.asUintN(64, -(random() & 0xffffn)), 1n << (random() & 63n), BigInt.asUintN(64, (1n << (random() & 63n)) - 1n), (random() & 0xffffffn) << (random() % 40n)]);
  return [one(), one()];
};

/** Mostly the usual setting; also all rounding modes, FTZ, DAZ, and unmasked exceptions. */
function control(): number {
  const style = Number(random() % 8n);
  const flags = style & 1 ? 0 : 0x20;
  if (style < 3) return 0x1f80 | flags;
  const masks = style < 6 ? 0x3f : Number(random() & 0x3fn);
  return (masks << 7) | Number(random() & 3n) << 13 | (Number(random() % 3n) === 0 ? 0x8000 : 0) | (Number(random() % 3n) === 0 ? 0x40 : 0) | flags;
}

function make(vector: () => Vector, second: () => Vector = vector): Case {
  const a = vector();
  return { mxcsr: control(), a, b: Number(random() % 16n) === 0 && second === vector ? a : second() };
}

/** Operand vectors in order of the operation's parameters. */
function ours(c: Case, operands: readonly Vector[], run: () => number): string {
  const { state } = wasm;
  operands.forEach(([low, high], i) => {
    state.setBigUint64(A + 16 * i, low, true);
    state.setBigUint64(A + 16 * i + 8, high, true);
  });
  state.setBigUint64(R, 0n, true);
  state.setBigUint64(R + 8, 0n, true);
  state.setUint32(MXCSR.offset, c.mxcsr, true);
  state.setUint32(FP_FAST.offset, (c.mxcsr & 0xffe0) === 0x1fa0 ? 1 : 0, true);
  const trap = run();
  const mxcsr = state.getUint32(MXCSR.offset, true);
  if (state.getUint32(FP_FAST.offset, true) !== ((mxcsr & 0xffe0) === 0x1fa0 ? 1 : 0)) return 'FP_FAST is wrong';
  if (trap !== 0) return trap === 1 ? `trap ${mxcsr.toString(16)}` : 'trap with the wrong vector';
  return `${state.getBigUint64(R, true).toString(16)} ${state.getBigUint64(R + 8, true).toString(16)} ${mxcsr.toString(16)}`;
}

interface Check {
  readonly instruction: string;
  readonly op: string;
  readonly imm?: number;
  readonly vector: () => Vector;
  readonly second?: () => Vector;
  /** Which of a and b the operation takes. */
  readonly takes?: (c: Case) => readonly Vector[];
  readonly share?: number;
}

function check({ instruction, op, imm = 0, vector, second, takes = (c) => [c.a, c.b], share = 1 }: Check): void {
  const h = (v: bigint): string => v.toString(16);
  const cases = Array.from({ length: Math.ceil(CASES * share) }, () => make(vector, second));
  const lines = cases.map((c) => `${instruction} ${c.mxcsr.toString(16)} ${h(c.a[0])} ${h(c.a[1])} ${h(c.b[0])} ${h(c.b[1])}`);
  const expected = cpu.run(lines);
  const wrong: string[] = [];
  cases.forEach((c, i) => {
    for (const tier of [null, imm]) {
      const got = ours(c, takes(c), () => wasm.call[`${op} ${tier}`]!(imm));
      if (got !== expected[i]) wrong.push(`${lines[i]} (${tier === null ? 'interpreted' : 'compiled'}): ${got}, CPU: ${expected[i]}`);
    }
  });
  expect(wrong.slice(0, 8), `${wrong.length} of ${cases.length} differ`).toEqual([]);
}

const FORMS = ['ss', 'sd', 'ps', 'pd'];
const operands = (form: string): (() => Vector) => (form.endsWith('s') ? singles : doubles);
const second = (c: Case): readonly Vector[] => [c.b];

describe.each(FORMS)('%s', (form) => {
  const vector = operands(form);
  test.each(['add', 'sub', 'mul', 'div', 'min', 'max', 'sqrt'])('%s', (op) => {
    check({ instruction: `${op}${form}`, op: `sse.${op}_${form}`, vector });
  });
  test('compare', () => {
    for (let imm = 0; imm < 8; imm++) check({ instruction: `cmp${form}.${imm}`, op: `sse.cmp_${form}`, imm, vector, share: 0.2 });
  });
  test('round', () => {
    for (const imm of [0, 1, 2, 3, 4, 8, 9, 10, 11, 12]) check({ instruction: `round${form}.${imm}`, op: `sse.round_${form}`, imm, vector, share: 0.2 });
  });
});

test.each(['ps', 'pd'])('addsub%s', (form) => {
  check({ instruction: `addsub${form}`, op: `sse.addsub_${form}`, vector: operands(form) });
});

test.each(['comiss', 'comisd', 'ucomiss', 'ucomisd'])('%s', (instruction) => {
  check({ instruction, op: `sse.${instruction.slice(0, -2)}_${instruction.slice(-2)}`, vector: operands(instruction) });
});

describe('conversions', () => {
  test.each([['cvtss2sd', singles], ['cvtsd2ss', doubles]] as const)('%s', (name, vector) => {
    check({ instruction: name, op: `sse.${name}`, vector });
  });
  test.each([
    ['cvtps2pd', singles], ['cvtpd2ps', doubles], ['cvtdq2ps', integers], ['cvtdq2pd', integers], ['cvtps2dq', singles], ['cvttps2dq', singles], ['cvtpd2dq', doubles],
    ['cvttpd2dq', doubles],
  ] as const)('%s', (name, vector) => {
    check({ instruction: name, op: `sse.${name}`, vector, takes: second });
  });
  test.each(['cvtss2si', 'cvttss2si', 'cvtsd2si', 'cvttsd2si'])('%s', (name) => {
    for (const width of [32, 64]) check({ instruction: `${name}.${width}`, op: `sse.${name}_${width}`, vector: operands(name.slice(0, -3)), takes: second });
  });
  test.each(['cvtsi2ss', 'cvtsi2sd'])('%s', (name) => {
    for (const width of [32, 64]) check({ instruction: `${name}.${width}`, op: `sse.${name}_${width}`, vector: operands(name), second: integers });
  });
});

test('rcpps and rsqrtps: specials as the CPU, the rest within the error the manual allows', () => {
  for (const [op, name] of [['rcpps', 'sse.rcp_ps'], ['rsqrtps', 'sse.rsqrt_ps']] as const) {
    for (let i = 0; i < CASES; i++) {
      const c = make(singles);
      ours(c, [c.b], () => wasm.call[`${name} 0`]!(0));
      for (let k = 0; k < 4; k++) {
        const x = wasm.state.getFloat32(A + 4 * k, true);
        const r = wasm.state.getFloat32(R + 4 * k, true);
        const exact = op === 'rcpps' ? 1 / x : 1 / Math.sqrt(x);
        const want = Math.abs(x) < 2 ** -126 ? (Object.is(x, -0) || x < 0 ? -Infinity : Infinity) : Math.abs(exact) < 2 ** -126 ? Math.sign(exact) * 0 : exact;
        if (Number.isNaN(want) || !Number.isFinite(want) || want === 0) expect(r).toBe(want);
        else expect(Math.abs(r - want)).toBeLessThan(Math.abs(want) * 1.5 * 2 ** -12);
      }
    }
  }
});
