/** Where a function returns: its `ret` instructions, found by decoding it from its beginning to its end. */
import { Decoder, DecoderOptions, Instruction, Mnemonic } from 'iced-x86';

export function returnsIn(code: Uint8Array, address: number): number[] {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  decoder.ip = BigInt(address);
  const found: number[] = [];
  while (decoder.canDecode) {
    decoder.decodeOut(instruction);
    if (instruction.mnemonic === Mnemonic.Ret) found.push(Number(instruction.ip));
  }
  instruction.free();
  decoder.free();
  return found;
}
