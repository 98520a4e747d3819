/** Instructions that are atomic by themselves: with a lock prefix, or an exchange with memory, which needs none. */
import { Decoder, DecoderOptions, Instruction, MemorySizeExt, Mnemonic, OpKind, Register } from 'iced-x86';
import { type GuestAddr, guestAddr } from '../base/types.js';

interface AtomicInstruction {
  readonly address: GuestAddr;
  /** Bytes of memory that it accesses. */
  readonly bytes: number;
  /** Where its memory is, if registers are what `read` says. */
  place(read: ReadRegister): bigint;
  /** Of a compare and exchange: what has to be in memory for it to write anything. */
  expected?(read: ReadRegister): bigint;
}

type ReadRegister = (name: string) => bigint;

const NAMES = ['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'];

/** In code that begins at an address, from its first instruction on. */
export function atomicsIn(code: Uint8Array, address: number): AtomicInstruction[] {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  const found: AtomicInstruction[] = [];
  decoder.ip = BigInt(address);
  while (decoder.canDecode) {
    decoder.decodeOut(instruction);
    if (isAtomic(instruction)) found.push(described(instruction));
  }
  instruction.free();
  decoder.free();
  return found;
}

/** The first instruction of some bytes, if it is one. */
export function atomicAt(code: Uint8Array, address: number): AtomicInstruction | undefined {
  const [first] = atomicsIn(code, address);
  return first?.address === address ? first : undefined;
}

function isAtomic(instruction: Instruction): boolean {
  if (instruction.hasLockPrefix) return true;
  return instruction.mnemonic === Mnemonic.Xchg && (instruction.op0Kind === OpKind.Memory || instruction.op1Kind === OpKind.Memory);
}

function described(instruction: Instruction): AtomicInstruction {
  const { memoryBase, memoryIndex, memoryIndexScale, memoryDisplacement, memorySegment, mnemonic } = instruction;
  const [base, index] = [nameOf(memoryBase), nameOf(memoryIndex)];
  const segment = memorySegment === Register.FS ? 'fs_base' : memorySegment === Register.GS ? 'gs_base' : undefined;
  const bytes = MemorySizeExt.size(instruction.memorySize);
  const expected = expectedBy(mnemonic, bytes);
  return {
    address: guestAddr(Number(instruction.ip)),
    bytes,
    ...(expected === undefined ? {} : { expected }),
    place: (read) => {
      const [start, offset, inSegment] = [base, index, segment].map((name) => (name === undefined ? 0n : read(name))) as [bigint, bigint, bigint];
      // Of what is relative to rip, the displacement is the whole address.
      return BigInt.asUintN(64, start + offset * BigInt(memoryIndexScale) + memoryDisplacement + inSegment);
    },
  };
}

function expectedBy(mnemonic: Mnemonic, bytes: number): AtomicInstruction['expected'] {
  if (mnemonic === Mnemonic.Cmpxchg) return (read) => BigInt.asUintN(bytes * 8, read('rax'));
  if (mnemonic !== Mnemonic.Cmpxchg8b && mnemonic !== Mnemonic.Cmpxchg16b) return undefined;
  const bits = bytes * 4;
  return (read) => BigInt.asUintN(bits, read('rax')) | (BigInt.asUintN(bits, read('rdx')) << BigInt(bits));
}

function nameOf(register: Register): string | undefined {
  return NAMES[register - Register.RAX];
}
