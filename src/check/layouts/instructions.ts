/** Instructions of a function, with where in them the parts are that patches change. */
import { Code, Decoder, DecoderOptions, type Instruction } from 'iced-x86';

interface Field {
  readonly at: number;
  /** 0: there is none. */
  readonly bytes: number;
}

const BITS = 64;

/** False: not all of it is instructions. `visit` is given where the displacement lies. */
export function eachInstruction(code: Uint8Array, address: number, visit: (instruction: Instruction, displacement: Field) => void): boolean {
  const decoder = new Decoder(BITS, code, DecoderOptions.None);
  decoder.ip = BigInt(address);
  let isValid = true;
  while (isValid && decoder.canDecode) {
    const at = address + decoder.position;
    const instruction = decoder.decode();
    const offsets = decoder.getConstantOffsets(instruction);
    isValid = instruction.code !== Code.INVALID;
    if (isValid) visit(instruction, { at: at + offsets.displacementOffset, bytes: offsets.displacementSize });
    offsets.free();
    instruction.free();
  }
  decoder.free();
  return isValid;
}
