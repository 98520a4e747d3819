/**
 * The policy of undefined values: memory has shadow as long as it has not been written, and the engine stops before
 * such a value decides something: a branch, an address, an argument of a system call.
 */
import { GPR, R8, R9, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import type { InstructionShadow, ShadowedMachine, UseOfUndefined } from './instructionShadow.js';
import { type Decision, GO_ON, type ShadowedInstruction, type ShadowPolicy } from './shadowPolicy.js';

const ARGUMENTS = [RDI, RSI, RDX, GPR[10] as Slot, R8, R9];

interface OtherUse {
  readonly use: 'read' | 'syscall';
  readonly value: bigint;
  readonly bits: bigint;
  readonly arguments?: readonly number[];
}

export class UndefinedPolicy implements ShadowPolicy {
  readonly startsInFrames = true;
  readonly isForgetful = true;

  /** `stopsAtReads`: all reads of unwritten bytes are wanted. */
  constructor(private readonly stopsAtReads: boolean) {}

  decide(instruction: ShadowedInstruction): Decision {
    const used = this.useIn(instruction);
    if (used === undefined) return GO_ON;
    return { kind: 'stop', stop: { kind: 'undefined', at: instruction.at, origin: instruction.origin(), from: instruction.source(), ...used } };
  }

  private useIn({ shadow, machine, block }: ShadowedInstruction): UseOfUndefined | OtherUse | undefined {
    const read = this.stopsAtReads ? readIn(shadow, machine) : undefined;
    return read ?? (block.end.kind === 'syscall' ? systemCallUse(machine) : shadow.use());
  }
}

function readIn(shadow: InstructionShadow, machine: ShadowedMachine): OtherUse | undefined {
  const [read] = shadow.undefinedLoads();
  return read && { use: 'read', value: BigInt(machine.firstShadowed(read.address, read.bytes)), bits: machine.memoryBits(read.address, read.bytes) };
}

function systemCallUse(machine: ShadowedMachine): OtherUse | undefined {
  const shadowed = ARGUMENTS.flatMap(({ offset }, i) => (machine.slotBits(offset) === 0n ? [] : [i]));
  const [first] = shadowed;
  if (first === undefined) return undefined;
  const { offset } = ARGUMENTS[first] as Slot;
  return { use: 'syscall', value: machine.slot(offset, 'i64'), bits: machine.slotBits(offset), arguments: shadowed };
}
