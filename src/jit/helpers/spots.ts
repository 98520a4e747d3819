/**
 * What happens at spots goes to its log (machine/observation/spotLog.ts). A full log is drained by JavaScript, in the
 * middle of generated code: its receiver only listens.
 */
import { SPOT_BYTES_BITS } from '../../ir/spotOps.js';
import { SYS } from '../../ir/sysCalls.js';
import { TICKS } from '../../layout/cpuState.js';
import {
  GUEST_BASE, SPOT_BITS, SPOT_ENTRY, SPOT_ENTRY_BYTES, SPOT_LOG_END, SPOT_LOG_TOP, SPOT_REPEATED, SPOT_REPEATED_AT, SPOT_REPEATED_COUNT, SPOT_RETURN_ENTRIES, SPOT_RETURNS, SPOT_TIME, SPOT_UNIT, STATE_BASE,
} from '../../layout/memoryMap.js';
import type { Code } from '../../wasm/code.js';
import type { HelperDef } from '../emit.js';
import { emitOffset } from '../memoryAccess.js';

/** From the linear offset of a guest byte / 64 to the byte with the bit of its eight. */
const BITS = SPOT_BITS - GUEST_BASE / 64;
/** The last place in linear memory from which a whole content can be taken. */
const LAST_CONTENT = -16;
const CONTENT = 16;

/** spot.entry(site) -> where an entry with time and site is; the log has room for it. */
const ENTRY: HelperDef = {
  name: 'spot.entry', params: ['i32'], results: ['i32'],
  build(code, helper) {
    const entry = code.local('i32', 'entry');
    const top = (): Code => code.i32(0).mem('i32.load', SPOT_LOG_TOP, 2);
    top().i32(SPOT_LOG_END).op('i32.ge_u').if_();
    code.i32(SYS.SPOTS_FULL).call(helper('js.sysCall')).drop();
    code.end();
    top().set(entry);
    code.i32(0).get(entry).i32(SPOT_ENTRY_BYTES).op('i32.add').mem('i32.store', SPOT_LOG_TOP, 2);
    code.get(entry).i32(0).mem('f64.load', SPOT_TIME, 3).i32(STATE_BASE).mem('i64.load', TICKS.offset, 3).op('f64.convert_i64_s').op('f64.sub').mem('f64.store', SPOT_ENTRY.TIME, 3);
    code.get(entry).get(0).mem('i32.store', SPOT_ENTRY.SITE, 2);
    code.get(entry);
  },
};

/** spot.content(site, address, bytes): what is there, at most 16 bytes, is logged. */
const STORED: HelperDef = {
  name: 'spot.content', params: ['i32', 'i64', 'i32'], results: [],
  build(code, helper) {
    const [site, address, bytes] = [0, 1, 2];
    const entry = code.local('i32', 'entry');
    const linear = code.local('i32', 'linear');
    code.get(site).call(helper('spot.entry')).set(entry);
    code.get(entry).get(bytes).mem('i32.store', SPOT_ENTRY.LENGTH, 2);
    code.get(entry).get(address).op('f64.convert_i64_s').mem('f64.store', SPOT_ENTRY.ADDRESS, 3);
    emitOffset(code, address);
    code.set(linear);
    code.get(entry);
    code.get(linear).i32(LAST_CONTENT).get(linear).i32(LAST_CONTENT).op('i32.lt_u').select().mem('v128.load', 0);
    code.mem('v128.store', SPOT_ENTRY.CONTENT, 3);
  },
};

/** spot.isOne(address, bytes) -> 1 if one of at most 16 bytes is a spot. */
const IS_ONE: HelperDef = {
  name: 'spot.isOne', params: ['i64', 'i32'], results: ['i32'],
  build(code) {
    const [address, bytes] = [0, 1];
    const linear = code.local('i32', 'linear');
    emitOffset(code, address);
    code.tee(linear).i32(6).op('i32.shr_u').mem('i32.load16_u', BITS);
    code.get(linear).i32(3).op('i32.shr_u').i32(7).op('i32.and').op('i32.shr_u');
    code.i32(1).get(linear).i32(SPOT_UNIT - 1).op('i32.and').get(bytes).op('i32.add').i32(SPOT_UNIT - 1).op('i32.add').i32(3).op('i32.shr_u').op('i32.shl').i32(1).op('i32.sub');
    code.op('i32.and').i32(0).op('i32.ne');
  },
};

const STORE: HelperDef = {
  name: 'spot.store', params: ['i64', 'i32'], results: [],
  build(code, helper) {
    const [address, imm] = [0, 1];
    const bytes = (): Code => code.get(imm).i32(2 ** SPOT_BYTES_BITS - 1).op('i32.and');
    code.get(address);
    bytes().call(helper('spot.isOne')).if_();
    code.get(imm).i32(SPOT_BYTES_BITS).op('i32.shr_u').get(address);
    bytes().call(helper('spot.content'));
    code.end();
  },
};

/** spot.range(address, bytes, site): in parts that lie in 16 bytes each. */
const RANGE: HelperDef = {
  name: 'spot.range', params: ['i64', 'i64', 'i32'], results: [],
  build(code, helper) {
    const [address, left, site] = [0, 1, 2];
    const part = code.local('i64', 'part');
    const end = code.block();
    const next = code.loop();
    code.get(left).i64num(0).op('i64.le_s').brIf(end);
    code.i64num(CONTENT).get(address).i64num(CONTENT - 1).op('i64.and').op('i64.sub').set(part);
    code.get(left).get(part).get(left).get(part).op('i64.lt_s').select().set(part);
    code.get(address).get(part).op('i32.wrap_i64').call(helper('spot.isOne')).if_();
    code.get(site).get(address).get(part).op('i32.wrap_i64').call(helper('spot.content'));
    code.end();
    code.get(address).get(part).op('i64.add').set(address);
    code.get(left).get(part).op('i64.sub').set(left);
    code.br(next);
    code.end();
    code.end();
  },
};

/** spot.repeated(rcx, isDownward, bytes of an element). */
const REPEATED: HelperDef = {
  name: 'spot.repeated', params: ['i64', 'i32', 'i32'], results: [],
  build(code, helper) {
    const [count, isDownward, bytes] = [0, 1, 2];
    const all = code.local('i64', 'all');
    const size = (): Code => code.get(bytes).op('i64.extend_i32_u');
    code.i32(0).mem('i64.load', SPOT_REPEATED_COUNT, 3).get(count).op('i64.sub');
    size().op('i64.mul').set(all);
    code.i32(0).mem('i64.load', SPOT_REPEATED_AT, 3);
    code.get(all);
    size().op('i64.sub').i64num(0).get(isDownward).select().op('i64.sub');
    code.get(all).i32(0).mem('i32.load', SPOT_REPEATED, 2).i32(1).op('i32.sub').call(helper('spot.range'));
    code.i32(0).i32(0).mem('i32.store', SPOT_REPEATED, 2);
  },
};

/** Stores an i64 as a number that JavaScript can read. */
function number(code: Code, entry: number, value: number, offset: number): void {
  code.get(entry).get(value).op('f64.convert_i64_s').mem('f64.store', offset, 3);
}

/** spot.pass(rsp, rdi, rsi, rdx, site). What is on top of the stack is read as it is. */
const PASS: HelperDef = {
  name: 'spot.pass', params: ['i64', 'i64', 'i64', 'i64', 'i32'], results: [],
  build(code, helper) {
    const [rsp, rdi, rsi, rdx, site] = [0, 1, 2, 3, 4];
    const entry = code.local('i32', 'entry');
    code.get(site).call(helper('spot.entry')).set(entry);
    number(code, entry, rsp, SPOT_ENTRY.ADDRESS);
    number(code, entry, rdi, SPOT_ENTRY.FIRST);
    number(code, entry, rsi, SPOT_ENTRY.SECOND);
    number(code, entry, rdx, SPOT_ENTRY.THIRD);
    topOfStack(code, entry, rsp);
  },
};

function topOfStack(code: Code, entry: number, rsp: number): void {
  code.get(entry);
  emitOffset(code, rsp);
  code.i32(-8).op('i32.and').mem('i64.load', 0, 0).op('f64.convert_i64_s').mem('f64.store', SPOT_ENTRY.RETURN_TO, 3);
}

function pending(code: Code, rsp: number): Code {
  return code.get(rsp).op('i32.wrap_i64').i32((SPOT_RETURN_ENTRIES - 1) * 8).op('i32.and');
}

const CALL: HelperDef = {
  name: 'spot.call', params: PASS.params, results: [],
  build(code, helper) {
    pending(code, 0).get(0).mem('i64.store', SPOT_RETURNS, 3);
    code.get(0).get(1).get(2).get(3).get(4).call(helper('spot.pass'));
  },
};

/** spot.return(rsp, rax, site). */
const RETURN: HelperDef = {
  name: 'spot.return', params: ['i64', 'i64', 'i32'], results: [],
  build(code, helper) {
    const [rsp, rax, site] = [0, 1, 2];
    const entry = code.local('i32', 'entry');
    pending(code, rsp).i64num(0).mem('i64.store', SPOT_RETURNS, 3);
    code.get(site).call(helper('spot.entry')).set(entry);
    number(code, entry, rsp, SPOT_ENTRY.ADDRESS);
    number(code, entry, rax, SPOT_ENTRY.FIRST);
    topOfStack(code, entry, rsp);
  },
};

export const SPOT_HELPERS: readonly HelperDef[] = [ENTRY, STORED, IS_ONE, STORE, RANGE, REPEATED, PASS, CALL, RETURN];
