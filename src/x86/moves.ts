/** Data movement: mov and its extending forms, lea, cmov, setcc, and the conversions inside rax. */
import { Mnemonic, Register } from 'iced-x86';
import { FS_BASE, GS_BASE, RAX, RBX, RDX } from '../layout/cpuState.js';
import type { End, Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';

const VECTOR_GP = 13;

function mov(l: Lift): End | void {
  const { insn } = l;
  if (insn.isRegister(0) && insn.register(0) >= Register.ES) return movToSystem(l, insn.register(0));
  if (insn.isRegister(1) && insn.register(1) >= Register.ES) return movFromSystem(l, insn.register(1));
  const size = l.size(0);
  l.write(0, l.read(1, size));
}

/** Selectors that Linux gives a 64-bit process. */
export function selector(register: Register): number {
  return register === Register.CS ? 0x33 : register === Register.SS ? 0x2b : 0;
}

function isSegment(register: Register): boolean {
  return register >= Register.ES && register <= Register.GS;
}

function movFromSystem(l: Lift, register: Register): End | void {
  if (!isSegment(register)) return { kind: 'trap', vector: VECTOR_GP, resume: l.insn.address };
  l.write(0, l.constant(selector(register), l.size(0)));
}

/** Loading a null selector clears the segment's base; other selectors are taken for null ones. */
export function loadSegment(l: Lift, register: Register): void {
  if (register === Register.FS) l.b.set(FS_BASE, l.b.i64(0));
  if (register === Register.GS) l.b.set(GS_BASE, l.b.i64(0));
}

function movToSystem(l: Lift, register: Register): End | void {
  if (!isSegment(register)) return { kind: 'trap', vector: VECTOR_GP, resume: l.insn.address };
  l.read(1);
  loadSegment(l, register);
}

function movzx(l: Lift): void {
  const from = l.size(1);
  const value = l.read(1);
  const to = l.size(0);
  l.write(0, to === 8 ? l.to64(value, from) : value);
}

function movsx(l: Lift): void {
  const { b, insn } = l;
  const from = l.size(1);
  const to = l.size(0);
  let value: Value;
  if (insn.isMemory(1) && from < 4) {
    const { base, disp } = l.address();
    value = b.opImm(from === 1 ? 'load8_s' : 'load16_s', disp, base);
  } else {
    value = l.signed32(l.read(1), from);
  }
  l.write(0, to === 8 ? b.op('i64.extend_i32_s', value) : value);
}

function lea(l: Lift): void {
  const value = l.sum(l.offset());
  const size = l.size(0);
  l.write(0, size === 8 ? value : l.b.wrap(value));
}

function cmov(condition: number): LiftFn {
  return (l) => {
    const size = l.size(0);
    const source = l.read(1);
    l.write(0, l.select(size, source, l.read(0), l.b.condition(condition)));
  };
}

function setcc(condition: number): LiftFn {
  return (l) => l.write(0, l.b.condition(condition));
}

/** cbw cwde cdqe: the accumulator, sign-extended from half its size. */
function extendAccumulator(size: Size): LiftFn {
  return (l) => {
    const half = (size / 2) as Size;
    const narrow = l.readGpr({ slot: RAX, bytes: half, high: false });
    const wide = size === 8 ? l.signed64(narrow, half) : l.signed32(narrow, half);
    l.writeGpr({ slot: RAX, bytes: size, high: false }, wide);
  };
}

/** cwd cdq cqo: the accumulator's sign in every bit of rdx. */
function spreadSign(size: Size): LiftFn {
  return (l) => {
    const value = l.readGpr({ slot: RAX, bytes: size, high: false });
    const signed = size === 8 ? value : l.signed32(value, size);
    const sign = l.b.op(size === 8 ? 'i64.shr_s' : 'i32.shr_s', signed, l.small(size === 8 ? 63 : 31, size));
    l.writeGpr({ slot: RDX, bytes: size, high: false }, sign);
  };
}

function xlatb(l: Lift): void {
  const { b, insn } = l;
  const al = { slot: RAX, bytes: 1, high: false } as const;
  let offset = b.op('i64.add', b.get(RBX), b.extend(l.readGpr(al)));
  if (insn.memoryBase === Register.EBX) offset = b.extend(b.wrap(offset));
  l.writeGpr(al, l.load(1, l.segmented({ base: offset, disp: 0 })));
}

const CMOV = [
  Mnemonic.Cmovo, Mnemonic.Cmovno, Mnemonic.Cmovb, Mnemonic.Cmovae, Mnemonic.Cmove, Mnemonic.Cmovne, Mnemonic.Cmovbe, Mnemonic.Cmova,
  Mnemonic.Cmovs, Mnemonic.Cmovns, Mnemonic.Cmovp, Mnemonic.Cmovnp, Mnemonic.Cmovl, Mnemonic.Cmovge, Mnemonic.Cmovle, Mnemonic.Cmovg,
];
const SETCC = [
  Mnemonic.Seto, Mnemonic.Setno, Mnemonic.Setb, Mnemonic.Setae, Mnemonic.Sete, Mnemonic.Setne, Mnemonic.Setbe, Mnemonic.Seta,
  Mnemonic.Sets, Mnemonic.Setns, Mnemonic.Setp, Mnemonic.Setnp, Mnemonic.Setl, Mnemonic.Setge, Mnemonic.Setle, Mnemonic.Setg,
];

export const MOVES: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Mov, mov],
  [Mnemonic.Movnti, mov],
  [Mnemonic.Movzx, movzx],
  [Mnemonic.Movsx, movsx],
  [Mnemonic.Movsxd, movsx],
  [Mnemonic.Lea, lea],
  [Mnemonic.Cbw, extendAccumulator(2)],
  [Mnemonic.Cwde, extendAccumulator(4)],
  [Mnemonic.Cdqe, extendAccumulator(8)],
  [Mnemonic.Cwd, spreadSign(2)],
  [Mnemonic.Cdq, spreadSign(4)],
  [Mnemonic.Cqo, spreadSign(8)],
  [Mnemonic.Xlatb, xlatb],
  ...CMOV.map((m, i): [Mnemonic, LiftFn] => [m, cmov(i)]),
  ...SETCC.map((m, i): [Mnemonic, LiftFn] => [m, setcc(i)]),
]);
