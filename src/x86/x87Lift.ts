/**
 * What the x87 families share: the check for pending exceptions that opens every waiting instruction,
 * and the record of the last instruction that fnstenv shows.
 *
 * The order within an instruction is: check (may trap), loads or conversion and store (may fault),
 * then the record, then what changes the FPU.
 */
import { Register } from 'iced-x86';
import type { Value } from '../ir/ir.js';
import type { Address, Lift, LiftFn } from './lift.js';

/** The number i of an operand st(i). */
export function stackIndex(l: Lift, operand: number): number {
  return l.insn.register(operand) - Register.ST0;
}

/** An instruction that first delivers a pending exception. */
export function waiting(lift: (l: Lift) => void): LiftFn {
  return (l) => {
    l.b.op('x87.check');
    lift(l);
  };
}

/** Records an instruction without memory operand. */
export function record(l: Lift): void {
  l.b.opImm('x87.last', opcodeField(l), l.b.i64(l.insn.address));
}

export function recordMemory(l: Lift, address: Address): void {
  l.b.opImm('x87.lastMemory', opcodeField(l), l.b.i64(l.insn.address), l.sum(address));
}

/** A memory operand of 2 or 4 bytes as i32 (sign-extended), of 8 bytes as i64. */
export function loadOperand(l: Lift, address: Address): Value {
  const bytes = l.memoryBytes();
  return bytes === 2 ? l.b.opImm('load16_s', address.disp, address.base) : l.load(bytes as 4 | 8, address);
}

export function loadInteger(l: Lift, address: Address): Value {
  const value = loadOperand(l, address);
  return l.memoryBytes() === 8 ? value : l.b.op('i64.extend_i32_s', value);
}

const opcodeCache: number[] = [];

/** Opcode and group of a code, or opcode alone for register forms: asked of iced once. */
function baseOpcode(l: Lift): number {
  const cached = opcodeCache[l.insn.code];
  if (cached !== undefined) return cached;
  const info = l.insn.raw.opCode;
  const group = info.groupIndex;
  const code = info.opCode;
  info.free();
  const value = code > 0xff ? code & 0x7ff : ((code & 7) << 8) | (Math.max(group, 0) << 3);
  return (opcodeCache[l.insn.code] = value);
}

/** The 11 bits that FOP holds: three of the first opcode byte and the ModRM byte. */
function opcodeField(l: Lift): number {
  const base = baseOpcode(l);
  for (let i = 0; i < l.insn.opCount; i++) {
    if (l.insn.isMemory(i)) return base | memoryModRm(l);
  }
  const last = l.insn.opCount - 1;
  const first = l.insn.opCount > 0 ? stackIndex(l, 0) : 0;
  return base | (first !== 0 ? first : last > 0 ? stackIndex(l, last) : 0);
}

/** The mod and r/m fields that assemblers choose for the operand. */
function memoryModRm(l: Lift): number {
  const { raw } = l.insn;
  if (raw.memoryBase === Register.RIP) return 5;
  if (raw.memoryBase === Register.None) return 4;
  const base = raw.memoryBase >= Register.RAX ? raw.memoryBase - Register.RAX : raw.memoryBase - Register.EAX;
  const size = raw.memoryDisplSize;
  const mod = size === 0 ? 0 : size === 1 ? 0x40 : 0x80;
  return mod | (raw.memoryIndex !== Register.None ? 4 : base & 7);
}
