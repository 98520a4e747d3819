/** Where a function returns: its `ret` instructions, found by decoding it from its beginning to its end. */
import { Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic } from 'iced-x86';
import { type GuestAddr, guestAddr } from '../base/types.js';

export function returnsIn(code: Uint8Array, address: GuestAddr): GuestAddr[] {
  const found: GuestAddr[] = [];
  eachInstruction(code, address, (instruction) => {
    if (instruction.mnemonic === Mnemonic.Ret) found.push(guestAddr(Number(instruction.ip)));
  });
  return found;
}

/** Where it jumps to outside of itself: to functions that return in its place, or to parts of it that lie elsewhere. */
export function jumpsOutOf(code: Uint8Array, address: GuestAddr): GuestAddr[] {
  const found = new Set<GuestAddr>();
  eachInstruction(code, address, (instruction) => {
    const { flowControl } = instruction;
    if (flowControl !== FlowControl.UnconditionalBranch && flowControl !== FlowControl.ConditionalBranch) return;
    const target = guestAddr(Number(instruction.nearBranchTarget));
    if (target < address || target >= address + code.length) found.add(target);
  });
  return [...found];
}

/**
 * Where it jumps to an address that is only known then: to a case of a switch, or to another function that returns in
 * its place.
 */
export function indirectJumpsIn(code: Uint8Array, address: GuestAddr): GuestAddr[] {
  const found: GuestAddr[] = [];
  eachInstruction(code, address, (instruction) => {
    if (instruction.flowControl === FlowControl.IndirectBranch) found.push(guestAddr(Number(instruction.ip)));
  });
  return found;
}

function eachInstruction(code: Uint8Array, address: GuestAddr, visit: (instruction: Instruction) => void): void {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  decoder.ip = BigInt(address);
  while (decoder.canDecode) {
    decoder.decodeOut(instruction);
    visit(instruction);
  }
  instruction.free();
  decoder.free();
}
