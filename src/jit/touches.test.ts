/**
 * The table of operations says which slots a helper touches (`OpDef.touches`), and the code generators believe it: they
 * hold all others in locals across it. `nodeEffects` says what an operation really reads and writes. The first must
 * cover the second.
 */
import { describe, expect, it } from 'vitest';
import { Node, NONE } from '../ir/ir.js';
import { nodeEffects } from '../ir/meaning/nodeEffects.js';
import { meetsRange, wholeSlot } from '../ir/meaning/stateBytes.js';
import type { OpDef } from '../ir/opDef.js';
import { OPS } from '../ir/ops.js';
import { REP } from '../ir/repFlags.js';
import { X87_RUN } from '../ir/x87Ops.js';
import { DF, FS_BASE, GS_BASE, MXCSR, OTHER_FLAGS, SCRATCH_X, SCRATCH_Y, type Slot } from '../layout/cpuState.js';
import { CACHEABLE_SLOTS } from './slotSet.js';

/** And those that the lifter reads: the builder gives it values that it knows, unless an operation touches them. */
const KNOWN_TO_BUILDER: readonly Slot[] = [...CACHEABLE_SLOTS, DF, FS_BASE, GS_BASE, MXCSR, OTHER_FLAGS];
/** Read only right after the helper that fills it. x87 uses it between its own operations, which read it themselves. */
const SCRATCH: readonly Slot[] = [SCRATCH_X, SCRATCH_Y];
const ELEMENT_SIZES = [1, 2, 4, 8];

/** All immediates that make a difference: four fields of four bits, or what the operation knows. */
function immediates({ name, imm }: OpDef): number[] {
  if (imm !== 'i32') return [0];
  if (name === 'x87.run') return X87_RUN.map((_, i) => i);
  const bytes = Array.from({ length: 256 }, (_, i) => i);
  if (/^(rep|init)\./.test(name)) return bytes.filter((i) => ELEMENT_SIZES.includes(i & REP.SIZE_MASK));
  return [...bytes, ...bytes.map((i) => i << 8)];
}

function show(slots: readonly Slot[]): string[] {
  return slots.map(({ name }) => name);
}

const HELPERS = OPS.filter(({ effect }) => effect === 'helper');
const OF_STATE = OPS.filter(({ effect }) => effect === 'state');

describe('what the table says an operation touches', () => {
  it.each(HELPERS)('covers what it reads and writes: $name', (def) => {
    const missing = new Set<Slot>();
    for (const imm of immediates(def)) {
      const { reads, writes } = nodeEffects(new Node(def.id, NONE, NONE, NONE, NONE, imm));
      const isTouched = (slot: Slot): boolean => def.touches.includes(slot);
      for (const slot of CACHEABLE_SLOTS) if (!isTouched(slot) && meets([...reads, ...writes], slot)) missing.add(slot);
      for (const slot of [...KNOWN_TO_BUILDER, ...SCRATCH]) if (!isTouched(slot) && meets(writes, slot)) missing.add(slot);
    }
    expect(show([...missing])).toEqual([]);
  });

  it.each(OF_STATE)('are no slots in locals, if it works on state that never is there: $name', (def) => {
    const missing = new Set<Slot>();
    for (const imm of immediates(def)) {
      const { reads, writes } = nodeEffects(new Node(def.id, NONE, NONE, NONE, NONE, imm));
      for (const slot of CACHEABLE_SLOTS) if (meets([...reads, ...writes], slot)) missing.add(slot);
      for (const slot of KNOWN_TO_BUILDER) if (!def.touches.includes(slot) && meets(writes, slot)) missing.add(slot);
    }
    expect(show([...missing])).toEqual([]);
  });

  it('is looked at for all that may touch state', () => {
    expect(HELPERS.length).toBeGreaterThan(10);
    expect(OF_STATE.length).toBeGreaterThan(50);
    expect(HELPERS.filter((def) => immediates(def).every((imm) => nodeEffects(new Node(def.id, NONE, NONE, NONE, NONE, imm)).reads.length === 0)).map(({ name }) => name)).toEqual([]);
  });
});

function meets(ranges: Parameters<typeof meetsRange>[0], slot: Slot): boolean {
  const { offset, bytes } = wholeSlot(slot);
  return meetsRange(ranges, offset, bytes);
}
