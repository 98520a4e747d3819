/** x87 data movement: loads (pushes), stores (conversion, then commit), exchanges and conditional moves. */
import { GUEST_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { classOf, CLASS } from './x87Class.js';
import { defineHelper, type Expr, type Fn, i32, i64, load, select, switch_, type Var } from './x87Fn.js';
import {
  C1, clearC1, control, DE, IE, INDEFINITE_MANT, INDEFINITE_SE, isEmpty, mantOf, needs, OE, physical, pushIndefinite,
  QUIET_BIT, raise, raised, scratchMant, scratchSe, seOf, setScratch, setStatus, setTags, SF, st, status, tags, UE,
} from './x87Stack.js';

/** Exceptions that, unmasked, keep a store from happening. */
const NO_STORE = IE | OE | UE;
/** From here on numbers are too large for fbstp. */
const BCD_LIMIT = 10n ** 18n;

function loadFloat(name: string, widen: string, type: 'i32' | 'i64'): HelperDef {
  return defineHelper(name, [type], [], (f, bits) => {
    const mant = f.local('i64');
    const se = f.local('i32');
    const flags = f.local('i32');
    f.callInto([mant, se, flags], widen, bits);
    f.if_(classOf(f, mant, se).eq(CLASS.SNAN), () => {
      mant.set(mant.or(QUIET_BIT));
      flags.set(IE);
    });
    // A denormal operand is pushed even if DE is unmasked (the value fits): DE is raised afterwards.
    const room = f.let_(isEmpty(7));
    f.callInto([], 'x87.pushChecked', mant, se, flags.and(IE));
    f.if_(flags.and(room.mul(DE)), () => raise(f, i32(DE)));
  });
}

const loadInt = defineHelper('x87.loadInt', ['i64'], [], (f, value) => {
  const flags = f.let_(f.call('i32', 'f80.fromI64', value));
  f.callInto([], 'x87.pushChecked', scratchMant(), scratchSe(), flags);
});

/** 18 decimal digits, two a byte, then the sign in bit 7 of the last byte; digits above 9 count as what they are. */
const loadBcd = defineHelper('x87.loadBcd', ['i64', 'i32'], [], (f, low, high) => {
  const value = f.let_(i64(0n));
  const n = f.let_(i32(18));
  f.while_(n, () => {
    n.set(n.sub(1));
    const digit = select(n.geU(16), high.shrU(n.sub(16).shl(2)).extU(), low.shrU(n.shl(2).extU()));
    value.set(value.mul(10).add(digit.and(15)));
  });
  const flags = f.let_(f.call('i32', 'f80.fromI64', value));
  f.callInto([], 'x87.pushChecked', scratchMant(), scratchSe().or(high.and(0x8000)), flags);
});

/** fld st(i), fxch, fst, fstp, ffree, ffreep: immediate as in X87. */
const register = defineHelper('x87.register', ['i32'], [], (f, imm) => {
  const i = f.let_(imm.and(7));
  switch_(f, imm.shrU(4), [
    () => loadRegister(f, i),
    () => exchange(f, i),
    () => copyTop(f, i, 0),
    () => copyTop(f, i, 1),
    () => freeRegister(f, i, 0),
    () => freeRegister(f, i, 1),
  ]);
});

function loadRegister(f: Fn, i: Var): void {
  f.if_(isEmpty(i), () => {
    f.if_(raised(f, i32(IE | SF)).eqz(), () => pushIndefinite(f));
  }, () => f.callInto([], 'x87.pushChecked', mantOf(st(i)), seOf(st(i)), i32(0)));
}

function exchange(f: Fn, i: Var): void {
  f.if_(isEmpty(0).or(isEmpty(i)), () => {
    f.if_(raised(f, i32(IE | SF)), () => f.ret());
    for (const k of [i32(0), i]) {
      f.if_(isEmpty(k), () => f.callInto([], 'x87.put', k, i64(INDEFINITE_MANT), i32(INDEFINITE_SE)));
    }
  }, () => clearC1(f));
  const mant = f.let_(mantOf(st(0)));
  const se = f.let_(seOf(st(0)));
  f.callInto([], 'x87.put', i32(0), mantOf(st(i)), seOf(st(i)));
  f.callInto([], 'x87.put', i, mant, se);
}

function copyTop(f: Fn, i: Var, pops: number): void {
  needs(f, 0, i, i32(pops));
  clearC1(f);
  f.callInto([], 'x87.put', i, mantOf(st(0)), seOf(st(0)));
  f.callInto([], 'x87.pop', i32(pops));
}

function freeRegister(f: Fn, i: Var, pops: number): void {
  setTags(f, tags().and(i32(1).shl(physical(i)).xor(-1)));
  clearC1(f);
  f.callInto([], 'x87.pop', i32(pops));
}

const cmov = defineHelper('x87.cmov', ['i32', 'i32'], [], (f, condition, i) => {
  needs(f, 0, i32(0), i32(0));
  needs(f, i, i32(0), i32(0));
  f.if_(condition, () => f.callInto([], 'x87.put', i32(0), mantOf(st(i)), seOf(st(i))));
});

/**
 * st(0) in a memory format to SCRATCH; the result is the exceptions, which are not raised yet. If
 * one of them forbids the store, SCRATCH has what memory at `address` has: storing it changes
 * nothing, and if there is no such memory the store faults and no code sees what was read here.
 */
const convert = defineHelper('x87.convert', ['i64', 'i32'], ['i32'], (f, address, kind) => {
  const mant = f.let_(mantOf(st(0)));
  const se = f.let_(seOf(st(0)));
  const empty = f.let_(isEmpty(0));
  f.if_(empty, () => {
    mant.set(INDEFINITE_MANT);
    se.set(INDEFINITE_SE);
  });
  const flags = f.let_(i32(0));
  const truncate = kind.shrU(3);
  const call = (name: string, ...more: Expr[]) => (): void => flags.set(f.call('i32', name, mant, se, control(), ...more));
  switch_(f, kind.and(7), [
    call('f80.toF32'),
    call('f80.toF64'),
    () => setScratch(f, mant, se),
    call('x87.toBcd'),
    call('f80.toI16', truncate),
    call('f80.toI32', truncate),
    call('f80.toI64', truncate),
  ]);
  f.if_(empty, () => flags.set(IE | SF));
  f.if_(flags.and(control().not()).and(NO_STORE), () => {
    flags.set(flags.and(NO_STORE | SF));
    const place = f.let_(address.wrap().or(GUEST_BASE));
    setScratch(f, load('i64.load', place, 0), load('i32.load16_u', place, 8));
  });
  f.ret(flags);
});

/** (mantissa, sign and exponent, control) -> flags; packed decimal in SCRATCH. */
const toBcd = defineHelper('x87.toBcd', ['i64', 'i32', 'i32'], ['i32'], (f, mant, se, controlWord) => {
  const flags = f.let_(f.call('i32', 'f80.toI64', mant, se, controlWord, i32(0)));
  const value = f.let_(scratchMant());
  f.if_(value.ltS(0), () => value.set(i64(0n).sub(value)));
  f.if_(flags.and(IE).or(value.geU(BCD_LIMIT)), () => {
    setScratch(f, INDEFINITE_MANT, INDEFINITE_SE);
    f.ret(i32(IE));
  });
  const low = f.let_(i64(0n));
  const high = f.let_(i32(0));
  const n = f.let_(i32(0));
  f.while_(n.ltU(18), () => {
    const digit = f.let_(value.remU(10));
    f.if_(n.ltU(16), () => low.set(low.or(digit.shl(n.shl(2).extU()))),
      () => high.set(high.or(digit.wrap().shl(n.sub(16).shl(2)))));
    value.set(value.divU(10));
    n.set(n.add(1));
  });
  setScratch(f, low, high.or(se.and(0x8000)));
  f.ret(flags);
});

/** After the store: exceptions and pop. An unmasked exception that forbids the store forbids the pop. */
const commit = defineHelper('x87.commit', ['i32', 'i32'], [], (f, flags, pops) => {
  f.if_(raised(f, flags).and(NO_STORE).eqz(), () => f.callInto([], 'x87.pop', pops));
});

/** fchs, fabs: no exceptions but stack underflow, whatever the operand is. */
function signChange(name: string, change: (se: Expr) => Expr): HelperDef {
  return defineHelper(`x87.${name}`, [], [], (f) => {
    needs(f, 0, i32(0), i32(0));
    clearC1(f);
    f.callInto([], 'x87.put', i32(0), mantOf(st(0)), change(seOf(st(0))));
  });
}

function rotate(name: string, by: number): HelperDef {
  return defineHelper(`x87.${name}`, [], [], (f) => {
    setStatus(f, status().and(~(0x3800 | C1)).or(status().add(by).and(0x3800)));
  });
}

export const MOVE_HELPERS: readonly HelperDef[] = [
  loadFloat('x87.loadF32', 'x87.widenF32', 'i32'),
  loadFloat('x87.loadF64', 'x87.widenF64', 'i64'),
  defineHelper('x87.loadF80', ['i64', 'i32'], [], (f, mant, se) => f.callInto([], 'x87.pushChecked', mant, se, i32(0))),
  loadInt, loadBcd, register, cmov, convert, toBcd, commit,
  signChange('fchs', (se) => se.xor(0x8000)),
  signChange('fabs', (se) => se.and(0x7fff)),
  rotate('fincstp', 0x800),
  rotate('fdecstp', -0x800),
];
