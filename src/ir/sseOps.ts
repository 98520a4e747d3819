/**
 * SSE floating-point operations: they read and write MXCSR, and may raise #XM, which is why they
 * are not plain WebAssembly. The suffix says the form: ss, sd (low lane of the second operand, other
 * lanes from the first), ps, pd (all lanes).
 */
import { FP_FAST, MXCSR } from '../layout/cpuState.js';
import type { OpRow, Type } from './opDef.js';

const FORMS = ['ss', 'sd', 'ps', 'pd'] as const;
const SCALAR = ['ss', 'sd'] as const;

function state(name: string, params: readonly Type[], result: Type): OpRow {
  return { name, params, result, effect: 'state', touches: [MXCSR, FP_FAST] };
}

const V = ['v128'] as const;
const VV = ['v128', 'v128'] as const;

export const SSE_OPS: readonly OpRow[] = [
  ...['add', 'sub', 'mul', 'div', 'min', 'max', 'sqrt'].flatMap((op) => FORMS.map((form) => state(`sse.${op}_${form}`, VV, 'v128'))),
  /** Even lanes subtract, odd lanes add. */
  state('sse.addsub_ps', VV, 'v128'),
  state('sse.addsub_pd', VV, 'v128'),
  /** imm = predicate 0..7. */
  ...FORMS.map((form): OpRow => ({ ...state(`sse.cmp_${form}`, VV, 'v128'), imm: 'i32' })),
  /** imm as in roundss. */
  ...FORMS.map((form): OpRow => ({ ...state(`sse.round_${form}`, VV, 'v128'), imm: 'i32' })),
  /** The arithmetic bits of EFLAGS. */
  ...SCALAR.flatMap((form) => ['comi', 'ucomi'].map((op) => state(`sse.${op}_${form}`, VV, 'i32'))),
  { name: 'sse.cvtsi2sd_32', params: ['v128', 'i32'], result: 'v128' },
  state('sse.cvtsi2sd_64', ['v128', 'i64'], 'v128'),
  state('sse.cvtsi2ss_32', ['v128', 'i32'], 'v128'),
  state('sse.cvtsi2ss_64', ['v128', 'i64'], 'v128'),
  ...SCALAR.flatMap((form) => ['cvt', 'cvtt'].flatMap((op) => [
    state(`sse.${op}${form}2si_32`, V, 'i32'), state(`sse.${op}${form}2si_64`, V, 'i64'),
  ])),
  state('sse.cvtss2sd', VV, 'v128'),
  state('sse.cvtsd2ss', VV, 'v128'),
  { name: 'sse.cvtdq2pd', params: V, result: 'v128', wasm: 'f64x2.convert_low_i32x4_s' },
  ...['cvtdq2ps', 'cvtps2pd', 'cvtpd2ps', 'cvtps2dq', 'cvttps2dq', 'cvtpd2dq', 'cvttpd2dq'].map((op) => state(`sse.${op}`, V, 'v128')),
  /** Approximations: no flags. */
  { name: 'sse.rcp_ps', params: V, result: 'v128' },
  { name: 'sse.rsqrt_ps', params: V, result: 'v128' },
];
