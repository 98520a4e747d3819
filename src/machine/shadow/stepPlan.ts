/**
 * What has to be known of an instruction to see whether undefined values in registers are any of its business. Nearly
 * all instructions that are executed one by one because there are some neither read these registers nor meet unwritten
 * bytes: whatever they write is defined afterwards, and what they do need not be calculated.
 */
import type { Block } from '../../ir/ir.js';
import { nodeEffects } from '../../ir/meaning/nodeEffects.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';

export interface StepPlan {
  readonly block: Block;
  /** Offsets of slots; undefined if it does more than read and write slots and memory. */
  /** Whether it does something that only some instructions do. */
  readonly isSpecial: boolean;
  /** It has met bytes with shadow when it was last executed. */
  hasMet: boolean;
  readonly plain: { readonly reads: readonly number[]; readonly writes: readonly number[] } | undefined;
}

export function stepPlan(block: Block): StepPlan {
  const reads = new Set<number>();
  const writes = new Set<number>();
  let isPlain = block.end.kind !== 'syscall';
  let isSpecial = false;
  for (const node of block.nodes) {
    const { effect } = OPS[node.op] as OpDef;
    if (effect === 'helper' || effect === 'state') isPlain = false;
    if (effect === 'helper') isSpecial = true;
    const effects = nodeEffects(node);
    for (const { offset } of effects.reads) reads.add(offset);
    for (const { offset } of effects.writes) writes.add(offset);
  }
  return { block, isSpecial, hasMet: false, plain: isPlain ? { reads: [...reads], writes: [...writes] } : undefined };
}
