/**
 * Checks made once per entry of a region instead of once per block. Most accesses of compiled code
 * go through a register that keeps a constant distance from a register at the region's entry: the
 * frame pointer, the stack pointer through pushes and followed calls, a pointer that a loop does
 * not change. If the entry block itself accesses memory through such a register, one check before
 * the first node covers all accesses near it in the whole region.
 *
 * Mappings cannot change while a region runs, so a check stays good until an exit or a call.
 */
import { GPR } from '../layout/cpuState.js';
import type { Block, Node, Value } from '../ir/ir.js';
import type { OpDef } from '../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../ir/ops.js';
import { edgesOf } from './controlFlow.js';
import { decompose, type Guard } from './guards.js';
import type { Region, RegionNode } from './region.js';

/** A register's value as (register at the entry) + distance. */
interface Relation {
  readonly register: number;
  readonly distance: number;
}

/** Per register (index in GPR): its relation, or null if unknown. */
type Relations = (Relation | null)[];

interface FrameGuard extends Guard {
  /** Slot offset of the register whose entry value is the root. */
  readonly register: number;
}

/** For each node: how to see accesses in terms of the registers at the entry. */
export interface FramePlan {
  readonly guards: readonly FrameGuard[];
  /** The guard that covers an access of node `n` at `root` + distance, with the distance from the guard's root. */
  cover(n: number, root: Value, distance: number, bytes: number): { guard: FrameGuard; distance: number } | null;
}

const MAX_SPAN = 2048;
const GET = OP_BY_NAME.get('get.i64')?.id;
const SET = OP_BY_NAME.get('set.i64')?.id;
/** Slot offset -> index in GPR. */
const GPR_INDEX: ReadonlyMap<number, number> = new Map(GPR.map((slot, i) => [slot.offset, i]));
const UNKNOWN: Relations = GPR.map(() => null);
const UNCHANGED: Relations = GPR.map((slot) => ({ register: slot.offset, distance: 0 }));

const NO_FRAME: FramePlan = { guards: [], cover: () => null };

/** Only for regions with one entry; in others a register has no one value to refer to. */
export function planFrameGuards(region: Region, targets: readonly number[], unwise: boolean): FramePlan {
  const [entry] = targets;
  if (unwise || entry === undefined || targets.length > 1) return NO_FRAME;
  const relations = relationsAtEntry(region, entry);
  const guards = new Map<number, FrameGuard>();
  const locate = (n: number, root: Value): Relation | null => {
    const block = (region.nodes[n] as RegionNode).block;
    return relationOf(block, root, relations[n] as Relations);
  };
  region.nodes.forEach(({ block }, n) => {
    forEachAccess(block, (root, distance, def) => {
      const relation = relations[n] === undefined ? null : locate(n, root);
      if (relation === null) return;
      const low = relation.distance + distance;
      const high = low + def.bytes;
      let guard = guards.get(relation.register);
      if (guard === undefined) {
        // Only a register that the entry block itself uses as a pointer is known to be one.
        if (n !== entry) return;
        guard = { register: relation.register, low, high, write: false, anchor: -1, accesses: 0 };
        guards.set(relation.register, guard);
      }
      if (Math.max(guard.high, high) - Math.min(guard.low, low) > MAX_SPAN) return;
      guard.low = Math.min(guard.low, low);
      guard.high = Math.max(guard.high, high);
      guard.write ||= def.effect === 'store';
      guard.accesses++;
    });
  });
  return {
    guards: [...guards.values()],
    cover(n, root, distance, bytes) {
      const relation = relations[n] === undefined ? null : locate(n, root);
      if (relation === null) return null;
      const guard = guards.get(relation.register);
      const low = relation.distance + distance;
      if (guard === undefined || low < guard.low || low + bytes > guard.high) return null;
      return { guard, distance: low };
    },
  };
}

function relationOf(block: Block, root: Value, entry: Relations): Relation | null {
  const node = block.nodes[root] as Node;
  const index = node.op === GET ? GPR_INDEX.get(node.imm) : undefined;
  if (index === undefined || isTouchedBefore(block, root, node.imm)) return null;
  return entry[index] as Relation | null;
}

/** Whether a helper changes the register between the block's beginning and node `end`. */
function isTouchedBefore(block: Block, end: number, register: number): boolean {
  for (let i = 0; i < end; i++) {
    for (const { offset } of (OPS[(block.nodes[i] as Node).op] as OpDef).touches) if (offset === register) return true;
  }
  return false;
}

function forEachAccess(block: Block, visit: (root: Value, distance: number, def: OpDef) => void): void {
  for (const node of block.nodes) {
    const def = OPS[node.op] as OpDef;
    if ((def.effect !== 'load' && def.effect !== 'store') || def.bytes === 0) continue;
    const { root, distance } = decompose(block.nodes, node.a);
    visit(root, distance + node.imm, def);
  }
}

/** Forward data flow over the region: what each register is when a node begins. */
function relationsAtEntry(region: Region, entry: number): (Relations | undefined)[] {
  const entries: (Relations | undefined)[] = [];
  entries[entry] = UNCHANGED;
  const work = [entry];
  for (let n = work.pop(); n !== undefined; n = work.pop()) {
    const node = region.nodes[n] as RegionNode;
    // A call may change every register, and every mapping.
    const out = node.end.kind === 'call' ? UNKNOWN : transfer(node.block, entries[n] as Relations);
    for (const edge of edgesOf(node.end)) {
      if (!('node' in edge)) continue;
      const known = entries[edge.node];
      const merged = known === undefined ? out : meet(known, out);
      if (merged === null) continue;
      entries[edge.node] = merged;
      work.push(edge.node);
    }
  }
  return entries;
}

function transfer(block: Block, entry: Relations): Relations {
  const out = entry.slice();
  for (const node of block.nodes) {
    for (const slot of (OPS[node.op] as OpDef).touches) {
      const touched = GPR_INDEX.get(slot.offset);
      if (touched !== undefined) out[touched] = null;
    }
    const target = node.op === SET ? GPR_INDEX.get(node.imm) : undefined;
    if (target === undefined) continue;
    const { root, distance } = decompose(block.nodes, node.a);
    const relation = relationOf(block, root, entry);
    out[target] = relation === null ? null : { register: relation.register, distance: relation.distance + distance };
  }
  return out;
}

/** What both agree on; null if that is `known` already. */
function meet(known: Relations, other: Relations): Relations | null {
  let merged: Relations | null = null;
  known.forEach((a, i) => {
    const b = other[i] as Relation | null;
    if (a === null || (b !== null && a.register === b.register && a.distance === b.distance)) return;
    merged ??= known.slice();
    merged[i] = null;
  });
  return merged;
}
