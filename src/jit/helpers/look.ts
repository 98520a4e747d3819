/**
 * look.isOrdinary: whether the bytes that a function is given are in order, so that no rule has to look at the call
 * (ir/lookFlags.ts). Where it cannot tell, they are not.
 */
import { FIRST_ORDINARY_ADDRESS, LOOK, MOST_ORDINARY_BYTES } from '../../ir/lookFlags.js';
import { RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { GUEST_BASE, KEEPS_UNWRITTEN, PLAIN_BLOCKS, STATE_BASE, UNWRITTEN_BYTES, VIEW_ADDRESSES } from '../../layout/memoryMap.js';
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';
import { emitOutsideOfView } from '../memoryAccess.js';

const BITS = UNWRITTEN_BYTES - GUEST_BASE / 8;
/** Of the bytes with eight bytes of bits so many are looked at, wherever the first one is in its own. */
const STEP = 56;
/** Where programs have no addresses any more. */
const ADDRESSES_END = 2 ** 47;

/** In the branch of what is out of the ordinary, which it ends. */
const refuse = (code: Code): void => void code.i32(0).ret().end();

/** look.isInBlock(address, bytes) -> 1 if they lie in a view, or where there are no blocks. */
const IS_IN_BLOCK: HelperDef = {
  name: 'look.isInBlock', params: ['i64', 'i64'], results: ['i32'],
  build(code) {
    const [address, bytes] = [0, 1];
    const entry = code.local('i32', 'entry');
    code.get(address).i64num(VIEW_ADDRESSES.begin).op('i64.sub').i64num(VIEW_ADDRESSES.end - VIEW_ADDRESSES.begin).op('i64.ge_u').if_();
    code.i32(0).mem('i32.load', PLAIN_BLOCKS, 2).op('i32.eqz');
    code.get(address).i64num(FIRST_ORDINARY_ADDRESS).op('i64.sub').i64num(ADDRESSES_END - FIRST_ORDINARY_ADDRESS).op('i64.lt_u').op('i32.and').ret();
    code.end();
    emitOutsideOfView(code, address, () => code.get(address).get(bytes).op('i64.add'), entry);
    code.op('i32.eqz');
  },
};

/** look.isWritten(address, bytes) -> 1 if all are; which is known if the bits are kept. */
const IS_WRITTEN: HelperDef = {
  name: 'look.isWritten', params: ['i64', 'i32'], results: ['i32'],
  build(code) {
    const [address, left] = [0, 1];
    const at = code.local('i32', 'at');
    const bits = code.local('i64', 'bits');
    code.get(address).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').set(at);
    const next = code.loop();
    code.get(left).i32(0).op('i32.le_s').if_();
    code.i32(1).ret();
    code.end();
    code.get(at).i32(3).op('i32.shr_u').mem('i64.load', BITS).get(at).i32(7).op('i32.and').op('i64.extend_i32_u').op('i64.shr_u').set(bits);
    // Bits of those that come after the last one do not count.
    code.get(left).i32(STEP).op('i32.lt_s').if_();
    code.get(bits).i64num(1).get(left).op('i64.extend_i32_u').op('i64.shl').i64num(1).op('i64.sub').op('i64.and').set(bits);
    code.else_();
    code.get(bits).i64((1n << BigInt(STEP)) - 1n).op('i64.and').set(bits);
    code.end();
    code.get(bits).i64num(0).op('i64.ne').if_();
    refuse(code);
    code.get(at).i32(STEP).op('i32.add').set(at).get(left).i32(STEP).op('i32.sub').set(left).br(next);
    code.end();
    code.op('unreachable');
  },
};

/** look.isOrdinary(flags) -> 1 if the bytes that rdi, rsi and rdx tell of are in order. */
const IS_ORDINARY: HelperDef = {
  name: 'look.isOrdinary', params: ['i32'], results: ['i32'],
  build(code, helper) {
    const [first, second, bytes] = (['first', 'second', 'bytes'] as const).map((name) => code.local('i64', name)) as [number, number, number];
    const load = (slot: Slot, into: number): void => void code.i32(STATE_BASE).mem('i64.load', slot.offset, 3).set(into);
    const ifAsked = (flag: number): number => code.get(0).i32(flag).op('i32.and').if_();
    load(RDI, first);
    load(RSI, second);
    load(RDX, bytes);
    code.get(bytes).i64num(MOST_ORDINARY_BYTES).op('i64.ge_u').if_();
    refuse(code);
    code.get(first).get(bytes).call(helper('look.isInBlock')).op('i32.eqz').if_();
    refuse(code);
    ifAsked(LOOK.SECOND);
    code.get(second).get(bytes).call(helper('look.isInBlock')).op('i32.eqz').if_();
    refuse(code);
    code.end();
    ifAsked(LOOK.APART);
    const distance = (): Code => code.get(first).get(second).op('i64.sub').get(bytes).op('i64.lt_u').get(second).get(first).op('i64.sub').get(bytes).op('i64.lt_u').op('i32.or');
    distance().get(first).get(second).op('i64.ne').op('i32.and').if_();
    refuse(code);
    code.end();
    code.i32(0).mem('i32.load', KEEPS_UNWRITTEN, 2).if_();
    for (const [flag, address] of [[LOOK.FIRST_WRITTEN, first], [LOOK.SECOND_WRITTEN, second]] as const) {
      ifAsked(flag);
      code.get(address).get(bytes).op('i32.wrap_i64').call(helper('look.isWritten')).op('i32.eqz').if_();
      refuse(code);
      code.end();
    }
    code.end();
    code.i32(1);
  },
};

export const LOOK_HELPERS: readonly HelperDef[] = [IS_IN_BLOCK, IS_WRITTEN, IS_ORDINARY];
