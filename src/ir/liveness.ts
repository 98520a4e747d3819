/**
 * What of a block is needed: one backward pass that finds the nodes without effect, the writes of
 * state that are overwritten before anyone can see them, and where each value is used last.
 *
 * State is visible wherever an instruction may stop (a fault, a trap, the end), so a write is only
 * dead if the same slot is written again with nothing of that kind in between.
 */
import { CC_OP, CC_X, CC_Y, CC_Z } from '../layout/cpuState.js';
import { type Block, NONE, type Value } from './ir.js';
import { OPS } from './ops.js';
import type { Effect } from './opDef.js';

export interface Liveness {
  /** Per node: 1 if it has to be executed. */
  readonly needed: Uint8Array;
  /** Per node: how often its value is used. */
  readonly uses: Uint16Array;
  /** Per node: index of the last node that uses its value; the number of nodes stands for the end of the block. */
  readonly lastUse: Int32Array;
}

const EFFECTS: readonly Effect[] = OPS.map((def) => def.effect);
const CC_SLOTS: readonly number[] = [CC_OP.offset, CC_X.offset, CC_Y.offset, CC_Z.offset];

export function analyseLiveness(block: Block): Liveness {
  const { nodes, end } = block;
  const needed = new Uint8Array(nodes.length);
  const uses = new Uint16Array(nodes.length);
  const lastUse = new Int32Array(nodes.length).fill(-1);
  /** Slots that will be overwritten before anyone looks. */
  const overwritten = new Set<number>();
  const use = (v: Value, at: number): void => {
    if (v === NONE) return;
    uses[v] = (uses[v] as number) + 1;
    if ((lastUse[v] as number) < at) lastUse[v] = at;
  };
  if (end.kind === 'branch') use(end.condition, nodes.length);
  else if (end.kind === 'indirect') use(end.target, nodes.length);

  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    if (node === undefined) continue;
    switch (EFFECTS[node.op]) {
      case 'pure':
        if (uses[i] === 0) continue;
        break;
      case 'get':
        if (uses[i] === 0) continue;
        overwritten.delete(node.imm);
        break;
      case 'set':
        if (overwritten.has(node.imm)) continue;
        overwritten.add(node.imm);
        break;
      case 'cc':
        if (CC_SLOTS.every((slot) => overwritten.has(slot))) continue;
        for (const slot of CC_SLOTS) overwritten.add(slot);
        break;
      case 'mark':
        continue;
      default:
        overwritten.clear();
    }
    needed[i] = 1;
    use(node.a, i);
    use(node.b, i);
    use(node.c, i);
    use(node.d, i);
  }
  return { needed, uses, lastUse };
}
