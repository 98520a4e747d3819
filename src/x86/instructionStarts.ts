/** Where instructions begin in a stretch of code, without what they do: decoding forward is the only way to know. */
import { Decoder, DecoderError, DecoderOptions, Instruction } from 'iced-x86';

interface InstructionStart {
  /** From the beginning of the code. */
  readonly offset: number;
  /** False for a byte that no instruction begins with: then decoding goes on at the next one. */
  readonly isValid: boolean;
}

/** Undefined if the last instruction goes beyond the end. */
export function instructionStarts(code: Uint8Array): InstructionStart[] | undefined {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  const starts: InstructionStart[] = [];
  try {
    while (decoder.canDecode) {
      const offset = decoder.position;
      decoder.decodeOut(instruction);
      if (decoder.lastError === DecoderError.NoMoreBytes) return undefined;
      starts.push({ offset, isValid: !instruction.isInvalid });
      if (instruction.isInvalid) decoder.position = offset + 1;
    }
    return starts;
  } finally {
    instruction.free();
    decoder.free();
  }
}
