/**
 * Whole SSE operations on vectors, the way emitters call them when the fast path does not apply:
 *
 *   sse.add_sd(a, b) -> (result, trap)        likewise sub mul div min max, and ss, ps, pd
 *   sse.sqrt_sd(a, b) -> (result, trap)       scalar forms take the upper lanes from a
 *   sse.addsub_ps(a, b) -> (result, trap)
 *
 * Flags of all lanes go into MXCSR together. trap = 1 if one of them is unmasked: then the result
 * means nothing and the instruction must end with exception 19.
 */
import { FP_FAST, MXCSR } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { type Fn, type Expr, helper, lane, lit, loadAt, splat, type Var, wasm, withLane } from './dsl.js';
import { DE, IE, PE, ZE } from './formats.js';
import type { ArithName } from './lanes.js';
import { DOUBLE, MXCSR_CONTROL, MXCSR_MASK_SHIFT, type Narrow, NARROWS, SINGLE } from './narrowFormat.js';

export const MXCSR_ADDRESS = STATE_BASE + MXCSR.offset;
export const FP_FAST_ADDRESS = STATE_BASE + FP_FAST.offset;
/** MXCSR, flags other than PE aside, when FP_FAST is 1. */
const FAST_MXCSR = 0x1fa0;
const BEFORE_COMPUTATION = IE | DE | ZE;

type FloatShape = 'f32x4' | 'f64x2';
export const shapeOf = (n: Narrow): FloatShape => (n === DOUBLE ? 'f64x2' : 'f32x4');
export const lanesOf = (n: Narrow): number => (n === DOUBLE ? 2 : 4);

/** 'ss', 'sd', 'ps', 'pd'. */
export function formName(n: Narrow, packed: boolean): string {
  return `${packed ? 'p' : 's'}${n === DOUBLE ? 'd' : 's'}`;
}

/**
 * sse.raise(flags, mxcsr) -> trap: sets flags. An unmasked exception found before computing leaves none to find after
 * it.
 */
const raise = helper('sse.raise', { flags: 'i32', mxcsr: 'i32' }, ['i32'], (f, { flags, mxcsr }) => {
  const unmasked = flags.and(mxcsr.shrU(MXCSR_MASK_SHIFT).not()).and(0x3f);
  f.if_(unmasked.and(BEFORE_COMPUTATION), () => flags.set(flags.and(BEFORE_COMPUTATION)));
  const after = f.let_(mxcsr.or(flags));
  f.storeAt(MXCSR_ADDRESS, after);
  f.storeAt(FP_FAST_ADDRESS, after.and(MXCSR_CONTROL | PE).eq(FAST_MXCSR));
  f.ret(unmasked.ne(0));
});

/** Ends a function: raises flags if there are any, returns (result, trap). */
export function finish(f: Fn, result: Expr, flags: Expr, mxcsr: Expr): void {
  f.if_(flags.eqz(), () => f.ret(result, lit('i32', 0)));
  f.ret(result, f.call('i32', 'sse.raise', flags, mxcsr));
}

/** Calls a lane function, ORs its flags, and puts its result into lane i of `result`. */
function runLane(f: Fn, n: Narrow, name: string, i: number, sources: readonly Expr[], result: Var, flags: Var, mxcsr: Var): void {
  const value = f.local(n.float);
  const raised = f.local('i32');
  f.callInto([value, raised], name, ...sources.map((s) => lane(s, shapeOf(n), i)), mxcsr);
  result.set(withLane(result, shapeOf(n), i, value));
  flags.set(flags.or(raised));
}

const abs = (shape: FloatShape, v: Expr): Expr => wasm(`${shape}.abs`, 'v128', v);
const compare = (shape: FloatShape, op: 'lt' | 'le' | 'ne' | 'eq', x: Expr, y: Expr): Expr => wasm(`${shape}.${op}`, 'v128', x, y);

/**
 * With FP_FAST, all lanes at once: the emitters' check refuses zeros and extreme exponents, which
 * this one lets pass if they are harmless.
 */
function tryWholeVector(f: Fn, n: Narrow, op: ArithName, a: Var, b: Var, mxcsr: Expr): void {
  const shape = shapeOf(n);
  const minNormal = splat(shape, n === DOUBLE ? 2 ** -1022 : 2 ** -126);
  const zero = splat(shape, 0);
  const denormal = (v: Expr): Expr => compare(shape, 'lt', abs(shape, v), minNormal).and(compare(shape, 'ne', v, zero));
  f.if_(mxcsr.and(MXCSR_CONTROL | PE).eq(FAST_MXCSR), () => {
    const r = f.let_(wasm(`${shape}.${op}`, 'v128', a, b));
    const finite = compare(shape, 'lt', abs(shape, r), splat(shape, Infinity));
    const bad = f.let_(denormal(a).or(denormal(b)).or(wasm('v128.not', 'v128', finite)));
    if (op === 'mul' || op === 'div') {
      const small = compare(shape, 'le', abs(shape, r), minNormal).and(compare(shape, 'ne', a, zero));
      bad.set(bad.or(op === 'div' ? small : small.and(compare(shape, 'ne', b, zero))));
    }
    f.if_(wasm('v128.any_true', 'i32', bad).eqz(), () => f.ret(r, lit('i32', 0)));
  });
}

function binary(n: Narrow, op: ArithName | 'min' | 'max', packed: boolean): HelperDef {
  const laneName = `sse.lane_${op}${n.suffix}`;
  return helper(`sse.${op}_${formName(n, packed)}`, { a: 'v128', b: 'v128' }, ['v128', 'i32'], (f, { a, b }) => {
    const mxcsr = f.let_(loadAt(MXCSR_ADDRESS, 'i32'));
    if (packed && op !== 'min' && op !== 'max') tryWholeVector(f, n, op, a, b, mxcsr);
    const result = f.let_(a);
    const flags = f.local('i32');
    for (let i = 0; i < (packed ? lanesOf(n) : 1); i++) runLane(f, n, laneName, i, [a, b], result, flags, mxcsr);
    finish(f, result, flags, mxcsr);
  });
}

function sqrt(n: Narrow, packed: boolean): HelperDef {
  return helper(`sse.sqrt_${formName(n, packed)}`, { a: 'v128', b: 'v128' }, ['v128', 'i32'], (f, { a, b }) => {
    const mxcsr = f.let_(loadAt(MXCSR_ADDRESS, 'i32'));
    const result = f.let_(a);
    const flags = f.local('i32');
    for (let i = 0; i < (packed ? lanesOf(n) : 1); i++) runLane(f, n, `sse.lane_sqrt${n.suffix}`, i, [b], result, flags, mxcsr);
    finish(f, result, flags, mxcsr);
  });
}

/** Even lanes subtract, odd lanes add. */
function addSub(n: Narrow): HelperDef {
  return helper(`sse.addsub_${formName(n, true)}`, { a: 'v128', b: 'v128' }, ['v128', 'i32'], (f, { a, b }) => {
    const mxcsr = f.let_(loadAt(MXCSR_ADDRESS, 'i32'));
    const result = f.let_(a);
    const flags = f.local('i32');
    for (let i = 0; i < lanesOf(n); i++) runLane(f, n, `sse.lane_${i & 1 ? 'add' : 'sub'}${n.suffix}`, i, [a, b], result, flags, mxcsr);
    finish(f, result, flags, mxcsr);
  });
}

export const VECTOR_HELPERS: readonly HelperDef[] = [
  raise,
  ...[false, true].flatMap((packed) => NARROWS.flatMap((n) => [
    ...(['add', 'sub', 'mul', 'div', 'min', 'max'] as const).map((op) => binary(n, op, packed)), sqrt(n, packed),
  ])),
  addSub(SINGLE), addSub(DOUBLE),
];
