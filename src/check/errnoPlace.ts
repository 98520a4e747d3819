/**
 * Where the errno of a thread is: functions that we stand in for say why they fail as the C library's do. C libraries
 * have a function that returns its address, a sum of the thread's pointer and a number; it is read off the function's
 * few instructions, in whatever order they are.
 */
import { Decoder, DecoderOptions, type Instruction, Mnemonic, OpKind, Register } from 'iced-x86';
import { FS_BASE } from '../layout/cpuState.js';
import type { Process } from '../linux/process.js';
import type { AddressSpace } from '../machine/addressSpace.js';
import { StoredElfs } from '../replay/play/storedElfs.js';

const FUNCTION = '__errno_location';
const BITS = 64;
/** The function is shorter. */
const LONGEST = 40;
const MOST_INSTRUCTIONS = 6;

/** Looks for it when it is first asked: few programs ever need it. */
export class ErrnoPlace {
  private functionAddress: number | undefined;

  constructor(private readonly process: Process) {}

  /** Sets errno of the thread that is running. Where there is no C library that we understand, nothing is set. */
  set(error: number): void {
    const { space, cpu } = this.process;
    this.functionAddress ??= findFunction(space);
    const address = this.functionAddress === undefined ? undefined : resultOf(space, this.functionAddress, cpu.big(FS_BASE));
    if (address !== undefined && space.resolve(Number(address), 4, 'write').ok) space.writeU32(Number(address), error);
  }
}

function findFunction(space: AddressSpace): number | undefined {
  const elfs = new StoredElfs();
  for (const m of space.mappings()) {
    const elf = m.file !== undefined && m.fileOffset === 0 ? elfs.of(m.file) : undefined;
    const symbol = elf?.symbols.find(FUNCTION);
    if (elf !== undefined && symbol !== undefined && symbol.address !== 0) return symbol.address + m.start - (elf.loads[0]?.address ?? 0);
  }
  return undefined;
}

/** What the function returns; undefined if it does something that we do not expect. */
function resultOf(space: AddressSpace, address: number, threadPointer: bigint): bigint | undefined {
  const code = space.peek(address, LONGEST);
  if (code === null) return undefined;
  const decoder = new Decoder(BITS, code, DecoderOptions.None);
  decoder.ip = BigInt(address);
  let rax: bigint | undefined;
  for (let i = 0; i < MOST_INSTRUCTIONS; i++) {
    const instruction = decoder.decode();
    const { mnemonic, op0Register } = instruction;
    const isOnRax = op0Register === Register.RAX;
    if (mnemonic === Mnemonic.Ret) break;
    const operand = isOnRax ? operandOf(instruction, space, threadPointer, rax) : undefined;
    if (mnemonic === Mnemonic.Endbr64) continue;
    rax = mnemonic === Mnemonic.Mov || mnemonic === Mnemonic.Lea ? operand : mnemonic === Mnemonic.Add && rax !== undefined && operand !== undefined ? BigInt.asUintN(BITS, rax + operand) : undefined;
    if (rax === undefined) break;
  }
  decoder.free();
  return rax;
}

/**
 * The second operand: a number, a word of memory beside the code, the thread's pointer, or (of lea) an address near the
 * first.
 */
function operandOf(instruction: Instruction, space: AddressSpace, threadPointer: bigint, rax: bigint | undefined): bigint | undefined {
  const { op1Kind, memoryBase, memoryIndex, memoryDisplacement, memorySegment, mnemonic } = instruction;
  if (op1Kind !== OpKind.Memory) return isImmediate(op1Kind) ? BigInt.asUintN(BITS, instruction.immediate(1)) : undefined;
  if (mnemonic === Mnemonic.Lea) return memoryBase === Register.RAX && memoryIndex === Register.None && rax !== undefined ? BigInt.asUintN(BITS, rax + memoryDisplacement) : undefined;
  if (memorySegment === Register.FS) return memoryBase === Register.None && memoryIndex === Register.None && memoryDisplacement === 0n ? threadPointer : undefined;
  const word = instruction.isIpRelMemoryOperand ? space.peek(Number(memoryDisplacement), 8) : null;
  return word === null ? undefined : new DataView(word.buffer, word.byteOffset).getBigUint64(0, true);
}

function isImmediate(kind: OpKind): boolean {
  return kind >= OpKind.Immediate8 && kind <= OpKind.Immediate32to64;
}
