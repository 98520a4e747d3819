/**
 * Which slots each node of a region reads and writes, and what follows for the whole: which may be
 * dirty (changed since the entry, so that memory is out of date) when a node begins, and which a
 * loop uses.
 */
import type { Block } from '../ir/ir.js';
import type { OpDef } from '../ir/opDef.js';
import { OPS } from '../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z } from '../layout/cpuState.js';
import { edgesOf, type Shape } from './controlFlow.js';
import type { Region, RegionNode } from './region.js';
import { NO_SLOTS, sameSet, slotNumber, type SlotSet, union, withSlot } from './slotSet.js';

export interface SlotFlow {
  /** Per node: dirty on some way to it. */
  readonly dirtyAt: readonly SlotSet[];
  /** Per node: dirty on some way to its end. */
  readonly dirtyAfter: readonly SlotSet[];
  /** Per loop header: what the nodes of its loop read or write. */
  readonly loopUses: ReadonlyMap<number, SlotSet>;
}

const FLAGS: SlotSet = [CC_OP, CC_X, CC_Y, CC_Z].reduce((set, slot) => withSlot(set, slotNumber(slot.offset)), NO_SLOTS);

export function analyseSlots(region: Region, shape: Shape): SlotFlow {
  const usage = region.nodes.map(({ block }) => slotUsage(block));
  const predecessors: number[][] = region.nodes.map(() => []);
  region.nodes.forEach((node, from) => {
    if ((shape.position[from] as number) < 0) return;
    for (const to of successors(node)) (predecessors[to] as number[]).push(from);
  });
  const order = region.nodes.map((_, n) => n).filter((n) => (shape.position[n] as number) >= 0)
    .sort((a, b) => (shape.position[a] as number) - (shape.position[b] as number));

  const dirtyAt: SlotSet[] = region.nodes.map(() => NO_SLOTS);
  const dirtyAfter: SlotSet[] = usage.map(({ written }) => written);
  for (let changed = true; changed; ) {
    changed = false;
    for (const n of order) {
      const at = (predecessors[n] as number[]).reduce((set, p) => union(set, dirtyAfter[p] as SlotSet), NO_SLOTS);
      if (sameSet(at, dirtyAt[n] as SlotSet)) continue;
      dirtyAt[n] = at;
      dirtyAfter[n] = union(at, (usage[n] as Usage).written);
      changed = true;
    }
  }
  const loopUses = new Map<number, SlotSet>();
  for (const header of order) {
    if (shape.isLoopHeader[header] === 0) continue;
    const uses = loopNodes(header, predecessors, shape).reduce((set, n) => union(set, (usage[n] as Usage).touched), NO_SLOTS);
    loopUses.set(header, uses);
  }
  return { dirtyAt, dirtyAfter, loopUses };
}

interface Usage {
  readonly written: SlotSet;
  /** Read or written. */
  readonly touched: SlotSet;
}

function slotUsage(block: Block): Usage {
  let written = NO_SLOTS;
  let touched = NO_SLOTS;
  for (const node of block.nodes) {
    const { effect } = OPS[node.op] as OpDef;
    if (effect === 'cc') {
      written = union(written, FLAGS);
    } else if (effect === 'get' || effect === 'set') {
      const number = slotNumber(node.imm);
      if (number < 0) continue;
      if (effect === 'set') written = withSlot(written, number);
      else touched = withSlot(touched, number);
    }
  }
  return { written, touched: union(touched, written) };
}

function successors(node: RegionNode): number[] {
  return edgesOf(node.end).flatMap((edge) => ('node' in edge ? [edge.node] : []));
}

/** The natural loop of a header: the nodes that reach a back edge without leaving through the header. */
function loopNodes(header: number, predecessors: readonly (readonly number[])[], shape: Shape): number[] {
  const inside = new Set([header]);
  const work = (predecessors[header] as readonly number[]).filter((p) => (shape.position[p] as number) >= (shape.position[header] as number));
  for (let n = work.pop(); n !== undefined; n = work.pop()) {
    if (inside.has(n)) continue;
    inside.add(n);
    work.push(...(predecessors[n] as readonly number[]));
  }
  return [...inside];
}
