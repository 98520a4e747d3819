/**
 * The instruction that a thread is about to execute, as far as a crash wants to know it: what it is, and where its
 * operand is.
 */
import { Decoder, DecoderOptions, type Instruction, Mnemonic, OpKind, RegisterExt, Register } from 'iced-x86';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Place } from '../../flow/copies/place.js';
import { GPR, RSP, type Slot } from '../../layout/cpuState.js';
import { accessOf } from '../report/access.js';

export interface DecodedInstruction {
  readonly mnemonic: Mnemonic;
  /** Where its first operand is; of a return, the address that it returns to. */
  readonly operand: Place | undefined;
  /** What it accesses, if that is one place with an address that can be computed. */
  readonly access: { readonly address: bigint; readonly size: number } | undefined;
}

/** All or nothing. */
type ReadMemory = (address: GuestAddr, length: number) => Uint8Array | null;

const BITS = 64;
const WORD = 8;
/** The longest instruction. */
const LONGEST = 15;

/** Undefined where there is no code. */
export function instructionAt(
  rip: bigint,
  read: ReadMemory,
  valueOf: (slot: Slot) => bigint,
): DecodedInstruction | undefined {
  const code = codeAt(guestAddr(Number(rip)), read);
  if (code === undefined) return undefined;
  const decoder = new Decoder(BITS, code, DecoderOptions.None);
  decoder.ip = rip;
  const instruction = decoder.decode();
  const { address, size } = accessOf(instruction, valueOf);
  const access = address === undefined ? undefined : { address, size };
  const { mnemonic } = instruction;
  const result = { mnemonic, access, operand: mnemonic === Mnemonic.Ret ? memory(valueOf(RSP), WORD) : operandOf(instruction, access) };
  instruction.free();
  decoder.free();
  return result;
}

/** Code may end before the longest instruction would. */
function codeAt(rip: GuestAddr, read: ReadMemory): Uint8Array | undefined {
  for (let length = LONGEST; length > 0; length--) {
    const bytes = read(rip, length);
    if (bytes !== null) return bytes;
  }
  return undefined;
}

function operandOf(instruction: Instruction, access: DecodedInstruction['access']): Place | undefined {
  if (instruction.op0Kind === OpKind.Memory) return access && memory(access.address, access.size);
  const { op0Register } = instruction;
  const slot = GPR[RegisterExt.fullRegister(op0Register) - Register.RAX];
  if (instruction.op0Kind !== OpKind.Register || slot === undefined) return undefined;
  const isHigh = op0Register >= Register.AH && op0Register <= Register.BH;
  return { kind: 'register', offset: slot.offset + (isHigh ? 1 : 0), size: RegisterExt.size(op0Register) };
}

function memory(address: bigint, size: number): Place {
  return { kind: 'memory', address: guestAddr(Number(address)), size };
}
