/** x87 operations: nearly all of them are helper calls on the state in linear memory. */
import { X87_OPS, X87_RUN } from '../../ir/x87Ops.js';
import { FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, SCRATCH, type Slot } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { Emit, Emitter, Emitters } from '../emit.js';

const at = (slot: Slot): number => STATE_BASE + slot.offset;
const REGS = at(FPU_REG[0] as Slot);
/** Exception summary in the status word. */
const ES = 0x80;
const MATH_FAULT = 16;

/** Operands, then the immediate if the operation has one, go to the helper of the operation's name. */
function helperCall(name: string, imm: boolean): Emitter {
  return (e) => {
    if (imm) e.imm();
    e.code.call(e.helper(name));
  };
}

function check(e: Emit): void {
  e.code.i32(0).mem('i32.load', at(FPU_STATUS), 2).i32(ES).op('i32.and').hint(false).if_();
  e.trap(MATH_FAULT);
  e.code.end();
}

/** Stores the i64 on the stack at a fixed address. */
function storeI64(e: Emit, address: number): void {
  const value = e.temp('i64');
  e.code.set(value).i32(0).get(value).mem('i64.store', address, 3);
}

function last(e: Emit): void {
  storeI64(e, at(FPU_IP));
  e.code.i32(0);
  e.imm();
  e.code.mem('i32.store', at(FPU_OPCODE), 2);
}

function lastMemory(e: Emit): void {
  storeI64(e, at(FPU_DP));
  last(e);
}

function run(e: Emit): void {
  if (e.knownImm !== null) {
    e.code.call(e.helper(`x87.${X87_RUN[e.knownImm] as string}`));
    return;
  }
  e.imm();
  e.code.call(e.helper('x87.run'));
}

/** Pushes the offset of st(imm) among the registers. */
function registerOffset(e: Emit): void {
  e.code.i32(0).mem('i32.load', at(FPU_STATUS), 2).i32(11).op('i32.shr_u');
  e.imm();
  e.code.op('i32.add').i32(7).op('i32.and').i32(4).op('i32.shl');
}

function mantissa(e: Emit): void {
  registerOffset(e);
  e.code.mem('i64.load', REGS, 3);
}

function signExponent(e: Emit): void {
  registerOffset(e);
  e.code.mem('i32.load16_u', REGS + 8, 1);
}

/** Sets a register's bits; its tag is the business of setEnv. */
function setRegister(e: Emit): void {
  const mant = e.temp('i64');
  const se = e.temp('i32');
  e.code.set(se).set(mant);
  registerOffset(e);
  e.code.get(mant).mem('i64.store', REGS, 3);
  registerOffset(e);
  e.code.get(se).mem('i32.store', REGS + 8, 2);
}

const INLINE: Emitters = {
  'x87.check': check,
  'x87.last': last,
  'x87.lastMemory': lastMemory,
  'x87.scratch': (e) => void e.code.i32(0).mem('i64.load', at(SCRATCH), 3),
  'x87.scratchHigh': (e) => void e.code.i32(0).mem('i32.load', at(SCRATCH) + 8, 2),
  'x87.run': run,
  'x87.mantissa': mantissa,
  'x87.signExponent': signExponent,
  'x87.setRegister': setRegister,
};

export const X87_EMITTERS: Emitters = Object.fromEntries(
  X87_OPS.map((op) => [op.name, INLINE[op.name] ?? helperCall(op.name, op.imm !== undefined && op.imm !== 'none')]),
);
