/** Instructions about the machine itself: cpuid, time stamps, MXCSR, fxsave; and those that do nothing. */
import { Code, Mnemonic } from 'iced-x86';
import { FP_FAST, MXCSR } from '../layout/cpuState.js';
import { FX_SIZE } from '../layout/fxImage.js';
import type { End, Value } from '../ir/ir.js';
import { SYS } from '../ir/sysCalls.js';
import type { Family, Lift, LiftFn } from './lift.js';

const VECTOR_UD = 6;
const VECTOR_GP = 13;

function sysCall(number: number): LiftFn {
  return (l) => {
    l.b.opImm('sys.call', number, l.b.i64(0));
  };
}

/** fxsave and fxrstor want 16-byte alignment, and all of the image accessible. */
function fpuImage(number: number, write: boolean): LiftFn {
  return (l) => {
    const { b } = l;
    const address = l.sum(l.address());
    b.opImm('trapIf', VECTOR_GP, b.op('i32.and', b.wrap(address), b.i32(15)));
    if (write) b.opImm('probeWrite', FX_SIZE, address);
    else {
      b.opImm('load8_u', 0, address);
      b.opImm('load8_u', FX_SIZE - 1, address);
    }
    b.opImm('sys.fpuImage', number, address);
  };
}

function stmxcsr(l: Lift): void {
  l.write(0, l.b.get(MXCSR));
}

function ldmxcsr(l: Lift): void {
  const { b } = l;
  const value = l.read(0);
  b.opImm('trapIf', VECTOR_GP, b.op('i32.and', value, b.i32(~0xffff)));
  b.set(MXCSR, value);
  b.set(FP_FAST, isFast(l, value));
}

/** As Cpu.setMxcsr: inexact already flagged, everything masked, round to nearest, no flushing. */
function isFast(l: Lift, mxcsr: Value): Value {
  const { b } = l;
  return b.op('i32.eq', b.op('i32.and', mxcsr, b.i32(0xffe0)), b.i32(0x1fa0));
}

/** Needs nothing but that the address can be read. */
function clflush(l: Lift): void {
  l.load(1, l.address());
}

/** 0F 0D is a prefetch, which has no form with a register. */
function reservedNop(l: Lift): End | void {
  const { code, address } = l.insn;
  const prefetch = code >= Code.Reservednop_rm16_r16_0F0D && code <= Code.Reservednop_rm64_r64_0F0D;
  if (prefetch && l.insn.isRegister(0)) return { kind: 'trap', vector: VECTOR_UD, resume: address };
}

function nothing(): void {
  // Hints, and ordering of memory that one thread at a time always has.
}

const NOTHING = [
  Mnemonic.Nop, Mnemonic.Endbr64, Mnemonic.Endbr32, Mnemonic.Pause, Mnemonic.Prefetch, Mnemonic.Prefetchnta,
  Mnemonic.Prefetcht0, Mnemonic.Prefetcht1, Mnemonic.Prefetcht2, Mnemonic.Prefetchw, Mnemonic.Prefetchwt1, Mnemonic.Mfence,
  Mnemonic.Lfence, Mnemonic.Sfence,
  // Without shadow stacks these are hints that leave their register alone.
  Mnemonic.Rdsspd, Mnemonic.Rdsspq,
];

export const SYSTEM: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Cpuid, sysCall(SYS.CPUID)],
  [Mnemonic.Rdtsc, sysCall(SYS.RDTSC)],
  [Mnemonic.Rdtscp, sysCall(SYS.RDTSCP)],
  [Mnemonic.Fxsave, fpuImage(SYS.FXSAVE, true)],
  [Mnemonic.Fxrstor, fpuImage(SYS.FXRSTOR, false)],
  [Mnemonic.Fxsave64, fpuImage(SYS.FXSAVE64, true)],
  [Mnemonic.Fxrstor64, fpuImage(SYS.FXRSTOR64, false)],
  [Mnemonic.Clflush, clflush],
  [Mnemonic.Reservednop, reservedNop],
  [Mnemonic.Stmxcsr, stmxcsr],
  [Mnemonic.Ldmxcsr, ldmxcsr],
  ...NOTHING.map((m): [Mnemonic, LiftFn] => [m, nothing]),
]);
