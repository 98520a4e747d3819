/** The memory that an instruction is about to access: what to tell of one that has faulted. */
import { Decoder, DecoderOptions, type Instruction, InstructionInfoFactory, OpAccess, Register, type UsedMemory } from 'iced-x86';
import { type GuestAddr, guestAddr } from '../base/types.js';

interface MemoryOperand {
  readonly address: GuestAddr;
  readonly isWrite: boolean;
}

const NAMES = ['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'];

/** `register` has the values, by the names of 64-bit registers and `fs_base`, `gs_base`. */
export function memoryOperands(code: Uint8Array, address: number, register: (name: string) => bigint): MemoryOperand[] {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  decoder.ip = BigInt(address);
  const instruction = decoder.decode();
  const factory = new InstructionInfoFactory();
  const info = factory.info(instruction);
  const used = info.usedMemory() as UsedMemory[];
  const operands = used.filter(({ access }) => access !== OpAccess.None && access !== OpAccess.NoMemAccess).map((memory) => operandOf(memory, instruction, register));
  for (const one of [...used, info, factory, instruction, decoder]) one.free();
  return operands;
}

function operandOf(memory: UsedMemory, instruction: Instruction, register: (name: string) => bigint): MemoryOperand {
  const { base, index, scale, displacement, segment, access } = memory;
  const start = segment === Register.FS ? register('fs_base') : segment === Register.GS ? register('gs_base') : 0n;
  const sum = start + valueOf(base, instruction, register) + valueOf(index, instruction, register) * BigInt(scale) + displacement;
  const isWrite = access === OpAccess.Write || access === OpAccess.CondWrite || access === OpAccess.ReadWrite || access === OpAccess.ReadCondWrite;
  return { address: guestAddr(Number(BigInt.asUintN(64, sum))), isWrite };
}

function valueOf(number: number, instruction: Instruction, register: (name: string) => bigint): bigint {
  const wide = NAMES[number - Register.RAX];
  if (number >= Register.RAX && wide !== undefined) return register(wide);
  const narrow = NAMES[number - Register.EAX];
  if (number >= Register.EAX && number < Register.RAX && narrow !== undefined) return register(narrow) & 0xffff_ffffn;
  return number === Register.RIP ? instruction.nextIP : 0n;
}
