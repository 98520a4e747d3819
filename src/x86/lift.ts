/**
 * What a lifting function has in hand: the instruction, the builder, and the operands as values.
 *
 * A family file exports a table from mnemonic to lifting function. A lifting function emits the
 * instruction's meaning through `l.b` and the helpers here; if the instruction ends the block it
 * returns the End, else nothing. Order matters for precise faults: first everything that may fault
 * (loads, probes, the store), then changes of registers and flags (the verifier checks it).
 *
 * Integers of up to 32 bits are i32 values, zero-extended; 64-bit ones are i64.
 */
import { type Mnemonic, Register } from 'iced-x86';
import { unreachable } from '../base/assert.js';
import type { IrBuilder } from '../ir/builder.js';
import { type CcKind, ccOp } from '../ir/flags.js';
import type { End, Value } from '../ir/ir.js';
import { OPS_32, OPS_64, type WidthOp } from '../ir/widths.js';
import { FS_BASE, GS_BASE } from '../layout/cpuState.js';
import type { Insn } from './insn.js';
import { type GprInfo, gprInfo, isXmm, xmmSlot } from './registers.js';

export type LiftFn = (l: Lift) => End | void;
export type Family = ReadonlyMap<Mnemonic, LiftFn>;

/** Operand sizes in bytes that integer operations come in. */
export type Size = 1 | 2 | 4 | 8;

/** A base value and a constant displacement: what loads and stores take. */
export interface Address {
  readonly base: Value;
  readonly disp: number;
}

/** An integer operand whose address is computed once, for instructions that read and write it. */
export class OperandPlace {
  constructor(
    private readonly l: Lift,
    readonly size: Size,
    private readonly register: GprInfo | null,
    private readonly address: Address | null,
  ) {}

  get isMemory(): boolean {
    return this.register === null;
  }

  read(): Value {
    return this.register !== null ? this.l.readGpr(this.register) : this.l.load(this.size, this.address as Address);
  }

  /** The value may have junk above the operand's size. */
  write(value: Value): void {
    if (this.register !== null) this.l.writeGpr(this.register, value);
    else this.l.store(this.size, this.address as Address, value);
  }
}

const LOAD = { 1: 'load8_u', 2: 'load16_u', 4: 'load32', 8: 'load64', 16: 'load128' } as const;
const STORE = { 1: 'store8', 2: 'store16', 4: 'store32', 8: 'store64', 16: 'store128' } as const;

function isNarrow(register: Register): boolean {
  return (register >= Register.EAX && register <= Register.R15D) || register === Register.EIP;
}

export class Lift {
  /** An analysis wants to know when the function returns here (hooks.ts). */
  isWatchedReturn = false;

  constructor(
    readonly b: IrBuilder,
    readonly insn: Insn,
  ) {}

  // ---- memory

  /** The effective address of the memory operand, segment base included, as base + displacement. */
  address(): Address {
    return this.segmented(this.offset());
  }

  /** The effective address without the segment base: what lea computes. */
  offset(): Address {
    const { b, insn } = this;
    const baseRegister = insn.memoryBase;
    const indexRegister = insn.memoryIndex;
    const { displacement } = insn;
    if (baseRegister === Register.RIP) return { base: b.i64(displacement), disp: 0 };
    if (isNarrow(baseRegister) || isNarrow(indexRegister)) return { base: this.address32(Number(displacement)), disp: 0 };
    let sum: Value | null = baseRegister === Register.None ? null : b.get(this.gpr(baseRegister).slot);
    if (indexRegister !== Register.None) {
      const index = b.get(this.gpr(indexRegister).slot);
      const scaled = insn.scaleShift === 0 ? index : b.op('i64.shl', index, b.i64(insn.scaleShift));
      sum = sum === null ? scaled : b.op('i64.add', sum, scaled);
    }
    if (sum === null) return { base: b.i64(displacement), disp: 0 };
    return { base: sum, disp: Number(displacement) };
  }

  /** Whether addresses are 32 bits wide (67h): sums wrap there, before the segment's base comes in. */
  isAddress32(): boolean {
    const base = this.insn.memoryBase;
    const index = this.insn.memoryIndex;
    if (base === Register.None && index === Register.None) return this.insn.hasShortDisplacement;
    return isNarrow(base) || isNarrow(index);
  }

  /** The address as one value. */
  sum(address: Address): Value {
    return address.disp === 0 ? address.base : this.b.op('i64.add', address.base, this.b.i64(address.disp));
  }

  load(size: Size | 16, address: Address): Value {
    return this.b.opImm(LOAD[size], address.disp, address.base);
  }

  store(size: Size | 16, address: Address, value: Value): void {
    this.b.opImm(STORE[size], address.disp, address.base, value);
  }

  // ---- integer operands

  /** Size in bytes of operand i. */
  size(i: number): Size {
    const { insn } = this;
    if (insn.isRegister(i)) return this.gpr(insn.register(i)).bytes;
    if (insn.isMemory(i)) return this.memoryBytes() as Size;
    return this.size(0);
  }

  memoryBytes(): number {
    return this.insn.memoryBytes;
  }

  /** Operand i for reading and writing. `size` overrides what the operand says (immediates have none). */
  place(i: number): OperandPlace {
    const { insn } = this;
    if (insn.isRegister(i)) {
      const info = this.gpr(insn.register(i));
      return new OperandPlace(this, info.bytes, info, null);
    }
    const address = this.address();
    return new OperandPlace(this, this.memoryBytes() as Size, null, address);
  }

  /** Operand i as a value of its own size; an immediate takes the size of operand 0, or `size`. */
  read(i: number, size?: Size): Value {
    const { insn } = this;
    if (insn.isImmediate(i)) return this.constant(insn.immediate(i), size ?? this.size(0));
    if (insn.isRegister(i)) return this.readGpr(this.gpr(insn.register(i)));
    return this.load(this.memoryBytes() as Size, this.address());
  }

  write(i: number, value: Value): void {
    const { insn } = this;
    if (insn.isRegister(i)) this.writeGpr(this.gpr(insn.register(i)), value);
    else this.store(this.memoryBytes() as Size, this.address(), value);
  }

  readGpr(info: GprInfo): Value {
    const b = this.b;
    const full = b.get(info.slot);
    if (info.bytes === 8) return full;
    const low = b.wrap(full);
    if (info.bytes === 4) return low;
    if (info.high) return b.op('i32.and', b.op('i32.shr_u', low, b.i32(8)), b.i32(0xff));
    return b.op('i32.and', low, b.i32(info.bytes === 1 ? 0xff : 0xffff));
  }

  /**
   * Writes 1, 2, 4 or 8 bytes; 4-byte writes clear the upper half, narrower ones keep the rest. The value may have junk
   * above its size.
   */
  writeGpr(info: GprInfo, value: Value): void {
    const b = this.b;
    if (info.bytes === 8) return b.set(info.slot, value);
    if (info.bytes === 4) return b.set(info.slot, b.extend(value));
    const mask = info.bytes === 2 ? 0xffff : 0xff;
    const shift = info.high ? 8 : 0;
    const kept = b.op('i64.and', b.get(info.slot), b.i64(~(BigInt(mask) << BigInt(shift))));
    const wide = b.extend(b.op('i32.and', value, b.i32(mask)));
    const placed = shift === 0 ? wide : b.op('i64.shl', wide, b.i64(shift));
    b.set(info.slot, b.op('i64.or', kept, placed));
  }

  /** A constant of a size: i64 for 8, else i32 zero-extended to that size. */
  constant(value: number | bigint, size: Size): Value {
    if (size === 8) return this.b.i64(value);
    const low = typeof value === 'number' ? value : Number(BigInt.asIntN(32, value));
    return this.b.i32(size === 4 ? low : low & (size === 1 ? 0xff : 0xffff));
  }

  /** `op` on operands of a size: '<type>.op', with the result cut to the size again (8 and 16 bits). */
  arith(op: WidthOp, size: Size, x: Value, y: Value): Value {
    if (size === 8) return this.b.op(OPS_64[op], x, y);
    return this.cut(this.b.op(OPS_32[op], x, y), size);
  }

  /** A small constant of the type that values of a size have. */
  small(value: number, size: Size): Value {
    return size === 8 ? this.b.i64(value) : this.b.i32(value);
  }

  /** 1 if a value of a size is 0. */
  isZero(value: Value, size: Size): Value {
    return this.b.op(size === 8 ? 'i64.eqz' : 'i32.eqz', value);
  }

  /** Chooses between two values of a size. */
  select(size: Size, yes: Value, no: Value, condition: Value): Value {
    return this.b.op(size === 8 ? 'i64.select' : 'i32.select', yes, no, condition);
  }

  /** Zero-extends the low `size` bytes of an i32 (nothing to do for 4), or passes an i64 on. */
  cut(value: Value, size: Size): Value {
    if (size >= 4) return value;
    return this.b.op('i32.and', value, this.b.i32(size === 1 ? 0xff : 0xffff));
  }

  /** An i32 known to be small and not negative, as the type that values of a size have. */
  to(size: Size, value: Value): Value {
    return size === 8 ? this.b.extend(value) : value;
  }

  /** A value of a size, zero-extended to i64. */
  to64(value: Value, size: Size): Value {
    return size === 8 ? value : this.b.extend(value);
  }

  /** A value of a size, sign-extended to i64. */
  signed64(value: Value, size: Size): Value {
    return size === 8 ? value : this.b.op('i64.extend_i32_s', this.signed32(value, size));
  }

  /** A value of 1, 2 or 4 bytes, sign-extended to i32. */
  signed32(value: Value, size: Size): Value {
    if (size === 1) return this.b.op('i32.extend8_s', value);
    return size === 2 ? this.b.op('i32.extend16_s', value) : value;
  }

  /** Flags by kind and operand size (ir/flags.ts); operands of the given size, extended here. */
  setFlags(kind: CcKind, size: Size, x: Value, y?: Value, z?: Value): void {
    this.b.setFlags(this.b.i32(ccOp(kind, size)), this.wide(x), y === undefined ? y : this.wide(y), z === undefined ? z : this.wide(z));
  }

  private wide(value: Value): Value {
    return this.b.def(value).result === 'i64' ? value : this.b.extend(value);
  }

  // ---- SSE operands

  /** A whole XMM register, or `bytes` (4, 8 or 16) of memory in the low lanes with zeros above. */
  readXmm(i: number, bytes: 4 | 8 | 16 = 16): Value {
    const { insn, b } = this;
    if (insn.isRegister(i)) {
      if (!isXmm(insn.register(i))) unreachable('not an XMM register');
      return b.get(xmmSlot(insn.register(i)));
    }
    const address = this.address();
    if (bytes === 16) return this.load(16, address);
    const zero = b.v128(new Uint8Array(16));
    if (bytes === 8) return b.op('i64x2.replace_lane.0', zero, this.load(8, address));
    return b.op('i32x4.replace_lane.0', zero, this.load(4, address));
  }

  writeXmm(i: number, value: Value): void {
    this.b.set(xmmSlot(this.insn.register(i)), value);
  }

  gpr(register: Register): GprInfo {
    return gprInfo(register) ?? unreachable(`not a general register: ${register}`);
  }

  private address32(displacement: number): Value {
    const { b, insn } = this;
    let sum = b.i32(displacement);
    const base = gprInfo(insn.memoryBase);
    if (base !== undefined) sum = b.op('i32.add', b.wrap(b.get(base.slot)), sum);
    const index = gprInfo(insn.memoryIndex);
    if (index !== undefined) {
      const scaled = b.op('i32.shl', b.wrap(b.get(index.slot)), b.i32(insn.scaleShift));
      sum = b.op('i32.add', sum, scaled);
    }
    return b.extend(sum);
  }

  /** Adds the base of the segment that the instruction names. */
  segmented(address: Address): Address {
    const segment = this.insn.segmentPrefix;
    if (segment !== Register.FS && segment !== Register.GS) return address;
    const base = this.b.get(segment === Register.FS ? FS_BASE : GS_BASE);
    return { base: this.b.op('i64.add', base, address.base), disp: address.disp };
  }
}
