/** Where instructions lead: decoded one after the other, for who wants to know how control leaves a stretch of code. */
import { Decoder, DecoderOptions, FlowControl, Instruction } from 'iced-x86';

export interface FlowStep {
  readonly address: number;
  readonly length: number;
  /**
   * `other`: what may go anywhere, or to the kernel and not come back here. `invalid`: no instruction, or only a part
   * of one.
   */
  readonly kind: 'next' | 'jump' | 'conditional' | 'call' | 'indirectCall' | 'indirectJump' | 'return' | 'other' | 'invalid';
  /** Of direct jumps and calls. */
  readonly target: number | undefined;
}

export function flowOf(code: Uint8Array, address: number): FlowStep[] {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  decoder.ip = BigInt(address);
  const steps: FlowStep[] = [];
  while (decoder.canDecode) {
    decoder.decodeOut(instruction);
    const kind = instruction.isInvalid ? 'invalid' : kindOf(instruction);
    const isDirect = kind === 'jump' || kind === 'conditional' || kind === 'call';
    steps.push({ address: Number(instruction.ip), length: instruction.length, kind, target: isDirect ? Number(instruction.nearBranchTarget) : undefined });
  }
  instruction.free();
  decoder.free();
  return steps;
}

function kindOf(instruction: Instruction): FlowStep['kind'] {
  switch (instruction.flowControl) {
    case FlowControl.Next: return 'next';
    case FlowControl.UnconditionalBranch: return 'jump';
    case FlowControl.ConditionalBranch: return 'conditional';
    // System calls are calls to iced-x86; to the program they are like any other instruction.
    case FlowControl.Call: return instruction.isCallNear ? 'call' : 'next';
    case FlowControl.IndirectCall: return 'indirectCall';
    case FlowControl.IndirectBranch: return 'indirectJump';
    case FlowControl.Return: return 'return';
    default: return 'other';
  }
}
