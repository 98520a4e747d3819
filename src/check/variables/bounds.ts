/** Accesses that name their variable (boundedAccesses.ts): the machine traps where one leaves it. */
import { Decoder, DecoderOptions, Mnemonic, OpKind } from 'iced-x86';
import type { Process } from '../../linux/process.js';
import { RBP } from '../../layout/cpuState.js';
import type { AccessBound } from '../../x86/hooks.js';
import type { Block, Moment } from '../heap/blocks.js';
import { accessOf } from '../report/access.js';
import type { Bound } from './boundedAccesses.js';

interface Escape {
  readonly kind: 'read' | 'write';
  /** The first byte that is not the variable's. */
  readonly pointer: bigint;
  readonly block: Block;
}

const BITS = 64;
const LONGEST = 15;
/** They only look at their first operand. */
const READERS: ReadonlySet<Mnemonic> = new Set([Mnemonic.Cmp, Mnemonic.Test, Mnemonic.Push, Mnemonic.Call, Mnemonic.Jmp, Mnemonic.Mul, Mnemonic.Imul, Mnemonic.Div, Mnemonic.Idiv, Mnemonic.Bt, Mnemonic.Fld, Mnemonic.Fild]);
/** No block has it. */
const NO_ID = -1;

export class Bounds {
  readonly checked: Map<number, AccessBound>;
  /** What was reported, and is allowed from then on. */
  readonly left: Set<number>;
  private readonly byAddress: Map<number, Bound>;

  constructor(origin?: Bounds) {
    this.checked = new Map(origin?.checked);
    this.left = new Set(origin?.left);
    this.byAddress = new Map(origin?.byAddress);
  }

  add(bounds: ReadonlyMap<number, Bound>): void {
    for (const [at, bound] of bounds) {
      this.byAddress.set(at, bound);
      this.checked.set(at, bound.kind === 'frame' ? { isInFrame: true, begin: bound.slot.offset, size: bound.slot.size } : { isInFrame: false, begin: bound.variable.address, size: bound.variable.size });
    }
  }

  /** Any instruction there may do it. */
  allow(at: number): void {
    this.checked.delete(at);
    this.left.add(at);
  }

  /** What the process is about to do, which is wrong. */
  escapeOf({ cpu, space }: Process, moment: Moment): Escape | undefined {
    const bound = this.byAddress.get(cpu.rip);
    const code = space.peek(cpu.rip, LONGEST) ?? space.peek(cpu.rip, 1);
    if (bound === undefined || code === null) return undefined;
    const decoder = new Decoder(BITS, code, DecoderOptions.None);
    decoder.ip = BigInt(cpu.rip);
    const instruction = decoder.decode();
    const { address, size } = accessOf(instruction, (slot) => cpu.big(slot));
    const kind = instruction.op0Kind === OpKind.Memory && !READERS.has(instruction.mnemonic) ? 'write' : 'read';
    instruction.free();
    decoder.free();
    const block = blockOf(bound, cpu.num(RBP), moment);
    const [begin, end] = [address ?? 0n, BigInt(block.begin + block.size)];
    const after = begin + BigInt(size);
    return { kind, block, pointer: begin < block.begin || begin >= end ? begin : after < end ? after : end };
  }
}

function blockOf(bound: Bound, frame: number, moment: Moment): Block {
  if (bound.kind === 'frame') return variableBlock({ begin: frame + bound.slot.offset, size: bound.slot.size, name: bound.slot.name, function: bound.slot.function }, moment);
  const { address, size, name } = bound.variable;
  return variableBlock({ begin: address, size, name, function: undefined }, moment);
}

/** A block that is only looked at. */
export function variableBlock({ begin, size, name, function: by, real = begin }: { begin: number; size: number; name: string; function: string | undefined; real?: number }, moment: Moment): Block {
  return {
    id: NO_ID, begin, size, family: by === undefined ? 'global' : 'stack', allocated: { ...moment, by: by ?? '' }, freed: undefined, real, variable: name,
  };
}
