/** Where a pointer is that an instruction is about to use. */
import { Decoder, DecoderOptions, type Instruction, Register } from 'iced-x86';
import { guestAddr } from '../../base/types.js';
import type { Place } from '../../flow/copies/place.js';
import { GPR, RAX, RDI, RIP, type Slot } from '../../layout/cpuState.js';
import type { State } from '../../replay/timeline/state.js';
import { ARGUMENTS } from '../calls/arguments.js';

const SYSTEM_CALL_ARGUMENTS: readonly string[] = ['rdi', 'rsi', 'rdx', 'r10', 'r8', 'r9'];
const LONGEST = 15;
const BITS = 64;
/** What can be between a pointer and the address that is made of it. */
const NEAR = 1n << 31n;

/**
 * `address`: what is about to be accessed; undefined: the pointer is the first argument of a function that has just
 * been called.
 */
export function pointerPlace(state: State, thread: number, address: bigint | undefined): Place | undefined {
  if (address === undefined) return place(RDI);
  const words = state.cpuWords(thread);
  if (words === undefined) return undefined;
  const valueOf = (slot: Slot): bigint => (BigInt(words[slot.offset / 4 + 1] as number) << 32n) | BigInt(words[slot.offset / 4] as number);
  const rip = valueOf(RIP);
  const code = guestAddr(Number(rip));
  const bytes = state.read(thread, code, LONGEST) ?? state.read(thread, code, 1);
  if (bytes === null) return undefined;
  const candidates = addressRegisters(bytes, rip);
  // Where a variable of the frame is indexed, it is the index that is wrong.
  if (candidates.length === 2 && candidates[0]?.name === 'rbp') return place(candidates[1] as Slot);
  const distance = (slot: Slot): bigint => {
    const difference = address - valueOf(slot);
    return difference < 0n ? -difference : difference;
  };
  const nearest = candidates.filter((slot) => distance(slot) < NEAR).sort((a, b) => Number(distance(a) - distance(b)))[0];
  // A null pointer is as near to its address as an index is.
  return nearest === undefined ? undefined : place(address < NEAR ? (candidates[0] as Slot) : nearest);
}

/**
 * Of a function that has just been called the argument that has a value, or of one that has just returned the result.
 */
export function passedPlace(state: State, thread: number, kind: 'call' | 'ret', value: bigint): Place | undefined {
  const passed = (kind === 'call' ? ARGUMENTS : [RAX]).find(({ name }) => state.register(thread, name) === value);
  return passed && place(passed);
}

/** The argument of a system call that has an address, or leads to one that is behind it. */
export function systemCallPlace(state: State, thread: number, address: bigint): Place | undefined {
  const candidates = SYSTEM_CALL_ARGUMENTS.flatMap((name) => {
    const [slot, value] = [GPR.find((candidate) => candidate.name === name), state.register(thread, name)];
    return slot === undefined || value === undefined || value > address || address - value >= NEAR ? [] : [{ slot, value }];
  });
  const nearest = candidates.sort((a, b) => Number(b.value - a.value))[0];
  return nearest && place(nearest.slot);
}

function place({ offset }: Slot): Place {
  return { kind: 'register', offset, size: 8 };
}

/** The registers that the instruction makes an address of: base before index. */
function addressRegisters(bytes: Uint8Array, rip: bigint): Slot[] {
  const decoder = new Decoder(BITS, bytes, DecoderOptions.None);
  decoder.ip = rip;
  const instruction = decoder.decode();
  const registers = usedRegisters(instruction);
  instruction.free();
  decoder.free();
  return registers.flatMap((register) => {
    const slot = register >= Register.RAX && register <= Register.R15 ? GPR[register - Register.RAX] : undefined;
    return slot === undefined ? [] : [slot];
  });
}

function usedRegisters(instruction: Instruction): Register[] {
  const isString = instruction.memoryBase === Register.None && instruction.memoryIndex === Register.None;
  return isString ? [Register.RDI, Register.RSI] : [instruction.memoryBase, instruction.memoryIndex];
}
