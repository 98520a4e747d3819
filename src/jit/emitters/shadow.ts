/**
 * Emitters of what looks at the shadow of memory and propagates it (ir/shadowOps.ts). None of them calls a function: V8
 * would have all that is in registers stored for it, also where it is not called.
 */
import { FAULT_INFO } from '../../layout/cpuState.js';
import { GUEST_BASE, OVERWRITTEN_TOP, STACK_REACH, STATE_BASE, UNWRITTEN_BYTES } from '../../layout/memoryMap.js';
import type { Code } from '../../wasm/code.js';
import type { WasmOp } from '../../wasm/opcodes.js';
import type { Emit, Emitters } from '../emit.js';
import { FAULT_UNWRITTEN } from '../exits.js';
import { linearOf, pushBits } from './init.js';

type Shadow = 'i32' | 'i64' | 'v128';

const BITS = UNWRITTEN_BYTES - GUEST_BASE / 8;
const WORD = 8;
const typeOf = (bytes: number): Shadow => (bytes <= 4 ? 'i32' : bytes === 8 ? 'i64' : 'v128');
/** Of each byte of a word: the lowest bit, all others, the highest. */
const LOWEST = 0x0101_0101_0101_0101n;
const BELOW_HIGHEST = 0x7f7f_7f7f_7f7f_7f7fn;
const HIGHEST = 0x8080_8080_8080_8080n;
/** Bit i of byte i. */
const DIAGONAL = 0x8040_2010_0804_0201n;
/** Brings the lowest bits of all bytes together in the highest byte; of four bytes in the highest four bits. */
const TOGETHER = 0x0102_0408_1020_4080n;
const FOUR_TOGETHER = 0x1020_4080;
/** Brings four bits to the lowest bits of four bytes. */
const FOUR_APART = 0x0020_4081;
const VECTOR_DIAGONAL = Uint8Array.from({ length: 16 }, (_, i) => 1 << (i & 7));
const BYTE_OF_BIT = Uint8Array.from({ length: 16 }, (_, i) => i >> 3);
const NO_VECTOR = new Uint8Array(16);

/** Takes a bit for each byte; leaves all bits of these bytes. */
function expand(code: Code, bytes: number): void {
  switch (bytes) {
    case 1:
      code.i32(0xff).op('i32.mul');
      return;
    case 2:
    case 4:
      code.i32(FOUR_APART).op('i32.mul').i32(0x0101_0101).op('i32.and').i32(0xff).op('i32.mul');
      return;
    case 8:
      code.op('i64.extend_i32_u').i64(LOWEST).op('i64.mul').i64(DIAGONAL).op('i64.and').i64(BELOW_HIGHEST).op('i64.add');
      code.i64(HIGHEST).op('i64.and').i64num(7).op('i64.shr_u').i64num(0xff).op('i64.mul');
      return;
    default:
      code.op('i16x8.splat').v128(NO_VECTOR).shuffle(BYTE_OF_BIT).v128(VECTOR_DIAGONAL).op('v128.and').v128(VECTOR_DIAGONAL).op('i8x16.eq');
  }
}

/** Pushes a bit for each byte that has bits. */
function gather(code: Code, shadow: number, bytes: number): void {
  switch (typeOf(bytes)) {
    case 'i32':
      code.get(shadow).i32(0x7f7f_7f7f).op('i32.and').i32(0x7f7f_7f7f).op('i32.add').get(shadow).op('i32.or').i32(0x8080_8080 | 0).op('i32.and');
      code.i32(7).op('i32.shr_u').i32(FOUR_TOGETHER).op('i32.mul').i32(28).op('i32.shr_u');
      if (bytes < 4) code.i32((1 << bytes) - 1).op('i32.and');
      return;
    case 'i64':
      code.get(shadow).i64(BELOW_HIGHEST).op('i64.and').i64(BELOW_HIGHEST).op('i64.add').get(shadow).op('i64.or').i64(HIGHEST).op('i64.and');
      code.i64num(7).op('i64.shr_u').i64(TOGETHER).op('i64.mul').i64num(56).op('i64.shr_u').op('i32.wrap_i64');
      return;
    default:
      code.get(shadow).v128(NO_VECTOR).op('i8x16.ne').op('i8x16.bitmask');
  }
}

function load(bytes: number): (e: Emit) => void {
  return (e) => {
    const linear = linearOf(e, true);
    pushBits(e, linear, bytes);
    expand(e.code, bytes);
  };
}

type Access = readonly [fetch: WasmOp, put: WasmOp];

/** For bits of bytes that are in one byte of bits, and for others. */
const WITHIN: Access = ['i32.load8_u', 'i32.store8'];
const across = (bytes: number): Access => (bytes === 16 ? ['i32.load', 'i32.store'] : ['i32.load16_u', 'i32.store16']);

/** Of the bits at a place, those of some bytes are set anew. */
function replace(code: Code, { place, shift, mask, bytes }: { readonly place: number; readonly shift: number; readonly mask: number; readonly bytes: number }, [fetch, put]: Access): void {
  code.get(place).get(place).mem(fetch, BITS).i32(2 ** bytes - 1).get(shift).op('i32.shl').i32(-1).op('i32.xor').op('i32.and');
  code.get(mask).get(shift).op('i32.shl').op('i32.or').mem(put, BITS);
}

/**
 * A byte of bits is stored alone if that will do: a load that comes soon after and wants one more byte than was stored
 * has to wait until the processor has really stored it.
 */
function store(bytes: number): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const shadow = e.temp(typeOf(bytes));
    code.set(shadow);
    const linear = linearOf(e, true);
    const [place, shift, mask] = [e.temp('i32'), e.temp('i32'), e.temp('i32')];
    gather(code, shadow, bytes);
    code.set(mask);
    code.get(linear).i32(3).op('i32.shr_u').set(place);
    code.get(linear).i32(7).op('i32.and').tee(shift).i32(Math.max(0, WORD - bytes)).op('i32.gt_u').hint(false).if_();
    replace(code, { place, shift, mask, bytes }, across(bytes));
    code.else_();
    if (bytes < WORD) replace(code, { place, shift, mask, bytes }, WITHIN);
    else code.get(place).get(mask).mem(bytes === WORD ? 'i32.store8' : 'i32.store16', BITS);
    code.end();
  };
}

/** Words are kept in a log. What has shadow already need not be; what is in two words is left to others. */
function keep(bytes: number): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const [stack, address] = [e.temp('i64'), e.temp('i64')];
    const [isShadowed, linear, top] = [e.temp('i32'), e.temp('i32'), e.temp('i32')];
    code.set(stack).set(isShadowed);
    e.imm();
    code.op('i64.extend_i32_s').op('i64.add').tee(address);
    code.get(stack).op('i64.sub').i64num(bytes - 1).op('i64.add').i64num(STACK_REACH + bytes).op('i64.lt_u').get(isShadowed).op('i32.and').if_();
    code.get(address).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').tee(linear);
    code.i32(WORD - 1).op('i32.and').i32(WORD - bytes).op('i32.gt_s').if_();
    leaveNow(e);
    code.end();
    code.get(linear).i32(3).op('i32.shr_u').mem('i32.load8_u', BITS).op('i32.eqz').if_();
    code.i32(0).mem('i32.load', OVERWRITTEN_TOP, 2).tee(top).get(address).i64num(-WORD).op('i64.and').mem('i64.store', 0, 3);
    code.get(top).get(linear).i32(-WORD).op('i32.and').mem('i64.load', 0, 3).mem('i64.store', WORD, 3);
    code.i32(0).get(top).i32(2 * WORD).op('i32.add').mem('i32.store', OVERWRITTEN_TOP, 2);
    code.end();
    code.end();
  };
}

function check(bytes: number): (e: Emit) => void {
  return (e) => {
    pushBits(e, linearOf(e, true), bytes);
    leave(e);
  };
}

function mark(bytes: number): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const linear = linearOf(e, true);
    const [place, shift, mask] = [e.temp('i32'), e.temp('i32'), e.temp('i32')];
    pushBits(e, linear, bytes);
    code.hint(false).if_();
    code.get(linear).i32(3).op('i32.shr_u').set(place).get(linear).i32(7).op('i32.and').set(shift).i32(0).set(mask);
    replace(code, { place, shift, mask, bytes }, across(bytes));
    code.end();
  };
}

function leave(e: Emit): void {
  e.code.hint(false).if_();
  leaveNow(e);
  e.code.end();
}

function leaveNow(e: Emit): void {
  e.code.i32(STATE_BASE).i32(FAULT_UNWRITTEN).mem('i32.store', FAULT_INFO.offset, 2);
  e.fault();
}

export const SHADOW_EMITTERS: Emitters = {
  ...Object.fromEntries([1, 2, 4, 8, 16].flatMap((bytes) => Object.entries({ check, mark, load, store, keep }).map(([name, make]) => [`shadow.${name}${bytes}`, make(bytes)]))),
  'shadow.leave': leave,
};
