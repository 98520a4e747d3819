/**
 * One decoded instruction. A thin reader over iced-x86's Instruction: every property there is a
 * call into another WebAssembly module, so what is read often is read once, here.
 */
import { type Instruction, OpKind, Register } from 'iced-x86';
import type { GuestAddr } from '../base/types.js';
import { guestAddr } from '../base/types.js';

export class Insn {
  address = guestAddr(0);
  next = guestAddr(0);
  length = 0;
  mnemonic = 0;
  code = 0;
  opCount = 0;
  private readonly kinds = new Int32Array(5);
  private readonly registers = new Int32Array(5);

  constructor(readonly raw: Instruction) {}

  /** Takes over what the decoder has just put into `raw`. */
  refresh(address: GuestAddr): void {
    const raw = this.raw;
    this.address = address;
    this.length = raw.length;
    this.next = guestAddr(address + this.length);
    this.mnemonic = raw.mnemonic;
    this.code = raw.code;
    this.opCount = raw.opCount;
    for (let i = 0; i < this.opCount; i++) {
      const kind = raw.opKind(i);
      this.kinds[i] = kind;
      this.registers[i] = kind === OpKind.Register ? raw.opRegister(i) : Register.None;
    }
  }

  kind(i: number): OpKind {
    return this.kinds[i] as OpKind;
  }

  register(i: number): Register {
    return this.registers[i] as Register;
  }

  isRegister(i: number): boolean {
    return this.kinds[i] === OpKind.Register;
  }

  isMemory(i: number): boolean {
    return this.kinds[i] === OpKind.Memory;
  }

  isImmediate(i: number): boolean {
    const kind = this.kinds[i] as number;
    return kind >= OpKind.Immediate8 && kind <= OpKind.Immediate32to64;
  }

  /** An immediate, sign-extended as the instruction extends it, as a signed 64-bit value. */
  immediate(i: number): bigint {
    return BigInt.asIntN(64, this.raw.immediate(i));
  }

  /** The low 32 bits of an immediate, signed. */
  immediate32(i: number): number {
    return Number(BigInt.asIntN(32, this.raw.immediate(i)));
  }

  /** Target of a direct near branch or call. */
  get branchTarget(): GuestAddr {
    return guestAddr(Number(this.raw.nearBranch64));
  }
}
