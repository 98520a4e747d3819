/**
 * Emitters of what propagates the shadow of memory (ir/shadowOps.ts). Nearly always there is none: then a few
 * instructions find that out, and nothing is called.
 */
import { FAULT_INFO } from '../../layout/cpuState.js';
import { EXEMPT_ENTRIES, EXEMPT_SPREAD, SPREAD_TABLE, STATE_BASE } from '../../layout/memoryMap.js';
import type { Emit, Emitters } from '../emit.js';
import { FAULT_UNWRITTEN } from '../exits.js';
import { linearOf, pushBits } from './init.js';

type Shadow = 'i32' | 'i64' | 'v128';

const typeOf = (bytes: number): Shadow => (bytes <= 4 ? 'i32' : bytes === 8 ? 'i64' : 'v128');
const NO_VECTOR = new Uint8Array(16);
const HASH_SHIFT = 32 - Math.log2(EXEMPT_ENTRIES);

function load(bytes: number): (e: Emit) => void {
  const type = typeOf(bytes);
  return (e) => {
    const { code } = e;
    const linear = linearOf(e, true);
    const bits = e.temp('i32');
    pushBits(e, linear, bytes);
    code.tee(bits).hint(false).if_(type);
    code.get(bits).call(e.helper(bytes === 16 ? 'shadow.expandVector' : 'shadow.expand'));
    if (type === 'i32') code.op('i32.wrap_i64');
    code.else_();
    if (type === 'i32') code.i32(0);
    else if (type === 'i64') code.i64num(0);
    else code.v128(NO_VECTOR);
    code.end();
  };
}

function store(bytes: number): (e: Emit) => void {
  const type = typeOf(bytes);
  return (e) => {
    const { code } = e;
    const shadow = e.temp(type);
    code.set(shadow);
    const linear = linearOf(e, true);
    pushBits(e, linear, bytes);
    code.get(shadow);
    if (type === 'v128') code.op('v128.any_true').op('i32.or');
    else if (type === 'i64') code.i64num(0).op('i64.ne').op('i32.or');
    else code.op('i32.or');
    code.hint(false).if_();
    code.get(linear).i32(bytes).get(shadow);
    if (type === 'v128') code.v128(NO_VECTOR).op('i8x16.ne').op('i8x16.bitmask');
    else {
      if (type === 'i32') code.op('i64.extend_i32_u');
      code.call(e.helper('shadow.gather'));
    }
    code.call(e.helper('shadow.set'));
    code.end();
  };
}

function keep(bytes: number): (e: Emit) => void {
  return (e) => {
    const { code } = e;
    const [stack, address] = [e.temp('i64'), e.temp('i64')];
    const isShadowed = e.temp('i32');
    code.set(stack).set(isShadowed).set(address);
    code.get(isShadowed).hint(false).if_();
    code.get(address);
    e.imm();
    code.op('i64.extend_i32_s').op('i64.add').i32(bytes).get(stack).call(e.helper('shadow.keep'));
    code.end();
  };
}

function leave(e: Emit): void {
  const { code } = e;
  code.hint(false).if_();
  code.i32(STATE_BASE).i32(FAULT_UNWRITTEN).mem('i32.store', FAULT_INFO.offset, 2);
  e.fault();
  code.end();
}

function spread(e: Emit): void {
  const { code, knownImm } = e;
  code.hint(false).if_();
  if (knownImm !== null) code.i32((Math.imul(knownImm, EXEMPT_SPREAD) >>> HASH_SHIFT) * 4);
  else {
    e.imm();
    code.i32(EXEMPT_SPREAD | 0).op('i32.mul').i32(HASH_SHIFT).op('i32.shr_u').i32(2).op('i32.shl');
  }
  code.mem('i32.load', SPREAD_TABLE, 2);
  e.imm();
  code.op('i32.ne');
  leave(e);
  code.end();
}

export const SHADOW_EMITTERS: Emitters = {
  ...Object.fromEntries([1, 2, 4, 8, 16].flatMap((bytes) => [[`shadow.load${bytes}`, load(bytes)], [`shadow.store${bytes}`, store(bytes)], [`shadow.keep${bytes}`, keep(bytes)]])),
  'shadow.leave': leave,
  'shadow.spread': spread,
};
