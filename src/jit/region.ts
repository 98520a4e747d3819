/**
 * A region: the blocks that are compiled together into one function, entered at one of them. Control
 * that leaves for a block outside goes through an exit. Calls may be followed into the callee: its
 * blocks then belong to a context of their own, in which a `ret` goes back to the caller if the
 * return address on the stack is the expected one, and leaves the region if not.
 */
import type { GuestAddr } from '../base/types.js';
import type { Block, Value } from '../ir/ir.js';
import { OP_BY_NAME } from '../ir/ops.js';

const INSN = OP_BY_NAME.get('insn')?.id;

/** Where an edge leads: a node of the region, or out of it to an address. */
export type Edge = { readonly node: number } | { readonly exit: GuestAddr };

export type RegionEnd =
  | { readonly kind: 'jump'; readonly edge: Edge }
  | { readonly kind: 'branch'; readonly condition: Value; readonly taken: Edge; readonly fall: Edge }
  /** Goes to `edge` if the target is `expected`, else leaves. */
  | { readonly kind: 'expect'; readonly target: Value; readonly expected: GuestAddr; readonly edge: Edge }
  | { readonly kind: 'indirect'; readonly target: Value }
  | { readonly kind: 'syscall'; readonly next: GuestAddr }
  /** The last instruction cannot be done in compiled code. */
  | { readonly kind: 'interpret'; readonly at: GuestAddr };

export interface RegionNode {
  readonly block: Block;
  end: RegionEnd;
}

export interface Region {
  readonly entry: GuestAddr;
  /** Node 0 is the entry. */
  readonly nodes: readonly RegionNode[];
  readonly instructions: number;
}

interface Context {
  readonly parent: Context | null;
  readonly returnTo: GuestAddr;
  readonly depth: number;
  readonly nodes: Map<number, number>;
}

export interface RegionLimits {
  readonly instructions: number;
  readonly nodes: number;
  readonly inlineDepth: number;
}

export const DEFAULT_REGION_LIMITS: RegionLimits = { instructions: 500, nodes: 60, inlineDepth: 2 };
/** For code that has shown itself to be among the hottest. */
export const HOTTEST_REGION_LIMITS: RegionLimits = { instructions: 500, nodes: 80, inlineDepth: 3 };

/** The block at an address if it is worth having in a region, else null. */
export type BlockSource = (address: GuestAddr) => Block | null;

/** Collects the region that starts at `entry`, breadth first, up to the limits. */
export function collectRegion(entry: GuestAddr, source: BlockSource, limits: RegionLimits): Region | null {
  return new Collector(source, limits).collect(entry);
}

class Collector {
  private readonly nodes: RegionNode[] = [];
  private readonly contexts: Context[] = [];
  private instructions = 0;

  constructor(
    private readonly source: BlockSource,
    private readonly limits: RegionLimits,
  ) {}

  collect(entry: GuestAddr): Region | null {
    const top: Context = { parent: null, returnTo: entry, depth: 0, nodes: new Map() };
    if (this.add(entry, top) === null) return null;
    for (let i = 0; i < this.nodes.length; i++) {
      const node = this.nodes[i] as RegionNode;
      node.end = this.resolve(node.block, this.contexts[i] as Context);
    }
    return { entry, nodes: this.nodes, instructions: this.instructions };
  }

  private add(address: GuestAddr, context: Context): number | null {
    const known = context.nodes.get(address);
    if (known !== undefined) return known;
    if (this.nodes.length >= this.limits.nodes || this.instructions >= this.limits.instructions) return null;
    const block = this.source(address);
    if (block === null) return null;
    const index = this.nodes.push({ block, end: { kind: 'interpret', at: address } }) - 1;
    this.contexts.push(context);
    context.nodes.set(address, index);
    this.instructions += block.instructions;
    return index;
  }

  private edge(address: GuestAddr, context: Context): Edge {
    const node = this.add(address, context);
    return node === null ? { exit: address } : { node };
  }

  private resolve(block: Block, context: Context): RegionEnd {
    const { end } = block;
    switch (end.kind) {
      case 'jump':
        return { kind: 'jump', edge: this.edge(end.target, context) };
      case 'branch':
        return { kind: 'branch', condition: end.condition, taken: this.edge(end.taken, context), fall: this.edge(end.fall, context) };
      case 'call':
        return { kind: 'jump', edge: this.callee(end.target, end.returnTo, context) };
      case 'indirect':
        if (end.via === 'return' && context.parent !== null) {
          return { kind: 'expect', target: end.target, expected: context.returnTo, edge: this.edge(context.returnTo, context.parent) };
        }
        return { kind: 'indirect', target: end.target };
      case 'syscall':
        return { kind: 'syscall', next: end.next };
      case 'trap':
      case 'unknown':
        return { kind: 'interpret', at: lastInstruction(block) };
    }
  }

  private callee(target: GuestAddr, returnTo: GuestAddr, context: Context): Edge {
    if (context.depth >= this.limits.inlineDepth) return { exit: target };
    for (let c: Context | null = context; c !== null; c = c.parent) {
      if (c.nodes.has(target)) return { exit: target };
    }
    return this.edge(target, { parent: context, returnTo, depth: context.depth + 1, nodes: new Map() });
  }
}

function lastInstruction(block: Block): GuestAddr {
  for (let i = block.nodes.length - 1; i >= 0; i--) {
    const node = block.nodes[i];
    if (node !== undefined && node.op === INSN) return node.imm as GuestAddr;
  }
  return block.start;
}
