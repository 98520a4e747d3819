/**
 * One decoded instruction. Every property of iced-x86's Instruction is a call into its WebAssembly
 * module, and translation would spend most of its time there; so we read the fields where they lie in
 * that module's memory. The layout is that of the one version that package.json asks for, and is
 * compared with the official properties whenever an Insn is made.
 */
import * as iced from 'iced-x86';
import { Decoder, DecoderOptions, type Instruction, MemorySizeExt, OpKind, Register } from 'iced-x86';
import { assert } from '../base/assert.js';
import { type GuestAddr, guestAddr } from '../base/types.js';

const TWO_32 = 0x1_0000_0000;

/** Offsets in the memory of an Instruction. */
const AT = { displacement: 16, kinds: 24, flags: 28, immediate: 32, registers: 36, code: 40, scale: 42, base: 43, index: 44, displSize: 45, length: 46 } as const;
/** Bits of `flags`. */
const SEGMENT_SHIFT = 5;
const SEGMENT_MASK = 7;
const REP = 0x2000_0000;
const REPNE = 0x4000_0000;

interface IcedInternals {
  readonly __wasm: { readonly memory: WebAssembly.Memory };
}

/** The memory of iced-x86's module; the package is CommonJS, so it may hide behind `default`. */
export function icedMemory(): WebAssembly.Memory {
  const direct = iced as unknown as Partial<IcedInternals> & { readonly default?: IcedInternals };
  const wasm = direct.__wasm ?? direct.default?.__wasm;
  assert(wasm !== undefined, 'iced-x86 shows its memory');
  return wasm.memory;
}

/** More than there are codes in iced-x86. */
const CODES = 8192;
const UNKNOWN = -1;

export class Insn {
  address = guestAddr(0);
  next = guestAddr(0);
  length = 0;
  mnemonic = 0;
  code = 0;
  opCount = 0;
  // What follows from the code alone is asked for once.
  private readonly mnemonics = new Int16Array(CODES).fill(UNKNOWN);
  private readonly opCounts = new Int8Array(CODES);
  private readonly memorySizes = new Int16Array(CODES).fill(UNKNOWN);
  private readonly stackIncrements = new Int16Array(CODES).fill(UNKNOWN);
  private readonly memory = icedMemory();
  private readonly at: number;
  private bytes = new Uint8Array(this.memory.buffer);
  private words = new Int32Array(this.memory.buffer);

  constructor(readonly raw: Instruction) {
    this.at = (raw as unknown as { readonly __wbg_ptr: number }).__wbg_ptr;
    this.checkLayout();
  }

  /** Takes over what the decoder has just put into `raw`. False if it is no instruction. */
  refresh(address: GuestAddr): boolean {
    const code = this.byte(AT.code) | (this.byte(AT.code + 1) << 8);
    this.code = code;
    this.length = this.byte(AT.length);
    this.address = address;
    this.next = guestAddr(address + this.length);
    this.mnemonic = this.mnemonics[code] as number;
    if (this.mnemonic === UNKNOWN) this.meet(code);
    this.opCount = this.opCounts[code] as number;
    return code !== 0;
  }

  kind(i: number): OpKind {
    return this.byte(AT.kinds + i) as OpKind;
  }

  register(i: number): Register {
    return this.byte(AT.registers + i) as Register;
  }

  isRegister(i: number): boolean {
    return this.byte(AT.kinds + i) === OpKind.Register;
  }

  isMemory(i: number): boolean {
    return this.byte(AT.kinds + i) === OpKind.Memory;
  }

  isImmediate(i: number): boolean {
    const kind = this.byte(AT.kinds + i);
    return kind >= OpKind.Immediate8 && kind <= OpKind.Immediate32to64;
  }

  /** The low 32 bits of an immediate, signed. */
  immediate32(i: number): number {
    const word = this.word(AT.immediate);
    switch (this.kind(i)) {
      case OpKind.Immediate8:
        return word & 0xff;
      case OpKind.Immediate8_2nd:
        return this.byte(AT.displacement);
      case OpKind.Immediate16:
        return word & 0xffff;
      case OpKind.Immediate8to16:
      case OpKind.Immediate8to32:
      case OpKind.Immediate8to64:
        return (word << 24) >> 24;
      default:
        return word;
    }
  }

  /**
   * An immediate, extended as the instruction extends it to 64 bits: a number where it is exact, which is all but some
   * mov r64, imm64.
   */
  immediate(i: number): number | bigint {
    const low = this.immediate32(i);
    const kind = this.kind(i);
    if (kind === OpKind.Immediate32) return low >>> 0;
    if (kind !== OpKind.Immediate64) return low;
    return join(low, this.word(AT.displacement));
  }

  /** Target of a direct near branch or call. */
  get branchTarget(): GuestAddr {
    return guestAddr(this.displacement as number);
  }

  get memoryBase(): Register {
    return this.byte(AT.base) as Register;
  }

  get memoryIndex(): Register {
    return this.byte(AT.index) as Register;
  }

  /** Logarithm of the index's scale. */
  get scaleShift(): number {
    return this.byte(AT.scale);
  }

  /** The displacement, or the whole address if it is relative to rip; signed, a number where that is exact. */
  get displacement(): number | bigint {
    return join(this.word(AT.displacement), this.word(AT.displacement + 4));
  }

  /** The address size is 32 bits although there is no register to tell. */
  get hasShortDisplacement(): boolean {
    return this.byte(AT.displSize) === 3;
  }

  get segmentPrefix(): Register {
    const n = (this.word(AT.flags) >>> SEGMENT_SHIFT) & SEGMENT_MASK;
    return (n === 0 ? Register.None : Register.ES + n - 1) as Register;
  }

  get hasRep(): boolean {
    return (this.word(AT.flags) & REP) !== 0;
  }

  get hasRepne(): boolean {
    return (this.word(AT.flags) & REPNE) !== 0;
  }

  /** Of push and pop and their like, where the code tells. */
  get stackPointerIncrement(): number {
    const known = this.stackIncrements[this.code] as number;
    return known !== UNKNOWN ? known : (this.stackIncrements[this.code] = this.raw.stackPointerIncrement);
  }

  /** Bytes of the memory operand. */
  get memoryBytes(): number {
    const known = this.memorySizes[this.code] as number;
    return known !== UNKNOWN ? known : (this.memorySizes[this.code] = MemorySizeExt.size(this.raw.memorySize));
  }

  private meet(code: number): void {
    this.mnemonic = this.mnemonics[code] = this.raw.mnemonic;
    this.opCounts[code] = this.raw.opCount;
  }

  private byte(offset: number): number {
    if (this.bytes.length === 0) this.lookAgain();
    return this.bytes[this.at + offset] as number;
  }

  private word(offset: number): number {
    if (this.words.length === 0) this.lookAgain();
    return this.words[(this.at + offset) >> 2] as number;
  }

  /** The module's memory has grown: any call of iced may do that, also in the middle of an instruction. */
  private lookAgain(): void {
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }

  /** mov rax, fs:[rbx + rcx*4 + 12345678h] must read the same both ways. */
  private checkLayout(): void {
    const { raw } = this;
    const decoder = new Decoder(64, Uint8Array.of(0x64, 0x48, 0x8b, 0x84, 0x8b, 0x78, 0x56, 0x34, 0x12), DecoderOptions.None);
    decoder.decodeOut(raw);
    decoder.free();
    this.refresh(guestAddr(0));
    const same = this.code === raw.code && this.length === raw.length && this.kind(1) === raw.opKind(1) && this.register(0) === raw.opRegister(0) &&
      this.memoryBase === raw.memoryBase && this.memoryIndex === raw.memoryIndex && 1 << this.scaleShift === raw.memoryIndexScale &&
      BigInt(this.displacement) === raw.memoryDisplacementU64 && this.segmentPrefix === raw.segmentPrefix;
    assert(same, 'iced-x86 lays its instructions out as we expect');
  }
}

/** A signed 64-bit number from its halves. */
function join(low: number, high: number): number | bigint {
  if (high >= -0x20_0000 && high < 0x20_0000) return high * TWO_32 + (low >>> 0);
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}
