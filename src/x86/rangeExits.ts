/** How execution leaves a range of code, for who steps through it: found by decoding it from its beginning to its end. */
import { Decoder, DecoderOptions, FlowControl, Instruction } from 'iced-x86';

interface RangeExits {
  /** Addresses outside that direct jumps and calls, and the end of the range, lead to. */
  readonly targets: readonly number[];
  /** Instructions within that lead who knows where: returns, indirect jumps and calls, system calls. */
  readonly unclear: readonly number[];
}

/** Undefined if `inside` is not the beginning of an instruction, or the last one does not end where the range does: then this is not all code. */
export function rangeExits(code: Uint8Array, start: number, inside: number): RangeExits | undefined {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  decoder.ip = BigInt(start);
  const end = start + code.length;
  const targets = new Set<number>();
  const unclear: number[] = [];
  let isBoundary = false;
  let isCode = true;
  let at = start;
  while (decoder.canDecode && isCode) {
    decoder.decodeOut(instruction);
    isCode = !instruction.isInvalid;
    if (at === inside) isBoundary = true;
    noteExits(instruction, at, targets, unclear);
    at = Number(instruction.nextIP);
  }
  const isSound = isBoundary && isCode && at === end;
  instruction.free();
  decoder.free();
  targets.add(end);
  return isSound ? { targets: [...targets].filter((target) => target < start || target >= end), unclear } : undefined;
}

function noteExits(instruction: Instruction, at: number, targets: Set<number>, unclear: number[]): void {
  switch (instruction.flowControl) {
    case FlowControl.Next:
      return;
    case FlowControl.UnconditionalBranch:
    case FlowControl.ConditionalBranch:
    case FlowControl.Call:
      // System calls are calls without a target.
      if (instruction.nearBranchTarget === 0n) unclear.push(at);
      else targets.add(Number(instruction.nearBranchTarget));
      return;
    default:
      unclear.push(at);
  }
}
