/** Where calls return to, as far as the bytes of code say: right before such an address is a call instruction. */
import { Decoder, DecoderOptions, FlowControl } from 'iced-x86';

const BITS = 64;
/** Of call instructions, without prefixes that nobody uses. */
const SHORTEST = 2;
const LONGEST = 9;

/** `fetch`: as many bytes of code as there are. */
export function isAfterCall(fetch: (address: number, length: number) => Uint8Array, address: number): boolean {
  for (let length = SHORTEST; length <= LONGEST && length <= address; length++) {
    const code = fetch(address - length, length);
    if (code.length === length && isCall(code)) return true;
  }
  return false;
}

/** Whether the bytes are one call instruction, all of them. */
function isCall(code: Uint8Array): boolean {
  // Most lengths are ruled out without asking anybody.
  if (!code.includes(0xe8) && !code.includes(0xff)) return false;
  const decoder = new Decoder(BITS, code, DecoderOptions.None);
  const instruction = decoder.decode();
  const { flowControl } = instruction;
  const isWhole = instruction.length === code.length && (flowControl === FlowControl.Call || flowControl === FlowControl.IndirectCall);
  instruction.free();
  decoder.free();
  return isWhole;
}
