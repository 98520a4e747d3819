/** Data movement: mov and its extending forms, lea, xchg, push and pop, cmov, setcc. */
import { Mnemonic } from 'iced-x86';
import { GPR, RSP } from '../layout/cpuState.js';
import type { Value } from '../ir/ir.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';

function mov(l: Lift): void {
  const size = l.size(0);
  l.write(0, l.read(1, size));
}

function movzx(l: Lift): void {
  const from = l.size(1);
  const value = l.read(1);
  const to = l.size(0);
  l.write(0, to === 8 ? l.to64(value, from) : value);
}

function movsx(l: Lift): void {
  const from = l.size(1);
  const value = l.read(1);
  const to = l.size(0);
  l.write(0, to === 8 ? l.signed64(value, from) : l.signed32(value, from));
}

function lea(l: Lift): void {
  const value = l.sum(l.offset());
  const size = l.size(0);
  l.write(0, size === 8 ? value : l.b.op('i32.wrap_i64', value));
}

function xchg(l: Lift): void {
  // The memory operand, if any, is written first: that may fault.
  const memory = l.insn.isMemory(1) ? 1 : 0;
  const place = l.place(memory);
  const other = l.place(1 - memory);
  const a = place.read();
  const b = other.read();
  place.write(b);
  other.write(a);
}

/** Pushes a value of 2 or 8 bytes. */
export function pushValue(l: Lift, value: Value, size: Size): void {
  const { b } = l;
  const rsp = b.get(RSP);
  l.store(size, { base: rsp, disp: -size }, value);
  b.set(RSP, b.op('i64.sub', rsp, b.i64(size)));
}

function push(l: Lift): void {
  const size: Size = l.insn.isRegister(0) || l.insn.isMemory(0) ? l.size(0) : 8;
  pushValue(l, l.read(0, size), size);
}

function pop(l: Lift): void {
  const { b, insn } = l;
  const size = l.size(0);
  const rsp = b.get(RSP);
  const value = l.load(size, { base: rsp, disp: 0 });
  const after = b.op('i64.add', rsp, b.i64(size));
  if (insn.isRegister(0)) {
    b.set(RSP, after);
    l.write(0, value);
    return;
  }
  // `pop [rsp + d]` addresses memory with the incremented rsp.
  const usesRsp = l.gpr(insn.raw.memoryBase || 53).slot === GPR[4];
  const address = l.address();
  l.store(size, usesRsp ? { base: address.base, disp: address.disp + size } : address, value);
  b.set(RSP, after);
}

function cmov(condition: number): LiftFn {
  return (l) => {
    const size = l.size(0);
    const source = l.read(1);
    const chosen = l.b.op(size === 8 ? 'i64.select' : 'i32.select', source, l.read(0), l.b.condition(condition));
    l.write(0, chosen);
  };
}

function setcc(condition: number): LiftFn {
  return (l) => l.write(0, l.b.condition(condition));
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
  [Mnemonic.Movzx, movzx],
  [Mnemonic.Movsx, movsx],
  [Mnemonic.Movsxd, movsx],
  [Mnemonic.Lea, lea],
  [Mnemonic.Xchg, xchg],
  [Mnemonic.Push, push],
  [Mnemonic.Pop, pop],
  ...CMOV.map((m, i): [Mnemonic, LiftFn] => [m, cmov(i)]),
  ...SETCC.map((m, i): [Mnemonic, LiftFn] => [m, setcc(i)]),
]);
