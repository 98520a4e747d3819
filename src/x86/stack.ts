/** The stack: push pop enter leave, pushf popf. */
import { Code, Mnemonic, Register } from 'iced-x86';
import { RBP, RSP } from '../layout/cpuState.js';
import type { Value } from '../ir/ir.js';
import { readEflags, writeEflags } from './eflags.js';
import type { Family, Lift, LiftFn, Size } from './lift.js';
import { loadSegment, selector } from './moves.js';

/** Pushes a value of 2 or 8 bytes. */
export function pushValue(l: Lift, value: Value, size: Size): void {
  const { b } = l;
  const rsp = b.get(RSP);
  l.store(size, { base: rsp, disp: -size }, value);
  b.set(RSP, b.op('i64.sub', rsp, b.i64(size)));
}

/** 2 or 8: what the instruction moves the stack pointer by. */
function stackSize(l: Lift): Size {
  return Math.abs(l.insn.stackPointerIncrement) === 2 ? 2 : 8;
}

function isSegment(register: Register): boolean {
  return register >= Register.ES && register <= Register.GS;
}

function push(l: Lift): void {
  const { insn } = l;
  const size = stackSize(l);
  const segment = insn.isRegister(0) && isSegment(insn.register(0));
  pushValue(l, segment ? l.constant(selector(insn.register(0)), size) : l.read(0, size), size);
}

function pop(l: Lift): void {
  const { b, insn } = l;
  const size = stackSize(l);
  const rsp = b.get(RSP);
  const value = l.load(size, { base: rsp, disp: 0 });
  const after = b.op('i64.add', rsp, b.i64(size));
  if (insn.isMemory(0)) {
    // `pop [rsp + d]` addresses memory with the incremented rsp.
    const address = l.address();
    const usesRsp = insn.memoryBase === Register.RSP || insn.memoryBase === Register.ESP;
    l.store(size, usesRsp ? { base: address.base, disp: address.disp + size } : address, value);
    b.set(RSP, after);
    return;
  }
  b.set(RSP, after);
  if (isSegment(insn.register(0))) loadSegment(l, insn.register(0));
  else l.write(0, value);
}

function leave(l: Lift): void {
  const { b } = l;
  const size = l.insn.code === Code.Leavew ? 2 : 8;
  const rbp = b.get(RBP);
  const value = l.load(size, { base: rbp, disp: 0 });
  b.set(RSP, b.op('i64.add', rbp, b.i64(size)));
  l.writeGpr({ slot: RBP, bytes: size, high: false }, value);
}

/** enter bytes, level: level > 0 copies the frame pointers of the enclosing levels. */
function enter(l: Lift): void {
  const { b, insn } = l;
  const size: Size = insn.code === Code.Enterw_imm16_imm8 ? 2 : 8;
  const narrow = (v: Value): Value => (size === 2 ? b.wrap(v) : v);
  const locals = insn.immediate32(0) & 0xffff;
  const level = insn.immediate32(1) & 31;
  const rsp = b.get(RSP);
  const rbp = b.get(RBP);
  const frame = b.op('i64.sub', rsp, b.i64(size));
  const pushed = [narrow(rbp)];
  for (let i = 1; i < level; i++) pushed.push(l.load(size, { base: rbp, disp: -size * i }));
  if (level > 0) pushed.push(narrow(frame));
  const bytes = pushed.length * size;
  if (pushed.length > 1) b.opImm('probeWrite', bytes, b.op('i64.sub', rsp, b.i64(bytes)));
  pushed.forEach((value, i) => l.store(size, { base: rsp, disp: -size * (i + 1) }, value));
  b.set(RSP, b.op('i64.sub', rsp, b.i64(bytes + locals)));
  l.writeGpr({ slot: RBP, bytes: size, high: false }, narrow(frame));
}

function pushf(size: Size): LiftFn {
  return (l) => {
    const flags = readEflags(l);
    pushValue(l, size === 8 ? l.b.extend(flags) : flags, size);
  };
}

function popf(size: Size): LiftFn {
  return (l) => {
    const { b } = l;
    const rsp = b.get(RSP);
    const value = l.load(size, { base: rsp, disp: 0 });
    b.set(RSP, b.op('i64.add', rsp, b.i64(size)));
    writeEflags(l, size === 8 ? b.wrap(value) : value, size);
  };
}

export const STACK: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Push, push],
  [Mnemonic.Pop, pop],
  [Mnemonic.Enter, enter],
  [Mnemonic.Leave, leave],
  [Mnemonic.Pushf, pushf(2)],
  [Mnemonic.Pushfq, pushf(8)],
  [Mnemonic.Popf, popf(2)],
  [Mnemonic.Popfq, popf(8)],
]);
