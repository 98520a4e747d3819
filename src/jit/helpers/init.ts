/**
 * Helpers that keep account of unwritten bytes (ir/initOps.ts). `linear` is the linear offset of a guest byte, `place`
 * that / 8, which leads to the byte with its bit.
 */
import { DF, FAULT_INFO, RCX, RDI, RSI, type Slot } from '../../layout/cpuState.js';
import { EXEMPT_ENTRIES, EXEMPT_SPREAD, EXEMPT_TABLE, GUEST_BASE, IGNORES_UNWRITTEN, KEEPS_UNWRITTEN, PLAIN_BLOCK_BYTES, PLAIN_BLOCK_TABLE, PLAIN_BLOCKS, STATE_BASE, UNWRITTEN_BYTES, VIEW_ADDRESSES, VIEW_TABLE } from '../../layout/memoryMap.js';
import { REP } from '../../ir/repFlags.js';
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';
import { emitOutsideOfView } from '../memoryAccess.js';
import { FAULT_STRING, FAULT_UNWRITTEN } from '../exits.js';

const BITS = UNWRITTEN_BYTES - GUEST_BASE / 8;
/** More than a frame has. */
const FIRST_PAGE = 4096;
const LONGEST_STRING = 65536;
/** A linear offset from which no vector is loaded any more. */
const LAST_VECTOR = 0xffff_ffe0;
/** Bytes of bits. */
const RED_ZONE = 16;
const MOST_REPEATED = 1 << 27;
const LARGEST_FRAME = 1 << 24;

const place = (code: Code, linear: number): Code => code.get(linear).i32(3).op('i32.shr_u');
/** Ones for `bytes` from `linear` on, of the 32 bits at its place. */
const mask = (code: Code, linear: number, bytes: number): Code =>
  code.i32(1).get(bytes).op('i32.shl').i32(1).op('i32.sub').get(linear).i32(7).op('i32.and').op('i32.shl');

/** init.unwritten(linear, bytes, instruction) -> 1 if one of up to 16 bytes is unwritten, and that matters. */
const UNWRITTEN: HelperDef = {
  name: 'init.unwritten', params: ['i32', 'i32', 'i32'], results: ['i32'],
  build(code) {
    const instruction = 2;
    place(code, 0).mem('i32.load', BITS);
    mask(code, 0, 1).op('i32.and').op('i32.eqz').i32(0).mem('i32.load', IGNORES_UNWRITTEN, 2).op('i32.or').if_();
    code.i32(0).ret();
    code.end();
    code.get(instruction).if_();
    code.get(instruction).i32(EXEMPT_SPREAD | 0).op('i32.mul').i32(32 - Math.log2(EXEMPT_ENTRIES)).op('i32.shr_u').i32(2).op('i32.shl').mem('i32.load', EXEMPT_TABLE, 2).get(instruction).op('i32.eq').if_();
    code.i32(0).ret();
    code.end();
    code.end();
    code.i32(STATE_BASE).i32(FAULT_UNWRITTEN).mem('i32.store', FAULT_INFO.offset, 2).i32(1);
  },
};

/** init.written(linear, bytes): up to 16 bytes are written. */
const WRITTEN: HelperDef = {
  name: 'init.written', params: ['i32', 'i32'], results: [],
  build(code) {
    place(code, 0);
    place(code, 0).mem('i32.load', BITS);
    mask(code, 0, 1).i32(-1).op('i32.xor').op('i32.and').mem('i32.store', BITS);
  },
};

/** init.unwriteBelow(place, bytes): below the red zone. */
const UNWRITE_BELOW: HelperDef = {
  name: 'init.unwriteBelow', params: ['i32', 'i32'], results: [],
  build(code) {
    const count = code.local('i32', 'count');
    code.get(1).i32(7).op('i32.add').i32(3).op('i32.shr_u').set(count);
    code.get(0).i32(BITS - RED_ZONE).op('i32.add').get(count).op('i32.sub').i32(0xff).get(count).memoryFill();
  },
};

/** init.unwriteBetween(low, high): addresses. */
const UNWRITE_BETWEEN: HelperDef = {
  name: 'init.unwriteBetween', params: ['i64', 'i64'], results: [],
  build(code, helper) {
    code.get(1).get(0).op('i64.sub').i64num(LARGEST_FRAME).op('i64.lt_u').if_();
    code.get(1).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').i32(3).op('i32.shr_u');
    code.get(1).get(0).op('i64.sub').op('i32.wrap_i64').call(helper('init.unwriteBelow'));
    code.end();
  },
};

/** init.clear(linear, count): so many bytes are written. */
const CLEAR: HelperDef = {
  name: 'init.clear', params: ['i32', 'i32'], results: [],
  build(code, helper) {
    const [linear, count] = [0, 1];
    const one = (): void => {
      code.get(linear).i32(1).call(helper('init.written'));
      code.get(linear).i32(1).op('i32.add').set(linear).get(count).i32(1).op('i32.sub').set(count);
    };
    const head = code.loop();
    code.get(count).op('i32.eqz').if_();
    code.ret();
    code.end();
    code.get(linear).i32(7).op('i32.and').if_();
    one();
    code.br(head);
    code.end();
    code.end();
    place(code, linear).i32(BITS).op('i32.add').i32(0).get(count).i32(3).op('i32.shr_u').memoryFill();
    code.get(linear).get(count).i32(-8).op('i32.and').op('i32.add').set(linear).get(count).i32(7).op('i32.and').set(count);
    const tail = code.loop();
    code.get(count).if_();
    one();
    code.br(tail);
    code.end();
    code.end();
  },
};

/**
 * init.copy(to, from, count) -> 1 if there are unwritten bytes, and that matters; otherwise bytes are what others are
 * from now on.
 */
const COPY: HelperDef = {
  name: 'init.copy', params: ['i32', 'i32', 'i32'], results: ['i32'],
  build(code, helper) {
    const [to, from, count] = [0, 1, 2];
    const left = code.local('i32', 'left');
    const at = code.local('i32', 'at');
    code.get(count).set(left).get(from).set(at);
    const done = code.block();
    const scan = code.loop();
    code.get(left).i32(0).op('i32.gt_s').if_();
    place(code, at).mem('i64.load', BITS).i64num(0).op('i64.ne').brIf(done);
    code.get(at).i32(56).op('i32.add').set(at).get(left).i32(56).op('i32.sub').set(left).br(scan);
    code.end();
    code.end();
    code.get(to).get(count).call(helper('init.clear')).i32(0).ret();
    code.end();
    code.i32(0).mem('i32.load', IGNORES_UNWRITTEN, 2).op('i32.eqz').if_();
    code.i32(STATE_BASE).i32(FAULT_UNWRITTEN).mem('i32.store', FAULT_INFO.offset, 2).i32(1).ret();
    code.end();
    const next = code.loop();
    code.get(count).if_();
    code.get(to).i32(1).call(helper('init.written'));
    place(code, to);
    place(code, to).mem('i32.load8_u', BITS);
    place(code, from).mem('i32.load8_u', BITS).get(from).i32(7).op('i32.and').op('i32.shr_u').i32(1).op('i32.and').get(to).i32(7).op('i32.and').op('i32.shl');
    code.op('i32.or').mem('i32.store8', BITS);
    for (const pointer of [to, from]) code.get(pointer).i32(1).op('i32.add').set(pointer);
    code.get(count).i32(1).op('i32.sub').set(count).br(next);
    code.end();
    code.end();
    code.i32(0);
  },
};

/**
 * What a string instruction stores to: leaves where it begins and how many bytes in locals. The operation's immediate
 * is parameter 0.
 */
function repeated(code: Code): { readonly count: number; start(pointer: Slot): Code } {
  const count = code.local('i32', 'count');
  const size = code.local('i32', 'size');
  code.get(0).i32(REP.SIZE_MASK).op('i32.and').set(size);
  code.i32(STATE_BASE).mem('i32.load', RCX.offset, 2).get(size).op('i32.mul').set(count);
  // Such a one faults before it is done.
  code.i32(STATE_BASE).mem('i64.load', RCX.offset, 3).i64num(MOST_REPEATED).op('i64.ge_u').if_();
  code.i32(0).set(count);
  code.end();
  const start = (pointer: Slot): Code => {
    code.i32(STATE_BASE).mem('i32.load', pointer.offset, 2);
    code.get(count).get(size).op('i32.sub').i32(0).i32(STATE_BASE).mem('i32.load', DF.offset, 2).select().op('i32.sub');
    return code.i32(GUEST_BASE).op('i32.or');
  };
  return { count, start };
}

const STOS: HelperDef = {
  name: 'init.stos', params: ['i32'], results: ['i32'],
  build(code, helper) {
    const { count, start } = repeated(code);
    start(RDI).get(count).call(helper('init.clear')).i32(0);
  },
};

const MOVS: HelperDef = {
  name: 'init.movs', params: ['i32'], results: ['i32'],
  build(code, helper) {
    const { count, start } = repeated(code);
    code.get(0).i32(REP.FS | REP.GS).op('i32.and').if_();
    start(RDI).get(count).call(helper('init.clear')).i32(0).ret();
    code.end();
    start(RDI);
    start(RSI);
    code.get(count).call(helper('init.copy'));
  },
};

/**
 * init.leavesPlain(begin, last) -> 1 if they are addresses of which only the first is in a block that no view shows.
 */
const LEAVES_PLAIN: HelperDef = {
  name: 'init.leavesPlain', params: ['i64', 'i64'], results: ['i32'],
  build(code) {
    const [begin, last] = [0, 1];
    const [low, high, middle] = (['low', 'high', 'middle'] as const).map((name) => code.local('i32', name)) as [number, number, number];
    code.i32(0).mem('i32.load', PLAIN_BLOCKS, 2).set(high);
    // How many begin at the address or before.
    const done = code.block();
    const next = code.loop();
    code.get(low).get(high).op('i32.ge_u').brIf(done);
    code.get(low).get(high).op('i32.add').i32(1).op('i32.shr_u').tee(middle).i32(PLAIN_BLOCK_BYTES).op('i32.mul').mem('i64.load', PLAIN_BLOCK_TABLE, 3).get(begin).op('i64.le_u').if_();
    code.get(middle).i32(1).op('i32.add').set(low);
    code.else_();
    code.get(middle).set(high);
    code.end();
    code.br(next);
    code.end();
    code.end();
    code.get(low).op('i32.eqz').if_();
    code.i32(0).ret();
    code.end();
    const pushEnd = (): Code => code.get(low).i32(1).op('i32.sub').i32(PLAIN_BLOCK_BYTES).op('i32.mul').mem('i64.load', PLAIN_BLOCK_TABLE + 8, 3);
    code.get(begin);
    pushEnd().op('i64.lt_u').get(last);
    pushEnd().op('i64.ge_u').op('i32.and');
  },
};

/**
 * init.string(address) -> 1 if it is NULL, if an unwritten byte comes before the first 0, or the end of the view or
 * global variable that it is in.
 */
const STRING: HelperDef = {
  name: 'init.string', params: ['i64'], results: ['i32'],
  build(code, helper) {
    const at = code.local('i32', 'at');
    const end = code.local('i32', 'end');
    const unwritten = code.local('i32', 'unwritten');
    const zeros = code.local('i32', 'zeros');
    const fail = (): void => void code.i32(STATE_BASE).i32(FAULT_STRING).mem('i32.store', FAULT_INFO.offset, 2).i32(1).ret();
    const room = code.local('i32', 'room');
    const entry = code.local('i32', 'entry');
    code.i32(0).mem('i32.load', KEEPS_UNWRITTEN, 2).op('i32.eqz').if_();
    code.i32(0).ret();
    code.end();
    code.get(0).i64num(FIRST_PAGE).op('i64.lt_u').if_();
    fail();
    code.end();
    code.i32(LONGEST_STRING * 2).set(room);
    code.get(0).i64num(VIEW_ADDRESSES.begin).op('i64.sub').i64num(VIEW_ADDRESSES.end - VIEW_ADDRESSES.begin).op('i64.lt_u').if_();
    // Of a string whose view is not known it is not known either where it has to end.
    emitOutsideOfView(code, 0, () => code.get(0).i64num(1).op('i64.add'), entry);
    code.if_();
    fail();
    code.end();
    code.get(entry).mem('i64.load', VIEW_TABLE + 8, 3).get(0).op('i64.sub').i64num(LONGEST_STRING).op('i64.lt_u').if_();
    code.get(entry).mem('i64.load', VIEW_TABLE + 8, 3).get(0).op('i64.sub').op('i32.wrap_i64').set(room);
    code.end();
    code.end();
    // Stacks are near the end of memory, behind which there is nothing to load.
    code.get(0).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').tee(at).i32(LONGEST_STRING).op('i32.add').i32(LAST_VECTOR | 0).get(at).i32((LAST_VECTOR - LONGEST_STRING) | 0).op('i32.lt_u').op('select').set(end);
    const next = code.loop();
    code.get(at).get(end).op('i32.ge_u').if_();
    code.i32(0).ret();
    code.end();
    place(code, at).mem('i32.load', BITS).get(at).i32(7).op('i32.and').op('i32.shr_u').i32(0xffff).op('i32.and').set(unwritten);
    code.get(at).mem('v128.load', 0).v128(new Uint8Array(16)).op('i8x16.eq').op('i8x16.bitmask').tee(zeros).get(unwritten).op('i32.or').op('i32.eqz').if_();
    code.get(room).i32(16).op('i32.sub').tee(room).i32(0).op('i32.le_s').if_();
    fail();
    code.end();
    code.get(at).i32(16).op('i32.add').set(at).br(next);
    code.end();
    code.end();
    code.get(unwritten).op('i32.ctz').get(zeros).op('i32.ctz').op('i32.le_u').if_();
    fail();
    code.end();
    code.get(zeros).op('i32.ctz').get(room).op('i32.ge_s').if_();
    fail();
    code.end();
    code.i32(0).mem('i32.load', PLAIN_BLOCKS, 2).if_();
    const length = (): Code => code.get(at).get(zeros).op('i32.ctz').op('i32.add').get(0).op('i32.wrap_i64').i32(GUEST_BASE).op('i32.or').op('i32.sub').op('i64.extend_i32_u');
    code.get(0).get(0);
    length().op('i64.add').call(helper('init.leavesPlain')).if_();
    fail();
    code.end();
    code.end();
    code.i32(0);
  },
};

export const INIT_HELPERS: readonly HelperDef[] = [UNWRITTEN, WRITTEN, UNWRITE_BELOW, UNWRITE_BETWEEN, CLEAR, COPY, MOVS, STOS, LEAVES_PLAIN, STRING];
