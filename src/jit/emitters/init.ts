/**
 * Emitters of what keeps account of unwritten bytes (ir/initOps.ts). Nearly always the accesses are aligned, so that
 * one byte of bits, or two, tell all.
 */
import { FAULT_INFO } from '../../layout/cpuState.js';
import { GUEST_BASE, SHADOWED_GROUPS, STATE_BASE, UNWRITTEN_BYTES } from '../../layout/memoryMap.js';
import type { Emit, Emitters } from '../emit.js';
import { FAULT_UNWRITTEN } from '../exits.js';

/** From the linear offset of a guest byte / 8 to the byte with its bit. */
const BITS = UNWRITTEN_BYTES - GUEST_BASE / 8;
/** Longer stretches of bits are not stored one by one. */
const MOST_STORED = 128;
const ONES = new Uint8Array(16).fill(0xff);

/** Takes an address from the stack; leaves the linear offset of address + imm in a local. */
export function linearOf(e: Emit, withImm: boolean): number {
  const { code } = e;
  const linear = e.temp('i32');
  code.op('i32.wrap_i64');
  if (withImm && e.knownImm !== 0) {
    e.imm();
    code.op('i32.add');
  }
  code.i32(GUEST_BASE).op('i32.or').set(linear);
  return linear;
}

function pushPlace(e: Emit, linear: number): void {
  e.code.get(linear).i32(3).op('i32.shr_u');
}

/** Leaves 0 if bytes are written, which are within one byte of bits; otherwise they may be not. */
function pushUnwritten(e: Emit, linear: number, bytes: number): void {
  const { code } = e;
  pushPlace(e, linear);
  code.mem(bytes === 16 ? 'i32.load16_u' : 'i32.load8_u', BITS);
  // Half of a byte of bits is often all that an `int` without neighbours has.
  if (bytes === 4) code.get(linear).i32(8 - bytes).op('i32.and').op('i32.shr_u').i32((1 << bytes) - 1).op('i32.and');
  if (bytes > 1) code.get(linear).i32(Math.min(bytes, 8) - 1).op('i32.and').op('i32.or');
}

/** Leaves a bit for each of some bytes, and no others. */
export function pushBits(e: Emit, linear: number, bytes: number): void {
  const { code } = e;
  pushPlace(e, linear);
  code.mem(bytes === 16 ? 'i32.load' : 'i32.load16_u', BITS).get(linear).i32(7).op('i32.and').op('i32.shr_u').i32(2 ** bytes - 1).op('i32.and');
}

function check(bytes: number): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const linear = linearOf(e, true);
    pushUnwritten(e, linear, bytes);
    code.hint(false).if_();
    code.get(linear).i32(bytes);
    e.pushInstruction();
    code.call(e.helper('init.unwritten')).if_();
    e.fault();
    code.end();
    code.end();
  };
}

function mark(bytes: number): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const linear = linearOf(e, true);
    const markAll = (): void => void code.get(linear).i32(bytes).call(e.helper('init.written'));
    if (bytes >= 8) {
      code.get(linear).i32(7).op('i32.and').hint(false).if_();
      markAll();
      code.else_();
      pushPlace(e, linear);
      code.i32(0).mem(bytes === 16 ? 'i32.store16' : 'i32.store8', BITS);
      code.end();
      return;
    }
    pushUnwritten(e, linear, bytes);
    code.if_();
    markAll();
    code.end();
  };
}

/** Bytes of bits for the red zone. */
const RED_ZONE = 16;

function call(e: Emit): void {
  const linear = linearOf(e, false);
  pushPlace(e, linear);
  e.code.v128(ONES).mem('v128.store', BITS - RED_ZONE);
}

/** Stores ones over so many bytes of bits. */
function frame(e: Emit): void {
  const { code, knownImm } = e;
  const linear = linearOf(e, false);
  if (knownImm === null || knownImm > MOST_STORED * 8) {
    pushPlace(e, linear);
    e.imm();
    code.call(e.helper('init.unwriteBelow'));
    return;
  }
  const place = e.temp('i32');
  pushPlace(e, linear);
  code.set(place);
  let left = Math.ceil(knownImm / 8);
  for (const width of [16, 8, 4, 2, 1]) {
    for (; left >= width; left -= width) {
      code.get(place);
      const at = BITS - RED_ZONE - left;
      if (width === 16) code.v128(ONES).mem('v128.store', at);
      else if (width === 8) code.i64num(-1).mem('i64.store', at);
      else code.i32(-1).mem(width === 4 ? 'i32.store' : width === 2 ? 'i32.store16' : 'i32.store8', at);
    }
  }
}

function alloca(e: Emit): void {
  e.code.call(e.helper('init.unwriteBetween'));
}

function string(e: Emit): void {
  e.code.call(e.helper('init.string')).if_();
  e.fault();
  e.code.end();
}

function registers(e: Emit): void {
  const { code } = e;
  code.i32(0).mem('i32.load', SHADOWED_GROUPS, 2);
  e.imm();
  code.op('i32.and').hint(false).if_();
  code.i32(STATE_BASE).i32(FAULT_UNWRITTEN).mem('i32.store', FAULT_INFO.offset, 2);
  e.fault();
  code.end();
}

function repeated(name: string): (e: Emit) => void {
  return (e) => {
    e.imm();
    e.code.call(e.helper(name)).if_();
    e.fault();
    e.code.end();
  };
}

export const INIT_EMITTERS: Emitters = {
  ...Object.fromEntries([1, 2, 4, 8, 16].flatMap((bytes) => [[`init.check${bytes}`, check(bytes)], [`init.mark${bytes}`, mark(bytes)]])),
  'init.call': call,
  'init.frame': frame,
  'init.alloca': alloca,
  'init.string': string,
  'init.movs': repeated('init.movs'),
  'init.stos': repeated('init.stos'),
  'init.registers': registers,
};
