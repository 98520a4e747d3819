/** One instruction of the program as gdb shows it, with names for what it refers to. */
import { showInstruction, type Flavor } from '../../x86/attSyntax.js';
import { MemoryError } from './expressionError.js';
import { hex, symbolText } from './print/addresses.js';
import type { Surroundings } from './surroundings.js';

export type { Flavor };

const LONGEST = 15;

/** Throws a MemoryError if there is nothing. */
export function instructionText(around: Surroundings, address: bigint, flavor: Flavor): { readonly text: string; readonly length: number; readonly bytes: Uint8Array } {
  const bytes = codeAt(around, address);
  const { text, length, target, refersTo } = showInstruction(bytes, address, flavor);
  const name = target === undefined ? undefined : symbolText(around, target, true);
  const note = refersTo === undefined ? '' : `        # ${[hex(refersTo), symbolText(around, refersTo, true)].filter((part) => part !== undefined).join(' ')}`;
  return { text: `${text}${name === undefined ? '' : ` ${name}`}${note}`, length, bytes: bytes.slice(0, length) };
}

/** As much as there is, up to the longest instruction. */
function codeAt(around: Surroundings, address: bigint): Uint8Array {
  for (let size = LONGEST; size > 0; size--) {
    const bytes = around.memory(address, size);
    if (bytes !== undefined) return bytes;
  }
  throw new MemoryError(address);
}
