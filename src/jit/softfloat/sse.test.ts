/** SSE helpers, bit by bit and flag by flag, against the CPU we run on. */
import { afterAll, describe, expect, test } from 'vitest';
import { FP_FAST, MXCSR } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { SSE_FLOAT_HELPERS } from '../helpers/sseFloat.js';
import { buildHelpers, CASES, CpuOracle, type HelperModule, randomBits } from './helperTesting.js';
import { SOFTFLOAT_HELPERS } from './index.js';
import { SSE_ORACLE } from './sseOracle.js';

type Vector = readonly [bigint, bigint];
interface Case {
  readonly mxcsr: number;
  readonly a: Vector;
  readonly b: Vector;
}

const A = 4096;
const B = A + 16;
const R = A + 32;
const HELPERS: readonly HelperDef[] = [...SOFTFLOAT_HELPERS, ...SSE_FLOAT_HELPERS];

/** For each helper a function without parameters that works on vectors in memory: JavaScript cannot pass a v128. */
function instantiate(): HelperModule {
  return buildHelpers(HELPERS, (m, index) => {
    for (const h of HELPERS) {
      if (!h.params.includes('v128')) continue;
      const extra = h.params.filter((t) => t !== 'v128');
      const code = m.func(`run ${h.name}`, extra, h.results[1] === undefined ? [] : ['i32']);
      let vectors = 0;
      let scalars = 0;
      if (h.results[1] === undefined) code.i32(0);
      for (const t of h.params) {
        if (t === 'v128') code.i32(0).mem('v128.load', STATE_BASE + A + 16 * vectors++);
        else code.get(scalars++);
      }
      code.call(index(h.name));
      if (h.results[1] !== undefined) {
        const trap = code.local('i32');
        const result = code.local(h.results[0]!);
        code.set(trap).set(result).i32(0).get(result).mem(`${h.results[0]!}.store` as 'v128.store', STATE_BASE + R).get(trap);
      } else code.mem('v128.store', STATE_BASE + R);
      m.exportFunc(`run ${h.name}`, code.index);
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

function make(vector: () => Vector, second = vector): Case {
  const a = vector();
  return { mxcsr: control(), a, b: Number(random() % 16n) === 0 && second === vector ? a : second() };
}

function ours(c: Case, run: () => number | undefined): string {
  const { state } = wasm;
  state.setBigUint64(A, c.a[0], true);
  state.setBigUint64(A + 8, c.a[1], true);
  state.setBigUint64(B, c.b[0], true);
  state.setBigUint64(B + 8, c.b[1], true);
  state.setBigUint64(R, 0n, true);
  state.setBigUint64(R + 8, 0n, true);
  state.setUint32(MXCSR.offset, c.mxcsr, true);
  state.setUint32(FP_FAST.offset, 7, true);
  const trap = run();
  const mxcsr = state.getUint32(MXCSR.offset, true);
  const fast = state.getUint32(FP_FAST.offset, true);
  if (fast !== 7 && fast !== ((mxcsr & 0xffe0) === 0x1fa0 ? 1 : 0)) return 'FP_FAST is wrong';
  if (trap === 1) return `trap ${mxcsr.toString(16)}`;
  return `${state.getBigUint64(R, true).toString(16)} ${state.getBigUint64(R + 8, true).toString(16)} ${mxcsr.toString(16)}`;
}

function compare(instruction: string, cases: readonly Case[], run: (c: Case) => number | undefined): void {
  const h = (v: bigint): string => v.toString(16);
  const lines = cases.map((c) => `${instruction} ${c.mxcsr.toString(16)} ${h(c.a[0])} ${h(c.a[1])} ${h(c.b[0])} ${h(c.b[1])}`);
  const expected = cpu.run(lines);
  const wrong: string[] = [];
  cases.forEach((c, i) => {
    const got = ours(c, () => run(c));
    if (got !== expected[i]) wrong.push(`${lines[i]}: ${got}, CPU: ${expected[i]}`);
  });
  expect(wrong.slice(0, 8), `${wrong.length} of ${cases.length} differ`).toEqual([]);
}

function check(instruction: string, vector: () => Vector, run: (c: Case) => number | undefined, second = vector, share = 1): void {
  compare(instruction, Array.from({ length: Math.ceil(CASES * share) }, () => make(vector, second)), run);
}

const FORMS = ['ss', 'sd', 'ps', 'pd'];
const operands = (form: string): (() => Vector) => (form.endsWith('s') ? singles : doubles);
const call = (name: string, ...args: (number | bigint)[]): number => wasm.call[`run ${name}`]!(...args);

describe.each(FORMS)('%s', (form) => {
  test.each(['add', 'sub', 'mul', 'div', 'min', 'max', 'sqrt'])('%s', (op) => {
    check(`${op}${form}`, operands(form), () => call(`sse.${op}_${form}`));
  });
  test('compare', () => {
    for (let p = 0; p < 8; p++) check(`cmp${form}.${p}`, operands(form), () => call(`sse.cmp_${form}`, p), undefined, 0.2);
  });
  test('round', () => {
    for (const p of [0, 1, 2, 3, 4, 8, 9, 10, 11, 12]) check(`round${form}.${p}`, operands(form), () => call(`sse.round_${form}`, p), undefined, 0.2);
  });
});

test.each(['ps', 'pd'])('addsub%s', (form) => {
  check(`addsub${form}`, operands(form), () => call(`sse.addsub_${form}`));
});

test.each(['ss', 'sd'])('comi%s, ucomi%s', (form) => {
  check(`comi${form}`, operands(form), () => call(`sse.comi_${form}`, 1));
  check(`ucomi${form}`, operands(form), () => call(`sse.comi_${form}`, 0));
});

describe('conversions', () => {
  test.each([['cvtss2sd', singles], ['cvtsd2ss', doubles], ['cvtps2pd', singles], ['cvtpd2ps', doubles], ['cvtdq2ps', integers]] as const)('%s', (op, vector) => {
    compare(op, Array.from({ length: CASES }, () => ({ ...make(vector) })), (c) => {
      if (op !== 'cvtss2sd' && op !== 'cvtsd2ss') {
        wasm.state.setBigUint64(A, c.b[0], true);
        wasm.state.setBigUint64(A + 8, c.b[1], true);
      }
      return call(`sse.${op}`);
    });
  });
  test.each([['cvtps2dq', singles, 0], ['cvttps2dq', singles, 1], ['cvtpd2dq', doubles, 0], ['cvttpd2dq', doubles, 1]] as const)('%s', (op, vector, truncate) => {
    check(op, vector, (c) => {
      wasm.state.setBigUint64(A, c.b[0], true);
      wasm.state.setBigUint64(A + 8, c.b[1], true);
      return call(`sse.${op.replace('cvtt', 'cvt')}`, truncate);
    });
  });
  test.each(['ss', 'sd'])('cvt%s2si', (form) => {
    for (const truncate of [0, 1]) {
      for (const width of [32, 64]) {
        check(`cvt${truncate ? 't' : ''}${form}2si.${width}`, operands(form), (c) => {
          wasm.state.setBigUint64(A, c.b[0], true);
          const trap = call(`sse.cvt${form}2si`, truncate, width);
          if (width === 32) wasm.state.setUint32(R + 4, 0, true);
          return trap;
        });
      }
    }
  });
  test.each(['ss', 'sd'])('cvtsi2%s', (form) => {
    for (const width of [32, 64]) {
      check(`cvtsi2${form}.${width}`, operands(form), (c) => call(`sse.cvtsi2${form}`, BigInt.asIntN(width, c.b[0])), integers);
    }
  });
});

test('rcpps and rsqrtps: specials as the CPU, the rest within the error the manual allows', () => {
  for (const [op, name] of [['rcpps', 'sse.rcp_ps'], ['rsqrtps', 'sse.rsqrt_ps']] as const) {
    for (let i = 0; i < CASES; i++) {
      const c = make(singles);
      ours({ ...c, a: c.b }, () => void call(name));
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
