/**
 * Check coalescing. Accesses of a block that have the same root value and constant distances from
 * it (locals on the stack, fields of a struct, a row of pushes) share one check of the whole span,
 * made at the first of them. If the check fails the instruction is interpreted, and what follows
 * is looked at again, so checking early what comes later is always allowed.
 */
import type { Block, Node, Value } from '../ir/ir.js';
import type { Liveness } from '../ir/liveness.js';
import type { OpDef } from '../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../ir/ops.js';

export interface Guard {
  readonly root: Value;
  /** Bytes from the root: [low, high). */
  low: number;
  high: number;
  write: boolean;
  /** Set once the check has been emitted: the i32 local with the linear offset of root + low. */
  anchor: number;
  accesses: number;
}

/** Which guard covers a load or store, and at which distance from the root it accesses. */
export interface Covered {
  readonly guard: Guard;
  readonly distance: number;
}

/** The guard made before the block, if any, that covers an access at root + distance. */
export type OuterGuards = (root: Value, distance: number, bytes: number) => Covered | null;

/** Longest span that one check may cover. */
const MAX_SPAN = 1024;
const ADD = OP_BY_NAME.get('i64.add')?.id;
const SUB = OP_BY_NAME.get('i64.sub')?.id;
const CONST = OP_BY_NAME.get('i64.const')?.id;

/** An address as root + distance, looking through additions of constants. */
export function decompose(nodes: readonly Node[], value: Value): { root: Value; distance: number } {
  let root = value;
  let distance = 0;
  for (;;) {
    const node = nodes[root] as Node;
    if (node.op !== ADD && node.op !== SUB) return { root, distance };
    const right = nodes[node.b] as Node;
    if (right.op !== CONST || right.big < -0x1000_0000n || right.big > 0x1000_0000n) return { root, distance };
    distance += node.op === ADD ? Number(right.big) : -Number(right.big);
    root = node.a;
  }
}

/** Plans the guards of a block. Accesses that share with no other are left alone. */
export function planGuards(block: Block, live: Liveness, outer: OuterGuards): Map<number, Covered> {
  const guards = new Map<Value, Guard[]>();
  const covered = new Map<number, Covered>();
  const framed = new Map<number, Covered>();
  block.nodes.forEach((node, i) => {
    const def = OPS[node.op] as OpDef;
    if ((def.effect !== 'load' && def.effect !== 'store') || def.bytes === 0 || live.needed[i] === 0) return;
    const { root, distance: base } = decompose(block.nodes, node.a);
    if ((block.nodes[root] as Node).op === CONST) return;
    const distance = base + node.imm;
    const frame = outer(root, distance, def.bytes);
    if (frame !== null) {
      framed.set(i, frame);
      return;
    }
    const list = guards.get(root) ?? [];
    guards.set(root, list);
    let guard = list.find((g) => Math.max(g.high, distance + def.bytes) - Math.min(g.low, distance) <= MAX_SPAN);
    if (guard === undefined) {
      guard = { root, low: distance, high: distance + def.bytes, write: false, anchor: -1, accesses: 0 };
      list.push(guard);
    }
    guard.low = Math.min(guard.low, distance);
    guard.high = Math.max(guard.high, distance + def.bytes);
    guard.write ||= def.effect === 'store';
    guard.accesses++;
    covered.set(i, { guard, distance });
  });
  for (const [i, { guard, distance }] of covered) {
    if (guard.accesses >= 2) framed.set(i, { guard, distance });
  }
  return framed;
}
