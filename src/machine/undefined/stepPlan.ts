/**
 * What has to be known of an instruction to see whether undefined values in registers are any of its business. Nearly all instructions that are executed one by one because there are some neither
 * read these registers nor meet unwritten bytes: whatever they write is defined afterwards, and nobody need calculate what they do.
 */
import type { Block } from '../../ir/ir.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z } from '../../layout/cpuState.js';

export interface StepPlan {
  readonly block: Block;
  /** Offsets of slots; undefined if it does more than read and write slots and memory. */
  readonly plain: { readonly reads: readonly number[]; readonly writes: readonly number[] } | undefined;
}

const FLAG_OFFSETS = [CC_OP, CC_X, CC_Y, CC_Z].map(({ offset }) => offset);

export function stepPlan(block: Block): StepPlan {
  const reads = new Set<number>();
  const writes = new Set<number>();
  let isPlain = block.end.kind !== 'syscall';
  for (const { op, imm } of block.nodes) {
    const { effect, name } = OPS[op] as OpDef;
    if (effect === 'get') reads.add(imm);
    else if (effect === 'set') writes.add(imm);
    else if (effect === 'cc') for (const offset of FLAG_OFFSETS) writes.add(offset);
    else if (effect === 'helper' || effect === 'state' || name.startsWith('x87.')) isPlain = false;
  }
  return { block, plain: isPlain ? { reads: [...reads], writes: [...writes] } : undefined };
}
