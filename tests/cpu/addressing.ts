/**
 * Memory operands: how an encoding addresses memory, and which register values make a state's
 * operand lie at a wanted address.
 */
import { type Instruction, OpKind, Register } from 'iced-x86';
import { type MachineState, MEMORY } from './machineState.js';
import type { Random } from './random.js';

export interface Addressing {
  /** Register numbers 0..15, or null. */
  readonly base: number | null;
  readonly index: number | null;
  readonly scale: 1 | 2 | 4 | 8;
  readonly disp: number;
  /** As iced-x86 has it: 4 bytes of displacement count as 8 where addresses have 64 bits. */
  readonly dispSize: 0 | 1 | 4 | 8;
  readonly segment: 'fs' | 'gs' | null;
  /** With a 67h prefix. */
  readonly narrow: boolean;
  /** Relative to rip; `disp` is the target. */
  readonly ripRelative: boolean;
  /** The address if no register takes part in it. */
  readonly fixed: number | null;
}

const RSP = 4;
const NONE: Addressing = {
  base: null, index: null, scale: 1, disp: 0, dispSize: 0, segment: null, narrow: false, ripRelative: false, fixed: null,
};

type Mode = (r: Random, bytes: number) => Addressing;

const MODES: readonly Mode[] = [
  (r) => ({ ...NONE, base: r.below(16) }),
  (r) => ({ ...NONE, base: r.below(16), disp: r.below(256) - 128, dispSize: 1 }),
  (r) => withIndex(r, { ...NONE, base: r.below(16), disp: r.u32() | 0, dispSize: 8 }),
  (r, bytes) => fixedAt(r, bytes, { ...NONE, ripRelative: true, dispSize: 8 }),
  (r) => ({ ...NONE, base: r.below(16), disp: (r.u32() | 0) >> r.below(24), dispSize: 8, segment: r.oneIn(2) ? 'fs' : 'gs' }),
  (r, bytes) => fixedAt(r, bytes, { ...NONE, dispSize: 8 }),
  (r) => withIndex(r, { ...NONE, base: r.below(16), disp: r.below(256) - 128, dispSize: 1, narrow: true }),
  (r) => withIndex(r, { ...NONE, disp: (r.below(0x1000_0000) - 0x800_0000) & ~7, dispSize: 8 }),
  (r) => withIndex(r, { ...NONE, base: r.below(16) }),
  (r) => ({ ...NONE, base: r.below(16), disp: r.u32() | 0, dispSize: 4, narrow: true }),
  (r, bytes) => fixedAt(r, bytes, { ...NONE, dispSize: 4, segment: r.oneIn(2) ? 'fs' : 'gs' }),
  (r, bytes) => fixedAt(r, bytes, { ...NONE, ripRelative: true, dispSize: 4, narrow: true }),
];

export const ADDRESSING_MODES = MODES.length;

/** The mode for the n-th encoding of a form. */
export function addressing(n: number, r: Random, bytes: number): Addressing {
  return (MODES[n % MODES.length] as Mode)(r, bytes);
}

/** An absolute address of 8 bytes, as `mov al, [moffs]` has it (4 with a 67h prefix). */
export function absolute(n: number, r: Random, bytes: number): Addressing {
  const segment = n % 3 === 2 ? (r.oneIn(2) ? 'fs' : 'gs') : null;
  return fixedAt(r, bytes, { ...NONE, dispSize: n % 2 === 0 ? 8 : 4, segment });
}

function withIndex(r: Random, a: Addressing): Addressing {
  let index = r.below(16);
  while (index === RSP || index === a.base) index = (index + 1) % 16;
  return { ...a, index, scale: r.pick([1, 2, 4, 8] as const) };
}

function fixedAt(r: Random, bytes: number, a: Addressing): Addressing {
  const fixed = wantedAddress(r, bytes);
  return { ...a, fixed, disp: fixed - segmentBase(a) };
}

function segmentBase(a: Addressing): number {
  return a.segment === 'fs' ? MEMORY.fsBase : a.segment === 'gs' ? MEMORY.gsBase : 0;
}

/** Where an operand of some bytes may lie: mostly aligned inside the data area, now and then across pages. */
export function wantedAddress(r: Random, bytes: number): number {
  const { data } = MEMORY;
  const room = 0x1000 - bytes;
  const aligned = data + (r.below(room >> 4) << 4);
  const choice = r.below(10);
  if (choice < 6) return aligned;
  if (choice < 9 || bytes < 2) return data + r.below(room);
  return data + 0x1000 - 1 - r.below(Math.min(bytes - 1, 16));
}

/** An address where an access must fault: unmapped, partly unmapped, or (for writes) read-only. */
export function faultingAddress(r: Random, bytes: number): number {
  const { data, dataSize, readOnly, unmapped } = MEMORY;
  const choice = r.below(4);
  if (choice === 0) return unmapped + r.below(0x1000);
  if (choice === 1) return readOnly + (r.below(64) << 4);
  // Only a single access has one answer to where it fails.
  if (choice === 2 && [2, 4, 8, 16].includes(bytes)) return data + dataSize - 1 - r.below(bytes - 1);
  return data + dataSize + (r.below(64) << 4);
}

/** Writes the operand into the instruction. */
export function encodeAddressing(insn: Instruction, operand: number, a: Addressing): void {
  const first = a.narrow ? Register.EAX : Register.RAX;
  const register = (n: number | null): Register => (n === null ? Register.None : first + n);
  insn.setOpKind(operand, OpKind.Memory);
  insn.memoryBase = a.ripRelative ? (a.narrow ? Register.EIP : Register.RIP) : register(a.base);
  insn.memoryIndex = register(a.index);
  insn.memoryIndexScale = a.scale;
  insn.memoryDisplSize = a.dispSize;
  insn.memoryDisplacement = BigInt.asUintN(64, BigInt(a.disp));
  if (a.segment !== null) insn.segmentPrefix = a.segment === 'fs' ? Register.FS : Register.GS;
}

/**
 * Makes the operand lie at `address` (or, where only multiples are reachable, a little below).
 * Returns where it lies then.
 */
export function place(state: MachineState, r: Random, a: Addressing, address: number): number {
  if (a.fixed !== null) return a.fixed;
  const wrap = (v: bigint): bigint => BigInt.asUintN(a.narrow ? 32 : 64, v);
  const set = (n: number, v: bigint): void => state.setGpr(n, a.narrow ? wrap(v) | (r.u64() & ~0xffff_ffffn) : v);
  const rest = BigInt(address - segmentBase(a) - a.disp);
  const scale = BigInt(a.scale);
  if (a.base === null) {
    const index = rest / scale;
    set(a.index as number, index);
    return address - Number(rest - index * scale);
  }
  let offset = 0n;
  if (a.index !== null) {
    const index = r.oneIn(2) ? BigInt(r.below(256)) : r.u64();
    set(a.index, index);
    offset = index * scale;
  }
  set(a.base, wrap(rest - offset));
  return address;
}
