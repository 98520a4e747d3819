/** x87 control: control word, environment, initialisation, constants. */
import { FPU_CONTROL_RESET, FPU_DP, FPU_IP, FPU_OPCODE } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { classOf, CLASS } from './x87Class.js';
import { CONSTANTS } from './x87Constants.js';
import { defineHelper, type Fn, i32, i64, load, select, store, switch_ } from './x87Fn.js';
import { control, INTEGER_BIT, mantOf, rounding, seOf, setControl, setStatus, setTags, status, tags, updateSummary } from './x87Stack.js';

const IP = STATE_BASE + FPU_IP.offset;
const DP = STATE_BASE + FPU_DP.offset;
const OPCODE = STATE_BASE + FPU_OPCODE.offset;
/** What FCS holds in 64-bit Linux programs. */
const USER_CS = 0x33;

const setControlWord = defineHelper('x87.setControl', ['i32'], [], (f, value) => {
  setControl(f, value.and(0x1f3f).or(0x40));
  updateSummary(f);
});

const fnclex = defineHelper('x87.fnclex', [], [], (f) => setStatus(f, status().and(0x7f00)));

/** What fnstenv does after storing. */
const maskAll = defineHelper('x87.maskAll', [], [], (f) => {
  setControl(f, control().or(0x3f));
  updateSummary(f);
});

function setPointers(f: Fn, ip: bigint, dp: bigint, opcode: number): void {
  store(f, 'i64.store', 0, IP, ip);
  store(f, 'i64.store', 0, DP, dp);
  store(f, 'i32.store', 0, OPCODE, opcode);
}

const fninit = defineHelper('x87.fninit', [], [], (f) => {
  setControl(f, i32(FPU_CONTROL_RESET));
  setStatus(f, i32(0));
  setTags(f, i32(0));
  setPointers(f, 0n, 0n, 0);
});

/** Two bits a physical register: 0 valid, 1 zero, 2 special, 3 empty. */
const fullTags = defineHelper('x87.fullTags', [], ['i32'], (f) => {
  const out = f.let_(i32(0));
  const i = f.let_(i32(0));
  f.while_(i.ltU(8), () => {
    const kind = f.let_(classOf(f, mantOf(i.shl(4)), seOf(i.shl(4))));
    const tag = f.let_(select(kind.eq(CLASS.NORMAL), i32(0), select(kind.eq(CLASS.ZERO), i32(1), 2)));
    f.if_(tags().shrU(i).and(1).eqz(), () => tag.set(3));
    out.set(out.or(tag.shl(i.shl(1))));
    i.set(i.add(1));
  });
  f.ret(out);
});

/** Word `k` of the environment in its 32-bit form, as fnstenv stores it. */
const envWord = defineHelper('x87.envWord', ['i32'], ['i32'], (f, k) => {
  const high = 0xffff_0000 | 0;
  const ip = load('i32.load', 0, IP);
  switch_(f, k, [
    () => f.ret(control().or(high)),
    () => f.ret(status().or(high)),
    () => f.ret(f.call('i32', 'x87.fullTags').or(high)),
    () => f.ret(ip),
    () => f.ret(load('i32.load', 0, OPCODE).shl(16).or(select(load('i64.load', 0, IP).eqz(), i32(0), USER_CS))),
    () => f.ret(load('i32.load', 0, DP)),
    () => f.ret(i32(high)),
  ]);
  f.ret(i32(0));
});

const setEnv = defineHelper('x87.setEnv', ['i32', 'i32', 'i32'], [], (f, controlWord, statusWord, tagWord) => {
  setControl(f, controlWord.and(0x1f3f).or(0x40));
  setStatus(f, statusWord.and(0xffff));
  const i = f.let_(i32(0));
  const bits = f.let_(i32(0));
  f.while_(i.ltU(8), () => {
    bits.set(bits.or(tagWord.shrU(i.shl(1)).and(3).ne(3).shl(i)));
    i.set(i.add(1));
  });
  setTags(f, bits);
  updateSummary(f);
});

const setPointersHelper = defineHelper('x87.setPointers', ['i64', 'i64', 'i32'], [], (f, ip, dp, opcode) => {
  store(f, 'i64.store', 0, IP, ip);
  store(f, 'i64.store', 0, DP, dp);
  store(f, 'i32.store', 0, OPCODE, opcode.and(0x7ff));
});

function constant(name: keyof typeof CONSTANTS): HelperDef {
  const { mantissa, half, exponent } = CONSTANTS[name];
  return defineHelper(`x87.${name}`, [], [], (f) => {
    const up = rounding().eq(2).or(half ? rounding().eqz() : i32(0));
    f.callInto([], 'x87.pushChecked', i64(mantissa).add(up.extU()), i32(exponent + 16383), i32(0));
  });
}

function exactConstant(name: string, mant: bigint, se: number): HelperDef {
  return defineHelper(`x87.${name}`, [], [], (f) => f.callInto([], 'x87.pushChecked', i64(mant), i32(se), i32(0)));
}

export const CONTROL_HELPERS: readonly HelperDef[] = [
  setControlWord, fnclex, maskAll, fninit, fullTags, envWord, setEnv, setPointersHelper,
  constant('fldpi'), constant('fldl2e'), constant('fldl2t'), constant('fldlg2'), constant('fldln2'),
  exactConstant('fld1', INTEGER_BIT, 16383), exactConstant('fldz', 0n, 0),
];
