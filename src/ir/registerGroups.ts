/**
 * Registers in groups, a bit for each, so that one word says which of them have shadow, and another one which of them a
 * block has to do with.
 */
import { FPU_REG, FPU_STATUS, GPR, type Slot, XMM } from '../layout/cpuState.js';
import type { Block, Node } from './ir.js';
import { endEffects, FLAG_SLOTS, nodeEffects } from './meaning/nodeEffects.js';
import { TYPE_BYTES } from './meaning/pureOperation.js';
import type { SlotRange } from './meaning/stateBytes.js';
import type { OpDef } from './opDef.js';
import { OP_BY_NAME } from './ops.js';

/** Blocks with what only JavaScript can do where there is shadow. */
export const ALWAYS_ASKED = 1 << 31;

const FLAGS = 16;
const FIRST_VECTOR = 17;
const LAST_VECTOR = 29;
const X87 = 30;

const GROUPED: readonly Slot[] = [...GPR, ...FLAG_SLOTS, ...XMM, FPU_STATUS, ...FPU_REG];

const BITS: ReadonlyMap<number, number> = new Map([
  ...GPR.map(({ offset }, i) => [offset, 1 << i] as const),
  ...FLAG_SLOTS.map(({ offset }) => [offset, 1 << FLAGS] as const),
  ...XMM.map(({ offset }, i) => [offset, 1 << Math.min(FIRST_VECTOR + i, LAST_VECTOR)] as const),
  ...[FPU_STATUS, ...FPU_REG].map(({ offset }) => [offset, 1 << X87] as const),
]);

/** What they read of memory is looked at nowhere else. */
const ASKED: ReadonlySet<number> = new Set(['rep.cmps', 'rep.scas', 'rep.lods'].map((name) => (OP_BY_NAME.get(name) as OpDef).id));

export function isAlwaysAsked({ op }: Node): boolean {
  return ASKED.has(op);
}

/** Slots that are in a group and have bytes in one of the ranges. */
export function shadowedSlots(ranges: readonly SlotRange[]): readonly Slot[] {
  return GROUPED.filter((slot) => ranges.some(({ offset, bytes }) => offset < slot.offset + TYPE_BYTES[slot.type] && slot.offset < offset + bytes));
}

/** The group of a slot; 0 for those that are in none. */
export function groupOf(offset: number): number {
  return BITS.get(offset) ?? 0;
}

/** All that a block reads or writes. */
export function groupsOf({ nodes, end }: Block): number {
  let groups = 0;
  for (const node of nodes) {
    if (isAlwaysAsked(node)) groups |= ALWAYS_ASKED;
    const { reads, writes } = nodeEffects(node);
    // Ranges may begin in the middle of a slot.
    for (const { offset } of reads) groups |= groupOf(offset) || groupOf(offset & ~15) || groupOf(offset & ~7);
    for (const { offset } of writes) groups |= groupOf(offset) || groupOf(offset & ~15) || groupOf(offset & ~7);
  }
  for (const { offset } of endEffects(end).writes) groups |= groupOf(offset);
  return groups;
}
