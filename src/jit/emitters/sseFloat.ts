/** SSE arithmetic and comparison: see sseFast.ts for the scheme. */
import type { Code } from '../../wasm/code.js';
import type { WasmOp } from '../../wasm/opcodes.js';
import type { Emitter, Emitters } from '../emit.js';
import { SSE_CONVERT_EMITTERS } from './sseConvert.js';
import {
  checkBoth, checkComparable, checkFpFast, checkPacked, checkPackedHalf, checkPackedPositive, checkScalar, DOUBLE, type Fast, fastOrHelper, helperOnly, low, type Precision, pushIncomparable, SINGLE,
  type Window,
} from './sseFast.js';

type Arith = 'add' | 'sub' | 'mul' | 'div';
const ARITH: readonly Arith[] = ['add', 'sub', 'mul', 'div'];
const VV = ['v128', 'v128'] as const;

const isSum = (op: Arith): boolean => op === 'add' || op === 'sub';

/** Products and quotients of numbers with these exponents stay in range: exponents add up. */
function productWindow(p: Precision, op: Arith): Window {
  const half = (p.bias - 1) / 2;
  return { first: -half, last: op === 'mul' ? half : half - 1 };
}

/** Sums of numbers from the middle half of the exponents: they do not overflow, and a tiny sum is exact. */
const middleHalf = (p: Precision): number => -(p.bias + 1) / 2;

/** The result is sure to be in range. */
function checkScalars(f: Fast, p: Precision, op: Arith): void {
  if (isSum(op)) return checkBoth(f, p, middleHalf(p), p.bias + 1);
  // A quarter of the exponents is plenty in double precision.
  if (p === DOUBLE) return checkBoth(f, p, -256, 512);
  checkScalar(f, p, productWindow(p, op), f.a);
  if (f.b !== f.a) checkScalar(f, p, productWindow(p, op), f.b);
}

/** low(a) op low(b) in the low lane of a. */
function intoLow(f: Fast, p: Precision, push: () => void): void {
  f.code.get(f.a);
  push();
  f.code.lane(`${p.shape}.replace_lane`, 0);
}

function scalarArith(p: Precision, op: Arith, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper,
    native(f) {
      checkFpFast(f);
      checkScalars(f, p, op);
      intoLow(f, p, () => {
        low(f.code, p, f.a);
        low(f.code, p, f.b);
        f.code.op(`${p.float}.${op}`);
      });
    },
  });
}

function packedArith(p: Precision, op: Arith, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper,
    native(f) {
      checkFpFast(f);
      if (isSum(op)) checkPackedHalf(f, p, middleHalf(p), f.a, f.b);
      else checkPacked(f, p, productWindow(p, op), f.a, f.b);
      f.code.get(f.a).get(f.b).op(`${p.shape}.${op}`);
    },
  });
}

/** Positive normal numbers, by a signed comparison of the exponent's word. */
function scalarSqrt(p: Precision, helper: string): Emitter {
  const unit = 1 << (p.fieldShift - 1);
  return fastOrHelper({
    operands: VV, result: 'v128', helper,
    native(f) {
      checkFpFast(f);
      f.code.get(f.b).lane('i32x4.extract_lane', p.highLane).i32(unit).op('i32.sub').i32(unit * (2 * p.bias)).op('i32.ge_u').hint(false).brIf(f.slow);
      intoLow(f, p, () => {
        low(f.code, p, f.b);
        f.code.op(`${p.float}.sqrt`);
      });
    },
  });
}

function packedSqrt(p: Precision, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper,
    native(f) {
      checkFpFast(f);
      checkPackedPositive(f, p, f.b);
      f.code.get(f.b).op(`${p.shape}.sqrt`);
    },
  });
}

function scalarBetter(p: Precision, op: 'min' | 'max', helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper,
    native(f) {
      checkComparable(f, p, f.a);
      checkComparable(f, p, f.b);
      intoLow(f, p, () => {
        for (const local of [f.a, f.b, f.a, f.b]) low(f.code, p, local);
        f.code.op(`${p.float}.${op === 'min' ? 'lt' : 'gt'}`).select();
      });
    },
  });
}

function checkAllComparable(f: Fast, p: Precision): void {
  pushIncomparable(f.code, p.shape, p.minNormal, f.a);
  pushIncomparable(f.code, p.shape, p.minNormal, f.b);
  f.code.op('v128.or').op('v128.any_true').hint(false).brIf(f.slow);
}

/** WebAssembly's pmin(b, a) is a < b ? a : b, which is x86's min(a, b). */
function packedBetter(p: Precision, op: 'min' | 'max', helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper,
    native(f) {
      checkAllComparable(f, p);
      f.code.get(f.b).get(f.a).op(`${p.shape}.p${op}`);
    },
  });
}

/** EFLAGS: CF = less, ZF = equal. */
function compareFlags(p: Precision, form: string, signalling: number): Emitter {
  return fastOrHelper({
    operands: VV, result: 'i32', helper: `sse.comi_${form}`, extra: (e) => void e.code.i32(signalling),
    native(f) {
      checkComparable(f, p, f.a);
      checkComparable(f, p, f.b);
      low(f.code, p, f.a);
      low(f.code, p, f.b);
      f.code.op(`${p.float}.lt`);
      low(f.code, p, f.a);
      low(f.code, p, f.b);
      f.code.op(`${p.float}.eq`).i32(6).op('i32.shl').op('i32.or');
    },
  });
}

/** Predicates 0..7 of ordered operands. */
const PREDICATES = ['eq', 'lt', 'le', 'never', 'ne', 'ge', 'gt', 'always'] as const;

/** Pushes the comparison's result: a 0/1 for scalars ('f64'), a mask for vectors ('f64x2'). */
function predicate(code: Code, of: string, index: number, always: () => void, never: () => void): void {
  const name = PREDICATES[index & 7] as string;
  if (name === 'always' || name === 'never') {
    code.drop().drop();
    (name === 'always' ? always : never)();
  } else code.op(`${of}.${name}` as WasmOp);
}

function scalarCompare(p: Precision, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper, extra: (e) => e.imm(),
    native(f) {
      const { code } = f;
      checkComparable(f, p, f.a);
      checkComparable(f, p, f.b);
      code.get(f.a);
      if (p === DOUBLE) code.i64num(0);
      else code.i32(0);
      low(code, p, f.a);
      low(code, p, f.b);
      predicate(code, p.float, f.e.knownImm as number, () => code.i32(1), () => code.i32(0));
      if (p === DOUBLE) code.op('i64.extend_i32_u');
      code.op(`${p.ints}.sub`).lane(`${p.intShape}.replace_lane`, 0);
    },
  });
}

function packedCompare(p: Precision, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper, extra: (e) => e.imm(),
    native(f) {
      const { code } = f;
      checkAllComparable(f, p);
      code.get(f.a).get(f.b);
      const constant = (byte: number): void => void code.v128(new Uint8Array(16).fill(byte));
      predicate(code, p.shape, f.e.knownImm as number, () => constant(0xff), () => constant(0));
    },
  });
}

function emittersFor(p: Precision, scalar: string, packed: string): Emitters {
  const table: Record<string, Emitter> = {};
  for (const op of ARITH) {
    table[`sse.${op}_${scalar}`] = scalarArith(p, op, `sse.${op}_${scalar}`);
    table[`sse.${op}_${packed}`] = packedArith(p, op, `sse.${op}_${packed}`);
  }
  for (const op of ['min', 'max'] as const) {
    table[`sse.${op}_${scalar}`] = scalarBetter(p, op, `sse.${op}_${scalar}`);
    table[`sse.${op}_${packed}`] = packedBetter(p, op, `sse.${op}_${packed}`);
  }
  table[`sse.sqrt_${scalar}`] = scalarSqrt(p, `sse.sqrt_${scalar}`);
  table[`sse.sqrt_${packed}`] = packedSqrt(p, `sse.sqrt_${packed}`);
  table[`sse.addsub_${packed}`] = helperOnly(`sse.addsub_${packed}`);
  table[`sse.cmp_${scalar}`] = scalarCompare(p, `sse.cmp_${scalar}`);
  table[`sse.cmp_${packed}`] = packedCompare(p, `sse.cmp_${packed}`);
  table[`sse.comi_${scalar}`] = compareFlags(p, scalar, 1);
  table[`sse.ucomi_${scalar}`] = compareFlags(p, scalar, 0);
  return table;
}

const callPlain = (helper: string): Emitter => (e) => void e.code.call(e.helper(helper));

export const SSE_FLOAT_EMITTERS: Emitters = {
  ...emittersFor(SINGLE, 'ss', 'ps'),
  ...emittersFor(DOUBLE, 'sd', 'pd'),
  ...SSE_CONVERT_EMITTERS,
  'sse.rcp_ps': callPlain('sse.rcp_ps'),
  'sse.rsqrt_ps': callPlain('sse.rsqrt_ps'),
};
