/** Instructions of the program as text, with names for what they refer to. */
import { UserError } from '../base/errors.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { type Flavor, showInstruction } from '../x86/attSyntax.js';
import { hex } from './frameText.js';
import { addressName } from '../debugger/values/programSurroundings.js';

export interface InstructionText {
  readonly address: bigint;
  readonly bytes: Uint8Array;
  readonly text: string;
}

const LONGEST = 15;

/** Throws a UserError if there is no memory there. */
export function instructionAt(program: ProgramView, address: bigint, flavor: Flavor): InstructionText {
  const bytes = codeAt(program, address);
  if (bytes === undefined) throw new UserError(`Cannot access memory at address ${hex(address)}`);
  const { text, length, target, refersTo } = showInstruction(bytes, address, flavor);
  const name = target === undefined ? undefined : addressName(program, target);
  const note = refersTo === undefined ? '' : `        # ${hex(refersTo)}${named(program, refersTo)}`;
  return { address, bytes: bytes.slice(0, length), text: `${text}${name === undefined ? '' : ` ${name}`}${note}` };
}

function named(program: ProgramView, address: bigint): string {
  const name = addressName(program, address);
  return name === undefined ? '' : ` ${name}`;
}

/** As much as there is, up to the longest instruction. */
function codeAt(program: ProgramView, address: bigint): Uint8Array | undefined {
  for (let size = LONGEST; size > 0; size--) {
    const bytes = program.memory(address, size);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

/** `x/Ni ADDRESS`, and where the next one begins. */
export function examineInstructions(program: ProgramView, address: bigint, count: number, current: bigint | undefined, flavor: Flavor): { readonly text: string; readonly next: bigint } {
  let text = '';
  let at = address;
  for (let i = 0; i < count; i++) {
    const instruction = instructionAt(program, at, flavor);
    text += `${at === current ? '=> ' : '   '}${hex(at)}${named(program, at)}:\t${instruction.text}\n`;
    at += BigInt(instruction.bytes.length);
  }
  return { text, next: at };
}
