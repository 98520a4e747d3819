/**
 * Check coalescing. Accesses that have the same root value and constant distances from it (locals
 * on the stack, fields of a struct, a row of pushes) share one check of the whole span, made at the
 * first of them. This goes beyond blocks: where control flow has not joined, what a block has
 * checked is good for the blocks after it, as long as a register still holds the root.
 *
 * If the check fails, the instruction is interpreted and what follows is looked at again; so to
 * check early what comes later is always allowed. It is only unwise if the later access may never
 * happen and would fail: hence a check for reading is not made one for writing by a later block.
 */
import type { Block, Node, Value } from '../ir/ir.js';
import type { OpDef } from '../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../ir/ops.js';
import { GPR } from '../layout/cpuState.js';
import { edgesOf, type Shape } from './controlFlow.js';
import type { Region, RegionNode } from './region.js';

export interface Guard {
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

/** For each node of a region: the guards of its loads and stores, by index in the block. Others are checked alone. */
export type GuardPlan = readonly ReadonlyMap<number, Covered>[];

/** The guard made before the first node, if any, that covers an access of node `n` at root + distance. */
type OuterGuards = (n: number, root: Value, distance: number, bytes: number) => Covered | null;

/** A register's value, or an address: a root, named by a number, and a distance from it. */
interface Reference {
  readonly root: number;
  readonly distance: number;
}

/** What is known on the way to a node. */
interface Knowledge {
  /** Per general register. */
  readonly registers: readonly Reference[];
  /** Per root: the guards that have been made, with the node that made them. */
  readonly guards: ReadonlyMap<number, readonly { guard: Guard; home: number }[]>;
}

/** Longest spans that one check may cover: within a block, and for the sake of later blocks. */
const MAX_SPAN = 1024;
const MAX_SPAN_ACROSS = 256;
const INSN = OP_BY_NAME.get('insn')?.id;
const ADD = OP_BY_NAME.get('i64.add')?.id;
const SUB = OP_BY_NAME.get('i64.sub')?.id;
const CONST = OP_BY_NAME.get('i64.const')?.id;
const GET = OP_BY_NAME.get('get.i64')?.id;
const SET = OP_BY_NAME.get('set.i64')?.id;

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

export function planGuards(region: Region, shape: Shape, outer: OuterGuards, standsAlone: (instruction: number) => boolean): GuardPlan {
  return new Planner(region, shape, outer, standsAlone).plan();
}

class Planner {
  private readonly covered: Map<number, Covered>[];
  private roots = 0;

  constructor(
    private readonly region: Region,
    private readonly shape: Shape,
    private readonly outer: OuterGuards,
    private readonly standsAlone: (instruction: number) => boolean,
  ) {
    this.covered = region.nodes.map(() => new Map());
  }

  plan(): GuardPlan {
    this.region.nodes.forEach((_, n) => {
      if ((this.shape.position[n] as number) >= 0 && this.startsAfresh(n)) this.visit(n, this.nothingKnown());
    });
    for (const accesses of this.covered) {
      for (const [i, { guard }] of accesses) if (guard.accesses < 2) accesses.delete(i);
    }
    return this.covered;
  }

  /** Control comes here from more than one place. */
  private startsAfresh(n: number): boolean {
    return n === this.shape.targets[0] || this.shape.isMerge[n] === 1 || this.shape.isLoopHeader[n] === 1;
  }

  private nothingKnown(): Knowledge {
    return { registers: GPR.map(() => ({ root: this.roots++, distance: 0 })), guards: new Map() };
  }

  private visit(n: number, before: Knowledge): void {
    const node = this.region.nodes[n] as RegionNode;
    const after = this.block(n, node.block, before);
    const next = node.end.kind === 'call' ? this.nothingKnown() : after;
    for (const edge of edgesOf(node.end)) {
      if (!('node' in edge) || this.startsAfresh(edge.node)) continue;
      if ((this.shape.position[edge.node] as number) > (this.shape.position[n] as number)) this.visit(edge.node, next);
    }
  }

  private block(n: number, block: Block, before: Knowledge): Knowledge {
    const local = new Map<Value, number>();
    /** What each `get` of a register reads: not always its value before the block, for helpers may change it. */
    const read = new Map<Value, Reference>();
    const registers = before.registers.slice();
    const guards = new Map(before.guards);
    const refer = (value: Value): { reference: Reference; root: Value; distance: number } => {
      const { root, distance } = decompose(block.nodes, value);
      const known = read.get(root);
      if (known !== undefined) return { reference: { root: known.root, distance: known.distance + distance }, root, distance };
      const number = local.get(root) ?? this.roots++;
      local.set(root, number);
      return { reference: { root: number, distance }, root, distance };
    };
    let alone = false;
    block.nodes.forEach((node, i) => {
      if (node.op === INSN) alone = this.standsAlone(node.imm);
      const def = OPS[node.op] as OpDef;
      for (const slot of def.touches) if (slot.offset < GPR.length * 8) registers[slot.offset / 8] = { root: this.roots++, distance: 0 };
      if (node.op === GET && node.imm < GPR.length * 8) {
        read.set(i as Value, registers[node.imm / 8] as Reference);
        return;
      }
      if (node.op === SET && node.imm < GPR.length * 8) {
        registers[node.imm / 8] = refer(node.a).reference;
        return;
      }
      if ((def.effect !== 'load' && def.effect !== 'store') || def.bytes === 0 || alone) return;
      const { reference, root, distance } = refer(node.a);
      if ((block.nodes[root] as Node).op === CONST) return;
      const found = this.outer(n, root, distance + node.imm, def.bytes) ?? this.share(n, guards, reference, node.imm, def);
      (this.covered[n] as Map<number, Covered>).set(i, found);
    });
    return { registers, guards };
  }

  /** A guard on the way that the access can join, or a new one. */
  private share(n: number, guards: Map<number, readonly { guard: Guard; home: number }[]>, reference: Reference, disp: number, def: OpDef): Covered {
    const low = reference.distance + disp;
    const high = low + def.bytes;
    const write = def.effect === 'store';
    const known = guards.get(reference.root) ?? [];
    const fitting = known.find(({ guard, home }) => {
      const span = Math.max(guard.high, high) - Math.min(guard.low, low);
      const here = home === n;
      return (!write || guard.write || here) && (span <= (here ? MAX_SPAN : MAX_SPAN_ACROSS) || (low >= guard.low && high <= guard.high));
    });
    const guard = fitting?.guard ?? { low, high, write, anchor: -1, accesses: 0 };
    guard.low = Math.min(guard.low, low);
    guard.high = Math.max(guard.high, high);
    guard.write ||= write;
    guard.accesses++;
    if (fitting === undefined) guards.set(reference.root, [...known, { guard, home: n }]);
    return { guard, distance: low };
  }
}
