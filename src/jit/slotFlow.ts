/**
 * Which slots each node of a region reads and writes, and what follows for the whole: which may be
 * dirty (changed since the entry, so that memory is out of date) when a node begins, and which a
 * loop uses.
 */
import type { Block } from '../ir/ir.js';
import type { OpDef } from '../ir/opDef.js';
import { OPS } from '../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z } from '../layout/cpuState.js';
import { edgesOf, type Shape, successorsOf } from './controlFlow.js';
import type { Region, RegionNode } from './region.js';
import { intersection, NO_SLOTS, sameSet, slotNumber, type SlotSet, union, withSlot } from './slotSet.js';

export interface SlotFlow {
  /** Per node: dirty on some way to it. A loop header then writes back what its loop does not use. */
  readonly dirtyAt: readonly SlotSet[];
  /** Per node: dirty on some way to its end. */
  readonly dirtyAfter: readonly SlotSet[];
  /** Per loop header: what the nodes of its loop read or write. */
  readonly loopUses: ReadonlyMap<number, SlotSet>;
  /**
   * Per target of the root that there are also other ways to: what has to be loaded there, so that all
   * ways agree.
   */
  readonly neededAt: ReadonlyMap<number, SlotSet>;
}

const FLAGS: SlotSet = [CC_OP, CC_X, CC_Y, CC_Z].reduce((set, slot) => withSlot(set, slotNumber(slot.offset)), NO_SLOTS);

export function analyseSlots(region: Region, shape: Shape): SlotFlow {
  const usage = region.nodes.map(({ block }) => slotUsage(block));
  const predecessors: number[][] = region.nodes.map(() => []);
  const calls = region.nodes.map(({ end }) => end.kind === 'call');
  region.nodes.forEach((node, from) => {
    if ((shape.position[from] as number) < 0) return;
    for (const to of successorsOf(node)) (predecessors[to] as number[]).push(from);
    for (const edge of edgesOf(node.end)) if ('hop' in edge) (predecessors[edge.hop] as number[]).push(from);
  });
  const order = region.nodes.map((_, n) => n).filter((n) => (shape.position[n] as number) >= 0)
    .sort((a, b) => (shape.position[a] as number) - (shape.position[b] as number));

  const loopUses = new Map<number, SlotSet>();
  for (const header of order) {
    if (shape.isLoopHeader[header] === 0) continue;
    const uses = loopNodes(header, predecessors, shape).reduce((set, n) => union(set, (usage[n] as Usage).touched), NO_SLOTS);
    loopUses.set(header, uses);
  }

  const dirtyAt: SlotSet[] = region.nodes.map(() => NO_SLOTS);
  const dirtyAfter: SlotSet[] = usage.map(({ written }) => written);
  for (let changed = true; changed; ) {
    changed = false;
    for (const n of order) {
      // Before a call everything is written back.
      const at = (predecessors[n] as number[]).reduce((set, p) => (calls[p] ? set : union(set, dirtyAfter[p] as SlotSet)), NO_SLOTS);
      if (sameSet(at, dirtyAt[n] as SlotSet)) continue;
      dirtyAt[n] = at;
      const loop = loopUses.get(n);
      dirtyAfter[n] = union(loop === undefined ? at : intersection(at, loop), (usage[n] as Usage).written);
      changed = true;
    }
  }
  const neededAt = new Map<number, SlotSet>();
  for (const target of shape.targets) {
    if (shape.targets.length === 1 || (predecessors[target] as number[]).length === 0) continue;
    const uses = loopUses.get(target) ?? reachableFrom(target, region).reduce((set, n) => union(set, (usage[n] as Usage).touched), NO_SLOTS);
    neededAt.set(target, union(uses, dirtyAt[target] as SlotSet));
  }
  return { dirtyAt, dirtyAfter, loopUses, neededAt };
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

function reachableFrom(start: number, region: Region): number[] {
  const seen = new Set([start]);
  for (const n of seen) {
    for (const edge of edgesOf((region.nodes[n] as RegionNode).end)) if (!('exit' in edge)) seen.add('node' in edge ? edge.node : edge.hop);
  }
  return [...seen];
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
