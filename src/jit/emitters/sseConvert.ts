/** SSE conversions and rounding to integral values: see sseFast.ts for the scheme. */
import type { WasmOp } from '../../wasm/opcodes.js';
import type { Emitter, Emitters } from '../emit.js';
import {
  checkFpFast, checkPacked, checkScalar, DOUBLE, type Fast, fastOrHelper, low, type Precision, pushIncomparable, SINGLE, type Window,
} from './sseFast.js';

const V = ['v128'] as const;
const VV = ['v128', 'v128'] as const;

/** From an integer; b is its local. */
function fromInteger(p: Precision, form: string, width: 32 | 64): Emitter {
  const type = width === 64 ? 'i64' : 'i32';
  return fastOrHelper({
    operands: ['v128', type], result: 'v128', helper: `sse.cvtsi2${form}`,
    extra: (e) => void (width === 32 && e.code.op('i64.extend_i32_s')),
    native(f) {
      checkFpFast(f);
      f.code.get(f.a).get(f.b).op(`${p.float}.convert_${type}_s`).lane(`${p.shape}.replace_lane`, 0);
    },
  });
}

/** Exact, so it needs no help. */
const int32ToDouble: Emitter = ({ code }) => void code.op('f64.convert_i32_s').lane('f64x2.replace_lane', 0);

/** Below what the integer holds; when rounding to nearest, one binade less, for it may go up. */
function integerWindow(width: 32 | 64, truncate: boolean): Window {
  return { first: 'zero', last: width - (truncate ? 2 : 3) };
}

function toInteger(p: Precision, form: string, width: 32 | 64, truncate: boolean): Emitter {
  const type = width === 64 ? 'i64' : 'i32';
  return fastOrHelper({
    operands: V, result: type, helper: `sse.cvt${form}2si`,
    extra: (e) => void e.code.i32(truncate ? 1 : 0).i32(width),
    ...(width === 32 ? { after: (code) => void code.op('i32.wrap_i64') } : {}),
    native(f) {
      checkFpFast(f);
      checkScalar(f, p, integerWindow(width, truncate), f.a);
      low(f.code, p, f.a);
      if (!truncate) f.code.op(`${p.float}.nearest`);
      f.code.op(`${type}.trunc_sat_${p.float}_s` as WasmOp);
    },
  });
}

function toInts(p: Precision, helper: string, truncate: boolean): Emitter {
  return fastOrHelper({
    operands: V, result: 'v128', helper, extra: (e) => void e.code.i32(truncate ? 1 : 0),
    native(f) {
      checkFpFast(f);
      checkPacked(f, p, integerWindow(32, truncate), f.a, f.a);
      f.code.get(f.a);
      if (!truncate) f.code.op(`${p.shape}.nearest`);
      f.code.op(p === DOUBLE ? 'i32x4.trunc_sat_f64x2_s_zero' : 'i32x4.trunc_sat_f32x4_s');
    },
  });
}

/** Exact for all but NaNs and denormals. */
const widenScalar = fastOrHelper({
  operands: VV, result: 'v128', helper: 'sse.cvtss2sd',
  native({ code, slow, a, b, e }) {
    const doubled = e.temp('i32');
    code.get(b).lane('i32x4.extract_lane', 0).i32(1).op('i32.shl').tee(doubled);
    code.i32(1).op('i32.sub').i32(0xff_ffff).op('i32.lt_u').hint(false).brIf(slow);
    code.get(doubled).i32(0xff00_0000).op('i32.gt_u').hint(false).brIf(slow);
    code.get(a).get(b).lane('f32x4.extract_lane', 0).op('f64.promote_f32').lane('f64x2.replace_lane', 0);
  },
});

const widenPacked = fastOrHelper({
  operands: V, result: 'v128', helper: 'sse.cvtps2pd',
  native({ code, slow, a, e }) {
    const wide = e.temp('v128');
    code.get(a).op('f64x2.promote_low_f32x4').set(wide);
    pushIncomparable(code, 'f64x2', SINGLE.minNormal, wide);
    code.op('v128.any_true').hint(false).brIf(slow);
    code.get(wide);
  },
});

/** Doubles that surely become normal singles. */
const SINGLE_RANGE: Window = { first: -126, last: 126 };

const narrowScalar = fastOrHelper({
  operands: VV, result: 'v128', helper: 'sse.cvtsd2ss',
  native(f) {
    checkFpFast(f);
    checkScalar(f, DOUBLE, SINGLE_RANGE, f.b);
    f.code.get(f.a).get(f.b).lane('f64x2.extract_lane', 0).op('f32.demote_f64').lane('f32x4.replace_lane', 0);
  },
});

const narrowPacked = fastOrHelper({
  operands: V, result: 'v128', helper: 'sse.cvtpd2ps',
  native(f) {
    checkFpFast(f);
    checkPacked(f, DOUBLE, SINGLE_RANGE, f.a, f.a);
    f.code.get(f.a).op('f32x4.demote_f64x2_zero');
  },
});

const intsToSingles = fastOrHelper({
  operands: V, result: 'v128', helper: 'sse.cvtdq2ps',
  native(f) {
    checkFpFast(f);
    f.code.get(f.a).op('f32x4.convert_i32x4_s');
  },
});

const ROUNDINGS = ['nearest', 'floor', 'ceil', 'trunc'] as const;
const USE_MXCSR = 4;

/** With FP_FAST the rounding in MXCSR is to nearest, and only NaNs need the helper. */
function roundingName(f: Fast): (typeof ROUNDINGS)[number] {
  const immediate = f.e.knownImm as number;
  return immediate & USE_MXCSR ? 'nearest' : (ROUNDINGS[immediate & 3] as (typeof ROUNDINGS)[number]);
}

function roundScalar(p: Precision, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper, extra: (e) => e.imm(),
    native(f) {
      const { code } = f;
      checkFpFast(f);
      low(code, p, f.b);
      low(code, p, f.b);
      code.op(`${p.float}.ne`).hint(false).brIf(f.slow);
      code.get(f.a);
      low(code, p, f.b);
      code.op(`${p.float}.${roundingName(f)}`).lane(`${p.shape}.replace_lane`, 0);
    },
  });
}

function roundPacked(p: Precision, helper: string): Emitter {
  return fastOrHelper({
    operands: VV, result: 'v128', helper, extra: (e) => e.imm(),
    native(f) {
      const { code } = f;
      checkFpFast(f);
      code.get(f.b).get(f.b).op(`${p.shape}.ne`).op('v128.any_true').hint(false).brIf(f.slow);
      code.get(f.b).op(`${p.shape}.${roundingName(f)}`);
    },
  });
}

function integerEmitters(p: Precision, form: string): Emitters {
  return {
    [`sse.cvt${form}2si_32`]: toInteger(p, form, 32, false),
    [`sse.cvt${form}2si_64`]: toInteger(p, form, 64, false),
    [`sse.cvtt${form}2si_32`]: toInteger(p, form, 32, true),
    [`sse.cvtt${form}2si_64`]: toInteger(p, form, 64, true),
    [`sse.cvtsi2${form}_32`]: p === DOUBLE ? int32ToDouble : fromInteger(p, form, 32),
    [`sse.cvtsi2${form}_64`]: fromInteger(p, form, 64),
  };
}

export const SSE_CONVERT_EMITTERS: Emitters = {
  ...integerEmitters(SINGLE, 'ss'),
  ...integerEmitters(DOUBLE, 'sd'),
  'sse.cvtss2sd': widenScalar,
  'sse.cvtsd2ss': narrowScalar,
  'sse.cvtps2pd': widenPacked,
  'sse.cvtpd2ps': narrowPacked,
  'sse.cvtdq2ps': intsToSingles,
  'sse.cvtps2dq': toInts(SINGLE, 'sse.cvtps2dq', false),
  'sse.cvttps2dq': toInts(SINGLE, 'sse.cvtps2dq', true),
  'sse.cvtpd2dq': toInts(DOUBLE, 'sse.cvtpd2dq', false),
  'sse.cvttpd2dq': toInts(DOUBLE, 'sse.cvtpd2dq', true),
  'sse.round_ss': roundScalar(SINGLE, 'sse.round_ss'),
  'sse.round_sd': roundScalar(DOUBLE, 'sse.round_sd'),
  'sse.round_ps': roundPacked(SINGLE, 'sse.round_ps'),
  'sse.round_pd': roundPacked(DOUBLE, 'sse.round_pd'),
};
