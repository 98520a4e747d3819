/**
 * What of a block is needed: one backward pass that finds the nodes without effect, the writes of
 * state that are overwritten before anyone can see them, and where each value is used last.
 *
 * State is visible wherever an instruction may stop (a fault, a trap, the end), so a write is only
 * dead if the same slot is written again with nothing of that kind in between.
 */
import { CC_OP, CC_X, CC_Y, CC_Z, SLOTS_END } from '../layout/cpuState.js';
import { type Block, NONE, type Value } from './ir.js';
import { OPS } from './ops.js';
import type { Effect } from './opDef.js';

const EFFECTS: readonly Effect[] = OPS.map((def) => def.effect);
const CC_SLOTS: readonly number[] = [CC_OP.offset, CC_X.offset, CC_Y.offset, CC_Z.offset];
const FEW_NODES = 256;

/** Holds what was found for the block analysed last: its arrays serve again for every block. */
export class Liveness {
  /** Per node: 1 if it has to be executed. */
  needed = new Uint8Array(FEW_NODES);
  /** Per node: how often its value is used. */
  uses = new Uint16Array(FEW_NODES);
  /** Per node: index of the last node that uses its value; the number of nodes stands for the end of the block. */
  lastUse = new Int32Array(FEW_NODES);
  /** By slot offset / 4: equal to `epoch` for those that will be overwritten before anyone looks. */
  private readonly overwritten = new Float64Array(SLOTS_END / 4);
  private epoch = 0;

  analyse(block: Block): void {
    const { nodes, end } = block;
    this.prepare(nodes.length);
    const { needed, uses } = this;
    if (end.kind === 'branch') this.use(end.condition, nodes.length);
    else if (end.kind === 'indirect') this.use(end.target, nodes.length);

    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i];
      if (node === undefined) continue;
      switch (EFFECTS[node.op]) {
        case 'pure':
          if (uses[i] === 0) continue;
          break;
        case 'get':
          if (uses[i] === 0) continue;
          this.overwritten[node.imm >> 2] = 0;
          break;
        case 'set':
          if (this.isOverwritten(node.imm)) continue;
          this.overwritten[node.imm >> 2] = this.epoch;
          break;
        case 'cc':
          if (CC_SLOTS.every((slot) => this.isOverwritten(slot))) continue;
          for (const slot of CC_SLOTS) this.overwritten[slot >> 2] = this.epoch;
          break;
        case 'mark':
          continue;
        case 'log':
          break;
        default:
          this.epoch++;
      }
      needed[i] = 1;
      this.use(node.a, i);
      this.use(node.b, i);
      this.use(node.c, i);
      this.use(node.d, i);
    }
  }

  private prepare(count: number): void {
    if (this.needed.length < count) {
      this.needed = new Uint8Array(count * 2);
      this.uses = new Uint16Array(count * 2);
      this.lastUse = new Int32Array(count * 2);
    } else {
      this.needed.fill(0, 0, count);
      this.uses.fill(0, 0, count);
    }
    this.lastUse.fill(-1, 0, count);
    this.epoch++;
  }

  private isOverwritten(slot: number): boolean {
    return this.overwritten[slot >> 2] === this.epoch;
  }

  private use(v: Value, at: number): void {
    if (v === NONE) return;
    this.uses[v] = (this.uses[v] as number) + 1;
    if ((this.lastUse[v] as number) < at) this.lastUse[v] = at;
  }
}
