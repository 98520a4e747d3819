/** Control flow: jmp jcc loop jrcxz call ret syscall, and the instructions that only raise an exception. */
import { Code, Mnemonic, OpKind } from 'iced-x86';
import { R11, RCX, RSP } from '../layout/cpuState.js';
import { COND } from '../ir/flags.js';
import type { End, Value } from '../ir/ir.js';
import { readEflags } from './eflags.js';
import { liftHook, liftLeaveHook } from './hooks.js';
import type { Family, Lift, LiftFn } from './lift.js';
import { pushValue } from './stack.js';

/** Addresses are canonical if their upper bits repeat the highest of these. */
const CANONICAL_BITS = 48;
const HALF_OF_ADDRESSES = 2 ** (CANONICAL_BITS - 1);
const VECTOR = { DB: 1, BP: 3, OF: 4, UD: 6, GP: 13 } as const;

function isDirect(l: Lift): boolean {
  const kind = l.insn.kind(0);
  return kind === OpKind.NearBranch64 || kind === OpKind.NearBranch32 || kind === OpKind.NearBranch16;
}

function jmp(l: Lift): End {
  if (isDirect(l)) return { kind: 'jump', target: l.insn.branchTarget };
  if (isFar(l)) return far(l);
  return { kind: 'indirect', target: checked(l, l.read(0)), via: 'jump' };
}

/** A target that is no address at all fails at the jump itself; any other is fetched from, and fails there. */
function checked(l: Lift, target: Value): Value {
  const { b } = l;
  const excess = b.op('i64.shr_u', b.op('i64.add', target, b.i64(HALF_OF_ADDRESSES)), b.i64(CANONICAL_BITS));
  b.opImm('trapIf', VECTOR.GP, b.wrap(excess));
  return target;
}

function isFar(l: Lift): boolean {
  return l.insn.isMemory(0) && l.memoryBytes() !== 8;
}

/** Far transfers would need descriptor tables; a 64-bit Linux program has no use for them. */
function far(l: Lift): End {
  const { base, disp } = l.address();
  l.load(1, { base, disp });
  l.load(1, { base, disp: disp + l.memoryBytes() - 1 });
  return { kind: 'trap', vector: VECTOR.GP, resume: l.insn.address };
}

function call(l: Lift): End {
  const returnTo = l.insn.next;
  if (isDirect(l)) {
    pushValue(l, l.b.i64(returnTo), 8);
    return { kind: 'call', target: l.insn.branchTarget, returnTo };
  }
  if (isFar(l)) return far(l);
  const target = checked(l, l.read(0));
  pushValue(l, l.b.i64(returnTo), 8);
  return { kind: 'indirect', target, via: 'call', returnTo };
}

function ret(l: Lift): End {
  const { b, insn } = l;
  const rsp = b.get(RSP);
  const target = checked(l, l.load(8, { base: rsp, disp: 0 }));
  const extra = insn.opCount > 0 ? insn.immediate32(0) & 0xffff : 0;
  if (l.isWatchedReturn) liftLeaveHook(l);
  b.set(RSP, b.op('i64.add', rsp, b.i64(8 + extra)));
  return { kind: 'indirect', target, via: 'return' };
}

function branch(l: Lift, condition: Value): End {
  return { kind: 'branch', condition, taken: l.insn.branchTarget, fall: l.insn.next };
}

function jcc(condition: number): LiftFn {
  return (l) => branch(l, l.b.condition(condition));
}

/** Loops that count with ecx: those with an address size prefix. */
const LOOPS_ECX: ReadonlySet<number> = new Set([Code.Loop_rel8_64_ECX, Code.Loope_rel8_64_ECX, Code.Loopne_rel8_64_ECX]);

function jrcxz(bytes: 4 | 8): LiftFn {
  return (l) => branch(l, l.isZero(l.readGpr({ slot: RCX, bytes, high: false }), bytes));
}

function loop(also: number | null): LiftFn {
  return (l) => {
    const bytes = LOOPS_ECX.has(l.insn.code) ? 4 : 8;
    const counter = { slot: RCX, bytes, high: false } as const;
    const left = l.arith('sub', bytes, l.readGpr(counter), l.small(1, bytes));
    l.writeGpr(counter, left);
    const more = l.arith('ne', bytes, left, l.small(0, bytes));
    return branch(l, also === null ? more : l.b.op('i32.and', more, l.b.condition(also)));
  };
}

/** rcx = return address, r11 = rflags; the kernel's part follows outside. */
function syscall(l: Lift): End {
  const { b, insn } = l;
  b.set(R11, b.extend(readEflags(l)));
  b.set(RCX, b.i64(insn.next));
  return { kind: 'syscall', next: insn.next };
}

/** An exception of fault type: rip stays at the instruction. */
function trap(vector: number): LiftFn {
  return (l) => ({ kind: 'trap', vector, resume: l.insn.address });
}

function ud1(l: Lift): End | void {
  const hook = liftHook(l);
  return hook === undefined ? { kind: 'trap', vector: VECTOR.UD, resume: l.insn.address } : hook.end;
}

/** An exception of trap type: rip is the next instruction. */
function trapAfter(vector: number): LiftFn {
  return (l) => ({ kind: 'trap', vector, resume: l.insn.next });
}

/** Only the gates of breakpoints and overflows are open to programs. */
function int(l: Lift): End {
  const vector = l.insn.immediate32(0) & 0xff;
  const open = vector === VECTOR.BP || vector === VECTOR.OF;
  return open ? { kind: 'trap', vector, resume: l.insn.next } : { kind: 'trap', vector: VECTOR.GP, resume: l.insn.address };
}

const JCC = [
  Mnemonic.Jo, Mnemonic.Jno, Mnemonic.Jb, Mnemonic.Jae, Mnemonic.Je, Mnemonic.Jne, Mnemonic.Jbe, Mnemonic.Ja,
  Mnemonic.Js, Mnemonic.Jns, Mnemonic.Jp, Mnemonic.Jnp, Mnemonic.Jl, Mnemonic.Jge, Mnemonic.Jle, Mnemonic.Jg,
];

/** #GP for a user program, whatever they do otherwise. */
const PRIVILEGED = [
  Mnemonic.Hlt, Mnemonic.Cli, Mnemonic.Sti, Mnemonic.In, Mnemonic.Out, Mnemonic.Insb, Mnemonic.Insw, Mnemonic.Insd,
  Mnemonic.Outsb, Mnemonic.Outsw, Mnemonic.Outsd, Mnemonic.Lgdt, Mnemonic.Lidt, Mnemonic.Lldt, Mnemonic.Ltr, Mnemonic.Lmsw,
  Mnemonic.Clts, Mnemonic.Invd, Mnemonic.Wbinvd, Mnemonic.Invlpg, Mnemonic.Rdmsr, Mnemonic.Wrmsr, Mnemonic.Rdpmc, Mnemonic.Swapgs,
  Mnemonic.Sysexit, Mnemonic.Sysret, Mnemonic.Sysretq, Mnemonic.Sysexitq, Mnemonic.Iret, Mnemonic.Iretd, Mnemonic.Iretq,
  Mnemonic.Retf,
];

export const CONTROL: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Jmp, jmp],
  [Mnemonic.Call, call],
  [Mnemonic.Ret, ret],
  ...JCC.map((m, i): [Mnemonic, LiftFn] => [m, jcc(i)]),
  [Mnemonic.Jrcxz, jrcxz(8)],
  [Mnemonic.Jecxz, jrcxz(4)],
  [Mnemonic.Loop, loop(null)],
  [Mnemonic.Loope, loop(COND.E)],
  [Mnemonic.Loopne, loop(COND.NE)],
  [Mnemonic.Syscall, syscall],
  [Mnemonic.Int, int],
  [Mnemonic.Int3, trapAfter(VECTOR.BP)],
  [Mnemonic.Int1, trapAfter(VECTOR.DB)],
  [Mnemonic.Ud0, trap(VECTOR.UD)],
  [Mnemonic.Ud1, ud1],
  [Mnemonic.Ud2, trap(VECTOR.UD)],
  ...PRIVILEGED.map((m): [Mnemonic, LiftFn] => [m, trap(VECTOR.GP)]),
]);
