/**
 * Helpers that propagate the shadow of memory (ir/shadowOps.ts). `linear` is the linear offset of a guest byte; `mask`
 * has a bit for each of some bytes that follow each other.
 */
import { GUEST_BASE, OVERWRITTEN_TOP, SHADOW_MET, STACK_REACH, UNWRITTEN_BYTES } from '../../layout/memoryMap.js';
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';

const BITS = UNWRITTEN_BYTES - GUEST_BASE / 8;
const WORD = 8;
const WORD_BYTES = 16;
/** Of each byte of a word: the lowest bit, all others, the highest. */
const LOWEST = 0x0101_0101_0101_0101n;
const BELOW_HIGHEST = 0x7f7f_7f7f_7f7f_7f7fn;
const HIGHEST = 0x8080_8080_8080_8080n;
/** Bit i of byte i. */
const DIAGONAL = 0x8040_2010_0804_0201n;
/** Brings the lowest bits of all bytes together in the highest byte. */
const TOGETHER = 0x0102_0408_1020_4080n;

/** shadow.expand(mask of up to 8 bytes) -> all bits of those bytes. */
const EXPAND: HelperDef = {
  name: 'shadow.expand', params: ['i32'], results: ['i64'],
  build(code) {
    code.i32(0).i32(0).mem('i32.load', SHADOW_MET, 2).i32(1).op('i32.add').mem('i32.store', SHADOW_MET, 2);
    code.get(0).op('i64.extend_i32_u').i64(LOWEST).op('i64.mul').i64(DIAGONAL).op('i64.and').i64(BELOW_HIGHEST).op('i64.add');
    code.i64(HIGHEST).op('i64.and').i64num(7).op('i64.shr_u').i64num(0xff).op('i64.mul');
  },
};

/** The same of 16 bytes. */
const EXPAND_VECTOR: HelperDef = {
  name: 'shadow.expandVector', params: ['i32'], results: ['v128'],
  build(code, helper) {
    code.get(0).i32(0xff).op('i32.and').call(helper('shadow.expand')).op('i64x2.splat');
    code.get(0).i32(8).op('i32.shr_u').call(helper('shadow.expand')).lane('i64x2.replace_lane', 1);
  },
};

/** shadow.gather(bits of up to 8 bytes) -> mask of the bytes that have some. */
const GATHER: HelperDef = {
  name: 'shadow.gather', params: ['i64'], results: ['i32'],
  build(code) {
    code.get(0).i64(BELOW_HIGHEST).op('i64.and').i64(BELOW_HIGHEST).op('i64.add').get(0).op('i64.or').i64(HIGHEST).op('i64.and');
    code.i64num(7).op('i64.shr_u').i64(TOGETHER).op('i64.mul').i64num(56).op('i64.shr_u').op('i32.wrap_i64');
  },
};

/** shadow.set(linear, bytes, mask): of up to 16 bytes, those of the mask have shadow and no others. */
const SET: HelperDef = {
  name: 'shadow.set', params: ['i32', 'i32', 'i32'], results: [],
  build(code) {
    const [linear, bytes, mask] = [0, 1, 2];
    const shift = (): Code => code.get(linear).i32(7).op('i32.and').op('i32.shl');
    const place = (): Code => code.get(linear).i32(3).op('i32.shr_u');
    place();
    place().mem('i32.load', BITS);
    code.i32(1).get(bytes).op('i32.shl').i32(1).op('i32.sub');
    shift().i32(-1).op('i32.xor').op('i32.and').get(mask);
    shift().op('i32.or').mem('i32.store', BITS);
  },
};

/** shadow.keep(address, bytes, stack pointer): words that have no shadow are noted, as far as they are on the stack. */
const KEEP: HelperDef = {
  name: 'shadow.keep', params: ['i64', 'i32', 'i64'], results: [],
  build(code) {
    const [address, bytes, stack] = [0, 1, 2];
    const [at, end] = [code.local('i64', 'at'), code.local('i64', 'end')];
    const [linear, top] = [code.local('i32', 'linear'), code.local('i32', 'top')];
    code.get(address).get(bytes).op('i64.extend_i32_u').op('i64.add').tee(end).get(stack).op('i64.le_u').if_();
    code.ret();
    code.end();
    code.get(address).get(stack).i64num(STACK_REACH).op('i64.add').op('i64.gt_u').if_();
    code.ret();
    code.end();
    code.get(address).get(stack).get(address).get(stack).op('i64.gt_u').select().i64num(-WORD).op('i64.and').set(at);
    const next = code.loop();
    code.get(at).get(end).op('i64.lt_u').if_();
    code.get(at).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').tee(linear).i32(3).op('i32.shr_u').mem('i32.load8_u', BITS).op('i32.eqz').if_();
    code.i32(0).mem('i32.load', OVERWRITTEN_TOP, 2).tee(top).get(at).mem('i64.store', 0, 3);
    code.get(top).get(linear).mem('i64.load', 0, 3).mem('i64.store', WORD, 3);
    code.i32(0).get(top).i32(WORD_BYTES).op('i32.add').mem('i32.store', OVERWRITTEN_TOP, 2);
    code.end();
    code.get(at).i64num(WORD).op('i64.add').set(at).br(next);
    code.end();
    code.end();
  },
};

export const SHADOW_HELPERS: readonly HelperDef[] = [EXPAND, EXPAND_VECTOR, GATHER, SET, KEEP];
