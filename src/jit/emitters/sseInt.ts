/**
 * Integer SIMD that is not one WebAssembly instruction: the general byte shuffle, MMX state, and
 * the SSE4.2 string comparison (a helper).
 */
import { FPU_REG, FPU_STATUS, FPU_TAGS } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { Emit, Emitter, Emitters } from '../emit.js';

const REGISTERS = STATE_BASE + FPU_REG[0]!.offset;
/** FSW bits 11..13. */
const TOP_MASK = 7 << 11;
const ALL_FULL = 0xff;
const ALL_EMPTY = 0;
/** What an MMX write leaves in the sign and exponent of the register: a NaN to the x87. */
const MMX_EXPONENT = 0xffff;

const THIRTY_ONE = new Uint8Array(16).fill(31);
const SIXTEEN = new Uint8Array(16).fill(16);

/** (a, b, mask): swizzle yields 0 for indices of 16 and more, so each half of the mask picks from one operand. */
function shuffle(e: Emit): void {
  const { code } = e;
  const mask = e.temp('v128');
  const b = e.temp('v128');
  code.v128(THIRTY_ONE).op('v128.and').set(mask).set(b);
  code.get(mask).op('i8x16.swizzle');
  code.get(b).get(mask).v128(SIXTEEN).op('i8x16.sub').op('i8x16.swizzle');
  code.op('v128.or');
}

/** Pushes the offset of MMX register imm from REGISTERS. */
function registerOffset(e: Emit): void {
  if (e.knownImm !== null) {
    e.code.i32(e.knownImm * 16);
    return;
  }
  e.imm();
  e.code.i32(4).op('i32.shl');
}

function getMmx(e: Emit): void {
  enterMmx(e);
  registerOffset(e);
  e.code.mem('i64.load', REGISTERS);
}

function setMmx(e: Emit): void {
  const { code } = e;
  const value = e.temp('i64');
  code.set(value);
  registerOffset(e);
  code.get(value).mem('i64.store', REGISTERS);
  registerOffset(e);
  code.i32(MMX_EXPONENT).mem('i32.store16', REGISTERS + 8);
  enterMmx(e);
}

/** What every MMX instruction does to the x87: TOP = 0, all registers full. */
function enterMmx(e: Emit): void {
  resetStack(e, ALL_FULL);
}

function resetStack({ code }: Emit, tags: number): void {
  code.i32(0);
  code.i32(0).mem('i32.load', STATE_BASE + FPU_STATUS.offset).i32(~TOP_MASK).op('i32.and');
  code.mem('i32.store', STATE_BASE + FPU_STATUS.offset);
  code.i32(0).i32(tags).mem('i32.store', STATE_BASE + FPU_TAGS.offset);
}

/** The helper takes the control byte as its last argument. */
function callWithImmediate(helper: string): Emitter {
  return (e) => {
    e.imm();
    e.code.call(e.helper(helper));
  };
}

export const SSE_INT_EMITTERS: Emitters = {
  'v128.shuffle': shuffle,
  'mmx.get': getMmx,
  'mmx.set': setMmx,
  'mmx.leave': (e) => resetStack(e, ALL_EMPTY),
  'pcmpstr.bytes': callWithImmediate('pcmpstr.bytes'),
  'pcmpstr.words': callWithImmediate('pcmpstr.words'),
};
