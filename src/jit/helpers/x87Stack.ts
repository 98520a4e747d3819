/**
 * The x87 register stack and its exceptions: what all other x87 helpers stand on.
 *
 * Exceptions travel as the bits of the status word (IE DE ZE OE UE PE, SF, C1). `x87.raise` enters
 * them and answers which of them are unmasked; an instruction whose IE, DE or ZE is unmasked leaves
 * registers and stack alone.
 */
import { FPU_CONTROL, FPU_REG, FPU_STATUS, FPU_TAGS, SCRATCH, type Slot } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { defineHelper, type Expr, type Fn, i32, i64, load, type Operand, store, type Var } from './x87Fn.js';

export const IE = 1, DE = 2, ZE = 4, OE = 8, UE = 16, PE = 32;
/** Stack fault. */
export const SF = 0x40;
export const C0 = 0x100, C1 = 0x200, C2 = 0x400, C3 = 0x4000;
/** Exceptions that, unmasked, keep an instruction from happening. */
export const EARLY = IE | DE | ZE;

export const INDEFINITE_SE = 0xffff;
export const INDEFINITE_MANT = 0xc000_0000_0000_0000n;
export const INTEGER_BIT = 0x8000_0000_0000_0000n;
export const QUIET_BIT = 0x4000_0000_0000_0000n;

const at = (slot: Slot): number => STATE_BASE + slot.offset;
const SCRATCH_AT = at(SCRATCH);
const REGS = at(FPU_REG[0] as Slot);

export const control = (): Expr => load('i32.load', 0, at(FPU_CONTROL));
export const status = (): Expr => load('i32.load', 0, at(FPU_STATUS));
export const tags = (): Expr => load('i32.load', 0, at(FPU_TAGS));
export const setControl = (f: Fn, value: Expr): void => store(f, 'i32.store', 0, at(FPU_CONTROL), value);
export const setStatus = (f: Fn, value: Expr): void => store(f, 'i32.store', 0, at(FPU_STATUS), value);
export const setTags = (f: Fn, value: Expr): void => store(f, 'i32.store', 0, at(FPU_TAGS), value);

/** Number of the physical register that is st(i). */
export const physical = (i: Operand): Expr => status().shrU(11).add(i).and(7);
/** Offset of st(i) among the registers: what mantOf and seOf take. */
export const st = (i: Operand): Expr => physical(i).shl(4);
export const mantOf = (offset: Expr): Expr => load('i64.load', offset, REGS);
export const seOf = (offset: Expr): Expr => load('i32.load16_u', offset, REGS + 8);
export const isFull = (i: Operand): Expr => tags().shrU(physical(i)).and(1);
export const isEmpty = (i: Operand): Expr => isFull(i).eqz();

export const scratchMant = (): Expr => load('i64.load', 0, SCRATCH_AT);
export const scratchSe = (): Expr => load('i32.load', 0, SCRATCH_AT + 8);

export function setScratch(f: Fn, mant: Operand, se: Operand): void {
  store(f, 'i64.store', 0, SCRATCH_AT, mant);
  store(f, 'i32.store', 0, SCRATCH_AT + 8, se);
}

/** Sets C3 C2 C1 C0 to the given bits. */
export function setConditions(f: Fn, bits: Operand): void {
  setStatus(f, status().and(~(C0 | C1 | C2 | C3)).or(bits));
}

export function clearC1(f: Fn): void {
  setStatus(f, status().and(~C1));
}

export function clearC2(f: Fn): void {
  setStatus(f, status().and(~C2));
}

/** Rounding control, 0 to 3: nearest, down, up, towards zero. */
export const rounding = (): Expr => control().shrU(10).and(3);

/** Brings ES and B in line with the flags and masks. */
export function updateSummary(f: Fn): void {
  const pending = status().and(control().xor(-1)).and(0x3f).ne(0);
  setStatus(f, status().and(~0x8080).or(pending.mul(0x8080)));
}

const raiseHelper = defineHelper('x87.raise', ['i32'], ['i32'], (f, flags) => {
  const word = f.let_(status().and(~C1).or(flags.and(0x3f | SF | C1)));
  const unmasked = f.let_(control().not().and(0x3f));
  f.if_(word.and(unmasked), () => word.set(word.or(0x8080)));
  setStatus(f, word);
  f.ret(flags.and(unmasked));
});

/** For fcomi: only a stack fault clears C1. */
const raiseKeepingC1 = defineHelper('x87.raiseKeepingC1', ['i32'], ['i32'], (f, flags) => {
  const c1 = f.let_(status().and(C1));
  f.if_(flags.and(SF), () => c1.set(0));
  f.ret(raised(f, flags.or(c1)));
});

/** Enters exceptions; the value is those that are unmasked. */
export const raised = (f: Fn, flags: Expr): Expr => f.call('i32', 'x87.raise', flags);

/** Enters exceptions that are of no consequence for the instruction itself. */
export function raise(f: Fn, flags: Expr): void {
  raised(f, flags).emit(f.code);
  f.code.drop();
}

const put = defineHelper('x87.put', ['i32', 'i64', 'i32'], [], (f, i, mant, se) => {
  const number = f.let_(physical(i));
  setRegister(f, number, mant, se);
  setTags(f, tags().or(i32(1).shl(number)));
});

/** Writes a physical register. */
export function setRegister(f: Fn, number: Expr, mant: Expr, se: Expr): void {
  store(f, 'i64.store', number.shl(4), REGS, mant);
  store(f, 'i32.store', number.shl(4), REGS + 8, se);
}

const pop = defineHelper('x87.pop', ['i32'], [], (f, count) => {
  f.while_(count.gtS(0), () => {
    const word = f.let_(status());
    setTags(f, tags().and(i32(1).shl(word.shrU(11).and(7)).not()));
    setStatus(f, word.and(~0x3800).or(word.add(0x800).and(0x3800)));
    count.set(count.sub(1));
  });
});

/** Pushes what is in hand, without asking whether there is room. */
const push = defineHelper('x87.push', ['i64', 'i32'], [], (f, mant, se) => {
  setStatus(f, status().and(~0x3800).or(status().sub(0x800).and(0x3800)));
  f.callInto([], 'x87.put', i32(0), mant, se);
});

/** An instruction's push: overflow, then its own exceptions, then the value. */
const pushChecked = defineHelper('x87.pushChecked', ['i64', 'i32', 'i32'], [], (f, mant, se, flags) => {
  const word = f.let_(status());
  const number = f.let_(word.shrU(11).sub(1).and(7));
  const bit = f.let_(i32(1).shl(number));
  const held = f.let_(tags());
  // The common case in one go.
  f.if_(flags.or(held.and(bit)).eqz(), () => {
    setRegister(f, number, mant, se);
    setTags(f, held.or(bit));
    setStatus(f, word.and(~(0x3800 | C1)).or(number.shl(11)));
    f.ret();
  });
  f.if_(held.and(bit), () => {
    f.if_(raised(f, i32(IE | SF | C1)).eqz(), () => pushIndefinite(f));
  }, () => {
    f.if_(raised(f, flags).and(EARLY).eqz(), () => f.callInto([], 'x87.push', mant, se));
  });
});

export function pushIndefinite(f: Fn): void {
  f.callInto([], 'x87.push', i64(INDEFINITE_MANT), i32(INDEFINITE_SE));
}

/** An unmasked denormal operand stops the instruction before there is a result to overflow or round. */
export function stopAtDenormal(f: Fn, flags: Var): void {
  f.if_(flags.and(DE).and(control().not()), () => flags.set(flags.and(~(OE | UE | PE | C1))));
}

/** The end of an arithmetic instruction: exceptions, result from SCRATCH to st(dst), pops. */
const finish = defineHelper('x87.finish', ['i32', 'i32', 'i32'], [], (f, dst, pops, flags) => {
  stopAtDenormal(f, flags);
  f.if_(raised(f, flags).and(EARLY).eqz(), () => {
    f.callInto([], 'x87.put', dst, scratchMant(), scratchSe());
    f.callInto([], 'x87.pop', pops);
  });
});

/** The same for an operand that is not there: stack underflow. */
const underflow = defineHelper('x87.underflow', ['i32', 'i32'], [], (f, dst, pops) => {
  setScratch(f, INDEFINITE_MANT, INDEFINITE_SE);
  f.callInto([], 'x87.finish', dst, pops, i32(IE | SF));
});

/** Returns after the response to stack underflow if st(i) is empty. */
export function needs(f: Fn, i: Operand, dst: Expr, pops: Expr): void {
  f.if_(isEmpty(i), () => {
    f.callInto([], 'x87.underflow', dst, pops);
    f.ret();
  });
}

export const STACK_HELPERS: readonly HelperDef[] = [raiseHelper, raiseKeepingC1, put, pop, push, pushChecked, finish, underflow];
