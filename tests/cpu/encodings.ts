/** Turns a form into encoded instructions with concrete operands. */
import { type Code, Decoder, DecoderOptions, Encoder, Instruction, OpCodeOperandKind as Kind, OpKind, Register } from 'iced-x86';
import { assert, unreachable } from '../../src/base/assert.js';
import { absolute, type Addressing, addressing, encodeAddressing } from './addressing.js';
import { chooseImmediate, isUsable } from './operandRules.js';
import type { Form } from './forms.js';
import { MEMORY, type Program, SLOT_SIZE, SLOT_START } from './machineState.js';
import { Random } from './random.js';

/** A program of one instruction, with what the generator of states must know about it. */
export interface Encoding extends Program {
  readonly form: Form;
  readonly memory: Addressing | null;
  /** Registers of the operands that are registers, undefined for others. */
  readonly registers: readonly (Register | undefined)[];
  readonly immediate: bigint | null;
  readonly repeated: boolean;
  /** String instructions with a 67h prefix, and the segment of their source. */
  readonly narrowString: boolean;
  readonly stringSegment: 'fs' | 'gs' | null;
  /** Address of an int3 in the slot that is not simply the next instruction: for branches. */
  readonly target: number;
  /** Bits of iced's RflagsBits. */
  readonly undefinedFlags: number;
  readonly readFlags: number;
  /** Those it gives a value. */
  readonly definedFlags: number;
  /** What the bytes decode to: not always the form they were made for. */
  readonly decodedCode: Code;
}

const REGISTER_OR_MEMORY: ReadonlyMap<Kind, Register> = new Map([
  [Kind.r8_or_mem, Register.AL], [Kind.r16_or_mem, Register.AX], [Kind.r32_or_mem, Register.EAX], [Kind.r64_or_mem, Register.RAX],
  [Kind.mm_or_mem, Register.MM0], [Kind.xmm_or_mem, Register.XMM0],
]);

/** First register of the class an operand must be of. */
const REGISTER_CLASS: ReadonlyMap<Kind, Register> = new Map([
  ...REGISTER_OR_MEMORY,
  [Kind.r8_reg, Register.AL], [Kind.r8_opcode, Register.AL],
  [Kind.r16_reg, Register.AX], [Kind.r16_reg_mem, Register.AX], [Kind.r16_rm, Register.AX], [Kind.r16_opcode, Register.AX],
  [Kind.r32_reg, Register.EAX], [Kind.r32_reg_mem, Register.EAX], [Kind.r32_rm, Register.EAX], [Kind.r32_opcode, Register.EAX],
  [Kind.r64_reg, Register.RAX], [Kind.r64_reg_mem, Register.RAX], [Kind.r64_rm, Register.RAX], [Kind.r64_opcode, Register.RAX],
  [Kind.seg_reg, Register.ES], [Kind.mm_reg, Register.MM0], [Kind.mm_rm, Register.MM0],
  [Kind.xmm_reg, Register.XMM0], [Kind.xmm_rm, Register.XMM0], [Kind.sti_opcode, Register.ST0],
  [Kind.cr_reg, Register.CR0], [Kind.dr_reg, Register.DR0],
]);

const FIXED_REGISTER: ReadonlyMap<Kind, Register> = new Map([
  [Kind.es, Register.ES], [Kind.cs, Register.CS], [Kind.ss, Register.SS], [Kind.ds, Register.DS], [Kind.fs, Register.FS], [Kind.gs, Register.GS],
  [Kind.al, Register.AL], [Kind.cl, Register.CL], [Kind.ax, Register.AX], [Kind.dx, Register.DX], [Kind.eax, Register.EAX],
  [Kind.rax, Register.RAX], [Kind.st0, Register.ST0],
]);

const IMMEDIATE: ReadonlyMap<Kind, { kind: OpKind; bits: number }> = new Map([
  [Kind.imm8, { kind: OpKind.Immediate8, bits: 8 }],
  [Kind.imm8sex16, { kind: OpKind.Immediate8to16, bits: 8 }],
  [Kind.imm8sex32, { kind: OpKind.Immediate8to32, bits: 8 }],
  [Kind.imm8sex64, { kind: OpKind.Immediate8to64, bits: 8 }],
  [Kind.imm16, { kind: OpKind.Immediate16, bits: 16 }],
  [Kind.imm32, { kind: OpKind.Immediate32, bits: 32 }],
  [Kind.imm32sex64, { kind: OpKind.Immediate32to64, bits: 32 }],
  [Kind.imm64, { kind: OpKind.Immediate64, bits: 64 }],
]);

const STRING_KIND: ReadonlyMap<Kind, [wide: OpKind, narrow: OpKind]> = new Map([
  [Kind.seg_rSI, [OpKind.MemorySegRSI, OpKind.MemorySegESI]],
  [Kind.es_rDI, [OpKind.MemoryESRDI, OpKind.MemoryESEDI]],
  [Kind.seg_rDI, [OpKind.MemorySegRDI, OpKind.MemorySegEDI]],
]);

const BRANCH_KINDS: ReadonlySet<Kind> = new Set([Kind.br64_1, Kind.br64_4]);
const MEMORY_KINDS: ReadonlySet<Kind> = new Set([Kind.mem, Kind.mem_offs, Kind.seg_rBX_al]);

/** Registers of a class that user programs can name: 8-bit ones include ah..bh. */
const CLASS_SIZE: ReadonlyMap<Register, number> = new Map([
  [Register.AL, 20], [Register.ES, 6], [Register.MM0, 8], [Register.ST0, 8],
]);

const ATTEMPTS = 40;

export function hasMemoryForm(form: Form): boolean {
  return form.operands.some((k) => REGISTER_OR_MEMORY.has(k) || MEMORY_KINDS.has(k));
}

function hasRegisterForm(form: Form): boolean {
  return !form.operands.some((k) => MEMORY_KINDS.has(k));
}

/** How many different encodings a form deserves, at a given thoroughness (1 = quick). */
export function encodingCount(form: Form, factor: number): number {
  const memory = hasMemoryForm(form) ? 5 : 0;
  const registers = hasRegisterForm(form) ? (form.operands.length === 0 ? 1 : 3) : 0;
  const strings = form.operands.some((k) => STRING_KIND.has(k)) ? 4 : 0;
  return Math.ceil((memory + registers + strings) * factor);
}

/** The slot of the n-th program of a run. */
export function slotAddress(n: number): number {
  return MEMORY.code + n * SLOT_SIZE + SLOT_START;
}

/** The n-th encoding of a form, for a place in the code area. */
export function makeEncoding(form: Form, n: number, seed: string, address: number): Encoding {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const r = new Random(`${seed}/${form.name}/${n}/${attempt}`);
    const made = attemptEncoding(form, n, r, address);
    if (made !== null) return made;
  }
  return unreachable(`no operands found with which ${form.name}/${n} can be encoded`);
}

/** Everything that is decided while operands are filled in. */
interface Draft {
  readonly form: Form;
  readonly n: number;
  readonly r: Random;
  readonly address: number;
  readonly target: number;
  readonly useMemory: boolean;
  memory: Addressing | null;
  immediate: bigint | null;
  readonly registers: (Register | undefined)[];
}

function attemptEncoding(form: Form, n: number, r: Random, address: number): Encoding | null {
  const registerOnly = hasRegisterForm(form);
  const useMemory = hasMemoryForm(form) && (!registerOnly || n % 8 < 5);
  const target = address + (r.oneIn(3) ? -24 : 24);
  const draft: Draft = { form, n, r, address, target, useMemory, memory: null, immediate: null, registers: [] };
  const insn = new Instruction();
  try {
    insn.code = form.code;
    const narrowString = n % 4 === 2;
    form.operands.forEach((kind, i) => fillOperand(insn, kind, i, draft, narrowString));
    const stringSegment = addPrefixes(insn, draft);
    const bytes = isUsable(form, draft.memory, draft.registers) ? encode(insn, address) : null;
    if (bytes === null) return null;
    return { ...finish(draft, bytes), narrowString, stringSegment };
  } finally {
    insn.free();
  }
}

function fillOperand(insn: Instruction, kind: Kind, i: number, d: Draft, narrowString: boolean): void {
  const { form, r } = d;
  const string = STRING_KIND.get(kind);
  const immediate = IMMEDIATE.get(kind);
  const fixed = FIXED_REGISTER.get(kind);
  const first = REGISTER_CLASS.get(kind);
  if (MEMORY_KINDS.has(kind) || (d.useMemory && REGISTER_OR_MEMORY.has(kind))) {
    fillMemory(insn, kind, i, d);
  } else if (string !== undefined) {
    insn.setOpKind(i, string[narrowString ? 1 : 0]);
  } else if (immediate !== undefined || kind === Kind.imm8_const_1) {
    const second = i > 0 && isImmediate(form.operands[i - 1] as Kind);
    const value = kind === Kind.imm8_const_1 ? 1n : chooseImmediate(form, immediate?.bits ?? 8, r);
    insn.setOpKind(i, second ? OpKind.Immediate8_2nd : immediate?.kind ?? OpKind.Immediate8);
    insn.setImmediateI64(i, value);
    d.immediate ??= value;
  } else if (BRANCH_KINDS.has(kind)) {
    insn.setOpKind(i, OpKind.NearBranch64);
    insn.nearBranch64 = BigInt(d.target);
  } else {
    assert(fixed !== undefined || first !== undefined, `operand kind ${kind} of ${form.name} is known`);
    const register = fixed ?? (first as Register) + r.below(CLASS_SIZE.get(first as Register) ?? 16);
    insn.setOpKind(i, OpKind.Register);
    insn.setOpRegister(i, register);
    d.registers[i] = register;
  }
}

function isImmediate(kind: Kind): boolean {
  return IMMEDIATE.has(kind) || kind === Kind.imm8_const_1;
}

function fillMemory(insn: Instruction, kind: Kind, i: number, d: Draft): void {
  const bytes = Math.max(d.form.memory.bytes, 1);
  if (kind === Kind.seg_rBX_al) {
    insn.setOpKind(i, OpKind.Memory);
    insn.memoryBase = Register.RBX;
    insn.memoryIndex = Register.AL;
    return;
  }
  d.memory = kind === Kind.mem_offs ? absolute(d.n, d.r, bytes) : addressing(modeIndex(d), d.r, bytes);
  encodeAddressing(insn, i, d.memory);
}

/** Memory encodings of a form go through the addressing modes one by one; where a form starts depends on its code. */
function modeIndex(d: Draft): number {
  const nth = hasRegisterForm(d.form) ? Math.floor(d.n / 8) * 5 + (d.n % 8) : d.n;
  return nth + d.form.code * 5;
}

function addPrefixes(insn: Instruction, d: Draft): 'fs' | 'gs' | null {
  const { form, n, r } = d;
  const isString = form.operands.some((k) => STRING_KIND.has(k));
  const writesMemory = d.memory !== null && form.operands[0] !== undefined && insn.opKind(0) === OpKind.Memory;
  if (form.lock && writesMemory && r.oneIn(2)) insn.hasLockPrefix = true;
  if (isString && form.rep && n % 2 === 1) insn.hasRepPrefix = true;
  if (isString && form.repne && n % 4 === 3) {
    insn.hasRepPrefix = false;
    insn.hasRepnePrefix = true;
  }
  const hasSource = form.operands.some((k) => k === Kind.seg_rSI || k === Kind.seg_rDI || k === Kind.seg_rBX_al);
  if (!hasSource || !r.oneIn(4)) return null;
  const segment = r.oneIn(2) ? 'fs' : 'gs';
  insn.segmentPrefix = segment === 'fs' ? Register.FS : Register.GS;
  return segment;
}

function encode(insn: Instruction, address: number): Uint8Array | null {
  const encoder = new Encoder(64);
  try {
    encoder.encode(insn, BigInt(address));
    return encoder.takeBuffer();
  } catch {
    // An impossible combination, such as ah with r8.
    return null;
  } finally {
    encoder.free();
  }
}

/** Looks at the bytes again, as the engine will. */
function finish(d: Draft, bytes: Uint8Array): Omit<Encoding, 'narrowString' | 'stringSegment'> {
  const { form, n, address, target, memory, immediate, registers } = d;
  const decoded = decode(bytes, address);
  return {
    name: `${form.name}/${n}`, form, mnemonic: form.mnemonicName, address, bytes, nativeBytes: nativeBytes(form, bytes),
    memory, immediate, target, registers, repeated: decoded.repeated, undefinedFlags: decoded.undefinedFlags, readFlags: decoded.readFlags,
    definedFlags: decoded.definedFlags, decodedCode: decoded.code,
  };
}

/**
 * Without ABM and BMI the F3 in front of bsr and bsf is ignored; the real CPU gets F2 in its place, which it ignores
 * too.
 */
function nativeBytes(form: Form, bytes: Uint8Array): Uint8Array {
  if (form.mnemonicName !== 'lzcnt' && form.mnemonicName !== 'tzcnt') return bytes;
  return bytes.map((b, i) => (b === 0xf3 && i < bytes.indexOf(0x0f) ? 0xf2 : b));
}

interface Decoded {
  readonly code: Code;
  readonly repeated: boolean;
  readonly undefinedFlags: number;
  readonly readFlags: number;
  readonly definedFlags: number;
}

function decode(bytes: Uint8Array, address: number): Decoded {
  const decoder = new Decoder(64, bytes, DecoderOptions.None);
  decoder.ip = BigInt(address);
  const insn = decoder.decode();
  const decoded = {
    code: insn.code, repeated: insn.hasRepPrefix || insn.hasRepnePrefix, undefinedFlags: insn.rflagsUndefined, readFlags: insn.rflagsRead,
    definedFlags: insn.rflagsWritten | insn.rflagsCleared | insn.rflagsSet,
  };
  insn.free();
  decoder.free();
  return decoded;
}
