/** What an instruction was about to do to memory: the fault names one byte, people want to know of all. */
import { Decoder, DecoderOptions, type Instruction, MemorySizeExt, Register } from 'iced-x86';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { GPR, type Slot } from '../../layout/cpuState.js';
import type { State } from '../../replay/timeline/state.js';

export interface ReportedAccess {
  readonly kind: 'read' | 'write';
  readonly address: bigint;
  /** In bytes; 0 if not known. */
  readonly size: number;
}

const LONGEST = 15;
const BITS = 64;
const WORD = 8;

/** Of the instruction that the thread stands at, and that `address` is the first wrong byte of. */
export function accessAt(state: State, thread: number, kind: 'read' | 'write', address: bigint): ReportedAccess {
  const rip = state.register(thread, 'rip');
  const bytes = rip === undefined ? null : codeAt(state, thread, guestAddr(Number(rip)));
  if (rip === undefined || bytes === null) return { kind, address, size: 0 };
  const decoder = new Decoder(BITS, bytes, DecoderOptions.None);
  decoder.ip = rip;
  const instruction = decoder.decode();
  const access = accessOf(instruction, (slot) => state.register(thread, slot.name) ?? 0n);
  instruction.free();
  decoder.free();
  // Segments and the stack: the address is not in the operand.
  const isThere = access.address !== undefined && access.address <= address && address < access.address + BigInt(Math.max(access.size, 1));
  return { kind, size: access.size, address: isThere ? (access.address as bigint) : address };
}

/** The code may end before the longest instruction would. */
function codeAt(state: State, thread: number, rip: GuestAddr): Uint8Array | null {
  for (let length = LONGEST; length > 0; length--) {
    const bytes = state.read(thread, rip, length);
    if (bytes !== null) return bytes;
  }
  return null;
}

export function accessOf(instruction: Instruction, valueOf: (slot: Slot) => bigint): { readonly address: bigint | undefined; readonly size: number } {
  const known = MemorySizeExt.size(instruction.memorySize);
  const [base, index] = [slotOf(instruction.memoryBase), slotOf(instruction.memoryIndex)];
  if (instruction.isIpRelMemoryOperand) return { address: instruction.memoryDisplacement, size: known };
  if (base === undefined && index === undefined) return { address: undefined, size: known === 0 && instruction.isStackInstruction ? WORD : known };
  const sum = (base === undefined ? 0n : valueOf(base)) + (index === undefined ? 0n : valueOf(index) * BigInt(instruction.memoryIndexScale)) + instruction.memoryDisplacement;
  return { address: BigInt.asUintN(BITS, sum), size: known };
}

function slotOf(register: Register): Slot | undefined {
  return register >= Register.RAX && register <= Register.R15 ? GPR[register - Register.RAX] : undefined;
}
